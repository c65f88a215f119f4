"""Draws the charts of a result as one picture: SVG for print, or PNG with the optional dependencies ``plot``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linecard.errors import MissingExtraError
from linecard.report.chart import WIDTH, Drawn, cut_to, drawn
from linecard.report.sheet import style
from linecard.report.table import cell_text
from linecard.svg import clean, wrap
from linecard.view import Beside, Chart, Grouped, Stacked, Table, Title

if TYPE_CHECKING:
    from linecard.view import Part

# The colours of paper, by their names in pages, and the colours of series.
COLOURS = dict(re.findall(r"--(\w+): (#\w+)", style("colours").partition("@media")[0]))
LINES = tuple(COLOURS[name] for name in COLOURS if re.fullmatch(r"s\d", name))
_MARGIN, _GAP = 20, 32
# Pixels of a PNG per pixel of the drawing.
SCALE = 2
_FONT = "Roboto"
# Rows of a table that is drawn as text.
MOST_ROWS = 40


def picture(parts: Sequence[Part]) -> str:
    """Draw the charts of a result in two columns below the title; if the result has no charts, draw its tables."""
    title = next((part for part in parts if isinstance(part, Title)), Title(""))
    charts = [found for part in _charts(parts, tables=False) if (found := drawn(part))]
    charts = charts or [found for part in _charts(parts, tables=True) if (found := drawn(part))]
    charts = charts or [_listed(part) for part in _charts(parts, tables=True) if isinstance(part, Table) and part.rows]
    columns = 2 if len(charts) > 1 else 1
    width = 2 * _MARGIN + columns * WIDTH + (columns - 1) * _GAP
    heads = wrap(title.name, 15, width - 2 * _MARGIN, bold=True)
    heights = [float(_MARGIN + 8 + 18 * len(heads))] * columns
    elements = []
    for each in charts:
        column = heights.index(min(heights))
        placed, height = _placed(each, _MARGIN + column * (WIDTH + _GAP), heights[column])
        elements.append(placed)
        heights[column] += height
    named = "".join(
        f'<text x="{_MARGIN}" y="{_MARGIN + 8 + 18 * at}" style="fill:{COLOURS["ink"]};font-size:15px;font-weight:700">'
        f"{clean(line)}</text>"
        for at, line in enumerate(heads)
    )
    body = _resolved(f"<style>{style('chart')}</style>{''.join(elements)}")
    name = clean(title.name)
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'height="{max(heights):.0f}" viewBox="0 0 {width} {max(heights):.0f}" role="img" aria-label="{escape(name)}" '
        f'font-family="{_FONT}, Helvetica, Arial, sans-serif"><rect width="100%" height="100%" fill="#ffffff"/>'
        f"{named}{body}</svg>\n"
    )


def _charts(parts: Sequence[Part], *, tables: bool) -> Iterator[Chart | Stacked | Grouped | Table]:
    for part in parts:
        if isinstance(part, Beside):
            yield from _charts(part.parts, tables=tables)
        elif isinstance(part, Table if tables else (Chart, Stacked, Grouped)):
            yield part


def _placed(each: Drawn, x: float, y: float) -> tuple[str, float]:
    """A chart at its position below its title, and the height of both."""
    lines = wrap(each.said, 12, WIDTH)
    head = 18 if each.title else 0
    texts = "".join(f'<text y="{head + 16 * (at + 1)}">{escape(line)}</text>' for at, line in enumerate(lines))
    top = 10 + head + 16 * len(lines)
    return (
        f'<g transform="translate({x} {y:.0f})"><text class="head" y="16">{escape(each.title)}</text>{texts}'
        f'<g transform="translate(0 {top})">{each.elements}</g></g>',
        top + each.height + 14,
    )


def _listed(part: Table) -> Drawn:
    """A table without bars: its first rows as lines of text."""
    rows = [[column if isinstance(column, str) else column.name for column in part.columns]]
    rows += [[row] if isinstance(row, str) else [cell_text(cell) for cell in row] for row in part.rows[:MOST_ROWS]]
    lines = [cut_to("   ".join(each for each in row if each), WIDTH) for row in rows]
    texts = [f'<text class="name" y="{16 * (at + 1)}">{escape(line)}</text>' for at, line in enumerate(lines)]
    return Drawn("".join(texts), 16 * len(lines) + 6, part.title, part.said, "")


def _resolved(svg: str) -> str:
    return re.sub(r"var\(--(\w+)\)", lambda found: COLOURS[found[1]], svg)


def need_resvg() -> Any:
    """Return the SVG renderer.

    Raises:
        MissingExtraError: The SVG renderer is not installed.
    """
    try:
        import resvg_py
    except ImportError as error:
        raise MissingExtraError("a PNG file", "plot") from error
    return resvg_py


def png(svg: str) -> bytes:
    """Render a picture as PNG at twice the resolution.

    If the font package ``font_roboto`` is installed, all renderings of the same picture are byte-identical.

    Raises:
        MissingExtraError: The SVG renderer is not installed.
    """
    resvg = need_resvg()
    fonts = find_spec("font_roboto")
    folders = [str(Path(each) / "files") for each in (fonts.submodule_search_locations or ())] if fonts else []
    return bytes(resvg.svg_to_bytes(svg, zoom=SCALE, font_dirs=folders, font_family=_FONT, sans_serif_family=_FONT))
