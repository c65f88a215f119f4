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
    Path | None, typer.Option("--control", metavar="FILE", help="What app_init is given; shipped programs have theirs.")
]
Entry = Annotated[str | None, typer.Option("--entry", metavar="NAME", help="Function of a packet, if not app_packet.")]
Define = Annotated[
    list[str] | None,
    typer.Option("--define", "-D", metavar="NAME=VALUE", help="A macro for the C file; repeatable."),
]
Cflags = Annotated[
    str,
    typer.Option("--cflags", metavar="FLAGS", help="Further flags of the compiler for the C file: '-O1 -fno-inline'."),
]
Bits = Annotated[
    int, typer.Option("--bits", metavar="N", help="What a C file is compiled for: RISC-V of 32 or 64 bits.")
]
Payload = Annotated[str, typer.Option(metavar="KIND", help="Payload that the capture lacks: random or pages.")]
Routes = Annotated[
    Path | None,
    typer.Option("--map-addresses", metavar="ROUTES", help="Move IPv4 addresses into the space of a route table."),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of what is made up.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first damaged record.")]
Budget = Annotated[int, typer.Option(min=1, metavar="N", help="Instructions that a packet may take.")]
Unchecked = Annotated[
    bool,
    typer.Option("--unchecked", help="Let it touch bytes beyond packets and blocks of the heap."),
]
Cache = Annotated[
    Path | None, typer.Option("--cache", metavar="FOLDER", help="Keep traces here, by the hash of what they depend on.")
]
CacheLimit = Annotated[
    int, typer.Option("--cache-limit", min=1, metavar="MB", help="What the folder may hold; the least used go.")
]
