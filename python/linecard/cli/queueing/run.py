"""`linecard queueing run`: queue managers under one workload."""

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
    from linecard.queueing.result import QueueingResult


def run(
    workload: Workload = None,
    trace: Trace = None,
    manager: Annotated[
        str, typer.Option("--manager", metavar="NAME,…", help="qc, sqc, dc, nc, qarray.")
    ] = "qc,sqc,dc,nc",
    machine: Machine = MACHINE,
    set: Set = None,  # the name of the option
    operations: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Operations measured. If left out: 200,000, or two for each packet of the capture."
        ),
    ] = None,
    warmup: Annotated[int, typer.Option(metavar="N", help="Operations before.")] = 20_000,
    seed: Seed = 1,
    strict: Strict = False,
    json: Json = False,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
) -> None:
    """Compare queue managers under one workload.

    Prints throughput, hit rate, latency and traffic of each manager, what the analytical model predicts and by how much
    it differs, and how packets of a queue follow each other. The same command and seed print the same bytes.

    **Examples**

        linecard queueing run --workload SD16_90

        linecard queueing run --workload L1.1 --set threads=16 --set entries=64 --manager qc,sqc --json

        linecard queueing run --trace examples/captures/edge-mix.pcap.gz --csv queues.csv

        linecard queueing run --workload R --manager qarray --set threads=8

        linecard queueing run --workload R --machine queues.toml
    """
    source = source_of(workload, trace)
    files = Files(csv, parquet, html)
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
    # The result goes out before anything that can still fail.
    if json:
        stdout.print_json(result.to_dict())
    else:
        _print_run(result)
    finish(result, files)


def _print_run(result: QueueingResult) -> None:
    most = max(row.throughput_mops for row in result.rows) or 1.0
    table = pieces.lined(
        ("manager", "l"),
        ("M ops/s", "r"),
        ("", "l"),
        ("hits", "r"),
        ("p50 ns", "r"),
        ("p99 ns", "r"),
        ("lock ns", "r"),
        ("refs", "r"),
        ("messages", "r"),
        ("model", "r"),
        ("differs", "r"),
    )
    for row in result.rows:
        table.add_row(
            row.manager,
            Text(f"{row.throughput_mops:.1f}", style="bold"),
            pieces.bar(row.throughput_mops / most, "blue", 10),
            "–" if row.manager == "nc" else pieces.percent(row.hit_rate, 0),
            f"{row.latency_p50_ns:.0f}",
            f"{row.latency_p99_ns:.0f}",
            "–" if row.manager == "qc" else f"{row.lock_wait_mean_ns:.0f}",
            f"{row.references_per_operation:.2f}",
            f"{row.messages_per_operation:.2f}",
            f"{row.model_mops:.1f}",
            f"{row.model_difference_percent:+.1f} %",
        )
    use = pieces.lined(
        ("manager", "l"), *((name, "r") for name in ("reads", "writes", "requests", "replies", "engines"))
    )
    for row in result.rows:
        shares = (
            row.read_port_utilization,
            row.write_port_utilization,
            row.request_path_utilization,
            row.response_path_utilization,
        )
        cells = [Text(pieces.percent(share, 0), style=pieces.load_style(share)) for share in shares]
        has_engines = row.manager not in {"nc", "dc"}
        engines = Text(pieces.percent(row.engine_utilization, 0)) if has_engines else Text("–", style=pieces.DIM)
        use.add_row(row.manager, *cells, engines)
    gaps = result.gaps
    near = pieces.grid("l", "r", "l")
    for name, share, why in (
        ("none", gaps.below_loss, "below the loss threshold: operations wait"),
        ("some", gaps.between, "below the gain threshold: a hit without a wait"),
        ("more", gaps.above_gain, "at least as many as the cache has entries: likely a miss"),
    ):
        near.add_row(Text(name), pieces.percent(share, 0), Text(why, style=pieces.DIM))
    empty = sum(row.empty_dequeues for row in result.rows)
    parts = [
        Padding(Text(result.workload, style="bold"), (1, 0, 0, 2)),
        pieces.section(facts_of(result)),
        pieces.section(
            pieces.heading(
                "Managers", "latency with waiting; references and messages per operation; model of section 3.6"
            ),
            table,
        ),
        pieces.section(pieces.heading("Busy", "memory ports, interconnect paths, engines"), use),
        pieces.section(pieces.heading("Packets of other queues between two of one queue", "share of arrivals"), near),
    ]
    if empty:
        parts.append(pieces.section(Text(f"{empty:,} dequeues found their queue empty", style="yellow")))
    stdout.show(*parts, Text(""))
