"""Formats the lines of the scorecard for a screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.text import Text

from linecard.cli.pieces import DIM, grid

if TYPE_CHECKING:
    from rich.console import RenderableType

    from linecard.study.limits import Line


def _judged(line: Line) -> Text:
    """The verdict on a line in words and colour."""
    if line.kept is None:
        return Text("not judged", style=DIM)
    return Text("kept", style="green") if line.kept else Text(line.outcome, style="bold red")


def target_lines(lines: Iterable[Line]) -> RenderableType:
    """Scorecard lines with the result, the limit and the excess; below an unmet limit, the reason."""
    table = grid("l", "l", "r", "w")
    for line in lines:
        numbers = Text.assemble(line.measured_text, (f" ({line.limit_text})", DIM))
        if line.over_text:
            numbers.append(f"\n{line.over_text}", style=DIM)
        what = Text(line.target.what)
        if line.calibrated:
            what.append(f"; {len(line.calibrated)} calibrated inside", style=DIM)
        if line.shown:
            what.append(f"\n{line.outcome}: {line.shown}")
        if line.kept is False:
            what.append(f"\n{line.reason or 'no reason listed'}", style=DIM)
        table.add_row(line.target.id, _judged(line), numbers, what)
    return table
