"""Options that the commands of queues share, and how they end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linecard.cli import stderr
from linecard.cli.options import CAPTURE_HELP, Exit
from linecard.errors import ConfigError, ConfigProblem

if TYPE_CHECKING:
    from linecard.queueing.result import QueueDesignResult, QueueingResult

Workload = Annotated[
    str | None,
    typer.Option(
        "--workload", metavar="W", help="R, U, Lk, SDn_k, MIXt_k_m_s, edge or core. If left out, and no trace: R."
    ),
]
Trace = Annotated[
    Path | None,
    typer.Option("--trace", metavar="CAPTURE", help=f"{CAPTURE_HELP} Its packets are mapped to queues by a hash."),
]
Machine = Annotated[
    str,
    typer.Option("--machine", metavar="M", help="What the managers run on: a shipped preset, or path of a TOML file."),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting (`linecard queueing settings`); repeatable."),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the workload.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first damaged record.")]


def source_of(workload: str | None, trace: Path | None) -> str:
    """The workload or the capture that is asked for."""
    if workload is not None and trace is not None:
        raise ConfigError.of([ConfigProblem("--workload", "", "found with --trace, expected one of the two")])
    return str(trace) if trace is not None else workload or "R"


def end_with_damage(result: QueueingResult | QueueDesignResult) -> None:
    """Say what was found in a capture, and end with its status.

    Raises:
        Exit: The capture is damaged.
    """
    for diagnostic in result.diagnostics[: stderr.DIAGNOSTICS_SHOWN]:
        stderr.diagnose(str(diagnostic))
    if result.damaged_records:
        raise typer.Exit(Exit.CAPTURE)
