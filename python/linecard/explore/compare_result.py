"""What a comparison tells: what differs, what moved, and whether beyond noise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.interval import Estimate
from linecard.result import Result
from linecard.tables import Table, records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from linecard.explore.execute import Counts


# A run measures so many packets: how many come, leave and are lost, and in which time, is in its rates and its loss.
_SAID_BY_RATES = frozenset({"packets_in", "packets_out", "packets_dropped", "simulated_seconds"})


@dataclass(frozen=True, slots=True)
class Setting:
    """A key that differs; ``None`` on the side that does not have it."""

    key: str
    a: Any
    b: Any
    unit: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A number on both sides.

    Attributes:
        name: What it is: a number of the summary, or component and metric.
        a: Its mean on the first side.
        b: Its mean on the second.
        change: ``b`` over ``a``, less one; ``None`` where ``a`` is zero.
        difference: ``b`` less ``a``.
        low: Lower bound of the difference, 95 %; ``None`` where nothing says it.
        high: Upper bound likewise.
        beyond_noise: Whether the interval leaves zero out; ``None`` where there is no interval.
    """

    name: str
    a: float
    b: float
    change: float | None
    difference: float
    low: float | None
    high: float | None
    beyond_noise: bool | None


@dataclass(frozen=True, slots=True)
class LineMoved:
    """A source line of two programs, or a function where there are no lines; costs are of a packet.

    Attributes:
        text: The line, or the function.
        a: File and number in the first program; ``None`` where it has no such line.
        b: The same of the second.
        cycles: Cycles of the engine, without those to issue accesses.
        stall_cycles: Cycles that the thread waited for accesses.
        instructions: Instructions.
    """

    text: str
    a: str | None
    b: str | None
    cycles: Moved
    stall_cycles: Moved
    instructions: Moved

    @property
    def name(self) -> str:
        """Where it stands, in one word or two."""
        places = dict.fromkeys(each for each in (self.a, self.b) if each is not None)
        return " → ".join(places)

    @property
    def costs(self) -> tuple[Moved, Moved, Moved]:
        """Cycles, stall cycles and instructions."""
        return self.cycles, self.stall_cycles, self.instructions

    @property
    def difference(self) -> float:
        """Cycles and stall cycles of the second less those of the first."""
        return self.cycles.difference + self.stall_cycles.difference

    @property
    def beyond_noise(self) -> bool | None:
        """Whether any of its costs moved beyond noise; ``None`` where nothing says it."""
        each = {moved.beyond_noise for moved in self.costs}
        return True if True in each else None if None in each else False


def paired(a: Sequence[Mapping[str, float]], b: Sequence[Mapping[str, float]]) -> list[Moved]:
    """Numbers that both sides have in all of their pairs, compared pair by pair."""
    found = []
    for name in a[0]:
        if all(name in each for each in (*a, *b)):
            found.append(moved_between(name, [each[name] for each in a], [each[name] for each in b]))
    return found


def moved_between(name: str, a: Sequence[float], b: Sequence[float]) -> Moved:
    """A number on both sides, compared pair by pair: seeds on the same packets, or points at the same place."""
    estimate = Estimate.of([after - before for before, after in zip(a, b, strict=True)])
    mean = sum(a) / len(a)
    beyond = None
    if estimate.low is not None and estimate.high is not None:
        beyond = estimate.low > 0 or estimate.high < 0
    change = estimate.value / mean if mean else None
    return Moved(name, mean, sum(b) / len(b), change, estimate.value, estimate.low, estimate.high, beyond)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CompareResult(Result):
    """Two things side by side.

    Attributes:
        a: The first.
        b: The second.
        kind: ``designs``, ``runs`` or ``sweeps``.
        answered: Whether the numbers are sure enough to be compared; ``notes`` say what was tried and what to change.
        basis: What intervals are over, in words.
        limits: What limits each, as its run says, of designs with the first seed; ``None`` of sweeps.
        configuration: Keys that differ.
        metrics: The numbers of the summary, or the columns of a table.
        measurements: Measurements of parts that moved beyond noise, the largest change first; designs only.
        lines: Source lines of two programs, those whose cycles and stalls moved most first; of programs only.
        notes: What to know.
        counts: Runs found and made; of designs only.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("a", "b", "kind", "basis")
    APART: ClassVar[tuple[str, ...]] = ("counts",)

    a: str
    b: str
    kind: str
    answered: bool
    basis: str
    limits: tuple[str, str] | None
    configuration: tuple[Setting, ...]
    metrics: tuple[Moved, ...]
    measurements: tuple[Moved, ...]
    lines: tuple[LineMoved, ...]
    notes: tuple[str, ...]
    counts: Counts = field(compare=False)

    @property
    def shown(self) -> tuple[Moved, ...]:
        """The metrics for people: without those that are zero on both sides, or say again what a rate says."""
        return tuple(each for each in self.metrics if (each.a or each.b) and each.name not in _SAID_BY_RATES)

    def table(self) -> Table:
        """Everything on both sides: metrics, measurements of parts, costs of lines."""
        lines = (replace(moved, name=f"{line.name}: {moved.name}") for line in self.lines for moved in line.costs)
        return records((*self.metrics, *self.measurements, *lines), Moved)

    def __repr__(self) -> str:
        moved = sum(each.beyond_noise is True for each in self.metrics)
        return f"<CompareResult {self.a} and {self.b}: {len(self.configuration)} keys differ, {moved} numbers moved>"
