"""`linecard vrp budget`: find how many operations an extension may execute at a given packet rate."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import linecard
from linecard.cli.output import Outputs
from linecard.cli.question import asks
from linecard.errors import ConfigError
from linecard.vrp.budget import budgets_over


@asks(linecard.vrp_budget, "rate")
def budget(
    rate: Annotated[
        str,
        typer.Option(
            metavar="RATE,…",
            help="Packets per second, such as 1.128Mpps or 700kpps. Each rate adds a row to the result.",
        ),
    ] = "1.128Mpps",
    *,
    outputs: Outputs,
    asked: dict[str, Any],
) -> None:
    """Find how many operations an extension may execute per 64 bytes of a packet, in addition to forwarding.

    The command adds operations of one kind to the forwarding program until the chip is overloaded. The chip counts as
    overloaded if it loses 0.1 % of the packets, or if 1 % of the packets accumulate in the chip. The number of added
    operations is the headroom; the budget for extensions is `vrp.margin_percent` of the headroom.

    **Examples**

        linecard vrp budget ixp1200_eval --rate 1.128Mpps

        linecard vrp budget ixp1200_eval --rate 400kpps,800kpps,1.128Mpps -o budget.png

        linecard vrp budget ixp1200_eval --rate 1Mpps --set clock.dram_mhz=133 --json
    """
    rates = [part.strip() for part in rate.split(",") if part.strip()]
    if not rates:
        raise ConfigError.at("--rate", "", "found no rate, expected packets per second, such as 1.128Mpps")
    outputs.of(budgets_over, {**asked, "rates": rates}, "Searching", "simulations")
