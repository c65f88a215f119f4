"""Screen tables that show every number even on a narrow terminal.

The table first sets the widths of number columns; text columns share the remaining width. If the remaining width is too
small, the table omits bars, but still prints the numbers that the bars represent. If the table without bars is still
too wide, it becomes a list in which each value has the name of its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

GAP = 2
LIST_GAP = 3
INDENT = 2
DIM = "bright_black"
HEADER = "bold cyan"
# For a text column: its readable width, and the length from which a word may take two lines.
READABLE = 16
LONGEST_WORD = 36
LEAST_BAR = 8


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar that represents a fraction from 0 to 1, with a resolution of one eighth of a terminal column."""

    share: float
    style: str
    most: int

    def drawn(self, width: int) -> Text:
        """Draw the bar in `width` terminal columns."""
        width = min(width, self.most)
        full, rest = divmod(round(min(max(self.share, 0.0), 1.0) * width * 8), 8)
        filled = "█" * full + ("▏▎▍▌▋▊▉"[rest - 1] if rest else "")
        return Text.assemble((filled, self.style), ("·" * (width - len(filled)), DIM))


Cell = str | Text | Bar


@dataclass(frozen=True, slots=True)
class Column:
    """A table column: its name, its alignment, and whether its texts may wrap."""

    name: str
    side: str


class Table:
    """A table whose rows contain texts, numbers and bars."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = tuple(columns)
        self._named = any(column.name for column in columns)
        # A section is a text; an empty text is an empty line.
        self._rows: list[tuple[Text | Bar, ...] | Text] = []

    def add_row(self, *cells: Cell) -> None:
        """Add a row to the table; missing cells are empty."""
        filled = (*cells, *("",) * (len(self.columns) - len(cells)))
        self._rows.append(tuple(Text(cell) if isinstance(cell, str) else cell for cell in filled))

    def add_section(self, title: Text | None = None) -> None:
        """Add an empty line and a title above the next rows."""
        if self._rows:
            self._rows.append(Text())
        if title is not None:
            self._rows.append(title)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        ends = self._least(), self._most()
        least, most = (sum(widths) + GAP * (len(widths) - 1) for widths in ends)
        return Measurement(least, most).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = self._widths(options.max_width)
        if widths is None:
            yield from self._listed(options.max_width)
            return
        if self._named:
            named = zip(self.columns, widths, strict=True)
            names = tuple(Text(_broken(column.name, width), style=HEADER) for column, width in named)
            yield from self._drawn(console, options, names, widths)
            yield Text("─" * (sum(widths) + GAP * (sum(map(bool, widths)) - 1)))
        for row in self._rows:
            if isinstance(row, Text):
                yield row
            else:
                yield from self._drawn(console, options, row, widths)

    def _cells(self, number: int) -> list[Text | Bar]:
        return [row[number] for row in self._rows if not isinstance(row, Text)]

    def _least(self) -> list[int]:
        """The least width of each column that breaks no number and no name."""
        found = []
        for number, column in enumerate(self.columns):
            cells = self._cells(number)
            texts = [cell for cell in cells if isinstance(cell, Text)]
            whole = max((_width(text) for text in texts), default=0)
            if column.side == "w":
                words = (Text(word).cell_len for text in texts for word in text.plain.split())
                whole = max(min(max(words, default=0), LONGEST_WORD), min(whole, READABLE))
            bar = LEAST_BAR if any(isinstance(cell, Bar) for cell in cells) else 0
            found.append(max(whole, bar, *map(len, _pieces(column.name)), 0))
        return found

    def _most(self) -> list[int]:
        """The widths at which each text has one line and each bar its full length."""
        return [
            max(
                each.most if isinstance(each, Bar) else _width(each)
                for each in (Text(column.name), *self._cells(number))
            )
            for number, column in enumerate(self.columns)
        ]

    def _widths(self, room: int) -> list[int] | None:
        """The width of each column, 0 for an omitted one; `None` if the table does not fit."""
        least, most = self._least(), self._most()
        bars = {n for n in range(len(least)) if any(isinstance(cell, Bar) for cell in self._cells(n))}
        empty = {n for n in range(len(least)) if self._rows and not any(map(bool, self._cells(n)))}
        for without in (empty, empty | bars):
            shown = [number for number in range(len(least)) if number not in without]
            spare = room - GAP * (len(shown) - 1) - sum(least[number] for number in shown)
            if spare < 0:
                continue
            widths = [0 if number in without else width for number, width in enumerate(least)]
            # Columns that need the least come first, so that one long text takes only the rest.
            for left, number in enumerate(sorted(shown, key=lambda number: most[number] - least[number])):
                more = min(max(most[number] - least[number], 0), spare // (len(shown) - left))
                widths[number] += more
                spare -= more
            return widths
        return None

    def _drawn(
        self, console: Console, options: ConsoleOptions, row: Sequence[Text | Bar], widths: Sequence[int]
    ) -> Iterator[Segment]:
        blocks = []
        for cell, column, width in zip(row, self.columns, widths, strict=True):
            if width:
                text = cell.drawn(width) if isinstance(cell, Bar) else cell
                at = options.update(
                    width=width,
                    justify="right" if column.side == "r" else "left",
                    overflow="fold",
                    no_wrap=False,
                    height=None,
                )
                blocks.append((width, console.render_lines(text, at)))
        for number in range(max((len(lines) for _, lines in blocks), default=0)):
            for index, (width, lines) in enumerate(blocks):
                if index:
                    yield Segment(" " * GAP)
                yield from lines[number] if number < len(lines) else [Segment(" " * width)]
            yield Segment.line()

    def _listed(self, room: int) -> Iterator[RenderableType]:
        """Each row as its first text, followed by the other texts with the names of their columns."""
        if self._named and self.columns[0].side != "r":
            yield Text(self.columns[0].name, style=HEADER)
        for row in self._rows:
            if isinstance(row, Text):
                yield row
                continue
            texts = list(self._said(row))
            # A row without a first text continues the row above.
            if row[0] == Text() and not self._named:
                others = texts
            else:
                first, *others = texts
                yield first
            # As many texts on a line as fit, each whole.
            line = Text()
            for said in others:
                if line and line.cell_len + LIST_GAP + _width(said) > room - INDENT:
                    yield Padding(line, (0, 0, 0, INDENT))
                    line = Text()
                line = Text.assemble(line, " " * LIST_GAP if line else "", said)
            if line:
                yield Padding(line, (0, 0, 0, INDENT))

    def _said(self, row: Sequence[Text | Bar]) -> Iterator[Text]:
        """The texts of a row with the names of their columns. A first text needs no name unless it is a number."""
        for number, (column, cell) in enumerate(zip(self.columns, row, strict=True)):
            if isinstance(cell, Text) and cell.plain.strip():
                named = column.name and (number or column.side == "r")
                yield Text.assemble((f"{column.name} ", DIM), cell) if named else cell


def _pieces(name: str) -> list[str]:
    """The parts between which the name of a column may break."""
    return re.findall(r"[^ _.]*[ _.]?", name)


def _broken(name: str, width: int) -> str:
    lines = [""]
    for piece in _pieces(name):
        if len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def _width(text: Text) -> int:
    return max((line.cell_len for line in text.split("\n", allow_blank=True)), default=0)
