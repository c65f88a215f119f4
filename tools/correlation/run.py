"""Predict every published rate of every device: ``correlate``.

Studies with the key ``device`` contain the rates. All runs, including those of bands and of null models, use one pool
in three rounds: predictions, effects of single intervals, and effects of all intervals together. Equal runs are
executed only once.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from linecard.chip import band as bands
from linecard.chip.result import RunResult
from linecard.errors import ConfigError, ConfigProblem
from linecard.study import compare
from linecard.study.execute import execute, run_one
from linecard.study.folders import study_folders
from linecard.study.keys import RUNGS
from linecard.study.plan import make_plan
from linecard.study.runners import command_of
from linecard.study.spec import load_study
from tools.correlation.intervals import intervals_text, ranges_of
from tools.correlation.null import null_rates, one_thread, parts_of
from tools.correlation.result import Band, Correlation, Device, Point, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from linecard.chip.reports import ValueRange
    from linecard.study.keys import StudySpec, TableSpec
    from linecard.study.plan import RunSpec
    from linecard.study.runners import StudyRun
    from linecard.study.spec import PublishedRow, Study

    Progress = Callable[[int, int], object]
    RunFunction = Callable[[RunSpec, Callable[[int, int], object]], StudyRun]
    Outcomes = dict[RunSpec, StudyRun | str]

UNIT = "Mpps"
# The packets of a point are all alike and always wait: four times as many change a rate by less than 0.5 %.
PACKETS, WARMUP_PACKETS = 4000, 2000
ROUNDS = 3
# A part that is busy for less of the time is not the only limit.
BUSY, WAITS = 0.97, "waits of threads"


def correlate(
    *,
    study: str | None = None,
    band: bool = True,
    jobs: int | None = None,
    progress: Progress | None = None,
    run_function: RunFunction = run_one,
) -> Correlation:
    """Predict the published rates of devices.

    Args:
        study: Name of a shipped study, or path of a study folder, with the key ``device``; ``None`` for all shipped
            studies.
        band: Whether to run the ends of intervals, too: 2n + 2 additional runs for each point with n intervals.
        jobs: Number of parallel runs; ``None`` for one per core. The result does not depend on it.
        progress: Called repeatedly with (parts done, total parts).
        run_function: Function that runs one simulation.

    Returns:
        Published and predicted rates, in millions of packets per second.

    Raises:
        ConfigError: There is no such study, it names no device, or its files contradict each other.
    """
    studies = _studies(study)
    points = [point for one in studies for point in _points_of(one)]
    rounds = _Rounds(jobs, progress, run_function, ROUNDS if band else 1)
    alone = {point.run: one_thread(point.run) for point in points}
    found = rounds.run(run for pair in alone.items() for run in pair if run is not None)
    banded = _bands(points, found, rounds) if band else {}
    return Correlation(tuple(_device(one, points, found, banded) for one in studies), with_bands=band)


def studies_with_devices() -> list[str]:
    """Names of the shipped studies that contain rates of a device."""
    return sorted(name for name in study_folders() if load_study(name).spec.device)


def _studies(name: str | None) -> list[Study]:
    if name is None:
        return [load_study(each) for each in studies_with_devices()]
    study = load_study(name)
    if not study.spec.device:
        expected = f"expected a study with a device: {', '.join(studies_with_devices())}"
        raise ConfigError.of([ConfigProblem("--correlation", "", f"found {name!r}, {expected}")])
    return [study]


class _Planned(msgspec.Struct, frozen=True):
    """A published rate and the run that predicts this rate."""

    study: str
    table: TableSpec
    row: PublishedRow
    column: str
    run: RunSpec
    component: str
    metric: str
    calibrated: bool
    ranges: tuple[ValueRange, ...]


def _points_of(study: Study) -> list[_Planned]:
    """The rates of a study: cells in millions of packets per second that are no bounds and are not listed apart."""
    spec = study.spec
    tables = [table for table in spec.tables if table.headline]
    effort = msgspec.structs.replace(
        spec.quick, seeds=spec.full.seeds[:1], packets=PACKETS, warmup_packets=WARMUP_PACKETS
    )
    plan = make_plan(study, tuple(table.id for table in tables), effort, quick=True)
    found = []
    for table in tables:
        for number, row in enumerate(study.rows[table.id]):
            for column in table.cells:
                cell = plan.cells.get((table.id, number, column))
                if cell is None or row.relation != "=" or spec.measures[cell.measure].unit != UNIT:
                    continue
                measure = spec.measures[cell.measure]
                _check(study, table, number, column)
                (run,) = cell.runs
                found.append(
                    _Planned(
                        study=spec.id,
                        table=table,
                        row=row,
                        column=column,
                        run=run,
                        component=measure.component,
                        metric=measure.metric,
                        calibrated=compare.is_calibrated(spec.calibrations, row.keys, cell.measure, column, table.id),
                        ranges=tuple(ranges_of(run)),
                    )
                )
    return found


def _check(study: Study, table: TableSpec, number: int, column: str) -> None:
    """Refuse a rate without a relative error, and a curve over values that are not numbers."""
    row = study.rows[table.id][number]
    problems = []
    place = f"{study.folder / table.file}, line {number + 2}"
    if (row.published[column] or 0.0) <= 0:
        problems.append(ConfigProblem(place, column, f"found {row.published[column]:g}, expected a rate above 0"))
    if table.curve is not None:
        wrong = [key for key in (table.curve.over, *table.curve.by) if key not in row.keys]
        problems += [
            ConfigProblem(place, key, f"no such column, which the curve of {table.id!r} names") for key in wrong
        ]
        at = row.keys.get(table.curve.over)
        if isinstance(at, str):
            problems.append(
                ConfigProblem(place, table.curve.over, f"found {at!r}, expected a number, because a curve is over it")
            )
    for key in (*table.named_by, *([table.grouped_by] if table.grouped_by else ())):
        if key not in row.keys:
            problems.append(
                ConfigProblem(place, key, f"no such column, by which {table.id!r} names or groups its rows")
            )
    if problems:
        raise ConfigError.of(problems)


class _Rounds:
    """Runs in rounds over one pool; progress covers all rounds."""

    def __init__(self, jobs: int | None, progress: Progress | None, run_function: RunFunction, rounds: int) -> None:
        self._jobs, self._progress, self._run_function = jobs, progress, run_function
        self._rounds, self._round = rounds, 0
        self.outcomes: Outcomes = {}

    def run(self, runs: Iterable[RunSpec]) -> Outcomes:
        """Execute the missing runs, and return all runs."""
        new = [run for run in dict.fromkeys(runs) if run not in self.outcomes]
        self.outcomes |= execute(new, jobs=self._jobs, progress=self._step, run_function=self._run_function)
        self._round += 1
        return self.outcomes

    def _step(self, done: int, total: int) -> None:
        if self._progress is not None:
            share = (self._round + done / max(total, 1)) / self._rounds
            self._progress(int(share * 1000), 1000)


def _rate(point: _Planned, outcome: StudyRun | str) -> float | None:
    return None if isinstance(outcome, str) else outcome.metric(point.component, point.metric)


def _changed(run: RunSpec, changes: Sequence[str]) -> RunSpec:
    """A run with changed values; a change replaces a setting of the same key."""
    keys = {change.partition("=")[0] for change in changes}
    kept = [override for override in run.overrides if override.partition("=")[0] not in keys]
    return replace(run, overrides=tuple(sorted([*kept, *changes])))


def _bands(points: Sequence[_Planned], found: Outcomes, rounds: _Rounds) -> dict[RunSpec, Band | str]:
    """The band of each successful run with intervals, or the reason for having none."""
    stated = {point.run: rate for point in points if (rate := _rate(point, found[point.run])) is not None}
    banded = {point.run: point for point in points if point.ranges and point.run in stated}
    singles = {run: [_changed(run, change) for change in bands.alone(point.ranges)] for run, point in banded.items()}
    found = rounds.run(run for each in singles.values() for run in each)
    result: dict[RunSpec, Band | str] = {}
    numbers: dict[RunSpec, list[float]] = {}
    for run, point in banded.items():
        rates = _rates(point, singles[run], found)
        if isinstance(rates, str):
            result[run] = rates
        else:
            numbers[run] = rates
    pairs = {
        run: [_changed(run, change) for change in bands.together(stated[run], banded[run].ranges, each)]
        for run, each in numbers.items()
    }
    found = rounds.run(run for each in pairs.values() for run in each)
    for run, pair in pairs.items():
        rates = _rates(banded[run], pair, found)
        if isinstance(rates, str):
            result[run] = rates
        else:
            every = (stated[run], *rates, *numbers[run])
            widths = tuple(bands.widths(stated[run], banded[run].ranges, numbers[run]))
            result[run] = Band(min(every), max(every), widths)
    return result


def _rates(point: _Planned, runs: Sequence[RunSpec], found: Outcomes) -> list[float] | str:
    """The rates of runs, or the reason if one of them failed."""
    rates = []
    for run in runs:
        rate = _rate(point, found[run])
        if rate is None:
            return f"no band: {run}: {found[run]}"
        rates.append(rate)
    return rates


def _group(point: _Planned) -> str:
    column = point.table.grouped_by
    return point.table.id if column is None else f"{point.table.id}, {column} {point.row.keys[column]}"


def _device(study: Study, planned: Sequence[_Planned], found: Outcomes, banded: Mapping[RunSpec, Band | str]) -> Device:
    spec = study.spec
    own = [point for point in planned if point.study == spec.id]
    points = []
    for point in own:
        outcome = found[point.run]
        curve = point.table.curve
        band = banded.get(point.run)
        thread = one_thread(point.run)
        alone = None if thread is None else found[thread]
        failures = [each for each in (outcome, band) if isinstance(each, str)]
        points.append(
            Point(
                table=point.table.id,
                group=_group(point),
                name=compare.words({key: point.row.keys[key] for key in point.table.named_by or point.row.keys}),
                published=point.row.published[point.column] or 0.0,
                reading=point.table.reading or 0.0,
                predicted=_rate(point, outcome),
                calibrated=point.calibrated,
                before_seen=point.table.predicted,
                command=shlex.join(command_of(point.run)),
                curve="" if curve is None else compare.words({key: point.row.keys[key] for key in curve.by}),
                at=0.0 if curve is None else float(point.row.keys[curve.over]),
                band=None if isinstance(band, str) else band,
                null=None if isinstance(outcome, str) else null_rates(point.run, outcome, alone),
                limited_by=_limit(outcome),
                failure="; ".join(failures),
            )
        )
    tables = {point.table.id: point.table for point in own}
    axes = [table.curve.axis for table in tables.values() if table.curve is not None]
    ranges = dict.fromkeys(each for point in own for each in point.ranges)
    return Device(
        study=spec.id,
        chip=spec.device,
        title=spec.title,
        document=spec.document,
        origins={name: table.origin or table.title for name, table in tables.items()},
        axis=axes[0] if axes else "",
        intervals=tuple(intervals_text(ranges)),
        points=tuple(points),
        ladder=tuple(_ladder(spec)),
    )


def _limit(outcome: StudyRun | str) -> str:
    """The limit of a run: the busiest part, or waiting threads if no part is busy."""
    result = getattr(outcome, "first", outcome)
    if not isinstance(result, RunResult):
        return ""
    busiest = max(parts_of(result).items(), key=lambda part: part[1], default=("", 0.0))
    return busiest[0] if busiest[1] >= BUSY else WAITS


def _ladder(spec: StudySpec) -> Iterator[Step]:
    """The subject of a study's tables, the simplest first, and the parameters calibrated on each."""
    for rung in RUNGS:
        tables = tuple(table.id for table in spec.tables if table.rung == rung)
        fixed = [each for each in spec.calibrations if any(cell.get("table") in tables for cell in each.cells)]
        if tables:
            yield Step(rung, tables, tuple(each.parameter for each in fixed))
