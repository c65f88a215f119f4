"""`linecard program build`: compile a C file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import linecard
from linecard.cli import stderr
from linecard.cli.question import ARGUMENT, Word, asks


@asks(
    linecard.program_build,
    "entry",
    source=Word(ARGUMENT, "FILE.c", kind=Path),
    output=Word("--output -o", "FILE", kind=Path),
)
def build(*, asked: dict[str, Any]) -> None:
    """Compile a C file for RISC-V with the program runtime, or an XDP program for eBPF (requires the extra `programs`).

    A file that contains `SEC(…)` or `<linux/bpf.h>` is compiled as an XDP program into an object file. The Python
    package `ziglang` provides the compiler. If the compiler rejects the file, the command prints the compiler's message
    (exit status 2).

    **Examples**

        linecard program build my_filter.c

        linecard program build my_filter.c -o filter.elf -D BITS=16

        linecard program build my_xdp.c -D N=8 --cflags "-O1 -fno-inline"
    """
    stderr.note_written([linecard.program_build(**asked)])
