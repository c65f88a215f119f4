"""`linecard queueing run`: compare queue managers under one workload."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard
from linecard.cli import stderr
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.queueing.options import Machine, Seed, Set, Strict, Trace, Workload, end_with_damage, source_of
from linecard.queueing.settings import MACHINE


def run(
    workload: Workload = None,
    trace: Trace = None,
    manager: Annotated[
        str, typer.Option("--manager", metavar="NAME,…", help="Queue managers: qc, sqc, dc, nc, qarray.")
    ] = "qc,sqc,dc,nc",
    machine: Machine = MACHINE,
    set: Set = None,  # the name of the option
    operations: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of measured operations. Default: 200,000, or two operations for each packet of the capture.",
        ),
    ] = None,
    warmup: Annotated[int, typer.Option(metavar="N", help="Warm-up operations.")] = 20_000,
    seed: Seed = 1,
    strict: Strict = False,
    json: Json = False,
    output: Output = None,
) -> None:
    """Compare queue managers under one workload.

    The command prints throughput, hit rate, latency and memory traffic of each manager, beside the predictions of the
    analytical model. The command also prints the distance between packets of the same queue. The same command with the
    same seed prints byte-identical output.

    **Examples**

        linecard queueing run --workload SD16_90

        linecard queueing run --workload L1.1 --set threads=16 --set entries=64 --manager qc,sqc --json

        linecard queueing run --trace examples/captures/edge-mix.pcap.gz -o queues.csv

        linecard queueing run --workload R --manager qarray --set threads=8

        linecard queueing run --workload R --machine queues.toml
    """
    source = source_of(workload, trace)
    outputs = Outputs(json, output)
    with stderr.progress("Simulating", "operations") as progress:
        result = linecard.queueing_run(
            source,
            manager,
            set,
            machine=machine,
            trace=trace is not None,
            operations=operations,
            warmup=warmup,
            seed=seed,
            strict=strict,
            progress=progress,
        )
    outputs.give(result)
    end_with_damage(result)
