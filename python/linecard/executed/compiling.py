"""Checks of compiler flags, and of the word width of a program's target."""

from __future__ import annotations

import shlex

from linecard.errors import ConfigProblem

# Bits of the RISC-V that C programs are compiled for, the usual one first.
WIDTHS = (32, 64)


def wrong_compilation(cflags: str, bits: int, *, is_xdp: bool) -> list[ConfigProblem]:
    """List the problems of the compiler flags and of the word width (RISC-V with 32 or 64 bits)."""
    problems = []
    if bits not in WIDTHS:
        problems.append(ConfigProblem("bits", "", f"found {bits}, expected 32 or 64"))
    elif is_xdp and bits != WIDTHS[0]:
        problems.append(
            ConfigProblem("bits", "", "has no effect on an XDP program, because eBPF has one width; omit it")
        )
    try:
        shlex.split(cflags)
    except ValueError as error:
        problems.append(ConfigProblem("cflags", "", f"found {cflags!r}, expected flags in shell syntax: {error}"))
    return problems
