"""Runs whole studies, and the points of their inputs (``[[inputs]]``); all runs of all studies share one pool.

The unchanged studies come first. These runs show which tables and figures the lines use: only these are run at a point.
Equal requests have equal results, so a run that a point does not change is not repeated.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from linecard.study.execute import execute, run_one
from linecard.study.limits import lines_of
from linecard.study.plan import make_plan
from linecard.study.reproduce import evaluate, read
from linecard.study.spec import load_study
from tools.points import at_point, items_behind, outcomes_at, with_points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from linecard.study.keys import Input
    from linecard.study.limits import Line
    from linecard.study.plan import Plan, RunSpec
    from linecard.study.result import StudyResult
    from linecard.study.runners import StudyRun
    from linecard.study.spec import Study

    Progress = Callable[[int, int], object]
    Outcomes = dict[RunSpec, StudyRun | str]

# Progress units: the studies unchanged, then their points.
PARTS, OF_STUDIES = 1000, 800


def run_whole(
    names: Iterable[str],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    run_function: Callable[[RunSpec, Progress], StudyRun] = run_one,
) -> tuple[StudyResult, ...]:
    """Run whole studies, and the points of their inputs.

    Args:
        names: Names of shipped studies, or paths of study folders.
        jobs: Number of parallel runs; ``None`` for one per core. The results do not depend on it.
        progress: Called repeatedly with (parts done, total parts).
        run_function: Function that runs one simulation; replaced in tests.

    Raises:
        ConfigError: There is no such study, or a study's files contradict each other.
    """
    started = time.perf_counter()
    whole = [_Whole(load_study(name)) for name in names]

    def run(runs: Iterable[RunSpec], first: int, last: int) -> Outcomes:
        def step(done: int, total: int) -> None:
            if progress is not None:
                progress(first + (last - first) * done // max(total, 1), PARTS)

        return execute(tuple(dict.fromkeys(runs)), jobs=jobs, progress=step, run_function=run_function)

    found = run((run for each in whole for run in each.plan.runs), 0, OF_STUDIES)
    for each in whole:
        each.plan_points(found)
    further = (run for each in whole for _, moved in each.points.values() for run in moved.runs)
    found |= run((each for each in further if each not in found), OF_STUDIES, PARTS)
    return tuple(each.result(found, time.perf_counter() - started) for each in whole)


class _Whole:
    """A complete study, and the plans of its points."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self.plan = make_plan(study, study.item_ids, study.spec.full)
        # The items from which the lines are computed, unchanged and at each point.
        self.points: dict[Input, tuple[Plan, Plan]] = {}
        self._behind: tuple[str, ...] = ()

    def plan_points(self, found: Outcomes) -> None:
        """Plan the points, with the items from which the study's lines were computed."""
        study = self._study
        behind = items_behind(study, *read(study, study.item_ids, self.plan, found))
        self._behind = tuple(item for item in study.item_ids if item in behind)
        own = make_plan(study, self._behind, study.spec.full)
        for point in study.spec.inputs:
            self.points[point] = (own, at_point(study, self._behind, study.spec.full, point))

    def result(self, found: Outcomes, seconds: float) -> StudyResult:
        """The study's result, with its lines at the points."""
        runs = {run: found[run] for run in self.plan.runs}
        at_points = {point: self._lines_at(*plans, found) for point, plans in self.points.items()}
        result = evaluate(self._study, self._study.item_ids, self.plan, runs, quick=False, seconds=seconds)
        return replace(result, lines=with_points(result.lines, at_points))

    def _lines_at(self, own: Plan, moved: Plan, found: Outcomes) -> tuple[Line, ...]:
        return lines_of(self._study, *read(self._study, self._behind, moved, outcomes_at(own, moved, found)))
