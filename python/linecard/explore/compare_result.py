"""The result of a comparison: the settings that differ, and the metrics that changed beyond noise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.interval import Estimate
from linecard.result import Result
from linecard.tables import Table, records

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from linecard.explore.execute import Counts


# The length of a run sets these; its rates and its loss carry the same information.
_SAID_BY_RATES = frozenset({"packets_in", "packets_out", "packets_dropped", "simulated_seconds"})


@dataclass(frozen=True, slots=True)
class Setting:
    """A key whose value differs; ``None`` marks a side without the key."""

    key: str
    a: Any
    b: Any
    unit: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A metric that both sides have.

    Attributes:
        name: Name of a summary number, or a component and a metric.
        a: Mean of the metric on the first side.
        b: Mean of the metric on the second side.
        change: ``b / a - 1``; ``None`` if ``a`` is zero.
        difference: ``b - a``.
        low: Lower bound of the 95 % confidence interval of the difference; ``None`` without an interval.
        high: Upper bound of the 95 % confidence interval of the difference; ``None`` without an interval.
        beyond_noise: Whether the interval excludes zero; ``None`` without an interval.
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
    """A source line of two programs, or a function if its lines are unknown; costs are per packet.

    Attributes:
        text: The line, or the function.
        a: File and line number in the first program; ``None`` if it does not have the line.
        b: File and line number in the second program; ``None`` if it does not have the line.
        cycles: Cycles of the engine, without cycles that issue accesses.
        stall_cycles: Cycles for which the thread waits for accesses.
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
        """File and line number in each program, or one pair if they are equal."""
        places = dict.fromkeys(each for each in (self.a, self.b) if each is not None)
        return " → ".join(places)

    @property
    def costs(self) -> tuple[Moved, Moved, Moved]:
        """Cycles, stall cycles and instructions."""
        return self.cycles, self.stall_cycles, self.instructions

    @property
    def difference(self) -> float:
        """Cycles and stall cycles of the second program minus those of the first."""
        return self.cycles.difference + self.stall_cycles.difference

    @property
    def beyond_noise(self) -> bool | None:
        """Whether any of its costs changed beyond noise; ``None`` if that is unknown."""
        each = {moved.beyond_noise for moved in self.costs}
        return True if True in each else None if None in each else False


def paired(a: Sequence[Mapping[str, float]], b: Sequence[Mapping[str, float]]) -> list[Moved]:
    """Compare, pair by pair, the numbers that both sides have in every pair."""
    found = []
    for name in a[0]:
        if all(name in each for each in (*a, *b)):
            found.append(moved_between(name, [each[name] for each in a], [each[name] for each in b]))
    return found


def moved_between(name: str, a: Sequence[float], b: Sequence[float]) -> Moved:
    """Compare a number pair by pair: seeds on the same packets, or points with the same axis values."""
    estimate = Estimate.of([after - before for before, after in zip(a, b, strict=True)])
    mean = sum(a) / len(a)
    beyond = None
    if estimate.low is not None and estimate.high is not None:
        beyond = estimate.low > 0 or estimate.high < 0
    change = estimate.value / mean if mean else None
    return Moved(name, mean, sum(b) / len(b), change, estimate.value, estimate.low, estimate.high, beyond)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CompareResult(Result):
    """The comparison of two designs, runs or sweeps.

    Attributes:
        a: The first design, run or sweep.
        b: The second design, run or sweep.
        kind: ``designs``, ``runs`` or ``sweeps``.
        answered: Whether the numbers are reliable enough to compare; ``notes`` list the attempts and the advice.
        basis: The samples behind the intervals, in words.
        limits: Bottleneck of each run, for designs with the first seed; ``None`` for sweeps.
        configuration: Keys that differ.
        metrics: The numbers of the summary, or the columns of a table.
        measurements: Measurements of parts that changed beyond noise, the largest change first; designs only.
        lines: Source lines of two programs, the largest change of cycles and stalls first; programs only.
        notes: Remarks on the comparison.
        counts: Numbers of reused and executed runs; designs only.
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
        """The metrics of the view, without metrics that are zero on both sides or repeat a rate."""
        return tuple(each for each in self.metrics if (each.a or each.b) and each.name not in _SAID_BY_RATES)

    def table(self) -> Table:
        """Return a row per metric, measurement of a part and cost of a line."""
        lines = (replace(moved, name=f"{line.name}: {moved.name}") for line in self.lines for moved in line.costs)
        return records((*self.metrics, *self.measurements, *lines), Moved)

    def __repr__(self) -> str:
        moved = sum(each.beyond_noise is True for each in self.metrics)
        return f"<CompareResult {self.a} and {self.b}: {len(self.configuration)} keys differ, {moved} numbers moved>"
