"""The view of an optimisation: the Pareto front, the method, and the points that were inconclusive or refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linecard.chip.length import RATE_ONLY, has_numbers
from linecard.explore.objectives import OBJECTIVE
from linecard.explore.optimize_result import OptimizeResult
from linecard.explore.view import refusals
from linecard.explore.wording import cell_text
from linecard.view import Axis, Chart, Column, Fact, Facts, Notes, Part, Said, Series, Table, Title, text, view
from linecard.words import objective

FRONT_SHOWN = 40


@view.register
def _(result: OptimizeResult) -> list[Part]:
    knee = next(row for row in result.front if row["knee"])
    numbers = {name: any(isinstance(row.get(name), (int, float)) for row in result.front) for name in result.axes}
    columns = [Column(name, "r" if is_number else "l") for name, is_number in numbers.items()]
    return [
        Title(result.title),
        Facts(_facts(result)),
        Notes(result.doubts),
        Table(
            "The best",
            (*columns, *result.objectives, text("")),
            [_row(result, row) for row in result.front],
            "the Pareto front: no other point is at least as good in all objectives and better in one",
            FRONT_SHOWN,
            [at for at, row in enumerate(result.front) if row["knee"]],
            (*_compromise(result), Said(f"again: {knee['command']}", "dim")),
        ),
        *refusals(result.reasons),
        _chart(result, knee),
    ]


def _compromise(result: OptimizeResult) -> list[Said]:
    if len(result.objectives) == 1:
        return []
    how = "nearest to the best values of all objectives, each scaled by its range over the front"
    return [Said(f"best compromise: {how}", "dim")]


def _facts(result: OptimizeResult) -> list[Fact]:
    how = "the whole space" if result.method == "exhaustive" else "chosen by search"
    shorter = f", after {result.short_runs:,} shorter runs" if result.short_runs else ""
    facts = [Fact("Run", f"{result.runs:,} of {result.points:,} points", f"{how}{shorter}")]
    if result.refused or result.beyond_limits:
        said = f"{result.refused:,} refused or failed points, {result.beyond_limits:,} points that violate a limit"
        facts.append(Fact("Left out", "", said))
    for said, best, worst in zip(result.objectives, result.best, result.worst, strict=True):
        facts.append(Fact("Objective", said, f"{best:,.5g} at best, {worst:,.5g} at worst"))
    covers = f"the front dominates {result.hypervolume:.1%} of the volume between best and worst values"
    return [*facts, Fact("Front", f"{len(result.front):,} points", covers)]


def _row(result: OptimizeResult, row: Mapping[str, Any]) -> tuple[str, ...]:
    values = [cell_text(row[name]) for name in result.axes]
    objectives = [_with_interval(*each) for each in zip(row["objectives"], row["low"], row["high"], strict=True)]
    marks = [*(["best compromise"] if row["knee"] else []), *([RATE_ONLY] if row["steady"] is False else [])]
    return (*values, *objectives, ", ".join(marks))


def _with_interval(value: float, low: float | None, high: float | None) -> str:
    return f"{value:,.5g}" if low is None or high is None else f"{value:,.5g} ± {(high - low) / 2:.2g}"


def _chart(result: OptimizeResult, knee: Mapping[str, Any]) -> Chart:
    """Chart the runs and the front over the first two objectives; chart a single objective in search order."""
    columns = [OBJECTIVE + said for said in result.objectives[:2]]
    rows = [row for row in result.rows if has_numbers(row)]
    runs = f"{len(rows):,} runs"
    if len(columns) == 1:
        tried = [(float(at), row[columns[0]]) for at, row in enumerate(rows, 1)]
        best = result.front[0]["objectives"][0]
        x = Axis("runs, in search order")
        y = Axis(objective(result.objectives[0]), zero=None)
        return Chart("Runs", x, y, [Series(runs, tried, line=False)], level=("the best", best))
    front = sorted(result.front, key=lambda row: tuple(row["objectives"]))
    # A front of two objectives is a line; with more objectives, the first two show a part of the front.
    line = len(result.objectives) == 2
    x, y = (_axis(said, [row[OBJECTIVE + said] for row in rows]) for said in result.objectives[:2])
    return Chart(
        "Runs and front",
        x,
        y,
        [
            Series(runs, [(row[columns[0]], row[columns[1]]) for row in rows], line=False),
            Series(f"front, {len(front):,}", _points(front), line=line, ranges=_ranges(front)),
            Series("best compromise", _points([knee]), line=False),
        ],
        "" if front[0]["low"][1] is None else "bars: 95 % intervals",
    )


def _axis(said: str, values: Sequence[float]) -> Axis:
    """The axis of an objective; it is logarithmic if the largest value is a hundred times the smallest or more."""
    is_wide = 0 < 100 * min(values) <= max(values)
    return Axis(objective(said), zero=False if is_wide else None, logarithmic=is_wide)


def _points(rows: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    return [(row["objectives"][0], row["objectives"][1]) for row in rows]


def _ranges(rows: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    return [] if any(row["low"][1] is None for row in rows) else [(row["low"][1], row["high"][1]) for row in rows]
