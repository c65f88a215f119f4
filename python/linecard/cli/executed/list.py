"""`linecard program list`: the shipped programs."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import pieces, stdout
from linecard.cli.executed.options import Json


def list_programs(
    xdp: Annotated[bool, typer.Option("--xdp", help="The XDP programs, instead of those for RISC-V.")] = False,
    json: Json = False,
) -> None:
    """List the shipped programs.

    **Examples**

        linecard program list

        linecard program list --xdp

        linecard program list --json
    """
    from linecard.cli.executed.xdp_screen import show_list
    from linecard.records import plain

    if xdp:
        show_list(json=json)
        return
    found = linecard.programs()
    if json:
        stdout.print_json(plain(found))
        return
    table = pieces.lined(("program", "l"), ("class", "w"), ("reads", "l"), ("what it does", "w"), ("after", "w"))
    for each in found:
        table.add_row(Text(each.name, style="bold"), each.functionality, each.reads, each.title, each.source)
    stdout.show(Text(""), Padding(table, (0, 0, 0, 2)), Text(""))
