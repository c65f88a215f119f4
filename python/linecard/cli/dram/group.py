"""`linecard dram`: DRAM parts alone."""

from __future__ import annotations

import typer

from linecard.cli.dram.run import run
from linecard.cli.options import EPILOG

app = typer.Typer(
    add_completion=False,
    help="DRAM parts alone, under traces and patterns.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


@app.callback()
def _group() -> None:
    """DRAM parts alone, under traces and patterns."""


app.command("run", epilog=EPILOG)(run)
