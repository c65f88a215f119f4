"""`linecard compare-models`: the IXP2400 as events and as a Petri net, and the difference of every metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import linecard
from linecard.cli.options import JSON_HELP, Exit, Html
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from linecard.petri.models import Comparison

# As in `linecard.petri.models`; kept here so that help needs no import of the simulator.
_THREADS, _TRAFFIC, _SCHEMES = "1x4,1x8,2x8,4x4,4x8", "64,AMP,FRG,PSC", "BASE,HB,FCB,FCB+TB"


def compare_models(
    threads: Annotated[str, typer.Option(metavar="MxN,…", help="Engines x threads of each.")] = _THREADS,
    traffic: Annotated[str, typer.Option(metavar="NAME,…", help="Bytes of a packet, or a mix.")] = _TRAFFIC,
    scheme: Annotated[str, typer.Option(metavar="NAME,…", help="Buffering schemes.")] = _SCHEMES,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of every random stream.")] = 1,
    packets: Annotated[int, typer.Option(min=1, metavar="N", help="Packets of each run.")] = 30_000,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Run both models of the IXP2400 over a grid and print the difference of every metric.

    The event-driven model and the Petri net read the same preset. They pass when throughput differs by at most 3 % and
    every utilisation by at most 5 points, at every point; the exit status says whether they do.

    **Examples**

        linecard compare-models

        linecard compare-models --threads 4x4 --traffic 64,PSC --scheme BASE,FCB+TB

        linecard compare-models --json
    """
    from linecard.cli import stderr, stdout
    from linecard.tables import records

    files = Files(csv, parquet, html)

    def names(text: str) -> list[str]:
        return [name.strip() for name in text.split(",") if name.strip()]

    with stderr.progress("Comparing", "points") as progress:
        comparison = linecard.compare_models(
            threads=names(threads),
            traffic=names(traffic),
            schemes=names(scheme),
            set=set or (),
            seed=seed,
            packets=packets,
            progress=progress,
        )
    if json:
        stdout.print_json(comparison.to_dict())
    else:
        _print_comparison(comparison)
    files.write(records(comparison.rows), "Two models of the IXP2400", "events and a Petri net, every metric")
    if not comparison.passed:
        raise typer.Exit(Exit.CHECK_FAILED)


def _print_comparison(comparison: Comparison) -> None:
    from rich.text import Text

    from linecard.cli import pieces, stdout

    columns = ("threads", "traffic", "scheme", "metric")
    table = pieces.lined(*((name, "l") for name in columns), ("np", "r"), ("petri", "r"), ("difference", "r"))
    for row in comparison.rows:
        if not row.np and not row.petri:
            continue
        unit = "%" if row.metric == "throughput_mbps" else "points"
        name = "throughput, Mbit/s" if row.metric == "throughput_mbps" else f"{row.component}, %"
        style = "green" if row.passed else "bold red"
        cells = (f"{row.np:,.1f}", f"{row.petri:,.1f}", Text(f"{row.difference:+.2f} {unit}", style=style))
        table.add_row(row.threads, row.traffic, row.scheme, name, *cells)
    worst = pieces.grid("l", "r", "l")
    for (component, metric), row in comparison.worst().items():
        if not row.np and not row.petri:
            continue
        unit = "%" if metric == "throughput_mbps" else "points"
        style = "green" if row.passed else "bold red"
        where = f"{row.threads} {row.traffic} {row.scheme}, at most {row.limit:g}"
        worst.add_row(component, Text(f"{row.difference:+.2f} {unit}", style=style), Text(where, style=pieces.DIM))
    stdout.show(
        pieces.section(pieces.heading("Every point"), table),
        pieces.section(pieces.heading("Largest differences"), worst),
        Text(""),
    )
