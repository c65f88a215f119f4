"""`linecard queueing design`: find the smallest queuing cache that reaches a throughput."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard
from linecard.cli import stderr
from linecard.cli.output import Json, Output, Outputs
from linecard.cli.queueing.options import Machine, Seed, Set, Strict, Trace, Workload, end_with_damage, source_of
from linecard.queueing.settings import MACHINE


def design(
    target_mops: Annotated[
        float, typer.Option("--target-mops", metavar="M", help="Throughput to reach, in million operations per second.")
    ],
    workload: Workload = None,
    trace: Trace = None,
    machine: Machine = MACHINE,
    set: Set = None,  # the name of the option
    operations: Annotated[
        int, typer.Option(metavar="N", help="Number of measured operations for each cache size.")
    ] = 30_000,
    warmup: Annotated[int, typer.Option(metavar="N", help="Warm-up operations.")] = 5_000,
    seed: Seed = 1,
    strict: Strict = False,
    json: Json = False,
    output: Output = None,
) -> None:
    """Find the smallest queuing cache that reaches a target throughput.

    For each number of entries and engines, the command prints the fewest threads that reach the target. The command
    also prints the combination with the smallest value of entries x engines x threads.

    **Examples**

        linecard queueing design --workload SD16_90 --target-mops 120

        linecard queueing design --trace examples/captures/edge-mix.pcap.gz --target-mops 80 --json
    """
    source = source_of(workload, trace)
    outputs = Outputs(json, output)
    with stderr.progress("Searching", "sizes") as progress:
        result = linecard.queueing_design(
            source,
            target_mops,
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
