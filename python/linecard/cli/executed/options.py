"""Options that the commands of programs share."""

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
        "--control", metavar="FILE", help="Control file, passed to app_init; shipped programs have their own."
    ),
]
Entry = Annotated[
    str | None, typer.Option("--entry", metavar="NAME", help="Function called for each packet, if not app_packet.")
]
Define = Annotated[
    list[str] | None,
    typer.Option("--define", "-D", metavar="NAME=VALUE", help="A macro for the C file; repeatable."),
]
Cflags = Annotated[
    str,
    typer.Option("--cflags", metavar="FLAGS", help="Further compiler flags for the C file, such as '-O1 -fno-inline'."),
]
Bits = Annotated[int, typer.Option("--bits", metavar="N", help="Target of a C file: RISC-V of 32 or 64 bits.")]
Payload = Annotated[
    str, typer.Option(metavar="KIND", help="Content of payload that the capture lacks: random or pages.")
]
Routes = Annotated[
    Path | None,
    typer.Option("--map-addresses", metavar="ROUTES", help="Map IPv4 addresses into the prefixes of a route table."),
]
Seed = Annotated[
    int, typer.Option(min=0, metavar="N", help="Seed of generated payload, mapped addresses and random numbers.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first damaged record.")]
Budget = Annotated[
    int, typer.Option(min=1, metavar="N", help="Instructions that the program may execute for a packet.")
]
Unchecked = Annotated[
    bool,
    typer.Option("--unchecked", help="Let the program access bytes beyond packets and blocks of the heap."),
]
Cache = Annotated[
    Path | None,
    typer.Option("--cache", metavar="FOLDER", help="Keep traces in this folder, by the hash of their inputs."),
]
CacheLimit = Annotated[
    int,
    typer.Option(
        "--cache-limit",
        min=1,
        metavar="MB",
        help="Size limit of the folder; the least recently used traces are removed.",
    ),
]
