"""`linecard compare-models`: compare the event-driven model of the IXP2400 with its Petri net."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard
from linecard.cli.options import Exit
from linecard.cli.output import Json, Output, Outputs

# As in `linecard.petri.models`; kept here so that help needs no import of the simulator.
_THREADS, _TRAFFIC, _SCHEMES = "1x4,1x8,2x8,4x4,4x8", "64,AMP,FRG,PSC", "BASE,HB,FCB,FCB+TB"


def compare_models(
    threads: Annotated[
        str, typer.Option(metavar="MxN,…", help="Engines and threads per engine, such as 4x4.")
    ] = _THREADS,
    traffic: Annotated[
        str, typer.Option(metavar="NAME,…", help="Packet size in bytes, or the name of a mix.")
    ] = _TRAFFIC,
    scheme: Annotated[str, typer.Option(metavar="NAME,…", help="Buffering schemes.")] = _SCHEMES,
    set: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of every random stream.")] = 1,
    packets: Annotated[int, typer.Option(min=1, metavar="N", help="Number of packets in each run.")] = 30_000,
    json: Json = False,
    output: Output = None,
) -> None:
    """Run both models of the IXP2400 over a grid, and print the difference of every metric.

    The event-driven model and the Petri net read the same preset. The comparison passes if, at every point, throughput
    differs by at most 3 % and every utilisation by at most 5 percentage points. If the comparison fails, the exit
    status is 1.

    **Examples**

        linecard compare-models

        linecard compare-models --threads 4x4 --traffic 64,PSC --scheme BASE,FCB+TB

        linecard compare-models --json
    """
    from linecard.cli import stderr

    outputs = Outputs(json, output)

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
    outputs.give(comparison)
    if not comparison.passed:
        raise typer.Exit(Exit.CHECK_FAILED)
