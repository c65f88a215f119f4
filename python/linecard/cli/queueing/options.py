"""Options and exit statuses of the queueing commands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linecard.cli import stderr
from linecard.cli.options import CAPTURE_HELP, Exit
from linecard.errors import ConfigError

if TYPE_CHECKING:
    from linecard.queueing.result import QueueDesignResult, QueueingResult

Workload = Annotated[
    str | None,
    typer.Option(
        "--workload",
        metavar="W",
        help="Workload: R, U, Lk or SDn_k (Kumar and Crowley 2006), MIXt_k_m_s, edge or core. "
        "Without --trace, the default workload is R.",
    ),
]
Trace = Annotated[
    Path | None,
    typer.Option(
        "--trace",
        metavar="CAPTURE",
        help=f"{CAPTURE_HELP} A hash of the five-tuple selects the queue of each packet.",
    ),
]


def source_of(workload: str | None, trace: Path | None) -> dict[str, Any]:
    """The arguments for the workload or the capture that the options specify."""
    if workload is not None and trace is not None:
        raise ConfigError.at("--workload", "", "found --workload and --trace, expected one of them")
    return {"workload": workload or "R" if trace is None else str(trace), "trace": trace is not None}


def end_with_damage(result: QueueingResult | QueueDesignResult) -> None:
    """Report the problems of a capture; if the capture is damaged, exit with the status for damaged captures.

    Raises:
        Exit: The capture is damaged.
    """
    for diagnostic in result.diagnostics[: stderr.DIAGNOSTICS_SHOWN]:
        stderr.diagnose(str(diagnostic))
    if result.damaged_records:
        raise typer.Exit(Exit.CAPTURE)
