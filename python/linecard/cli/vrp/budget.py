"""`linecard vrp budget`: what is left for extensions at line rate."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli import stderr
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.vrp.options import RATE_HELP, Preset, Seed, Set


def budget(
    preset: Preset = "ixp1200_eval",
    rate: Annotated[str, typer.Option(metavar="RATE,…", help=f"{RATE_HELP} Several give a row each.")] = "1.128Mpps",
    set: Set = None,
    seed: Seed = 1,
    json: Json = False,
    output: Output = None,
) -> None:
    """Find what a program may do for every 64 bytes at a packet rate, beside forwarding.

    Operations of one kind are added to the forwarding program until it no longer keeps up (0.1 % lost, or 1 % piling
    up): that is the head room. Extensions are given a share of it (`vrp.margin_percent`).

    **Examples**

        linecard vrp budget ixp1200_eval --rate 1.128Mpps

        linecard vrp budget ixp1200_eval --rate 400kpps,800kpps,1.128Mpps -o budget.png

        linecard vrp budget ixp1200_eval --rate 1Mpps --set clock.dram_mhz=133 --json
    """
    from linecard.errors import ConfigError, ConfigProblem
    from linecard.vrp.budgets import budgets_over

    rates = [part.strip() for part in rate.split(",") if part.strip()]
    if not rates:
        raise ConfigError.of([ConfigProblem("--rate", "", "found none, expected packets per second: 1.128Mpps")])
    outputs = Outputs(json, output)
    with stderr.progress("Searching", "simulations") as progress:
        found = budgets_over(preset, rates, set=set, seed=seed, progress=progress)
    outputs.give(found)
