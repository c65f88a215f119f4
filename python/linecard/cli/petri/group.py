"""`linecard petri`: explore, solve and simulate Petri nets."""

from __future__ import annotations

import typer

from linecard.cli.options import EPILOG
from linecard.cli.petri.convert import convert
from linecard.cli.petri.draw import draw
from linecard.cli.petri.markings import explore, solve
from linecard.cli.petri.simulate import simulate
from linecard.cli.petri.step import step
from linecard.cli.petri.trace import trace

app = typer.Typer(
    add_completion=False,
    help="Petri nets: explore their markings, solve for the steady state, simulate.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.command("explore", epilog=EPILOG)(explore)
app.command("solve", epilog=EPILOG)(solve)
app.command("simulate", epilog=EPILOG)(simulate)
app.command("draw", epilog=EPILOG)(draw)
app.command("convert", epilog=EPILOG)(convert)
app.command("trace", epilog=EPILOG)(trace)
app.command("step", epilog=EPILOG)(step)
