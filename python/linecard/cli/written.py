"""Files that a command writes of its result beside the screen: a table as CSV and Parquet, and a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linecard.cli import stderr
from linecard.cli.options import command_line

if TYPE_CHECKING:
    from linecard.tables import Table

Csv = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table as CSV.")]
Parquet = Annotated[Path | None, typer.Option("--parquet", metavar="FILE", help="The same as Parquet (extra: frames).")]


@dataclass(frozen=True, slots=True)
class Files:
    """What was asked for; made, and so checked, before anything runs.

    Raises:
        ConfigError: A file cannot be written.
        MissingExtraError: Parquet was asked for and the extra ``frames`` is not installed.
    """

    csv: Path | None = None
    parquet: Path | None = None
    html: Path | None = None

    def __post_init__(self) -> None:
        from linecard.files import check_outputs
        from linecard.records import need_polars

        check_outputs(self.csv, self.parquet, self.html)
        if self.parquet is not None:
            need_polars()

    def write(self, table: Table, title: str = "", said: str = "") -> None:
        """Write a table as what was asked for; ``title`` and ``said`` head the page."""
        from linecard import tables

        for path, kind in ((self.csv, "csv"), (self.parquet, "parquet")):
            if path is not None:
                stderr.note_written([tables.write_table(path, table.columns, table.rows, kind)])
        if self.html is not None:
            from linecard.report.plain import write_plain

            stderr.note_written([write_plain(table, self.html, title, said, command_line())])
