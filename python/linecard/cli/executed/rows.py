"""`linecard program rows`: an XDP program in rows of several lanes."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard
from linecard.cli.output import Json, Output, Outputs


def rows(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="An XDP program: name of a shipped one, a C file, an object file.")
    ],
    lanes: Annotated[int, typer.Option(min=1, max=8, metavar="N", help="Instructions of a row at most.")] = 4,
    section: Annotated[
        str | None, typer.Option("--section", metavar="NAME", help="Function or section, where an object has several.")
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", metavar="NAME", help="A macro for a C file; repeatable.")
    ] = None,
    isa: Annotated[
        int, typer.Option("--isa", min=1, max=4, metavar="N", help="Version of eBPF that a C file is compiled for.")
    ] = 1,
    json: Json = False,
    output: Output = None,
) -> None:
    """Schedule an XDP program into rows, as for a processor that carries out several instructions a cycle.

    Prints rows of the whole program for one lane up to N, and those of each block with N. A list scheduler stands for
    the compiler of such a machine (preset hxdp); rows that a packet takes are those of the blocks on its way.

    **Examples**

        linecard program rows parse_count

        linecard program rows my_xdp.c --lanes 8 -D N=8

        linecard program rows my_xdp.o --section xdp --json
    """
    outputs = Outputs(json, output)
    found = linecard.xdp_rows(program, section=section, defines=define or (), lanes=lanes, isa=isa)
    outputs.give(found)
