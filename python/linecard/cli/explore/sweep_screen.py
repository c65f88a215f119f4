"""The screen of a sweep."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.text import Text

from linecard.cli import pieces, stdout
from linecard.cli.plain_text import shortened

if TYPE_CHECKING:
    from linecard.explore.result import SweepResult

_ROWS_SHOWN = 40
REASONS_SHOWN = 5


def print_sweep(result: SweepResult) -> None:
    """The table, as much of it as a screen takes, and why points were refused."""
    from linecard.explore.wording import cell_text

    columns = [*result.shown_columns(max(len(result.axes) + 1, 7)), "status"]
    kinds = {name: any(isinstance(row[name], (int, float)) for row in result.rows) for name in columns}
    table = pieces.lined(*((name, "r" if kinds[name] else "l") for name in columns))
    rows = result.rows
    for row in rows[:_ROWS_SHOWN]:
        style = "" if row["status"] == "ok" else "yellow"
        table.add_row(*(Text(cell_text(row[name]), style=style) for name in columns))
    parts: list[Any] = [table]
    if len(rows) > _ROWS_SHOWN:
        parts.append(Text(f"{len(rows) - _ROWS_SHOWN:,} more rows: --csv, --parquet and --json have all", pieces.DIM))
    stdout.show(Padding(Text(f"{result.title}: {len(rows):,} points"), (1, 0, 0, 2)), pieces.section(*parts))
    bad = [row for row in rows if row["status"] != "ok"]
    reasons = Counter((row["status"], row["reason"]) for row in bad)
    lines: list[Any] = []
    for (status, reason), count in reasons.most_common(REASONS_SHOWN):
        first = next(row for row in bad if (row["status"], row["reason"]) == (status, reason))
        lines.append(Text.assemble((f"{status} {count:,}: ", "yellow"), shortened(str(reason))))
        lines.append(Text(f"  again: {first['command']}", style=pieces.DIM))
    if len(reasons) > REASONS_SHOWN:
        lines.append(Text(f"and {len(reasons) - REASONS_SHOWN:,} other reasons", style=pieces.DIM))
    if lines:
        stdout.show(pieces.section(*lines))
