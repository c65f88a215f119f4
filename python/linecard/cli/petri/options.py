"""Options that the Petri-net commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Net = Annotated[
    Path, typer.Argument(metavar="NET", help="A net: PNML (.pnml, .xml), TOML, or the name of a shipped net.")
]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter of the net; repeatable.")
]
