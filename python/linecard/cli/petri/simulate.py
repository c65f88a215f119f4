"""`linecard petri simulate`: run a timed simulation of a net."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli import stderr
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.petri.options import Net, Set


def simulate(
    net: Net,
    time: Annotated[float, typer.Option(metavar="T", help="Measured time of each replication.")] = 10_000.0,
    warmup: Annotated[
        float | None, typer.Option(metavar="T", help="Warm-up time; by default, a tenth of --time.")
    ] = None,
    replications: Annotated[
        int, typer.Option(metavar="N", help="Number of replications, each with its own seed.")
    ] = 10,
    accuracy: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Add replications until each mean is known within ± this fraction (95 % interval).",
        ),
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Place or transition to which --accuracy applies; by default all; repeatable."
        ),
    ] = None,
    most_replications: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of replications for --accuracy.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the first replication.")] = 1,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Number of parallel replications; by default, one per CPU core.")
    ] = None,
    overrides: Set = None,
    json: Json = False,
    output: Output = None,
) -> None:
    """Simulate a net, and print throughputs and mean token counts with 95 % intervals over replications.

    The output of the simulation does not depend on `--jobs`.

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
            f"--accuracy: {found.replications} replications reached {width:.2g}, expected at most {accuracy:g}; "
            "raise --most-replications or --time"
        )
