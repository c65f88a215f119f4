"""Messages about damaged captures and about cached traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from linecard.cli import stderr
from linecard.cli.options import Exit

if TYPE_CHECKING:
    from linecard.executed.reports import ProgramTraffic
    from linecard.executed.trace_result import ProgramTrace


def note_kept(traced: ProgramTrace) -> None:
    """Report problems with cached traces; the result is still correct."""
    for each in traced.notes:
        stderr.note(each)


def end_with_damage(traced: ProgramTrace) -> None:
    """If the trace comes from a damaged capture, exit with the status for damaged captures."""
    note_damage(traced.traffic)


def note_damage(traffic: ProgramTraffic) -> None:
    """Report the damage of a capture, and exit with the status for damaged captures.

    Raises:
        Exit: The capture is damaged.
    """
    if traffic.damaged_records:
        stderr.diagnose(f"found {traffic.damaged_records} damaged records; the first: {traffic.first_damage}")
        raise typer.Exit(Exit.CAPTURE)
