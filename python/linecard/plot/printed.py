"""All cells of a study at once: what was measured over what is printed, calibrated ones hollow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard.plot.style import INK, LINES, MARKS, MUTED, PALE, STYLE, Drawing, finish, load_pyplot
from linecard.study.compare import item_name

if TYPE_CHECKING:
    from linecard.study.compare import Cell
    from linecard.study.result import StudyResult

# Cells so far from the diagonal are named by their table, as many as there is room for.
NAMED_BEYOND, MOST_NAMED = 0.10, 4
# More units than these share the last colour.
MOST_UNITS = 5


def draw_printed(result: StudyResult) -> Drawing:
    """One point a cell, on two logarithmic axes; cells of zero, which have no place there, are counted below."""
    pyplot = load_pyplot()
    with pyplot.rc_context(STYLE):
        return finish(pyplot, _figure(pyplot, result))


def _figure(pyplot: Any, result: StudyResult) -> Any:
    cells = [
        cell
        for table in result.tables
        if table.spec.headline
        for cell in table.cells
        if cell.measured is not None and cell.relation == "="
    ]
    shown = [cell for cell in cells if cell.published > 0 and (cell.measured or 0.0) > 0]
    figure, axes = pyplot.subplots(figsize=(5.6, 5.0))
    axes.set_xscale("log")
    axes.set_yscale("log")
    ends = [value for cell in shown for value in (cell.published, cell.measured or 0.0)] or [1.0, 10.0]
    span = (min(ends) / 1.4, max(ends) * 1.4)
    axes.plot(span, span, color=MUTED, linewidth=0.9, zorder=1)
    axes.fill_between(span, [end * 0.9 for end in span], [end * 1.1 for end in span], color=PALE, alpha=0.5, zorder=0)
    units = sorted({cell.unit for cell in shown}, key=lambda unit: (-sum(cell.unit == unit for cell in shown), unit))
    for cell in shown:
        number = min(units.index(cell.unit), MOST_UNITS - 1)
        face = "none" if cell.calibrated else LINES[number]
        axes.plot(
            cell.published, cell.measured, MARKS[number], color=LINES[number], markerfacecolor=face, markersize=4.5
        )
    for cell in _furthest(shown):
        axes.annotate(
            item_name(cell.table),
            (cell.published, cell.measured),
            xytext=(6, -3),
            textcoords="offset points",
            fontsize=7,
            color=INK,
        )
    axes.set_xlim(span)
    axes.set_ylim(span)
    axes.set_aspect("equal")
    axes.set_xlabel("printed")
    axes.set_ylabel("measured")
    axes.set_title(result.study.spec.id)
    near = sum(abs(cell.error or 0.0) <= NAMED_BEYOND for cell in shown)
    apart = f"; {len(cells) - len(shown)} of zero are not drawn" if len(cells) > len(shown) else ""
    axes.annotate(
        f"{near} of {len(shown)} cells within 10 % (band){apart}",
        (1, 0),
        xycoords="axes fraction",
        xytext=(-4, 5),
        textcoords="offset points",
        ha="right",
        fontsize=7.5,
        color=MUTED,
    )
    _legend(pyplot, axes, units, any(cell.calibrated for cell in shown))
    return figure


def _furthest(cells: list[Cell]) -> list[Cell]:
    """The cells furthest from the diagonal, one of each table."""
    by_error = sorted(cells, key=lambda cell: -abs(cell.error or 0.0))
    first: dict[str, Cell] = {}
    for cell in by_error:
        if abs(cell.error or 0.0) > NAMED_BEYOND:
            first.setdefault(cell.table, cell)
    return list(first.values())[:MOST_NAMED]


def _legend(pyplot: Any, axes: Any, units: list[str], hollow: bool) -> None:
    handles = []
    for number, unit in enumerate(units[:MOST_UNITS]):
        label = "others" if number == MOST_UNITS - 1 and len(units) > MOST_UNITS else unit
        handles.append(pyplot.Line2D([], [], linestyle="", marker=MARKS[number], color=LINES[number], label=label))
    if hollow:
        empty = {"marker": "o", "color": MUTED, "markerfacecolor": "none"}
        handles.append(pyplot.Line2D([], [], linestyle="", label="calibrated: not counted", **empty))
    axes.legend(handles=handles, loc="upper left", handletextpad=0.2)
