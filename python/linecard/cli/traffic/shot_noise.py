"""`linecard shot-noise`: generate the traffic of an uncongested link."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli.output import Json, Output, Outputs


def shot_noise(
    chip: Annotated[
        str, typer.Argument(metavar="CHIP", help="A chip whose file has a `[shots]` table.")
    ] = "ixp2400_core",
    rate: Annotated[str, typer.Option(metavar="RATE", help="Mean load of all flows, such as 411Mbps.")] = "411Mbps",
    windows: Annotated[int, typer.Option(metavar="N", help="Number of windows to generate.")] = 50,
    window_ms: Annotated[float, typer.Option(metavar="MS", help="Length of a window.")] = 200.0,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of every random stream.")] = 1,
    json: Json = False,
    output: Output = None,
) -> None:
    """Generate shot-noise traffic from flows that start, send and end, and measure its load in time windows.

    Flow rates and flow durations are log-uniform between the bounds in the `shots.*` keys of the chip. The variation is
    the standard deviation of the load over the windows, divided by the mean. The command prints the variation beside
    its closed-form value.

    **Examples**

        linecard shot-noise ixp2400_core --rate 411Mbps --set traffic.kind=Abilene

        linecard shot-noise --rate 5.417Gbps --windows 20 --set shots.fastest_kbps=33000 --json
    """
    from linecard.cli import stderr
    from linecard.traffic.rate import parse_bit_rate
    from linecard.traffic.shot_noise import shot_noise as generate

    outputs = Outputs(json, output)
    with stderr.progress("Generating", "windows") as progress:
        found = generate(
            chip,
            rate_mbps=parse_bit_rate(rate) / 1e6,
            windows=windows,
            window_ms=window_ms,
            set=set,
            seed=seed,
            progress=progress,
        )
    outputs.give(found)
