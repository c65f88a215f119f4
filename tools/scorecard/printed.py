"""Draws all cells of a study in one chart: measured over printed values, with hollow calibrated cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.study.compare import item_name, words
from tools.scatter import Dot, draw

if TYPE_CHECKING:
    from linecard.study.compare import Cell
    from linecard.study.result import StudyResult

# Cells this far from the diagonal are labelled with their table, up to a maximum number.
NAMED_BEYOND, MOST_NAMED = 0.10, 4
# More units than these share the last colour.
MOST_UNITS = 5


def draw_printed(result: StudyResult) -> str:
    """Draw one point per cell on logarithmic axes; far smaller cells are on the axis, and printed zeros are counted."""
    cells = [
        cell
        for table in result.tables
        if table.spec.headline
        for cell in table.cells
        if cell.measured is not None and cell.relation == "="
    ]
    shown = [cell for cell in cells if cell.published > 0 and cell.measured is not None]
    low = min((cell.published for cell in shown), default=1.0) / 10
    below = sum((cell.measured or 0.0) < low for cell in shown)
    units = sorted({cell.unit for cell in shown}, key=lambda unit: (-sum(cell.unit == unit for cell in shown), unit))
    groups = [*units[: MOST_UNITS - 1], "others"] if len(units) > MOST_UNITS else units
    named = _furthest(shown)
    dots = [
        Dot(
            cell.published,
            max(cell.measured or 0.0, low),
            cell.unit if cell.unit in groups else "others",
            f"{item_name(cell.table)}, {words(cell.keys)}: printed {cell.published:.4g}, measured {cell.measured:.4g}",
            cell.calibrated,
            name=item_name(cell.table) if cell in named else "",
            shape=groups.index(cell.unit if cell.unit in groups else "others"),
        )
        # Hollow points are drawn last, because a full one would hide them.
        for cell in sorted(shown, key=lambda cell: cell.calibrated)
    ]
    near = sum(abs(cell.error or 0.0) <= NAMED_BEYOND for cell in shown)
    said = [f"{near} of {len(shown)} cells within 10 %"]
    said += [f"{below} measured below the axis, drawn on it"] if below else []
    said += [f"{len(cells) - len(shown)} printed as zero, not drawn"] if len(cells) > len(shown) else []
    return draw(
        dots,
        heading=result.study.spec.id,
        axes=("printed", "measured"),
        within=(NAMED_BEYOND,),
        title=f"Measured against printed numbers of {result.study.spec.id}",
        words="; ".join(said),
        groups=groups,
        foot="; ".join(said),
        hollow="hollow: calibrated, not counted",
    )


def _furthest(cells: list[Cell]) -> list[Cell]:
    """The cells furthest from the diagonal, one per table."""
    by_error = sorted(cells, key=lambda cell: -abs(cell.error or 0.0))
    first: dict[str, Cell] = {}
    for cell in by_error:
        if abs(cell.error or 0.0) > NAMED_BEYOND:
            first.setdefault(cell.table, cell)
    return list(first.values())[:MOST_NAMED]
