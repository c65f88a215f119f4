"""`linecard program`: packet programs in C and XDP."""

from __future__ import annotations

import typer

from linecard.cli.executed.build import build
from linecard.cli.executed.list import list_programs
from linecard.cli.executed.rows import rows
from linecard.cli.executed.run import run
from linecard.cli.executed.trace import trace
from linecard.cli.options import EPILOG

app = typer.Typer(
    add_completion=False,
    help="Packet programs: C on RISC-V, traced on a capture; XDP (eBPF), run on a capture.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.command("list", epilog=EPILOG)(list_programs)
app.command("build", epilog=EPILOG)(build)
app.command("trace", epilog=EPILOG)(trace)
app.command("run", epilog=EPILOG)(run)
app.command("rows", epilog=EPILOG)(rows)
