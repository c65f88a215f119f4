"""Core routers: `linecard shot-noise` and `linecard buffer-size`."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli.common import JSON_HELP


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

    from linecard.cli import screen
    from linecard.traffic.shot_noise import shot_noise as generate

    with screen.progress("Generating", "windows") as progress:
        found = generate(
            preset, rate_mbps=rate_mbps, windows=windows, window_ms=window_ms, set=set, seed=seed, progress=progress
        )
    if json:
        screen.print_json(found.to_dict())
        return
    most = max(found.rates_mbps)
    table = screen.grid("r", "r", "l")
    for number, rate in enumerate(found.rates_mbps):
        table.add_row(f"{number * found.window_ms / 1e3:.1f} s", f"{rate:,.1f}", screen.bar(rate / most, "blue"))
    facts = screen.grid("l", "w")
    facts.add_row("Mean", Text(f"{found.mean_mbps:,.1f} Mbit/s", style="bold"))
    facts.add_row("Range", f"{min(found.rates_mbps):,.1f} to {most:,.1f} Mbit/s")
    facts.add_row("Variation", f"{found.variation_percent:.2f} %, closed form {found.expected_variation_percent:.2f} %")
    facts.add_row("Flows", f"{found.active_flows:,.0f} under way on average")
    screen.show(
        screen.section(screen.heading("Load", f"Mbit/s in windows of {found.window_ms:g} ms"), table),
        screen.section(facts),
        Text(""),
    )


def buffer_size(
    rate_mbps: Annotated[float, typer.Option(metavar="MBPS", help="Rate of the output link.")],
    round_trip_ms: Annotated[float, typer.Option(metavar="MS", help="Mean round-trip time of the flows.")],
    flows: Annotated[int, typer.Option(metavar="N", help="Long flows that are not synchronised.")] = 1,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Say how much buffer keeps a TCP link full: bandwidth times delay, and by the root of the flows.

    For a congested link with long flows. The first rule holds for one flow or for flows that back off together, the
    second for many that do not, at about 99 % utilisation.

    **Examples**

        linecard buffer-size --rate-mbps 8100 --round-trip-ms 200 --flows 40000
    """
    from rich.text import Text

    from linecard.cli import screen
    from linecard.traffic.buffer_size import buffer_bytes

    product = buffer_bytes(rate_mbps * 1e6, round_trip_ms * 1e-3)
    shared = buffer_bytes(rate_mbps * 1e6, round_trip_ms * 1e-3, flows)
    if json:
        screen.print_json({"bandwidth_delay_bytes": product, "flows": flows, "buffer_bytes": shared})
        return
    table = screen.grid("l", "r")
    table.add_row("Bandwidth-delay product", f"{product:,.0f} bytes")
    table.add_row(f"By the root of {flows:,} flows", Text(f"{shared:,.0f} bytes", style="bold"))
    screen.show(screen.section(screen.heading("Buffer", "that keeps the link full"), table), Text(""))
