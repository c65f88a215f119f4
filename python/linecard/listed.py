"""Lists of records that show themselves as tables in a notebook, and go into a data frame as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from linecard import _html
from linecard.tables import Table, frame, records

if TYPE_CHECKING:
    import polars

Record = TypeVar("Record")


class Listed(list[Record]):
    """A list like any other, of records of one kind."""

    def table(self) -> Table:
        """A row for each record, of those of its fields that are one value."""
        return records(self)

    def to_frame(self) -> polars.DataFrame:
        """The same as a polars data frame (extra ``frames``)."""
        found = self.table()
        return frame(found.columns, found.rows)

    def _repr_html_(self) -> str:
        found = self.table()
        return _html.block(f"{len(self):,} found", _html.record_table(found.columns, found.rows))
