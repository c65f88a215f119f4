"""`linecard program build`: compile a C file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import linecard
from linecard.cli import stderr
from linecard.cli.executed.options import Bits, Cflags  # typer reads the annotations


def build(
    source: Annotated[Path, typer.Argument(metavar="FILE.c", help="C file with app_packet, or an XDP program.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="File to write. Default: FILE.elf or FILE.o."),
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", metavar="NAME", help="Macro to define; repeatable.")
    ] = None,
    cflags: Cflags = "",
    bits: Bits = 32,
) -> None:
    """Compile a C file for RISC-V with the program runtime, or an XDP program for eBPF (requires the extra `programs`).

    A file with `SEC(…)` or `<linux/bpf.h>` is an XDP program and becomes an object file. The Python package `ziglang`
    provides the compiler. If the compiler rejects the file, the command prints the compiler's message (exit status 2).

    **Examples**

        linecard program build my_filter.c

        linecard program build my_filter.c -o filter.elf -D BITS=16

        linecard program build my_xdp.c -D N=8 --cflags "-O1 -fno-inline"
    """
    stderr.note_written([linecard.program_build(source, output, define or (), cflags=cflags, bits=bits)])
