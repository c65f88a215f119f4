"""What became of one thing of the reader's: it agrees, it differs, or it was skipped, and why."""

from __future__ import annotations

from dataclasses import dataclass, field

AGREES, DIFFERS, SKIPPED = "agrees", "differs", "skipped"


@dataclass(frozen=True)
class Verdict:
    """One file or run, judged.

    Attributes:
        name: What it is called in the reader's folder.
        state: ``agrees``, ``differs`` or ``skipped``.
        text: What was found and what was expected; why it was skipped; what was compared.
    """

    name: str
    state: str
    text: str


@dataclass
class Compared:
    """Numbers of one run beside the published ones.

    Attributes:
        wrong: In words, what differs.
        right: Names of what agrees.
        left_out: Names of what is published and was not compared.
    """

    wrong: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def number(self, name: str, found: float, expected: str, share: float = 0.0) -> None:
        """Hold a number against one as it is printed: equal to its last digit, or within a share of it."""
        off = abs(found - float(expected))
        mantissa, _, power = expected.lower().partition("e")
        digits = len(mantissa.partition(".")[2]) - int(power or 0)
        # Half a unit of the last digit, and what a double leaves of it; a count has to be the same.
        rounding = 0.5000001 * 10.0**-digits if "." in mantissa else 0.0
        if off <= max(share * abs(float(expected)), rounding):
            self.right.append(name)
            return
        within = f" within {share * 100:g} %" if share else ""
        self.wrong.append(f"{name}: found {found:.10g}, expected {expected}{within}")

    def verdict(self, name: str) -> Verdict:
        """The whole in words."""
        beside = f" (not compared: {', '.join(self.left_out)})" if self.left_out else ""
        if self.wrong:
            return Verdict(name, DIFFERS, "; ".join(self.wrong) + beside)
        if not self.right:
            return Verdict(name, SKIPPED, "no published number that can be compared" + beside)
        return Verdict(name, AGREES, ", ".join(self.right) + beside)
