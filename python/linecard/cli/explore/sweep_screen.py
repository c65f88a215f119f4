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
    from linecard.explore.repeated import Repeated
    from linecard.explore.result import SweepResult

_ROWS_SHOWN = 40
REASONS_SHOWN = 5


def print_sweep(result: SweepResult) -> None:
    """The table, as much of it as a screen takes, which points were not steady, and why others were refused."""
    from linecard.explore.refused import reasons_of
    from linecard.explore.wording import cell_text

    if points := result.over_seeds():
        _print_means(result, points)
        return
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
    parts += [Text(said, style="yellow") for said in result.doubts]
    stdout.show(Padding(Text(f"{result.title}: {len(rows):,} points"), (1, 0, 0, 2)), pieces.section(*parts))
    lines = reason_lines(reasons_of(rows))
    if lines:
        stdout.show(pieces.section(*lines))


def _print_means(result: SweepResult, points: Sequence[Repeated]) -> None:
    """A row a point: means over its seeds with half of the 95 % interval, and which point is best."""
    from linecard.explore.refused import reasons_of
    from linecard.explore.repeated import best_of
    from linecard.explore.wording import cell_text

    axes = [axis for axis in result.axes if axis != "seed"]
    shown = [name for name in result.shown_columns(len(result.axes) + 3) if name not in result.axes]
    if "throughput_gbps" in shown and "offered_gbps" in result.numbers and "offered_gbps" not in shown:
        shown.insert(shown.index("throughput_gbps") + 1, "offered_gbps")
    shown = [name for name in shown if any(name in each.numbers for each in points)]
    numeric = {axis: any(isinstance(each.point[axis], (int, float)) for each in points) for axis in axes}
    table = pieces.lined(
        *((axis, "r" if numeric[axis] else "l") for axis in axes), *((name, "r") for name in shown), ("status", "l")
    )
    for each in points[:_ROWS_SHOWN]:
        style = "" if each.status == "ok" else "yellow"
        cells = [cell_text(each.point[axis]) for axis in axes]
        table.add_row(
            *(Text(cell, style=style) for cell in [*cells, *(_mean(each, name) for name in shown), each.status])
        )
    parts: list[Any] = [table]
    if len(points) > _ROWS_SHOWN:
        parts.append(
            Text(f"{len(points) - _ROWS_SHOWN:,} more points: --csv, --parquet and --json have all", pieces.DIM)
        )
    if (best := best_of(points)) is not None:
        parts.append(Text(best.sentence()))
    parts += [Text(said, style="yellow") for said in result.doubts]
    seeds = max(len(each.seeds) for each in points)
    title = f"{result.title}: {len(points):,} points, mean of {seeds} seeds ± half of the 95 % interval"
    stdout.show(Padding(Text(title), (1, 0, 0, 2)), pieces.section(*parts))
    lines = reason_lines(reasons_of(result.rows))
    if lines:
        stdout.show(pieces.section(*lines))


def _mean(point: Repeated, name: str) -> str:
    from linecard.explore.wording import cell_text

    estimate = point.numbers.get(name)
    if estimate is None:
        return "–"
    if estimate.high is None:
        return cell_text(estimate.value)
    return f"{cell_text(estimate.value)} ± {estimate.high - estimate.value:.2g}"


def reason_lines(reasons: Sequence[Reason]) -> list[Text]:
    """Why points were refused or failed, how many each, and how to see the first of them again."""
    lines = []
    for each in reasons[:REASONS_SHOWN]:
        lines.append(Text.assemble((f"{each.status} {each.points:,}: ", "yellow"), shortened(each.reason)))
        lines.append(Text(f"  again: {each.command}", style=pieces.DIM))
    if len(reasons) > REASONS_SHOWN:
        lines.append(Text(f"and {len(reasons) - REASONS_SHOWN:,} other reasons", style=pieces.DIM))
    return lines
