"""Measures how a study's numbers depend on its seeds and on calibrated values, each 10 % higher and lower.

The measurement reveals numbers that depend on one seed or on one fortunate value. Every run has one seed, and the
length of the full or of the quick study, so that only differences are meaningful; the scorecard has the numbers
themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from linecard.study.execute import execute, run_one
from linecard.study.plan import make_plan
from linecard.study.reproduce import evaluate
from linecard.study.spec import load_study
from tools.points import is_without, items_behind
from tools.robustness.kept import Kept
from tools.robustness.result import Outcome, Robustness, Variation
from tools.robustness.values import calibrated_values, number_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from linecard.study.plan import Plan, RunSpec
    from linecard.study.result import StudyResult
    from linecard.study.runners import StudyRun
    from linecard.study.spec import Study
    from tools.robustness.values import Value

    Progress = Callable[[int, int], object]
    RunFunction = Callable[[RunSpec, Callable[[int, int], object]], StudyRun]

SEEDS = tuple(range(1, 9))
# Progress units of a step.
PARTS = 1000


def robustness(
    name: str,
    *,
    quick: bool = False,
    jobs: int | None = None,
    kept: Kept | None = None,
    progress: Progress | None = None,
    run_function: RunFunction = run_one,
) -> Robustness:
    """Run a study with eight seeds, and with each calibrated value 10 % higher and lower.

    Args:
        name: Name of a shipped study, or path to a study folder.
        quick: Whether to use the numbers of packets of the quick study.
        jobs: Number of parallel runs; ``None`` for one per core. The result does not depend on it.
        kept: Store of the finished steps, which are not run again.
        progress: Called repeatedly with (parts done, total parts).
        run_function: Function that runs one simulation.

    Raises:
        ConfigError: There is no such study, or its files contradict each other.
    """
    study = load_study(name)
    kept = kept or Kept()
    runner = _Runner(study, quick=quick, jobs=jobs, kept=kept, run_function=run_function)
    steps = _steps(study)
    for number, (seed, value, side) in enumerate(steps):

        def step(done: int, total: int, number: int = number) -> None:
            if progress is not None:
                progress(int((number + done / max(total, 1)) * PARTS), len(steps) * PARTS)

        runner.run(seed, value, side, step)
    return what_is_kept(study, kept, quick=quick)


def what_is_kept(study: Study, kept: Kept, *, quick: bool) -> Robustness:
    """The result from the finished steps; values with only one finished side are left out."""
    values, left_out = calibrated_values(study)
    by_seed = {seed: kept.steps[name] for seed in SEEDS if (name := _name(seed)) in kept.steps}
    variations = []
    for value in values:
        names = [_name(SEEDS[0], value, side) for side in value.sides]
        if all(name in kept.steps for name in names):
            down, up = (kept.steps[name] for name in names)
            variations.append(Variation(value.parameter, value.key, value.number, *value.sides, down, up))
    if by_seed:
        base = next(iter(by_seed.values()))
        variations.sort(key=lambda each: -each.moves(base))
    done = sum(_name(*step) in kept.steps for step in _steps(study))
    return Robustness(study.spec.id, quick, done, steps_of(study), by_seed, tuple(variations), left_out)


def steps_of(study: Study) -> int:
    """The number of runs of a study."""
    return len(_steps(study))


def _steps(study: Study) -> list[tuple[int, Value | None, float]]:
    """The steps in order: the first seed, with which every value is compared, the values, and the other seeds."""
    values, _ = calibrated_values(study)
    seeds: list[tuple[int, Value | None, float]] = [(seed, None, 0.0) for seed in SEEDS]
    return [seeds[0], *((SEEDS[0], value, side) for value in values for side in value.sides), *seeds[1:]]


def _name(seed: int, value: Value | None = None, number: float = 0.0) -> str:
    """The name under which a step is stored."""
    return f"seed {seed}" if value is None else f"{value.parameter}: {value.key}={number_text(number)}"


class _Runner:
    """Runs a study with one seed and one change at a time."""

    def __init__(self, study: Study, *, quick: bool, jobs: int | None, kept: Kept, run_function: RunFunction) -> None:
        self._study = study
        self._quick = quick
        self._jobs = jobs
        self._kept = kept
        self._run_function = run_function
        # A run that does not contain a value is unchanged; for the first seed, such runs are executed once.
        self._first: dict[RunSpec, StudyRun | str] = {}
        self._items = study.item_ids

    def run(self, seed: int, value: Value | None, number: float, progress: Progress) -> None:
        """Run the study unless its result is stored."""
        name = _name(seed, value, number)
        if name in self._kept.steps:
            return
        if not self._first:
            self._run_first(progress)
        plan = self._plan(seed)
        changed = {run: run if value is None else value.put_into(run, number) for run in plan.runs}
        self._kept.put(name, Outcome.of(self._evaluate(plan, changed, progress)))

    def _run_first(self, progress: Progress) -> None:
        """Run the first seed, which shows the items that the lines use; with other seeds, only these items are run."""
        plan = self._plan(SEEDS[0])
        self._first = execute(plan.runs, jobs=self._jobs, progress=progress, run_function=self._run_function)
        result = self._evaluate(plan, {run: run for run in plan.runs}, progress)
        behind = items_behind(self._study, result.tables, result.figures)
        behind |= {table.spec.id for table in result.headline}
        self._items = tuple(item for item in self._study.item_ids if item in behind)

    def _plan(self, seed: int) -> Plan:
        spec = self._study.spec
        effort = msgspec.structs.replace(spec.quick if self._quick else spec.full, seeds=(seed,))
        return make_plan(self._study, self._items, effort, quick=self._quick)

    def _evaluate(self, plan: Plan, changed: dict[RunSpec, RunSpec], progress: Progress) -> StudyResult:
        """Evaluate the study with each run replaced by its changed run."""
        new = [run for run in dict.fromkeys(changed.values()) if run not in self._first]
        found = execute(new, jobs=self._jobs, progress=progress, run_function=self._run_function)
        found |= self._first
        runs = {run: found[run] if is_without(found[other]) else found[other] for run, other in changed.items()}
        return evaluate(self._study, self._items, plan, runs, quick=self._quick, seconds=0.0)
