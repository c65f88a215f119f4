"""A study at a point of an input that its document does not publish (``[[inputs]]``): the same plan with other runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from linecard.study.plan import CellPlan, Plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from linecard.study.plan import RunSpec
    from linecard.study.runners import StudyRun
    from linecard.study.spec import Input, StudySpec

# How a chip refuses a setting of a part or a program that a run does not have.
WITHOUT = "has no effect here"


def at_point(spec: StudySpec, plan: Plan, point: Input) -> Plan:
    """The plan with the point's values in every run of its tables and figures."""
    items = point.items or tuple(item.id for item in spec.items)
    values = {key: text for key, _, text in (setting.partition("=") for setting in point.set)}

    def moved(item: str, cell: CellPlan) -> CellPlan:
        if item not in items:
            return cell
        return CellPlan(tuple(_moved(run, values) for run in cell.runs), cell.measure)

    return Plan(
        cells={key: moved(key[0], cell) for key, cell in plan.cells.items()},
        points={key: moved(key[0], cell) for key, cell in plan.points.items()},
        gains={
            key: (moved(spec.gains[key[0]].table, of), moved(spec.gains[key[0]].table, over))
            for key, (of, over) in plan.gains.items()
        },
    )


def _moved(run: RunSpec, values: dict[str, str]) -> RunSpec:
    own = dict(setting.split("=", 1) for setting in run.overrides)
    return replace(run, overrides=tuple(f"{key}={text}" for key, text in sorted((own | values).items())))


def outcomes_at(plan: Plan, point: Plan, runs: Mapping[RunSpec, StudyRun | str]) -> dict[RunSpec, StudyRun | str]:
    """What came out at a point; a run without the keys of the point stays as it was."""
    found = {}
    for run, other in zip(_in_order(plan), _in_order(point), strict=True):
        found[other] = runs[run] if is_without(runs[other]) else runs[other]
    return found


def is_without(outcome: StudyRun | str) -> bool:
    """Whether a run refused a value, since nothing in it has one: a table of another program, for example."""
    return isinstance(outcome, str) and WITHOUT in outcome


def _in_order(plan: Plan) -> list[RunSpec]:
    cells = [*plan.cells.values(), *plan.points.values()]
    for pair in plan.gains.values():
        cells.extend(pair)
    return [run for cell in cells for run in cell.runs]
