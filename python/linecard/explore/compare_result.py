"""The result of a comparison: the settings that differ, and the metrics that changed beyond noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from linecard.explore.execute import Counts
from linecard.result import Result
from linecard.tables import Table, records

# The length of a run sets these; its rates and its loss carry the same information.
_SAID_BY_RATES = frozenset({"packets_in", "packets_out", "packets_dropped", "simulated_seconds"})


@dataclass(frozen=True, slots=True)
class Setting:
    """A key whose values differ between the two sides, A and B; the value is ``None`` for a side without the key."""

    key: str
    a: Any
    b: Any
    unit: str


@dataclass(frozen=True, slots=True)
class Moved:
    """The values of a metric on both sides of a comparison, and the change between the sides.

    Attributes:
        name: Name of a main result, or names of a component and a metric.
        a: Mean of the metric on the first side.
        b: Mean of the metric on the second side.
        change: Relative change ``b / a - 1``; ``None`` if ``a`` is zero.
        difference: ``b - a``.
        low: Lower bound of the 95 % confidence interval of the difference; ``None`` if no interval exists. The interval
            of a quantile includes the resolution of the histogram from which Linecard reads the quantile.
        high: Upper bound of the 95 % confidence interval of the difference; ``None`` if no interval exists.
        beyond_noise: Whether the confidence interval of the difference excludes zero; ``None`` if no interval exists,
            or if a run is not conclusive. For two designs with the same traffic, ``beyond_noise`` is also ``None`` for
            the offered load, because the designs do not affect this load.
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
    """Costs per packet in two programs: the costs of a source line, or of a function whose source lines are unknown.

    Attributes:
        text: Text of the source line, or name of the function.
        a: File and line number in the first program; ``None`` if only the second program has the line.
        b: File and line number in the second program; ``None`` if only the first program has the line.
        cycles: Engine cycles, except cycles in which the engine issues accesses.
        stall_cycles: Cycles in which the thread waits for accesses.
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
        """File and line number in each program; a single entry if both programs have the same file and line number."""
        places = dict.fromkeys(each for each in (self.a, self.b) if each is not None)
        return " → ".join(places)

    @property
    def costs(self) -> tuple[Moved, Moved, Moved]:
        """The three costs: cycles, stall cycles and instructions."""
        return self.cycles, self.stall_cycles, self.instructions

    @property
    def difference(self) -> float:
        """Increase of the sum of cycles and stall cycles from the first to the second program."""
        return self.cycles.difference + self.stall_cycles.difference

    @property
    def beyond_noise(self) -> bool | None:
        """Whether any cost of the line changed beyond noise; ``None`` if unknown."""
        each = {moved.beyond_noise for moved in self.costs}
        return True if True in each else None if None in each else False


@dataclass(frozen=True, slots=True)
class MovedAtPoints(Moved):
    """The change of a metric between two sweeps, over the points that both sweeps have.

    Points are different designs, so the differences at the points do not determine an interval: ``low`` and ``high``
    are ``None``. ``beyond_noise`` is true if the metric changed beyond noise at one point or more, and ``None`` if no
    point has a verdict. Each point has a separate verdict, so about one of 20 points without a change appears changed.

    Attributes:
        points: Number of points with a verdict.
        rose: Number of points at which the metric increased beyond noise.
        fell: Number of points at which the metric decreased beyond noise.
        least_difference: Smallest difference ``b - a`` at a point.
        most_difference: Largest difference ``b - a`` at a point.
    """

    points: int
    rose: int
    fell: int
    least_difference: float
    most_difference: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CompareResult(Result):
    """The comparison of two designs, runs or sweeps.

    Attributes:
        a: The first design, run or sweep.
        b: The second design, run or sweep.
        kind: What is compared: ``designs``, ``runs`` or ``sweeps``.
        answered: Whether the metrics are reliable enough to compare; if not, ``notes`` states the reason and contains
            advice.
        basis: Description of the samples from which the confidence intervals are computed.
        limits: Bottleneck of each side; for designs, the bottleneck of the run with the first seed; ``None`` for
            sweeps.
        configuration: Keys whose values differ between the two sides.
        metrics: The compared metrics: the main results of runs, or the table columns of sweeps. For sweeps, each entry
            also counts the points at which the metric changed.
        measurements: Measurements of single parts, such as a memory, that changed beyond noise, largest change first;
            only for designs.
        lines: Source lines of two programs, sorted by the change in cycles plus stall cycles, largest first; only for
            programs.
        notes: Remarks on the comparison.
        counts: Numbers of reused and executed runs; only for designs.
        asked: The request as plain data, for the manifest.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("a", "b", "kind", "basis")
    APART: ClassVar[tuple[str, ...]] = ("counts", "asked")

    a: str
    b: str
    kind: str
    answered: bool
    basis: str
    limits: tuple[str, str] | None
    configuration: tuple[Setting, ...]
    metrics: tuple[Moved, ...]
    measurements: tuple[Moved, ...] = ()
    lines: tuple[LineMoved, ...] = ()
    notes: tuple[str, ...]
    counts: Counts = field(default_factory=Counts, compare=False)
    asked: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def shown(self) -> tuple[Moved, ...]:
        """All metrics except packet counts, the simulated time, and metrics that are zero on both sides."""
        return tuple(each for each in self.metrics if (each.a or each.b) and each.name not in _SAID_BY_RATES)

    def table(self) -> Table:
        """Return one row for each metric, for each measurement of a part, and for each cost of a source line."""
        lines = (replace(moved, name=f"{line.name}: {moved.name}") for line in self.lines for moved in line.costs)
        kind = MovedAtPoints if self.kind == "sweeps" else Moved
        return records((*self.metrics, *self.measurements, *lines), kind)

    def __repr__(self) -> str:
        moved = sum(each.beyond_noise is True for each in self.metrics)
        return f"<CompareResult {self.a} and {self.b}: {len(self.configuration)} keys differ, {moved} numbers moved>"
