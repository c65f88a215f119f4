"""Options that several program commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linecard.cli.options import CAPTURE_HELP

Program = Annotated[
    str, typer.Argument(metavar="PROGRAM", help="Name of a shipped program, a C file, or an ELF file for RISC-V.")
]
Trace = Annotated[str, typer.Option("--trace", metavar="CAPTURE", help=CAPTURE_HELP)]
Control = Annotated[
    Path | None,
    typer.Option(
        "--control",
        metavar="FILE",
        help="Control file for app_init; by default, the control file of the shipped program.",
    ),
]
Entry = Annotated[
    str | None,
    typer.Option(
        "--entry", metavar="NAME", help="Function that the program calls for each packet; by default, app_packet."
    ),
]
Define = Annotated[
    list[str] | None,
    typer.Option("--define", "-D", metavar="NAME=VALUE", help="Macro to define in the C file; repeatable."),
]
Cflags = Annotated[
    str,
    typer.Option(
        "--cflags", metavar="FLAGS", help="Additional compiler flags for the C file, such as '-O1 -fno-inline'."
    ),
]
Bits = Annotated[int, typer.Option("--bits", metavar="N", help="Target of a C file: 32-bit or 64-bit RISC-V.")]
Payload = Annotated[
    str,
    typer.Option(metavar="KIND", help="Contents of the generated payload if the capture has none: random or pages."),
]
Routes = Annotated[
    Path | None,
    typer.Option("--map-addresses", metavar="ROUTES", help="Map IPv4 addresses to the prefixes of a route table."),
]
Seed = Annotated[
    int, typer.Option(min=0, metavar="N", help="Seed for generated payload, mapped addresses and random numbers.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first damaged record.")]
Budget = Annotated[
    int, typer.Option(min=1, metavar="N", help="Maximum number of instructions that the program executes per packet.")
]
Unchecked = Annotated[
    bool,
    typer.Option("--unchecked", help="Let the program access bytes outside of packets and heap blocks."),
]
Cache = Annotated[
    Path | None,
    typer.Option("--cache", metavar="FOLDER", help="Keep traces in this folder; file names are hashes of the inputs."),
]
CacheLimit = Annotated[
    int,
    typer.Option(
        "--cache-limit",
        min=1,
        metavar="MB",
        help="Size limit of the folder; the command removes the least recently used traces.",
    ),
]
