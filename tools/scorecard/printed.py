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
# Share of the width from which on a name has no room to the right; as much of it is needed to the left.
SIDE = 0.75


def draw_printed(result: StudyResult) -> Drawing:
    """One point a cell, on two logarithmic axes; cells far below them stand on the axis, printed zeros are counted."""
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
    shown = [cell for cell in cells if cell.published > 0 and cell.measured is not None]
    figure, axes = pyplot.subplots(figsize=(5.6, 5.0))
    axes.set_xscale("log")
    axes.set_yscale("log")
    low = min((cell.published for cell in shown), default=1.0) / 10

    def height(cell: Cell) -> float:
        return max(cell.measured or 0.0, low)

    ends = [end for cell in shown for end in (cell.published, height(cell))] or [1.0, 10.0]
    below = sum((cell.measured or 0.0) < low for cell in shown)
    span = (low if below else min(ends) / 1.4, max(ends) * 1.4)
    axes.plot(span, span, color=MUTED, linewidth=0.9, zorder=1)
    axes.fill_between(span, [end * 0.9 for end in span], [end * 1.1 for end in span], color=PALE, alpha=0.5, zorder=0)
    units = sorted({cell.unit for cell in shown}, key=lambda unit: (-sum(cell.unit == unit for cell in shown), unit))
    # Hollow ones last: a full one would hide them.
    for cell in sorted(shown, key=lambda cell: cell.calibrated):
        number = min(units.index(cell.unit), MOST_UNITS - 1)
        face = "none" if cell.calibrated else LINES[number]
        axes.plot(
            *(cell.published, height(cell), MARKS[number]),
            color=LINES[number],
            markerfacecolor=face,
            markersize=4.5,
            clip_on=False,
            zorder=3,
        )
    axes.set_xlim(span)
    axes.set_ylim(span)
    axes.set_aspect("equal")
    axes.set_xlabel("printed")
    axes.set_ylabel("measured")
    axes.set_title(result.study.spec.id)
    for cell in _furthest(shown):
        _name(axes, cell, height(cell))
    near = sum(abs(cell.error or 0.0) <= NAMED_BEYOND for cell in shown)
    said = [f"{near} of {len(shown)} cells within 10 % (band)"]
    if below:
        said.append(f"{below} measured below the axis, drawn on it")
    if len(cells) > len(shown):
        said.append(f"{len(cells) - len(shown)} printed as zero, not drawn")
    axes.annotate(
        "; ".join(said),
        (1, 0),
        xycoords="axes fraction",
        xytext=(0, -36),
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=7.5,
        color=MUTED,
    )
    _legend(pyplot, axes, units, any(cell.calibrated for cell in shown))
    return figure


def _name(axes: Any, cell: Cell, height: float) -> None:
    """The table of a cell, on the side that is away from the diagonal and the cells along it."""
    across, up = (axes.transScale + axes.transLimits).transform((cell.published, height))
    if height < cell.published:
        (x, y), side = ((6, -3), "left") if across < SIDE else ((4, -11), "right")
    else:
        # Beside the left axis there is no room for a name: it stands above.
        (x, y), side = ((-6, -1), "right") if across > 1 - SIDE else ((-3, 9), "left")
    if up <= 0:
        # On the axis, whose line would run through it.
        y = 6
    axes.annotate(
        item_name(cell.table),
        (cell.published, height),
        xytext=(x, y),
        textcoords="offset points",
        ha=side,
        fontsize=7,
        color=INK,
    )


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
