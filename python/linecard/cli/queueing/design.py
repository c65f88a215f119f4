"""`linecard queueing design`: the smallest queuing cache that is fast enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import pieces, stderr, stdout
from linecard.cli.options import Html
from linecard.cli.queueing.options import (
    Json,
    Machine,
    Seed,
    Set,
    Strict,
    Trace,
    Workload,
    facts_of,
    finish,
    source_of,
)
from linecard.cli.written import Csv, Files, Parquet
from linecard.queueing.settings import MACHINE

if TYPE_CHECKING:
    from linecard.queueing.result import QueueDesignResult


def design(
    target_mops: Annotated[
        float, typer.Option("--target-mops", metavar="M", help="Throughput to reach, million operations a second.")
    ],
    workload: Workload = None,
    trace: Trace = None,
    machine: Machine = MACHINE,
    set: Set = None,  # the name of the option
    operations: Annotated[int, typer.Option(metavar="N", help="Operations measured for every size.")] = 30_000,
    warmup: Annotated[int, typer.Option(metavar="N", help="Operations before.")] = 5_000,
    seed: Seed = 1,
    strict: Strict = False,
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Find the smallest queuing cache that reaches a throughput.

    Prints for each number of entries and engines the fewest threads that reach the target, and the smallest product of
    the three.

    **Examples**

        linecard queueing design --workload SD16_90 --target-mops 120

        linecard queueing design --trace examples/captures/edge-mix.pcap.gz --target-mops 80 --json
    """
    source = source_of(workload, trace)
    files = Files(csv, parquet, html)
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
    if json:
        stdout.print_json(result.to_dict())
    else:
        _print_design(result)
    finish(result, files)


def _print_design(result: QueueDesignResult) -> None:
    engines = sorted({design.engines for design in result.designs})
    table = pieces.lined(
        ("entries", "r"), *((f"{count} engines" if count > 1 else "1 engine", "r") for count in engines)
    )
    by_size = {(design.entries, design.engines): design for design in result.designs}
    for entries in sorted({design.entries for design in result.designs}):
        cells = []
        for count in engines:
            design = by_size.get((entries, count))
            if design is None:
                cells.append(Text(""))
            elif design.threads is None:
                cells.append(Text(f"{design.throughput_mops:.0f} M", style=pieces.DIM))
            else:
                cells.append(Text(str(design.threads), style="bold green" if design == result.smallest else ""))
        table.add_row(str(entries), *cells)
    best = result.smallest
    if best is None:
        reached = max((design.throughput_mops for design in result.designs), default=0.0)
        verdict = Text(f"No size reaches it; the most is {reached:.1f} M operations/s", style="yellow")
    else:
        verdict = Text(
            f"{best.entries} entries, {best.engines} engines, {best.threads} threads: "
            f"{best.throughput_mops:.1f} M operations/s",
            style="bold green",
        )
    explained = f"M where {result.most_threads} threads do not reach it: what they reach"
    stdout.show(
        Padding(Text(f"{result.workload}: {result.target_mops:g} M operations/s", style="bold"), (1, 0, 0, 2)),
        pieces.section(facts_of(result)),
        pieces.section(pieces.heading("Smallest", "by entries × engines × threads"), verdict),
        pieces.section(pieces.heading("Fewest threads", explained), table),
        Text(""),
    )
