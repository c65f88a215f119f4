"""Tables of screens: rows that there are, and rows that there are not."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from linecard.cli.table import Column, Table


@pytest.mark.parametrize("rows", [[], [("a", "1")], [("a", ""), ("b", "")]])
@pytest.mark.parametrize("width", [3, 20, 80])
def test_a_table_may_have_no_rows_and_no_room(rows, width):
    """A study whose table had no rows ended in a traceback, when all of its runs were done."""
    table = Table([Column("name", "l"), Column("count", "r")])
    for row in rows:
        table.add_row(*row)
    out = io.StringIO()
    Console(file=out, width=width, no_color=True).print(table)
    assert [row[0] for row in rows] == [word for word in out.getvalue().split() if word in ("a", "b")]
