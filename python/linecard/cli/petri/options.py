"""Options that the commands of Petri nets share, and the screen of what they find."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from linecard.cli import pieces, stdout
from linecard.cli.options import JSON_HELP

if TYPE_CHECKING:
    from collections.abc import Iterable

Net = Annotated[
    Path, typer.Argument(metavar="FILE", help="A net: PNML (.pnml, .xml), TOML, or the name of a shipped net.")
]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter of the net; repeatable.")
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="Markings at which the search stops.")]
Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]


def print_facts(title: str, facts: Iterable[tuple[str, str]], heading: str, rows: Iterable[tuple[str, str]]) -> None:
    """Print what was found: facts, and rows below a heading."""
    table = pieces.grid("l", "w")
    for name, value in facts:
        table.add_row(Text(name, style=pieces.DIM), value)
    values = pieces.grid("l", "w")
    for name, value in rows:
        values.add_row(Text(name), value)
    stdout.show(
        Padding(Text(title, style="bold"), (1, 0, 0, 2)),
        pieces.section(table),
        pieces.section(pieces.heading(heading), values),
        Text(""),
    )
