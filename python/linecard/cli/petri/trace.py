"""`linecard petri trace`: write a timeline of a run of a Petri net."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linecard.cli import stderr
from linecard.cli.petri.options import Net, Set


def trace(
    net: Net,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="JSON file to write, for ui.perfetto.dev.")
    ],
    time: Annotated[float, typer.Option(metavar="T", help="Time at which the run ends.")] = 10_000.0,
    firings: Annotated[int, typer.Option(min=1, metavar="N", help="Maximum number of firings.")] = 100_000,
    unit_us: Annotated[
        float, typer.Option(metavar="US", help="Number of microseconds in the timeline per time unit of the net.")
    ] = 1.0,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the run.")] = 1,
    overrides: Set = None,
) -> None:
    """Write a timeline of a Petri-net run for Perfetto: the firings of transitions, and the token counts of places.

    **Examples**

        linecard petri trace model.toml -o model.json --time 100

        linecard petri trace girish2008_dram -o dram.json --time 2000 --unit-us 0.001
    """
    from linecard import petri
    from linecard.errors import ConfigError
    from linecard.files import check_outputs, write_text
    from linecard.petri.timeline import to_perfetto

    if not 0 < unit_us < float("inf"):
        raise ConfigError.at("--unit-us", "", f"found {unit_us:g}, expected a finite number of microseconds above 0")
    check_outputs(output)
    found = petri.firings(net, firings, time=time, seed=seed, overrides=overrides or ())
    parts = petri.parts(net, overrides=overrides or ())
    write_text(output, to_perfetto(parts, found, unit_us))
    stderr.note_written([output])
