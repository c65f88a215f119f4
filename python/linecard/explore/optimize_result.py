"""The result of an optimisation: the Pareto front, and the method that found the front."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.result import Result
from linecard.tables import Table

if TYPE_CHECKING:
    from linecard.explore.execute import Counts
    from linecard.explore.result import Parts, Reason


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OptimizeResult(Result):
    """The best points of a design space.

    Attributes:
        title: Title of the design space.
        method: The method: ``exhaustive`` or ``search``.
        objectives: The objectives as they are written in the file.
        front: The points that no other point dominates, sorted by the first objective. A point has axis values and
            ``objectives`` (means over seeds). If there are several seeds, ``low`` and ``high`` are the bounds of the
            objectives' 95 % intervals. ``steady`` is true if all runs of the point were steady, and ``None`` if
            steadiness is unknown. ``knee`` is true for the best compromise, the point of the front nearest
            to the best values of all objectives. Each objective is scaled by its range over the front. ``command``
            is the command line that repeats the run of the point.
        runs: Number of points with full-length runs.
        short_runs: Number of short runs that selected the points for full-length runs (``halving``).
        points: Number of points of the design space that meet the constraints.
        refused: Number of points that were refused or failed.
        reasons: Reasons why points were refused or failed, with the number of points for each reason, most frequent
            reason first.
        beyond_limits: Number of completed points that violate a limit.
        unsteady: Number of completed points with an inconclusive run: a run that is not steady, or less precise than
            requested. The front contains no inconclusive point.
        doubts: Remarks on the inconclusive points, with advice.
        hypervolume: Fraction (0 to 1) of the box between ``best`` and ``worst`` that the Pareto front dominates.
        best: Best value of each objective, among completed points that meet the limits.
        worst: Worst value of each objective, among completed points that meet the limits.
        axes: The keys and arguments that the optimisation varies.
        rows: All runs, in the order of the search, with one row per point and seed.
        given: The arguments and settings that are equal at all points.
        parts: For each row, the time that a packet spends in each part of the chip, as in a sweep.
        counts: Numbers of reused and executed runs.
        asked: The design space and the objectives as plain data, for the manifest.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("title", "method")
    APART: ClassVar[tuple[str, ...]] = ("doubts", "rows", "given", "parts", "counts", "asked")

    title: str
    method: str
    objectives: tuple[str, ...]
    front: tuple[Mapping[str, Any], ...]
    runs: int
    short_runs: int
    points: int
    refused: int
    reasons: tuple[Reason, ...]
    beyond_limits: int
    unsteady: int
    doubts: tuple[str, ...]
    hypervolume: float
    best: tuple[float, ...]
    worst: tuple[float, ...]
    axes: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    given: Mapping[str, Any] = field(compare=False)
    parts: tuple[Parts, ...] = field(compare=False)
    counts: Counts = field(compare=False)
    asked: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def table(self) -> Table:
        """The Pareto front, with one row per point."""
        last = ("steady", "knee", "command")
        rows = [
            [*(row[name] for name in self.axes), *row["objectives"], *(row[name] for name in last)]
            for row in self.front
        ]
        return Table((*self.axes, *self.objectives, *last), rows)

    def page(self, command: str | None = None) -> str:  # noqa: ARG002 # each point has a command of its own
        """A self-contained HTML page for exploring the runs and the front."""
        from linecard.report.explorer import optimized_page

        return optimized_page(self)

    def __repr__(self) -> str:
        return f"<OptimizeResult {self.title}: {len(self.front)} best of {self.runs} points run, {self.points} in all>"
