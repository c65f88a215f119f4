"""The page of a result that is one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linecard.report import sheet
from linecard.words import label

if TYPE_CHECKING:
    from pathlib import Path

    from linecard.tables import Table


def write_plain(table: Table, path: str | Path, title: str, said: str, command: str | None = None) -> Path:
    """Write a table as a page: columns in words with their units, numbers as people read them."""
    columns = [label(name) for name in table.columns]
    rows = [[_cell(value) for value in row] for row in table.rows]
    texts = [
        name
        for at, name in enumerate(columns)
        if any(isinstance(row[at], str) for row in table.rows) and at  # the first is a header anyway
    ]
    longest = {name: max((len(str(row[at])) for row in table.rows), default=0) for at, name in enumerate(columns)}
    sentences = [name for name in texts if longest[name] > _SENTENCE_LETTERS]
    return sheet.write_page(
        path,
        title,
        said,
        sheet.command(command) if command else "",
        sheet.table(title, columns, rows, text=texts, said=sentences, alone=True),
    )


# A text longer than this wraps.
_SENTENCE_LETTERS = 32


def _cell(value: object) -> sheet.Cell:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, (str, int, float)) else sheet.number(None) if value is None else str(value)
