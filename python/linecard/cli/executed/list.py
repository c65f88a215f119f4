"""`linecard program list`: the shipped programs."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import pieces, stdout
from linecard.cli.executed.options import Json
from linecard.cli.written import Csv, Files, Parquet


def list_programs(
    xdp: Annotated[bool, typer.Option("--xdp", help="The XDP programs, instead of those for RISC-V.")] = False,
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
) -> None:
    """List the shipped programs.

    **Examples**

        linecard program list

        linecard program list --xdp

        linecard program list --json
    """
    from linecard.cli.executed.xdp_screen import show_list
    from linecard.records import plain
    from linecard.tables import records

    files = Files(csv, parquet)
    if xdp:
        show_list(json=json)
        files.write(records(linecard.xdp_programs()))
        return
    found = linecard.programs()
    files.write(records(found))
    if json:
        stdout.print_json(plain(found))
        return
    table = pieces.lined(("program", "l"), ("class", "w"), ("reads", "l"), ("what it does", "w"), ("after", "w"))
    for each in found:
        table.add_row(Text(each.name, style="bold"), each.functionality, each.reads, each.title, each.source)
    stdout.show(Text(""), Padding(table, (0, 0, 0, 2)), Text(""))
