"""ELF files of the public suite `riscv-tests`, run on the instruction-set simulator.

`riscv-tests/**`: the files as the suite builds them, such as `rv32ui-p-add`. A test passes when it exits with 0 in
`a0`, or writes 1 to `tohost`. What is no ELF file (`.dump`) is left alone; an ELF file of another name is run as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from verdict import AGREES, DIFFERS, SKIPPED, Verdict

import linecard
from linecard.errors import LinecardError

FOLDER = "riscv-tests"
HOLDS = "ELF files such as rv32ui-p-add"
# rv32ui-p-add: width, privilege and extension, environment, test.
NAME = re.compile(r"rv(32|64)([a-z]+)-([a-z]+)-(\w+)")
EXECUTED = {"ui", "um", "ua", "uc"}
BUDGET = 100_000_000
# Tests of what the simulator leaves out on purpose.
LEFT_OUT = {"fence_i": "code that writes code is not executed: instructions are decoded once"}


def verdicts(folder: Path) -> Iterator[Verdict]:
    """Every ELF file of the folder."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and _is_elf(file):
            yield _verdict(file, file.relative_to(folder).as_posix())


def _is_elf(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(4) == b"\x7fELF"


def _verdict(file: Path, name: str) -> Verdict:
    parts = NAME.fullmatch(file.name)
    if parts:
        width, extension, environment, test = parts.groups()
        if extension not in EXECUTED:
            executed = ", ".join(f"rv{width}{each}" for each in sorted(EXECUTED))
            return Verdict(name, SKIPPED, f"rv{width}{extension} is not executed; {executed} are")
        if environment != "p":
            return Verdict(name, SKIPPED, f"the environment {environment!r} is not there; 'p' is")
        if test in LEFT_OUT:
            return Verdict(name, SKIPPED, LEFT_OUT[test])
    try:
        left, instructions = linecard.program_run(file, BUDGET)
    except LinecardError as error:
        return Verdict(name, DIFFERS, " ".join(str(error).split()))
    if left != 0:
        return Verdict(name, DIFFERS, f"found {left} in a0, expected 0")
    return Verdict(name, AGREES, f"{instructions:,} instructions")
