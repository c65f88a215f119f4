"""The robustness of a study: its main number and its limits with other seeds and other values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from linecard.study.result import StudyResult


def error_text(error: float | None) -> str:
    """A mean error in percent with two decimals, because its changes may be small; a dash for ``None``."""
    return "–" if error is None else f"{error * 100:.2f} %"


@dataclass(frozen=True, slots=True)
class Reached:
    """The result of a line of ``targets.csv``.

    Attributes:
        measured: The measured number, in the unit of the line.
        kept: Whether the limit is met.
    """

    measured: float
    kept: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a study with one seed and one set of values.

    Attributes:
        error: Mean absolute error over the counted numbers, a fraction; ``None`` without any.
        lines: The lines of ``targets.csv`` that one seed can judge, by name.
        silent: The lines that one seed cannot judge, and the reasons.
        failed_runs: Runs that failed. Means exclude their cells.
    """

    error: float | None
    lines: Mapping[str, Reached]
    silent: Mapping[str, str]
    failed_runs: int = 0

    @classmethod
    def of(cls, result: StudyResult) -> Outcome:
        """The part of a study's result that is used here."""
        lines = {
            line.target.id: Reached(line.measured, bool(line.kept))
            for line in result.lines
            if line.measured is not None
        }
        silent = {
            line.target.id: line.detail.removeprefix("not judged: ") for line in result.lines if line.measured is None
        }
        return cls(result.mean_abs_error, lines, silent, len(result.failures))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "mean_abs_error": self.error,
            "failed_runs": self.failed_runs,
            "lines": {name: {"measured": line.measured, "kept": line.kept} for name, line in self.lines.items()},
            "not_judged": dict(self.silent),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Outcome:
        """Plain data of `to_dict`."""
        lines = {name: Reached(line["measured"], line["kept"]) for name, line in data["lines"].items()}
        return cls(data["mean_abs_error"], lines, data["not_judged"], data["failed_runs"])


@dataclass(frozen=True, slots=True)
class Variation:
    """A study with a calibrated value 10 % lower and 10 % higher.

    Attributes:
        parameter: Name of the value in the study.
        key: Key of the value in the preset, or its name in the study.
        value: The chosen value; ``low`` and ``high`` are the tried values.
        down: Result of the study with ``low``.
        up: Result of the study with ``high``.
    """

    parameter: str
    key: str
    value: float
    low: float
    high: float
    down: Outcome
    up: Outcome

    def moves(self, base: Outcome) -> float:
        """The largest change of the mean error, a fraction."""
        errors = [outcome.error for outcome in (self.down, self.up) if outcome.error is not None]
        return max((abs(error - (base.error or 0.0)) for error in errors), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            **{name: getattr(self, name) for name in ("parameter", "key", "value", "low", "high")},
            "down": self.down.to_dict(),
            "up": self.up.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Variation:
        """Plain data of `to_dict`."""
        plain = {name: data[name] for name in ("parameter", "key", "value", "low", "high")}
        return cls(**plain, down=Outcome.from_dict(data["down"]), up=Outcome.from_dict(data["up"]))


@dataclass(frozen=True, slots=True)
class Robustness:
    """A study's main number and limits, and the changes that affect them.

    Attributes:
        study: Its name.
        quick: Whether the quick study was run; otherwise the full number of packets, one seed at a time.
        done: Number of finished runs of the study.
        steps: Number of planned runs; more than ``done`` after an interrupt.
        by_seed: Results of the study, one per seed. Variations are compared with the result of the first seed.
        variations: Variations of calibrated values, in order of their effect on the mean error, largest first.
        left_out: Calibrated values that were not varied, and the reasons.
    """

    study: str
    quick: bool
    done: int
    steps: int
    by_seed: Mapping[int, Outcome]
    variations: tuple[Variation, ...]
    left_out: Mapping[str, str]

    @property
    def base(self) -> Outcome:
        """Result of the study with its first seed and the chosen values."""
        return next(iter(self.by_seed.values()))

    @property
    def outcomes(self) -> Iterable[tuple[str, Outcome]]:
        """All finished runs of the study, each with its change."""
        for seed, outcome in self.by_seed.items():
            yield f"seed {seed}", outcome
        for each in self.variations:
            yield f"{each.key} = {each.low:g}", each.down
            yield f"{each.key} = {each.high:g}", each.up

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "study": self.study,
            "quick": self.quick,
            "done": self.done,
            "steps": self.steps,
            "seeds": [{"seed": seed, **outcome.to_dict()} for seed, outcome in self.by_seed.items()],
            "variations": [each.to_dict() for each in self.variations],
            "left_out": [{"parameter": name, "why": why} for name, why in self.left_out.items()],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Robustness:
        """Plain data of `to_dict`."""
        return cls(
            study=data["study"],
            quick=data["quick"],
            done=data["done"],
            steps=data["steps"],
            by_seed={each["seed"]: Outcome.from_dict(each) for each in data["seeds"]},
            variations=tuple(Variation.from_dict(each) for each in data["variations"]),
            left_out={each["parameter"]: each["why"] for each in data["left_out"]},
        )
