"""Options that the virtual-router-processor commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of every random stream.")]
RATE_HELP = "Packets per second, such as 1.128Mpps or 700kpps."
