"""`linecard vrp budget`: find how many operations an extension may execute at a given packet rate."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli import stderr
from linecard.cli.options import Chip
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.vrp.options import RATE_HELP, Seed, Set


def budget(
    chip: Chip = "ixp1200_eval",
    rate: Annotated[
        str, typer.Option(metavar="RATE,…", help=f"{RATE_HELP} Each rate adds a row to the result.")
    ] = "1.128Mpps",
    set: Set = None,
    seed: Seed = 1,
    json: Json = False,
    output: Output = None,
) -> None:
    """Find the number of operations that a program may add to forwarding for every 64 bytes of a packet.

    The command adds operations of one kind to the forwarding program until the chip no longer keeps up. The chip no
    longer keeps up if it loses 0.1 % of the packets, or if 1 % of the packets accumulate inside it. The number of added
    operations is the headroom; the budget for extensions is `vrp.margin_percent` of the headroom.

    **Examples**

        linecard vrp budget ixp1200_eval --rate 1.128Mpps

        linecard vrp budget ixp1200_eval --rate 400kpps,800kpps,1.128Mpps -o budget.png

        linecard vrp budget ixp1200_eval --rate 1Mpps --set clock.dram_mhz=133 --json
    """
    from linecard.errors import ConfigError, ConfigProblem
    from linecard.vrp.budgets import budgets_over

    rates = [part.strip() for part in rate.split(",") if part.strip()]
    if not rates:
        raise ConfigError.of(
            [ConfigProblem("--rate", "", "found none, expected packets per second, such as 1.128Mpps")]
        )
    outputs = Outputs(json, output)
    with stderr.progress("Searching", "simulations") as progress:
        found = budgets_over(chip, rates, set=set, seed=seed, progress=progress)
    outputs.give(found)
