"""The option of the commands that keep traces."""

from __future__ import annotations

from typing import Annotated

import typer

CacheLimit = Annotated[
    int,
    typer.Option(
        "--cache-limit",
        min=1,
        metavar="MB",
        help="Size limit of the folder; the command removes the least recently used traces.",
    ),
]
