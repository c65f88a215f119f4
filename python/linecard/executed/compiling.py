"""Checks of the flags of the compiler, and of the width of the machine."""

from __future__ import annotations

import shlex

from linecard.errors import ConfigProblem

# Bits of the RISC-V that C programs are compiled for, the usual one first.
WIDTHS = (32, 64)


def wrong_compilation(cflags: str, bits: int, *, is_xdp: bool) -> list[ConfigProblem]:
    """The problems of the flags of the compiler and the width of a program."""
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
