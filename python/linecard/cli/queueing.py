"""`linecard queueing`: queue managers under a workload or a capture, and the design of a queuing cache."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import screen
from linecard.cli.common import JSON_HELP
from linecard.errors import ConfigError, ConfigProblem

if TYPE_CHECKING:
    from rich.table import Table

    from linecard.queueing.result import QueueDesignResult, QueueingResult
    from linecard.queueing.settings import QueueSetting

CAPTURE_DAMAGED = 3

app = typer.Typer(
    help="Queues of packets: compare the managers that move packets in and out, and design a queuing cache.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Workload = Annotated[
    str | None,
    typer.Option(
        "--workload", metavar="W", help="R, U, Lk, SDn_k, MIXt_k_m_s, edge or core. If left out, and no trace: R."
    ),
]
Trace = Annotated[
    Path | None, typer.Option("--trace", metavar="CAPTURE", help="Capture, its packets mapped to queues by a hash.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a setting (`linecard queueing settings`); repeatable."),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the workload.")]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first damaged record.")]
Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]
Csv = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the rows as CSV, a manifest beside it.")]


def _source(workload: str | None, trace: Path | None) -> str:
    if workload is not None and trace is not None:
        raise ConfigError.of([ConfigProblem("--workload", "", "found with --trace, expected one of the two")])
    return str(trace) if trace is not None else workload or "R"


@app.command("run")
def run(
    workload: Workload = None,
    trace: Trace = None,
    manager: Annotated[
        str, typer.Option("--manager", metavar="NAME,…", help="qc, sqc, dc, nc, qarray.")
    ] = "qc,sqc,dc,nc",
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
) -> None:
    """Compare queue managers under one workload.

    Prints throughput, hit rate, latency and traffic of each manager, what the analytical model predicts and by how much
    it differs, and how packets of a queue follow each other. The same command and seed print the same bytes.

    **Examples**

        linecard queueing run --workload SD16_90

        linecard queueing run --workload L1.1 --set threads=16 --set entries=64 --manager qc,sqc --json

        linecard queueing run --trace edge.pcap.gz --csv queues.csv

        linecard queueing run --workload R --manager qarray --set threads=8
    """
    from linecard.files import check_outputs

    source = _source(workload, trace)
    check_outputs(csv)
    with screen.progress("Simulating", "operations") as progress:
        result = linecard.queueing_run(
            source,
            manager,
            set,
            trace=trace is not None,
            operations=operations,
            warmup=warmup,
            seed=seed,
            strict=strict,
            progress=progress,
        )
    # The result goes out before anything that can still fail.
    if json:
        screen.print_json(result.to_dict())
    else:
        _print_run(result)
    _finish(result, csv)


@app.command("design")
def design(
    target_mops: Annotated[
        float, typer.Option("--target-mops", metavar="M", help="Throughput to reach, million operations a second.")
    ],
    workload: Workload = None,
    trace: Trace = None,
    set: Set = None,  # the name of the option
    operations: Annotated[int, typer.Option(metavar="N", help="Operations measured for every size.")] = 30_000,
    warmup: Annotated[int, typer.Option(metavar="N", help="Operations before.")] = 5_000,
    seed: Seed = 1,
    strict: Strict = False,
    json: Json = False,
    csv: Csv = None,
) -> None:
    """Find the smallest queuing cache that reaches a throughput.

    Prints for each number of entries and engines the fewest threads that reach the target, and the smallest product of
    the three.

    **Examples**

        linecard queueing design --workload SD16_90 --target-mops 120

        linecard queueing design --trace edge.pcap.gz --target-mops 80 --json
    """
    from linecard.files import check_outputs

    source = _source(workload, trace)
    check_outputs(csv)
    with screen.progress("Searching", "sizes") as progress:
        result = linecard.queueing_design(
            source,
            target_mops,
            set,
            trace=trace is not None,
            operations=operations,
            warmup=warmup,
            seed=seed,
            strict=strict,
            progress=progress,
        )
    if json:
        screen.print_json(result.to_dict())
    else:
        _print_design(result)
    _finish(result, csv)


@app.command("settings")
def settings(
    set: Set = None,  # the name of the option
    json: Json = False,
) -> None:
    """List every setting with value, unit, meaning and source.

    **Examples**

        linecard queueing settings

        linecard queueing settings --set threads=16 --json
    """
    from linecard.records import plain

    found = linecard.queueing_settings(set)
    if json:
        screen.print_json(plain(found))
    else:
        _print_settings(found)


def _finish(result: QueueingResult | QueueDesignResult, csv: Path | None) -> None:
    for diagnostic in result.diagnostics[: screen.DIAGNOSTICS_SHOWN]:
        screen.diagnose(str(diagnostic))
    if csv is not None:
        screen.note_written([csv, result.write_csv(csv)])
    if result.damaged_records:
        raise typer.Exit(CAPTURE_DAMAGED)


def _facts(result: QueueingResult | QueueDesignResult) -> Table:
    facts = screen.grid("l", "w")
    if result.format != "workload":
        without = f"; {result.packets_without_flow:,} without a flow left out" if result.packets_without_flow else ""
        facts.add_row(Text("Packets", style=screen.DIM), f"{result.packets:,}{without}")
    facts.add_row(Text("Settings", style=screen.DIM), ", ".join(result.settings) or "as in Table 1")
    return facts


def _print_run(result: QueueingResult) -> None:
    most = max(row.throughput_mops for row in result.rows) or 1.0
    table = screen.lined(
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
            screen.bar(row.throughput_mops / most, "blue", 10),
            "–" if row.manager == "nc" else screen.percent(row.hit_rate, 0),
            f"{row.latency_p50_ns:.0f}",
            f"{row.latency_p99_ns:.0f}",
            "–" if row.manager == "qc" else f"{row.lock_wait_mean_ns:.0f}",
            f"{row.references_per_operation:.2f}",
            f"{row.messages_per_operation:.2f}",
            f"{row.model_mops:.1f}",
            f"{row.model_difference_percent:+.1f} %",
        )
    use = screen.lined(
        ("manager", "l"), *((name, "r") for name in ("reads", "writes", "requests", "replies", "engines"))
    )
    for row in result.rows:
        shares = (
            row.read_port_utilization,
            row.write_port_utilization,
            row.request_path_utilization,
            row.response_path_utilization,
        )
        cells = [Text(screen.percent(share, 0), style=screen.load_style(share)) for share in shares]
        has_engines = row.manager not in {"nc", "dc"}
        engines = Text(screen.percent(row.engine_utilization, 0)) if has_engines else Text("–", style=screen.DIM)
        use.add_row(row.manager, *cells, engines)
    gaps = result.gaps
    near = screen.grid("l", "r", "l")
    for name, share, why in (
        ("none", gaps.below_loss, "below the loss threshold: operations wait"),
        ("some", gaps.between, "below the gain threshold: a hit without a wait"),
        ("more", gaps.above_gain, "at least as many as the cache has entries: likely a miss"),
    ):
        near.add_row(Text(name), screen.percent(share, 0), Text(why, style=screen.DIM))
    empty = sum(row.empty_dequeues for row in result.rows)
    parts = [
        Padding(Text(result.workload, style="bold"), (1, 0, 0, 2)),
        screen.section(_facts(result)),
        screen.section(
            screen.heading(
                "Managers", "latency with waiting; references and messages per operation; model of section 3.6"
            ),
            table,
        ),
        screen.section(screen.heading("Busy", "memory ports, interconnect paths, engines"), use),
        screen.section(screen.heading("Packets of other queues between two of one queue", "share of arrivals"), near),
    ]
    if empty:
        parts.append(screen.section(Text(f"{empty:,} dequeues found their queue empty", style="yellow")))
    screen.show(*parts, Text(""))


def _print_design(result: QueueDesignResult) -> None:
    engines = sorted({design.engines for design in result.designs})
    table = screen.lined(
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
                cells.append(Text(f"{design.throughput_mops:.0f} M", style=screen.DIM))
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
    screen.show(
        Padding(Text(f"{result.workload}: {result.target_mops:g} M operations/s", style="bold"), (1, 0, 0, 2)),
        screen.section(_facts(result)),
        screen.section(screen.heading("Smallest", "by entries × engines × threads"), verdict),
        screen.section(screen.heading("Fewest threads", explained), table),
        Text(""),
    )


def _print_settings(found: list[QueueSetting]) -> None:
    table = screen.lined(("setting", "l"), ("value", "r"), ("unit", "l"), ("meaning", "w"), ("source", "w"))
    for each in found:
        table.add_row(each.key, each.value, each.unit, each.meaning, Text(each.source, style=screen.DIM))
    screen.show(screen.section(table), Text(""))
