"""The screen of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.text import Text

from linecard.cli import pieces, stdout
from linecard.cli.plain_text import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linecard.explore.refused import Reason
    from linecard.explore.result import SweepResult

_ROWS_SHOWN = 40
REASONS_SHOWN = 5
# In place of `ok`, of a run that went well and was too short for its numbers to be sure.
NOT_STEADY = "not steady"


def print_sweep(result: SweepResult) -> None:
    """The table, as much of it as a screen takes, which points were not steady, and why others were refused."""
    from linecard.explore.refused import reasons_of
    from linecard.explore.wording import cell_text, unsteady_text

    columns = [*result.shown_columns(max(len(result.axes) + 1, 7)), "status"]
    kinds = {name: any(isinstance(row[name], (int, float)) for row in result.rows) for name in columns}
    table = pieces.lined(*((name, "r" if kinds[name] else "l") for name in columns))
    rows = result.rows
    for row in rows[:_ROWS_SHOWN]:
        steady = row.get("steady") is not False
        style = "" if row["status"] == "ok" and steady else "yellow"
        shown = row if steady else {**row, "status": NOT_STEADY}
        table.add_row(*(Text(cell_text(shown[name]), style=style) for name in columns))
    parts: list[Any] = [table]
    if len(rows) > _ROWS_SHOWN:
        parts.append(Text(f"{len(rows) - _ROWS_SHOWN:,} more rows: --csv, --parquet and --json have all", pieces.DIM))
    unsteady = unsteady_text(result.unsteady, len(rows))
    if unsteady:
        parts.append(Text(unsteady, style="yellow"))
    stdout.show(Padding(Text(f"{result.title}: {len(rows):,} points"), (1, 0, 0, 2)), pieces.section(*parts))
    lines = reason_lines(reasons_of(rows))
    if lines:
        stdout.show(pieces.section(*lines))


def reason_lines(reasons: Sequence[Reason]) -> list[Text]:
    """Why points were refused or failed, how many each, and how to see the first of them again."""
    lines = []
    for each in reasons[:REASONS_SHOWN]:
        lines.append(Text.assemble((f"{each.status} {each.points:,}: ", "yellow"), shortened(each.reason)))
        lines.append(Text(f"  again: {each.command}", style=pieces.DIM))
    if len(reasons) > REASONS_SHOWN:
        lines.append(Text(f"and {len(reasons) - REASONS_SHOWN:,} other reasons", style=pieces.DIM))
    return lines
