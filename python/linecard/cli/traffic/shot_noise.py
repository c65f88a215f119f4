"""`linecard shot-noise`: traffic of an uncongested link."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli.options import JSON_HELP


def shot_noise(
    preset: Annotated[str, typer.Argument(metavar="PRESET", help="A chip whose file has shots.")] = "ixp2400_core",
    rate_mbps: Annotated[float, typer.Option(metavar="MBPS", help="Mean load of all flows.")] = 411.0,
    windows: Annotated[int, typer.Option(metavar="N", help="Windows to generate.")] = 50,
    window_ms: Annotated[float, typer.Option(metavar="MS", help="Length of a window.")] = 200.0,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of every random stream.")] = 1,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Generate shot noise, flows that begin, send and end, and measure its load in windows.

    Rates and durations of flows are log-uniform between the bounds `shots.*` of the preset. The variation is the
    standard deviation of the windows by their mean; beside it stands what the closed form says.

    **Examples**

        linecard shot-noise ixp2400_core --rate-mbps 411 --set traffic.kind=Abilene

        linecard shot-noise --rate-mbps 5417 --windows 20 --set shots.fastest_kbps=33000 --json
    """
    from rich.text import Text

    from linecard.cli import pieces, stderr, stdout
    from linecard.traffic.shot_noise import shot_noise as generate

    with stderr.progress("Generating", "windows") as progress:
        found = generate(
            preset, rate_mbps=rate_mbps, windows=windows, window_ms=window_ms, set=set, seed=seed, progress=progress
        )
    if json:
        stdout.print_json(found.to_dict())
        return
    most = max(found.rates_mbps)
    table = pieces.grid("r", "r", "l")
    for number, rate in enumerate(found.rates_mbps):
        table.add_row(f"{number * found.window_ms / 1e3:.1f} s", f"{rate:,.1f}", pieces.bar(rate / most, "blue"))
    facts = pieces.grid("l", "w")
    facts.add_row("Mean", Text(f"{found.mean_mbps:,.1f} Mbit/s", style="bold"))
    facts.add_row("Range", f"{min(found.rates_mbps):,.1f} to {most:,.1f} Mbit/s")
    facts.add_row("Variation", f"{found.variation_percent:.2f} %, closed form {found.expected_variation_percent:.2f} %")
    facts.add_row("Flows", f"{found.active_flows:,.0f} under way on average")
    stdout.show(
        pieces.section(pieces.heading("Load", f"Mbit/s in windows of {found.window_ms:g} ms"), table),
        pieces.section(facts),
        Text(""),
    )
