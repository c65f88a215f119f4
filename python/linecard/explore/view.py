"""The view of a sweep: one row per point, means over seeds, inconclusive points, and a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linecard.chip.length import has_numbers
from linecard.explore.repeated import Repeated, best_of
from linecard.explore.result import Reason, SweepResult, reasons_of
from linecard.explore.wording import cell_text
from linecard.numbers import is_number, several
from linecard.view import Axis, Chart, Column, Notes, Paragraphs, Part, Said, Series, Table, Title, text, view
from linecard.words import label, valued

ROWS_SHOWN = 40
REASONS_SHOWN = 5
# Lines that a reader can distinguish.
MOST_LINES = 8
# A view cuts a longer reason; the table has all of it.
LONGEST_REASON = 1200


@view.register
def _(result: SweepResult) -> list[Part]:
    points = result.over_seeds()
    table = _means(result, points) if points else _points(result)
    seeds = max((len(each.seeds) for each in points), default=1)
    said = f"{len(points or result.rows):,} points"
    said += f", mean of {seeds} seeds ± half of the 95 % interval" if points else ""
    return [
        Title(f"{result.title}: {said}"),
        table,
        Notes(result.doubts),
        *refusals(reasons_of(result.rows)),
        *chart_of(result),
    ]


def _points(result: SweepResult) -> Table:
    columns = [*result.shown_columns(max(len(result.axes) + 1, 7)), "status"]
    rows = [_row([cell_text(row[name]) for name in columns], row["status"]) for row in result.rows]
    return Table("", _columns(columns, result.rows), rows, shown=ROWS_SHOWN)


def _means(result: SweepResult, points: Sequence[Repeated]) -> Table:
    """A row per point: means over its seeds with half of the 95 % interval, and the best point below."""
    axes = [axis for axis in result.axes if axis != "seed"]
    shown = [name for name in result.shown_columns(len(result.axes) + 3) if name not in result.axes]
    if "throughput_gbps" in shown and "offered_gbps" in result.numbers and "offered_gbps" not in shown:
        shown.insert(shown.index("throughput_gbps") + 1, "offered_gbps")
    has_means = {name for each in points for name in each.numbers}
    below = [Said(f"{name} has no mean; --json has its values", "") for name in result.defined if name not in has_means]
    shown = [name for name in shown if name in has_means]
    rows = [
        _row([*(cell_text(each.point[axis]) for axis in axes), *(_mean(each, name) for name in shown), each.status])
        for each in points
    ]
    best = best_of(points)
    columns = [*_columns(axes, [each.point for each in points]), *map(Column, shown), text("status")]
    below += [] if best is None else [Said(best.sentence(), "")]
    return Table("", columns, rows, shown=ROWS_SHOWN, below=below)


def _row(cells: Sequence[str], status: str = "") -> tuple[Said, ...]:
    tone = "" if (status or cells[-1]) == "ok" else "warn"
    return tuple(Said(cell, tone) for cell in cells)


def _columns(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    return [Column(name, "r" if any(is_number(row[name]) for row in rows) else "l") for name in names]


def _mean(point: Repeated, name: str) -> str:
    estimate = point.numbers.get(name)
    if estimate is None:
        return "–"
    if estimate.high is None:
        return cell_text(estimate.value)
    return f"{cell_text(estimate.value)} ± {estimate.high - estimate.value:.2g}"


def refusals(reasons: Sequence[Reason]) -> list[Part]:
    """Show how many points were refused or failed, why, and the command that repeats the first of these points."""
    below = []
    for each in reasons[:REASONS_SHOWN]:
        below.append(Said(f"{each.status} {each.points:,}: {each.reason[:LONGEST_REASON]}", "warn"))
        below.append(Said(f"  again: {each.command}", "dim"))
    if len(reasons) > REASONS_SHOWN:
        below.append(Said(f"and {several(len(reasons) - REASONS_SHOWN, 'other reason')}", "dim"))
    return [Paragraphs(below)] if below else []


def chart_of(result: SweepResult) -> list[Part]:
    """Plot one column versus another column, with one line for each combination of values on the remaining axes.

    If points have several seeds, the chart shows means and ranges. The points are not connected if the chart has more
    than ``MOST_LINES`` lines, or if its horizontal axis was not varied.
    """
    rows = [row for row in result.rows if has_numbers(row)]
    axes = [name for name in result.axes if name != "seed"]
    numeric = [name for name in axes if all(is_number(row[name]) for row in rows)]
    shown = [name for name in result.shown_columns(len(result.axes) + 8) if name not in result.axes]
    across = result.across or next(iter([*numeric, *axes, *result.axes]), "run")
    up = result.up or next((name for name in shown if rows and is_number(rows[0][name])), "")
    rows = [row for row in rows if is_number(row.get(up)) and row[across] is not None]
    if not rows:
        return []
    names = [] if all(is_number(row[across]) for row in rows) else list(dict.fromkeys(str(row[across]) for row in rows))
    others = [name for name in result.axes if name not in (across, up, "seed")]
    groups: dict[tuple[Any, ...], dict[float, list[float]]] = {}
    for row in rows:
        place = names.index(str(row[across])) if names else float(row[across])
        groups.setdefault(tuple(row[name] for name in others), {}).setdefault(place, []).append(float(row[up]))
    most = max(len(values) for places in groups.values() for values in places.values())
    note = ""
    if across in result.axes and len(groups) <= MOST_LINES:
        note = f"points: means of {most} seeds; bars: smallest and largest value" if most > 1 else ""
        series = [
            _line(", ".join(valued(name, value) for name, value in zip(others, group, strict=True)), places)
            for group, places in groups.items()
        ]
    else:
        points = [(place, value) for places in groups.values() for place, values in places.items() for value in values]
        series = [Series("", points, line=False)]
    return [Chart(result.title, Axis(label(across), names=names), Axis(label(up), zero=None), series, note)]


def _line(name: str, places: Mapping[float, Sequence[float]]) -> Series:
    ordered = sorted(places)
    several_seeds = any(len(values) > 1 for values in places.values())
    points = [(place, sum(places[place]) / len(places[place])) for place in ordered]
    return Series(
        name, points, ranges=[(min(places[place]), max(places[place])) for place in ordered] if several_seeds else ()
    )
