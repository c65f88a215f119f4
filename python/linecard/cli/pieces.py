"""Building blocks of screens: bars, tables and headings."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from linecard.cli import table

DIM = table.DIM
BAR_WIDTH = 24


def bar(share: float, style: str, width: int = BAR_WIDTH) -> table.Bar:
    """A bar of at most `width` columns that represents a fraction from 0 to 1."""
    return table.Bar(share, style, width)


def heading(title: str, more: str = "") -> Text:
    """The heading of a section."""
    return Text.assemble((title, "bold cyan"), (f"  {more}" if more else "", DIM))


def grid(*justify: str) -> table.Table:
    """A table without ruling lines; columns are aligned left (``l``) or right (``r``), or their texts wrap (``w``)."""
    return table.Table([table.Column("", side) for side in justify])


def section(*parts: RenderableType) -> RenderableType:
    """Indented parts of a screen, below an empty line."""
    return Padding(Group(*parts), (1, 0, 0, 2))


def lined(*columns: tuple[str, str]) -> table.Table:
    """A table with a line under its header."""
    return table.Table([table.Column(name, side) for name, side in columns])
