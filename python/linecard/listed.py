"""Result type for a list of records, which can be displayed, converted and saved as one table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from linecard.records import field_names, plain
from linecard.result import Result
from linecard.tables import Table
from linecard.view import Column, Part, Title, view
from linecard.view import Table as TablePart
from linecard.words import label

Record = TypeVar("Record")


class Listed(Result, list[Record]):
    """A list of records of one type, whose columns are known even if the list is empty."""

    def __init__(self, several: Iterable[Record] = (), kind: type | None = None) -> None:
        super().__init__(several)
        self._kind = kind or (type(self[0]) if self else None)

    def to_dict(self) -> Any:
        """Return the list as plain data for JSON."""
        return plain(list(self))

    def table(self) -> Table:
        """Return a table with one row per record and one column per field; a list of values fills a single cell."""
        names = field_names(self._kind) if self._kind else ()
        return Table(names, [[_cell(getattr(each, name)) for name in names] for each in self])


def _cell(value: object) -> object:
    if isinstance(value, dict):
        return ", ".join(f"{name}={each}" for name, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else value


# A longer word, such as the path of a file, has no room on a terminal.
LONGEST_WORD = 36


@view.register(Listed)
def _(result: Listed[Any]) -> list[Part]:
    found = result.table()
    columns = [Column(label(name), _side(at, [row[at] for row in found.rows])) for at, name in enumerate(found.columns)]
    rows: Any = found.rows
    return [Title(f"{len(result):,} found"), TablePart("", columns, rows)]


def _side(at: int, values: list[object]) -> str:
    words = [word for value in values if isinstance(value, str) for word in value.split()]
    if not words:
        return "r"
    return "l" if at == 0 else "p" if max(map(len, words)) > LONGEST_WORD else "w"
