"""HTML tables with texts, numbers and bars; a phone shows each table as a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from linecard.numbers import number
from linecard.report.sheet import linked
from linecard.view import Bar, Cell, Column, Lines, Said


def _bar(bar: Bar) -> str:
    """A bar; one with a sign starts in the middle."""

    def at(value: float) -> float:
        inside = min(max(value, -1.0), 1.0)
        return 50 + inside * 50 if bar.signed else max(0.0, inside) * 100

    start, end = sorted((at(0.0), at(bar.share)))
    kind = ' class="less"' if bar.share < 0 else ' class="high"' if bar.tone == "bad" and not bar.signed else ""
    drawn = f'<i{kind} style="left:{start:.1f}%;width:{end - start:.1f}%"></i>'
    if bar.signed:
        drawn += f'<i class="zero" style="left:{at(0.0):.1f}%"></i>'
    if bar.low is not None and bar.high is not None:
        low, high = at(bar.low), at(bar.high)
        drawn += f'<i class="between" style="left:{low:.1f}%;width:{max(0.5, high - low):.1f}%"></i>'
    return f'<td class="bar"><span class="track" aria-hidden="true">{drawn}</span></td>'


_KINDS = {"r": "", "b": "", "l": ' class="text"', "w": ' class="said"', "p": ' class="said"', "c": ' class="code"'}


def table(
    caption: str,
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[Cell] | str],
    *,
    marked: Iterable[int] = (),
    alone: bool = False,
) -> str:
    """A table with its own scroll bar; the first cell of each row is the row's header.

    Args:
        caption: Description of the table for screen readers.
        columns: Names of the columns; the name of a column of bars is empty.
        rows: Rows of cells (texts, numbers or bars); a text in place of a row is shown as a heading.
        marked: Indices of the highlighted rows.
        alone: Whether the table is the only part of the page, and therefore fills the height of the page.
    """
    if not rows:
        return ""
    named = [Column(each) if isinstance(each, str) else each for each in columns]
    whole = [row for row in rows if not isinstance(row, str)]
    bars = {at for at in range(len(named)) if any(isinstance(row[at], Bar) for row in whole)}
    loud = {*marked}
    # Cells contain the name of their column if a phone shows a row as a list.
    is_list = _width(named, whole, bars) > PHONE_LETTERS
    body = []
    for place, row in enumerate(rows):
        if isinstance(row, str):
            body.append(f'<tr class="between"><th scope="row" colspan="{len(named)}">{escape(row)}</th></tr>')
            continue
        cells = []
        for at, (column, cell) in enumerate(zip(named, row, strict=True)):
            if isinstance(cell, Bar):
                cells.append(_bar(cell))
                continue
            tag = 'th scope="row"' if at == 0 else "td"
            kind = ' class="text"' if at == 0 and column.side == "r" else _KINDS[column.side]
            of = f' data-name="{escape(column.name.strip())}"' if is_list else ""
            is_name = at == 0 and column.side != "c" and not isinstance(cell, Lines)
            shown = "<br>".join(map(escape, cell)) if isinstance(cell, Lines) else escape(cell_text(cell))
            shown = linked(cell_text(cell)) if is_name else shown
            tone = f' class="{cell.tone}"' if isinstance(cell, Said) else ""
            shown = f"<span{tone}>{shown}</span>" if tone else shown
            shown = f"<code>{shown}</code>" if column.side == "c" else shown
            cells.append(f"<{tag}{kind}{of}>{shown}</{tag[:2]}>")
        stands_out = ' class="marked"' if place in loud else ""
        body.append(f"<tr{stands_out}>{''.join(cells)}</tr>")
    # A column of bars repeats a number, so a screen reader skips it.
    head = "".join(
        f'<th scope="col"{_KINDS["l" if at == 0 and column.side == "r" else column.side]}>{escape(column.name)}</th>'
        if column.name
        else '<td aria-hidden="true"></td>'
        for at, column in enumerate(named)
    )
    head = f"<thead><tr>{head}</tr></thead>" if any(column.name for column in named) else ""
    kinds = ["wide"]
    kinds += ["rows"] if is_list else []
    kinds += ["full"] if alone or len(named) >= FULL_COLUMNS else []
    kinds += ["alone"] if alone else []
    kinds += ["source"] if any(column.side == "c" for column in named) else []
    caption = escape(caption or "Numbers")
    drawn = (
        f'<div class="{" ".join(kinds)}" tabindex="0" role="region" aria-label="{caption}"><table>'
        f"<caption>{caption}</caption>{head}<tbody>{''.join(body)}</tbody></table></div>"
    )
    return f'<div class="bars">{drawn}</div>' if bars and "source" not in kinds else drawn


def cell_text(cell: Cell) -> str:
    """The text of a table cell; empty if the cell contains a bar."""
    if isinstance(cell, Said):
        return cell.text
    if isinstance(cell, Lines):
        return max(cell, key=len)
    return cell if isinstance(cell, str) else "" if isinstance(cell, Bar) else number(cell)


# In letters: the width of a phone of 390 pixels, of the space between columns, of a bar, and of a wrapped text.
PHONE_LETTERS, LETTERS_BETWEEN, LETTERS_OF_BAR, LETTERS_THAT_WRAP = 47.5, 2.75, 9, 16
# From this number of columns on, a table is as wide as the page.
FULL_COLUMNS = 6


def _width(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], bars: set[int]) -> float:
    """Approximate width of the widest row of a table, in letters."""
    total = 0.0
    for at, column in enumerate(columns):
        if at in bars:
            total += LETTERS_OF_BAR
            continue
        longest = max([len(column.name), *(len(cell_text(row[at])) for row in rows)])
        # Sentences wrap, and so does the first column beside a bar.
        wraps = column.side in "wp" or (at == 0 and bool(bars))
        total += LETTERS_BETWEEN + (min(longest, LETTERS_THAT_WRAP) if wraps else longest)
    return total
