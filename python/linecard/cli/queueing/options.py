"""Options that the commands of queues share, and what their screens begin and end with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from linecard.cli import pieces, stderr
from linecard.cli.options import CAPTURE_HELP, JSON_HELP, Exit
from linecard.cli.written import Files
from linecard.errors import ConfigError, ConfigProblem
from linecard.queueing.settings import MACHINE
from linecard.tables import manifest_beside

if TYPE_CHECKING:
    from linecard.cli.table import Table
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
Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]


def source_of(workload: str | None, trace: Path | None) -> str:
    """The workload or the capture that is asked for."""
    if workload is not None and trace is not None:
        raise ConfigError.of([ConfigProblem("--workload", "", "found with --trace, expected one of the two")])
    return str(trace) if trace is not None else workload or "R"


def finish(result: QueueingResult | QueueDesignResult, files: Files) -> None:
    """Write the rows, a manifest beside CSV, and say what was found in a capture."""
    for diagnostic in result.diagnostics[: stderr.DIAGNOSTICS_SHOWN]:
        stderr.diagnose(str(diagnostic))
    files.write(result.table(), f"Queues under {result.workload}")
    if files.csv is not None:
        stderr.note_written([manifest_beside(files.csv, result.manifest())])
    if result.damaged_records:
        raise typer.Exit(Exit.CAPTURE)


def facts_of(result: QueueingResult | QueueDesignResult) -> Table:
    """What was run, as the head of a screen."""
    facts = pieces.grid("l", "w")
    if result.format != "workload":
        without = f"; {result.packets_without_flow:,} without a flow left out" if result.packets_without_flow else ""
        facts.add_row(Text("Packets", style=pieces.DIM), f"{result.packets:,}{without}")
    unchanged = "as in Table 1"
    if result.machine != MACHINE:
        facts.add_row(Text("Machine", style=pieces.DIM), result.machine)
        unchanged = "as the machine has them"
    facts.add_row(Text("Settings", style=pieces.DIM), ", ".join(result.settings) or unchanged)
    return facts
