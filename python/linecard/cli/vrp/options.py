"""Options that the commands of the virtual router processor share."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli import completion

Preset = Annotated[
    str,
    typer.Argument(
        metavar="PRESET", help="Name of a shipped preset, or path of a TOML file.", autocompletion=completion.chips
    ),
]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of every random stream.")]
RATE_HELP = "Packets per second, such as 1.128Mpps or 700kpps."
