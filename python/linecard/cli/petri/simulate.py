"""`linecard petri simulate`: a net in time."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli import stderr
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.petri.options import Net, Set


def simulate(
    net: Net,
    time: Annotated[float, typer.Option(metavar="T", help="Time with statistics of each replication.")] = 10_000.0,
    warmup: Annotated[
        float | None, typer.Option(metavar="T", help="Time before; a tenth of --time if left out.")
    ] = None,
    replications: Annotated[int, typer.Option(metavar="N", help="Replications, each with a seed of its own.")] = 10,
    accuracy: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Go on until half of each 95 % interval is this share of its mean."),
    ] = None,
    of: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A place or transition that --accuracy is for; else all.")
    ] = None,
    most_replications: Annotated[int, typer.Option(metavar="N", help="Where --accuracy gives up.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the first replication.")] = 1,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Replications at the same time; one per core if left out.")
    ] = None,
    overrides: Set = None,
    json: Json = False,
    output: Output = None,
) -> None:
    """Simulate a net: throughputs and mean tokens with 95 % intervals over replications.

    The same command prints the same bytes, whatever `--jobs`.

    **Examples**

        linecard petri simulate model.toml

        linecard petri simulate model.toml --time 100000 --replications 20 --json

        linecard petri simulate model.toml --accuracy 0.01 --of serve
    """
    from linecard import petri

    outputs = Outputs(json, output)
    with stderr.progress("Simulating", "thousandths of a replication") as progress:
        found = petri.simulate(
            net,
            time,
            warmup=warmup,
            replications=replications,
            accuracy=accuracy,
            of=of or (),
            most_replications=most_replications,
            seed=seed,
            jobs=jobs,
            overrides=overrides or (),
            progress=progress,
        )
    outputs.give(found)
    width = found.relative_half_width
    if accuracy is not None and width is not None and width > accuracy:
        stderr.note(
            f"the accuracy of {accuracy:g} was not reached: {width:.2g} after {found.replications} replications"
        )
