"""`linecard vrp check`: check whether an extension fits the budget."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import linecard
from linecard.cli import completion, stderr
from linecard.cli.options import Exit
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.vrp.options import RATE_HELP, Seed, Set


def check(
    extension: Annotated[Path, typer.Argument(metavar="EXTENSION", help="A TOML file of operations.")],
    chip: Annotated[
        str,
        typer.Option(metavar="CHIP", help="Chip that runs the extension.", autocompletion=completion.chips),
    ] = "ixp1200_eval",
    rate: Annotated[str, typer.Option(metavar="RATE", help=RATE_HELP)] = "1.128Mpps",
    set: Set = None,
    seed: Seed = 1,
    json: Json = False,
    output: Output = None,
) -> None:
    """Check that an extension fits the budget at a given packet rate, and then run the extension.

    An extension is a loop-free list of `[[ops]]`; the chip executes the list for every 64 bytes of a packet. If an
    extension exceeds the budget, the command rejects it, and prints the resource and the excess (exit status 1). If an
    extension has a loop, an unknown operation or a count below one, the command reports the line (exit status 2).

    **Examples**

        linecard vrp check filter.toml

        linecard vrp check filter.toml --rate 800kpps --json
    """
    outputs = Outputs(json, output)
    with stderr.progress("Searching", "simulations") as progress:
        found = linecard.vrp_check(extension, chip, rate, set=set, seed=seed, progress=progress)
    outputs.give(found)
    if not found.accepted:
        raise typer.Exit(Exit.CHECK_FAILED)
