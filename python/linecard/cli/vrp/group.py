"""`linecard vrp`: the virtual router processor."""

from __future__ import annotations

import typer

from linecard.cli.options import EPILOG
from linecard.cli.vrp.budget import budget
from linecard.cli.vrp.check import check

app = typer.Typer(
    add_completion=False,
    help="The virtual router processor: what is left for extensions at line rate, and whether one fits.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.command("budget", epilog=EPILOG)(budget)
app.command("check", epilog=EPILOG)(check)
