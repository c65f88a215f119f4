"""Prints a result on the terminal: its parts as tables and lines, without charts and pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from linecard.cli import table as screen_table
from linecard.cli.beside import Beside as SideBySide
from linecard.cli.pieces import BAR_WIDTH, DIM, grid, heading, section
from linecard.cli.stdout import show
from linecard.numbers import number
from linecard.view import (
    Bar,
    Beside,
    Cell,
    Column,
    Fact,
    Facts,
    Lines,
    Notes,
    Paragraphs,
    Part,
    Said,
    Table,
    Title,
    Verdict,
    view_of,
)

if TYPE_CHECKING:
    from linecard.result import Result

TONES = {
    "": "",
    "strong": "bold",
    "good": "green",
    "best": "bold green",
    "warn": "yellow",
    "bad": "bold red",
    "dim": DIM,
}
BAR_TONES = {"": "blue", "good": "green", "warn": "yellow", "bad": "red", "dim": DIM}
# A longer list of bars has two columns, if there is room.
LONGEST_LIST = 10


def print_result(result: Result) -> None:
    """Print a result as text on the terminal."""
    show(*screen(view_of(result)))


def screen(parts: Iterable[Part]) -> list[RenderableType]:
    """Convert the parts of a result to a screen that fits any terminal width."""
    found = [each for each in map(_drawn, parts) if each is not None]
    return [*found, Text("")]


def _drawn(part: Part) -> RenderableType | None:
    match part:
        case Title(name, said):
            return Padding(Text.assemble((name, "bold"), (f"  {said}" if said else "", DIM)), (1, 0, 0, 2))
        case Beside(inner):
            blocks = [each for each in map(_block, inner) if each is not None]
            return section(SideBySide(blocks)) if blocks else None
        case _:
            block = _block(part)
            return None if block is None else section(block)


def _block(part: Part) -> RenderableType | None:
    match part:
        case Verdict(head, why, tone):
            return Group(Text(head, style=TONES[tone]), *([Text(why)] if why else []))
        case Facts(rows, title, said):
            return _headed(title, said, _facts(rows))
        case Paragraphs(texts) if texts:
            return Group(*(Text(each.text, style=TONES[each.tone]) for each in texts))
        case Notes(texts) if texts:
            lines = grid("l", "w")
            for each in texts:
                lines.add_row(Text("!", style="bold yellow"), Text(each))
            return lines
        case Table() if part.rows and not part.folded:
            return _headed(part.title, part.said, *_rows(part))
        case _:
            return None


def _headed(title: str, said: str, *parts: RenderableType) -> RenderableType:
    return Group(heading(title, said), *parts) if title else Group(*parts)


def _facts(rows: Sequence[Fact | tuple[str, ...]]) -> RenderableType:
    table = grid("l", "w")
    for name, value, more, tone in (Fact(*row) for row in rows):
        said = f"{'   ' if value else ''}{more}" if more else ""
        table.add_row(Text(name, style=DIM), Text.assemble((value, TONES[tone]), (said, DIM)))
    return table


def _rows(part: Table) -> list[RenderableType]:
    columns = [Column(each) if isinstance(each, str) else each for each in part.columns]
    kept = [at for at, column in enumerate(columns) if column.side != "p"]
    columns = [columns[at] for at in kept]
    rows = [row if isinstance(row, str) else [row[at] for at in kept] for row in part.rows[: part.shown]]
    half = (len(rows) + 1) // 2
    whole = _table(columns, rows, part)
    if len(rows) > LONGEST_LIST and not any(column.name for column in columns):
        sides = [_table(columns, each, part) for each in (rows[:half], rows[half:])]
        found: list[RenderableType] = [SideBySide(sides, instead=whole)]
    else:
        found = [whole]
    if len(rows) < len(part.rows):
        found.append(
            Text(f"{len(part.rows) - len(rows):,} more rows are in the output of --json and --output", style=DIM)
        )
    return [*found, *(Text(each.text, style=TONES[each.tone]) for each in part.below)]


def _table(columns: Sequence[Column], rows: Sequence[Sequence[Cell] | str], part: Table) -> screen_table.Table:
    table = screen_table.Table([screen_table.Column(name, "l" if side in "bc" else side) for name, side in columns])
    bars = sum(column.side == "b" for column in columns)
    width = BAR_WIDTH if len(columns) <= 4 and bars == 1 else 10
    marked = {*part.marked}
    for at, row in enumerate(rows):
        if isinstance(row, str):
            table.add_section(heading(row) if row else None)
        else:
            table.add_row(*(_cell(cell, width, "bold" if at in marked else "") for cell in row))
    return table


def _cell(cell: Cell, width: int, style: str) -> screen_table.Cell:
    match cell:
        case Bar(share, tone):
            return screen_table.Bar(abs(share), BAR_TONES["bad" if share < 0 else tone], width)
        case Said(text, tone):
            return Text(text, style=TONES[tone])
        case Lines(first, then):
            return Text.assemble((first, style), (f"\n{then}" if then else "", DIM))
        case str():
            return Text(cell, style=style)
        case _:
            return Text(number(cell), style=style)
