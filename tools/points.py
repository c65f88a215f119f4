"""A study at a point of an input that its document does not publish (``[[inputs]]``): the same plan with other runs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from linecard.study.evidence import Evidence, NotRunError
from linecard.study.keys import Change
from linecard.study.limits import AtPoint, Line, evaluators_of
from linecard.study.plan import CellPlan, Plan, make_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from linecard.study.keys import Effort, Input, StudySpec
    from linecard.study.plan import RunSpec
    from linecard.study.result import FigureResult, TableResult
    from linecard.study.runners import StudyRun
    from linecard.study.spec import Study

# The words with which a chip refuses a setting of a part or a program that a run does not have.
WITHOUT = "has no effect here"


def at_point(study: Study, items: tuple[str, ...], effort: Effort, point: Input, *, quick: bool = False) -> Plan:
    """The plan of these tables and figures with the point's values in the runs that it names."""
    own = make_plan(study, items, effort, quick=quick)
    there = make_plan(replace(study, spec=_with_values(study.spec, point)), items, effort, quick=quick)
    named = point.items or items
    values = {key: text for key, _, text in (setting.partition("=") for setting in point.set)}

    def at(item: str, cell: CellPlan, moved: CellPlan) -> CellPlan:
        if item not in named:
            return cell
        return CellPlan(tuple(_moved(run, values) for run in moved.runs), cell.measure)

    return Plan(
        cells={key: at(key[0], cell, there.cells[key]) for key, cell in own.cells.items()},
        points={key: at(key[0], cell, there.points[key]) for key, cell in own.points.items()},
        gains={
            key: (
                at(study.spec.gains[key[0]].table, of, there.gains[key][0]),
                at(study.spec.gains[key[0]].table, over, there.gains[key][1]),
            )
            for key, (of, over) in own.gains.items()
        },
    )


def _with_values(spec: StudySpec, point: Input) -> StudySpec:
    columns = dict(spec.columns)
    for at in point.values:
        column = columns[at.column]
        change = column.values.get(str(at.value), Change())
        changed = msgspec.structs.replace(change, set=(*change.set, *at.set))
        columns[at.column] = msgspec.structs.replace(column, values={**column.values, str(at.value): changed})
    return msgspec.structs.replace(spec, columns=columns)


def _moved(run: RunSpec, values: dict[str, str]) -> RunSpec:
    own = dict(setting.split("=", 1) for setting in run.overrides)
    return replace(run, overrides=tuple(f"{key}={text}" for key, text in sorted((own | values).items())))


def outcomes_at(plan: Plan, point: Plan, runs: Mapping[RunSpec, StudyRun | str]) -> dict[RunSpec, StudyRun | str]:
    """The results at a point; a run without the keys of the point is unchanged."""
    found = {}
    for run, other in zip(_in_order(plan), _in_order(point), strict=True):
        found[other] = runs[run] if is_without(runs[other]) else runs[other]
    return found


def is_without(outcome: StudyRun | str) -> bool:
    """Whether a run refused a value that it does not have: that of a table of another program, for example."""
    return isinstance(outcome, str) and WITHOUT in outcome


def _in_order(plan: Plan) -> list[RunSpec]:
    cells = [*plan.cells.values(), *plan.points.values()]
    for pair in plan.gains.values():
        cells.extend(pair)
    return [run for cell in cells for run in cell.runs]


def items_behind(study: Study, tables: Iterable[TableResult], figures: Iterable[FigureResult]) -> set[str]:
    """The tables and figures from which a study's lines are computed."""
    evidence = Evidence(study, tables, figures)
    for _, evaluate in evaluators_of(study.spec.id).values():
        with suppress(NotRunError):
            evaluate(evidence)
    return evidence.asked


def with_points(lines: Iterable[Line], at_points: Mapping[Input, tuple[Line, ...]]) -> tuple[Line, ...]:
    """The lines of a study, each with its result at the point of its input, if it has one."""
    lines = tuple(lines)
    if not lines:
        return ()
    kept = {line.target.id for line in lines if line.kept}
    shown = {point.line: _judged_at(point, there, kept) for point, there in at_points.items()}
    return tuple(replace(line, at_point=shown.get(line.target.id)) for line in lines)


def _judged_at(point: Input, lines: Iterable[Line], kept: set[str]) -> AtPoint:
    by_name = {line.target.id: line for line in lines}
    own = by_name[point.line]
    lost = tuple(name for name, line in by_name.items() if name in kept and not line.kept)
    return AtPoint(point, own.measured_text, own.kept is True, lost)
