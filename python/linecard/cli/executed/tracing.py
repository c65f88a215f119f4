"""Shared code of commands that trace programs: the size limit of the trace folder, and messages about input files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from linecard.cli import stderr
from linecard.cli.options import Exit

if TYPE_CHECKING:
    from linecard.executed.reports import ProgramTraffic
    from linecard.executed.trace_result import ProgramTrace

CacheLimit = Annotated[
    int,
    typer.Option(
        "--cache-limit",
        min=1,
        metavar="MB",
        help="Size limit of the trace folder; beyond it, the least recently used traces are removed.",
    ),
]


def note_kept(traced: ProgramTrace) -> None:
    """Report problems with cached traces; the results of the command are still correct."""
    for each in traced.notes:
        stderr.note(each)


def end_with_damage(traffic: ProgramTraffic) -> None:
    """Report the damaged records of a capture, and exit with the status for damaged captures.

    Raises:
        Exit: The capture is damaged.
    """
    if traffic.damaged_records:
        stderr.diagnose(f"found {traffic.damaged_records} damaged records; the first: {traffic.first_damage}")
        raise typer.Exit(Exit.CAPTURE)
