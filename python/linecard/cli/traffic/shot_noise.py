"""`linecard shot-noise`: traffic of an uncongested link."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli.options import JSON_HELP, Html
from linecard.cli.written import Csv, Files, Parquet


def shot_noise(
    preset: Annotated[str, typer.Argument(metavar="PRESET", help="A chip whose file has shots.")] = "ixp2400_core",
    rate: Annotated[str, typer.Option(metavar="RATE", help="Mean load of all flows, such as 411Mbps.")] = "411Mbps",
    windows: Annotated[int, typer.Option(metavar="N", help="Windows to generate.")] = 50,
    window_ms: Annotated[float, typer.Option(metavar="MS", help="Length of a window.")] = 200.0,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of every random stream.")] = 1,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Generate shot noise, flows that begin, send and end, and measure its load in windows.

    Rates and durations of flows are log-uniform between the bounds `shots.*` of the preset. The variation is the
    standard deviation of the windows by their mean; beside it stands what the closed form says.

    **Examples**

        linecard shot-noise ixp2400_core --rate 411Mbps --set traffic.kind=Abilene

        linecard shot-noise --rate 5.417Gbps --windows 20 --set shots.fastest_kbps=33000 --json
    """
    from rich.text import Text

    from linecard.cli import pieces, stderr, stdout
    from linecard.tables import Table
    from linecard.traffic.rate import parse_bit_rate
    from linecard.traffic.shot_noise import shot_noise as generate

    files = Files(csv, parquet, html)
    with stderr.progress("Generating", "windows") as progress:
        found = generate(
            preset,
            rate_mbps=parse_bit_rate(rate) / 1e6,
            windows=windows,
            window_ms=window_ms,
            set=set,
            seed=seed,
            progress=progress,
        )
    loads = [(number * found.window_ms / 1e3, rate_mbps) for number, rate_mbps in enumerate(found.rates_mbps)]
    said = f"{found.mean_mbps:,.1f} Mbit/s on average, variation {found.variation_percent:.2f} %"
    files.write(Table(("start_seconds", "rate_mbps"), list(loads)), f"Shot noise of {preset}", said)
    if json:
        stdout.print_json(found.to_dict())
        return
    most = max(found.rates_mbps)
    table = pieces.grid("r", "r", "l")
    for number, load in enumerate(found.rates_mbps):
        table.add_row(f"{number * found.window_ms / 1e3:.1f} s", f"{load:,.1f}", pieces.bar(load / most, "blue"))
    facts = pieces.grid("l", "w")
    for name, value in found.facts():
        facts.add_row(name, Text(value, style="bold" if name == "Mean" else ""))
    stdout.show(
        pieces.section(pieces.heading("Load", f"Mbit/s in windows of {found.window_ms:g} ms"), table),
        pieces.section(facts),
        Text(""),
    )
