"""`linecard program rows`: schedule an XDP program into rows of several instructions."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard
from linecard.cli.output import Json, Output, Outputs


def rows(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="XDP program: a shipped program, a C file or an object file.")
    ],
    lanes: Annotated[int, typer.Option(min=1, max=8, metavar="N", help="Maximum number of instructions per row.")] = 4,
    section: Annotated[
        str | None,
        typer.Option(
            "--section", metavar="NAME", help="Function or section to run, if the object has several programs."
        ),
    ] = None,
    define: Annotated[
        list[str] | None,
        typer.Option("--define", "-D", metavar="NAME", help="Macro to define in a C file; repeatable."),
    ] = None,
    isa: Annotated[
        int, typer.Option("--isa", min=1, max=4, metavar="N", help="Version of the eBPF instruction set for a C file.")
    ] = 1,
    json: Json = False,
    output: Output = None,
) -> None:
    """Schedule an XDP program into rows, for a processor that executes several instructions per cycle.

    The command prints the rows of the whole program for 1 to N lanes, and the rows of each block for N lanes.
    Linecard's list scheduler replaces the compiler of a processor that executes one row per cycle (preset `hxdp`). A
    packet executes the rows of the basic blocks on its path.

    **Examples**

        linecard program rows parse_count

        linecard program rows my_xdp.c --lanes 8 -D N=8

        linecard program rows my_xdp.o --section xdp --json
    """
    outputs = Outputs(json, output)
    found = linecard.xdp_rows(program, section=section, defines=define or (), lanes=lanes, isa=isa)
    outputs.give(found)
