"""Reproduces the experiments of a published document: `reproduce`.

A study is a folder in `studies` that defines the runs, the published numbers and the limits. The modules run in this
order: `spec` (reads the folder) → `plan` (maps cells to runs) → `execute` (in threads) → `compare` (arithmetic) →
`limits` → `result` → `write`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from linecard._arguments import plain
from linecard.study import compare
from linecard.study.execute import execute, run_one
from linecard.study.limits import lines_of, target_id
from linecard.study.plan import CellPlan, Plan, make_plan
from linecard.study.result import FigureResult, StudyResult, TableResult
from linecard.study.spec import Study, load_study, select_items

if TYPE_CHECKING:
    from linecard.request import ProgressCallback
    from linecard.study.keys import FigureSpec, TableSpec
    from linecard.study.limits import Line
    from linecard.study.plan import RunSpec
    from linecard.study.runners import StudyRun


@plain
def reproduce(
    study: str = "hasan2003",
    tables: Iterable[str | int] | None = None,
    chapters: Iterable[int] | None = None,
    quick: bool = False,
    jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> StudyResult:
    """Run a study of a published document, and compare every number with its published value.

    Args:
        study: Name of a shipped study, or path to a study folder.
        tables: Tables or figures to reproduce, such as ``1`` or ``figure5``; by default, all tables and figures.
        chapters: Chapters of the published document; their tables and figures are added to those in ``tables``.
        quick: Whether to use one seed and fewer packets, for a quick first result.
        jobs: Number of parallel runs; by default, one per CPU core. The result does not depend on ``jobs``.
        progress: Function that is called repeatedly with the number of completed packets and the total number.

    Returns:
        The result of the study: measured and published numbers, orders, gains, checks and deviations.

    Raises:
        ConfigError: The study or a table does not exist, or the files of the study contradict each other.
    """
    names = None if tables is None else [str(table) for table in tables]
    return run_study(study, tables=names, chapters=chapters, quick=quick, jobs=jobs, progress=progress)


def run_study(
    name: str,
    *,
    tables: Iterable[str] | None = None,
    chapters: Iterable[int] | None = None,
    quick: bool = False,
    jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    run_function: Callable[[RunSpec, Callable[[int, int], object]], StudyRun] = run_one,
) -> StudyResult:
    """Run a study; see :func:`linecard.reproduce`. The function ``run_function`` executes one simulation."""
    started = time.perf_counter()
    study = load_study(name)
    items = select_items(study, tables, chapters)
    effort = study.spec.quick if quick else study.spec.full
    plan = make_plan(study, items, effort, quick=quick)
    runs = execute(plan.runs, jobs=jobs, progress=progress, run_function=run_function)
    return evaluate(study, items, plan, runs, quick=quick, seconds=time.perf_counter() - started)


def read(
    study: Study, items: tuple[str, ...], plan: Plan, runs: Mapping[RunSpec, StudyRun | str]
) -> tuple[tuple[TableResult, ...], tuple[FigureResult, ...]]:
    """Extract the results of tables and figures from finished runs."""
    reader = _Reader(study, plan, runs)
    tables = tuple(reader.table(table) for table in study.spec.tables if table.id in items)
    return tables, tuple(reader.figure(figure) for figure in study.spec.figures if figure.id in items)


def evaluate(
    study: Study,
    items: tuple[str, ...],
    plan: Plan,
    runs: Mapping[RunSpec, StudyRun | str],
    *,
    quick: bool,
    seconds: float,
) -> StudyResult:
    """Compute the result of a study from finished runs."""
    tables, figures = read(study, items, plan, runs)
    cells = [cell for table in tables for cell in table.cells]
    orders = [order for table in tables for order in table.orders]
    gains = [gain for table in tables for gain in table.gains]
    checks = tuple(compare.judge_check(check, items, cells, orders, gains) for check in study.spec.checks)
    lines = lines_of(study, tables, figures)
    judged = list(_judged(tables, figures, checks, lines))
    deviations = compare.judge_deviations(
        {name: detail for name, detail in judged if detail},
        [name for name, _ in judged],
        study.deviations,
        complete=set(items) == set(study.item_ids),
    )
    return StudyResult(
        study=study,
        quick=quick,
        items=items,
        tables=tables,
        figures=figures,
        checks=checks,
        lines=lines,
        deviations=deviations,
        runs=dict(runs),
        seconds=seconds,
    )


class _Reader:
    """Reads samples from finished runs."""

    def __init__(self, study: Study, plan: Plan, runs: Mapping[RunSpec, StudyRun | str]) -> None:
        self._study = study
        self._plan = plan
        self._runs = runs

    def _sample(self, cell: CellPlan) -> tuple[compare.Sample, tuple[str, ...]]:
        measure = self._study.spec.measures[cell.measure]
        values = []
        run_ids = []
        for run in cell.runs:
            outcome = self._runs[run]
            if isinstance(outcome, str):
                return compare.Sample((), f"{run}: {outcome}"), ()
            try:
                values.append(outcome.metric(measure.component, measure.metric))
            except KeyError as error:
                return compare.Sample((), f"{run}: {error.args[0]}"), ()
            run_ids.append(outcome.run_id)
        return compare.Sample(tuple(values)), tuple(run_ids)

    def table(self, spec: TableSpec) -> TableResult:
        study = self._study.spec
        cells = []
        for number, row in enumerate(self._study.rows[spec.id]):
            for column in spec.cells:
                published = row.published[column]
                if published is None:
                    continue
                plan = self._plan.cells[spec.id, number, column]
                sample, run_ids = self._sample(plan)
                calibrated = compare.is_calibrated(study.calibrations, row.keys, plan.measure, column, spec.id)
                cells.append(
                    compare.Cell(
                        table=spec.id,
                        keys=row.keys,
                        column=column,
                        unit=study.measures[plan.measure].unit,
                        published=published,
                        relation=row.relation,
                        sample=sample,
                        calibrated=calibrated,
                        run_ids=run_ids,
                        measure=spec.restates or plan.measure,
                    )
                )
        return TableResult(
            spec=spec,
            cells=tuple(cells),
            orders=compare.find_orders(cells, spec.rank),
            gains=self._gains(spec.id),
        )

    def _gains(self, table: str) -> tuple[compare.Gain, ...]:
        study = self._study.spec
        gains = []
        for number, gain in enumerate(study.gains):
            if gain.table != table:
                continue
            measured = []
            calibrated = False
            for index, pair in enumerate(gain.pairs):
                of, over = self._plan.gains[number, index]
                measured.append((self._sample(of)[0].mean, self._sample(over)[0].mean))
                for where in (pair.of, pair.over):
                    calibrated |= compare.is_calibrated(
                        study.calibrations, where, gain.measure, gain.measure, table, anywhere=True
                    )
            percent = compare.gain_percent(measured)
            gains.append(
                compare.Gain(
                    table=table,
                    section=gain.section,
                    text=gain.text,
                    published_percent=gain.percent,
                    measured_percent=percent,
                    difference_points=None if percent is None else percent - gain.percent,
                    calibrated=calibrated,
                )
            )
        return tuple(gains)

    def figure(self, spec: FigureSpec) -> FigureResult:
        points = []
        curves: dict[tuple[str, str], list[float | None]] = {}
        measures = list(dict.fromkeys(measure for panel in spec.panels for measure in panel.measures))
        for series in spec.series:
            for measure in measures:
                for number, value in enumerate(spec.values):
                    sample, run_ids = self._sample(self._plan.points[spec.id, series.label, number, measure])
                    curves.setdefault((series.label, measure), []).append(sample.mean)
                    points.append(
                        compare.Point(
                            series=series.label,
                            x=value,
                            measure=measure,
                            unit=self._study.spec.measures[measure].unit,
                            sample=sample,
                            run_ids=run_ids,
                        )
                    )
        shapes = tuple(compare.judge_shape(check, spec.values, curves) for check in spec.checks)
        return FigureResult(spec=spec, points=tuple(points), shapes=shapes)


def _judged(
    tables: tuple[TableResult, ...],
    figures: tuple[FigureResult, ...],
    checks: tuple[compare.Check, ...],
    lines: tuple[Line, ...],
) -> Iterator[tuple[str, str]]:
    """The names of everything that was judged, each with the detail of its deviation, or an empty text."""
    for table in tables:
        for cell in table.cells:
            found = f"{compare.item_name(cell.table)}, {cell.name}: published {cell.published:g}"
            deviates = compare.beyond_tolerance(cell, table.spec)
            detail = f"{found}, measured {cell.measured:.3f} {cell.unit}" if deviates else ""
            yield compare.cell_id(cell, len(table.spec.cells)), detail
        for order in table.orders:
            yield compare.order_id(order), compare.describe_order(order) if order.agrees is False else ""
    for figure in figures:
        for shape in figure.shapes:
            detail = f"{shape.text}: {shape.found}" if shape.holds is False else ""
            yield compare.shape_id(figure.spec.id, shape), detail
    for check in checks:
        if check.holds is not None:
            yield compare.limit_id(check), "" if check.holds else f"limit missed: {check.id} ({check.detail})"
    for line in lines:
        if line.kept is not None:
            missed = f"missed: {line.target.id}, {line.target.what} ({line.measured_text}, {line.limit_text})"
            yield target_id(line.target.id), "" if line.kept else missed
