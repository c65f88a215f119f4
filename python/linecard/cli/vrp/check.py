"""`linecard vrp check`: check whether an extension fits the budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

import linecard
from linecard.cli.options import Exit
from linecard.cli.output import Outputs
from linecard.cli.question import ARGUMENT, Word, asks


@asks(linecard.vrp_check, extension=Word(ARGUMENT, "EXTENSION", kind=Path), chip=Word("--chip", "CHIP"))
def check(outputs: Outputs, asked: dict[str, Any]) -> None:
    """Check that an extension fits the budget at a given packet rate, and then run the extension.

    An extension is a loop-free list of `[[ops]]`; the chip executes the list for every 64 bytes of a packet. If an
    extension exceeds the budget, the command rejects it, and prints the resource and the excess (exit status 1). If an
    extension has a loop, an unknown operation or a count below one, the command reports the line (exit status 2).

    **Examples**

        linecard vrp check filter.toml

        linecard vrp check filter.toml --rate 800kpps --json
    """
    if not outputs.of(linecard.vrp_check, asked, "Searching", "simulations").accepted:
        raise typer.Exit(Exit.CHECK_FAILED)
