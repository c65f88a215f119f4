"""How much a study's headline hangs on its seeds and on the values that were chosen: each a tenth up and down.

A headline that one seed carries, or one lucky value, is seen at once. Runs are those of the quick study, so that all of
it takes minutes; only differences are meant to be read. A calibrated value that is no number, or that no preset holds,
is named and not varied.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from linecard.catalogue import describe
from linecard.study.execute import execute, run_one
from linecard.study.plan import Plan, make_plan
from linecard.study.reproduce import evaluate
from linecard.study.spec import MACHINE, load_study

if TYPE_CHECKING:
    from collections.abc import Callable

    from linecard.study.plan import CellPlan, RunSpec
    from linecard.study.result import StudyResult
    from linecard.study.runners import StudyRun
    from linecard.study.spec import Study

SEEDS = tuple(range(1, 9))
SHARE = 0.10
# Runners whose settings are parameters of a chip.
CHIPS = (MACHINE, "program")


@dataclass(frozen=True, slots=True)
class Variation:
    """A calibrated value a tenth down and a tenth up.

    Attributes:
        parameter: What the study calls it.
        key: Its key in the preset.
        value: The value that was chosen; ``low`` and ``high`` those that were tried.
        low_error: The headline with ``low``, a mean absolute error; ``None`` when its runs failed.
        high_error: The headline with ``high``.
    """

    parameter: str
    key: str
    value: float
    low: float
    high: float
    low_error: float | None
    high_error: float | None


@dataclass(frozen=True, slots=True)
class Robustness:
    """A study's headline and what moves it.

    Attributes:
        study: Its name.
        error: The headline: mean absolute error over the numbers that count, the quick study with its first seed.
        by_seed: The same with each seed alone.
        variations: Calibrated values varied, the one that moves most first.
        left_out: Calibrated values that were not varied, and why.
    """

    study: str
    error: float | None
    by_seed: dict[int, float | None]
    variations: tuple[Variation, ...]
    left_out: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "study": self.study,
            "mean_abs_error": self.error,
            "by_seed": [{"seed": seed, "mean_abs_error": error} for seed, error in self.by_seed.items()],
            "variations": [
                {name: getattr(each, name) for name in Variation.__dataclass_fields__} for each in self.variations
            ],
            "left_out": [{"parameter": name, "why": why} for name, why in self.left_out.items()],
        }


def robustness(
    name: str,
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    run_function: Callable[[RunSpec, Callable[[int, int], object]], StudyRun] = run_one,
) -> Robustness:
    """Run a study's headline with eight seeds, and with each calibrated value a tenth up and down.

    Raises:
        ConfigError: There is no such study, or its files contradict each other.
    """
    study = load_study(name)
    items = tuple(table.id for table in study.spec.tables if table.headline)
    values, left_out = _values(study)
    changes: list[str | None] = [None]
    changes += [f"{key}={_text(side)}" for _, key, value in values for side in _sides(value)]
    steps = len(SEEDS) + len(changes) - 1

    def headline(number: int, seed: int, change: str | None) -> float | None:
        def step(done: int, total: int) -> None:
            if progress is not None:
                progress(int((number + done / max(total, 1)) * 1000), steps * 1000)

        return _run(study, items, seed, change, jobs, step, run_function).mean_abs_error

    by_seed = {seed: headline(number, seed, None) for number, seed in enumerate(SEEDS)}
    first = SEEDS[0]
    errors = {change: headline(len(SEEDS) + number, first, change) for number, change in enumerate(changes[1:])}
    variations = []
    for parameter, key, value in values:
        low, high = _sides(value)
        low_error, high_error = (errors[f"{key}={_text(side)}"] for side in (low, high))
        variations.append(Variation(parameter, key, value, low, high, low_error, high_error))
    base = by_seed[first]
    variations.sort(key=lambda each: -_moves(each, base))
    return Robustness(study.spec.id, base, by_seed, tuple(variations), left_out)


def _moves(variation: Variation, base: float | None) -> float:
    """By how much a variation moves the headline at most."""
    errors = [error for error in (variation.low_error, variation.high_error) if error is not None]
    return max((abs(error - (base or 0.0)) for error in errors), default=0.0)


def _values(study: Study) -> tuple[list[tuple[str, str, float]], dict[str, str]]:
    """Calibrated numbers by parameter and key, and what is none."""
    found: list[tuple[str, str, float]] = []
    left_out: dict[str, str] = {}
    for calibration in study.spec.calibrations:
        if not calibration.preset:
            left_out[calibration.parameter] = "no preset holds it"
            continue
        description = describe(calibration.preset)
        for key in calibration.keys:
            try:
                found.append((calibration.parameter, key, float(description[key].text)))
            except ValueError:
                left_out[f"{calibration.parameter}, {key}"] = "not a number"
    return found, left_out


def _sides(value: float) -> tuple[float, float]:
    """A tenth down and up; whole numbers by at least one."""
    if value == int(value):
        step = max(1, round(abs(value) * SHARE))
        return value - step, value + step
    return value * (1 - SHARE), value * (1 + SHARE)


def _text(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def _run(
    study: Study,
    items: tuple[str, ...],
    seed: int,
    change: str | None,
    jobs: int | None,
    progress: Callable[[int, int], object],
    run_function: Callable[[RunSpec, Callable[[int, int], object]], StudyRun],
) -> StudyResult:
    """The quick study with one seed and one change of the machine."""
    effort = msgspec.structs.replace(study.spec.quick, seeds=(seed,))
    plan = make_plan(study, items, effort, quick=True)
    if change is not None:
        plan = _changed(plan, change)
    runs = execute(plan.runs, jobs=jobs, progress=progress, run_function=run_function)
    return evaluate(study, items, plan, runs, quick=True, seconds=0.0)


def _changed(plan: Plan, change: str) -> Plan:
    """The plan with a change in every run of a chip that does not set the same key by itself."""
    key = change.partition("=")[0]

    def run(spec: RunSpec) -> RunSpec:
        if spec.runner not in CHIPS or any(own.partition("=")[0] == key for own in spec.overrides):
            return spec
        return replace(spec, overrides=tuple(sorted((*spec.overrides, change))))

    def cell(found: CellPlan) -> CellPlan:
        return replace(found, runs=tuple(run(spec) for spec in found.runs))

    return Plan(
        cells={key: cell(found) for key, found in plan.cells.items()},
        points={key: cell(found) for key, found in plan.points.items()},
        gains={key: (cell(of), cell(over)) for key, (of, over) in plan.gains.items()},
    )
