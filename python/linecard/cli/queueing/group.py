"""`linecard queueing`: queue managers under a workload or a capture, and the design of a queuing cache."""

from __future__ import annotations

import typer

from linecard.cli.options import EPILOG
from linecard.cli.queueing.design import design
from linecard.cli.queueing.run import run
from linecard.cli.queueing.settings import settings

app = typer.Typer(
    add_completion=False,
    help="Queues of packets: compare the managers that move packets in and out, and design a queuing cache.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.command("run", epilog=EPILOG)(run)
app.command("design", epilog=EPILOG)(design)
app.command("settings", epilog=EPILOG)(settings)
