"""`linecard shot-noise`: generate the traffic of an uncongested link."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from linecard.cli.output import Outputs
from linecard.cli.question import Word, asks
from linecard.traffic.rate import parse_bit_rate
from linecard.traffic.shot_noise import shot_noise as generate


@asks(generate, "rate_mbps", window_ms=Word(metavar="MS"))
def shot_noise(
    rate: Annotated[str, typer.Option(metavar="RATE", help="Mean of the total load, such as 411Mbps.")] = "411Mbps",
    *,
    outputs: Outputs,
    asked: dict[str, Any],
) -> None:
    """Generate shot-noise traffic, a sum of flows of limited duration, and measure the load in time windows.

    Flow rates and flow durations are log-uniform between the bounds in the `shots.*` keys of the chip. The coefficient
    of variation is the standard deviation of the load over the windows, divided by the mean load. The command prints
    the coefficient of variation beside its closed-form value.

    **Examples**

        linecard shot-noise ixp2400_core --rate 411Mbps --set traffic.kind=Abilene

        linecard shot-noise --rate 5.417Gbps --windows 20 --set shots.fastest_kbps=33000 --json
    """
    outputs.of(generate, {**asked, "rate_mbps": parse_bit_rate(rate) / 1e6}, "Generating", "windows")
