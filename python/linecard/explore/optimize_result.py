"""What an optimisation tells: the front, and how it was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.result import Result
from linecard.tables import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from linecard.explore.execute import Counts
    from linecard.explore.refused import Reason
    from linecard.explore.result import Parts


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OptimizeResult(Result):
    """The best points of a space.

    Attributes:
        title: What was searched.
        method: ``exhaustive`` or ``search``.
        objectives: As they were written.
        front: The points that no other one beats, by the first objective: axes, ``objectives`` (mean over seeds),
            ``low`` and ``high`` (95 %, none with one seed), ``steady`` (whether all its runs were; none where that is
            not judged), ``knee`` (the best compromise) and ``command``.
        runs: Points that were run in full.
        short_runs: Shorter runs before, of halving, that were made to choose these.
        points: Points of the space that fulfil the constraints.
        refused: Points that were refused or failed.
        reasons: Why, each reason once with its number of points, the most frequent first.
        beyond_limits: Points that went well and break a limit.
        unsteady: Points that went well and are not sure, with any of their seeds: not steady, or less precise than was
            asked for. None of them is on the front.
        doubts: The same in words, and what to change.
        hypervolume: What the front dominates, as a share of the box between ``best`` and ``worst``, 0 to 1.
        best: The best value of each objective among the points that were run and keep the limits.
        worst: The worst likewise.
        axes: What was varied.
        rows: All runs, a row a point and seed, in the order in which they were chosen.
        given: What all points share, as of a sweep.
        parts: For each row where its time went, as of a sweep.
        counts: Runs found and made.
    """

    ASKED: ClassVar[tuple[str, ...]] = ("title", "method", "objectives", "axes", "given")
    APART: ClassVar[tuple[str, ...]] = ("doubts", "rows", "given", "parts", "counts")

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

    def table(self) -> Table:
        """The front, a point a row."""
        last = ("steady", "knee", "command")
        rows = [
            [*(row[name] for name in self.axes), *row["objectives"], *(row[name] for name in last)]
            for row in self.front
        ]
        return Table((*self.axes, *self.objectives, *last), rows)

    def page(self, command: str | None = None) -> str:  # noqa: ARG002 # each point has a command of its own
        """One self-contained page to explore the runs and the front in."""
        from linecard.report.explorer import optimized_page

        return optimized_page(self)

    def __repr__(self) -> str:
        return f"<OptimizeResult {self.title}: {len(self.front)} best of {self.runs} points run, {self.points} in all>"
