"""`linecard core`: the best split of a core between threads and data cache."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

import linecard
from linecard.cli import pieces, stderr, stdout
from linecard.cli.executed.damage import end_with_damage, note_kept
from linecard.cli.executed.options import Cache, CacheLimit, Control, Entry, Json, Trace
from linecard.cli.options import Html, Packets, command_line
from linecard.cli.written import Csv, Files, Parquet

if TYPE_CHECKING:
    from linecard.core.result import CoreResult


def core(
    program: Annotated[
        str, typer.Option("--program", metavar="PROGRAM", help="A shipped program, C file or ELF file.")
    ],
    trace: Trace = "edge",
    latency: Annotated[str, typer.Option(metavar="L,…", help="Cycles of an access off chip; several in turn.")] = "150",
    bandwidth: Annotated[float, typer.Option(metavar="B", help="References that memory serves a cycle.")] = 0.64,
    area: Annotated[int, typer.Option(metavar="A", help="Thread-equivalents for threads and cache.")] = 16,
    threads: Annotated[int | None, typer.Option(metavar="N", help="One number of threads only.")] = None,
    adapt: Annotated[
        int, typer.Option("--adapt", min=0, metavar="N", help="Packets through a malleable core that adapts; 0: none.")
    ] = 300_000,
    clock_mhz: Annotated[
        int, typer.Option("--clock-mhz", min=0, metavar="F", help="Packets come by the capture's time; 0: at once.")
    ] = 0,
    entry: Entry = None,
    control: Control = None,
    packets: Packets = 20_000,
    cache: Cache = None,
    cache_limit: CacheLimit = 4096,
    events: Annotated[int, typer.Option(min=1, metavar="N", help="Events that each simulation counts.")] = 400_000,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", metavar="FILE", help="Draw the splits: .png or .svg; several latencies: a map (extra: plot)."
        ),
    ] = None,
    csv: Csv = None,
    parquet: Parquet = None,
    html: Html = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Simulations at the same time; one per core if left out.")
    ] = None,
    json: Json = False,
) -> None:
    """Find the best split of a core's area between threads and data cache for a program.

    Simulates every split on one execution trace: throughput, what limits it, the best split, and what a malleable core
    of the same area reaches that finds its number of threads by itself.

    **Examples**

        linecard core --program classify --latency 150 --bandwidth 0.64 --area 16

        linecard core --program my_filter.c --trace edge --latency 300 --plot splits.png

        linecard core --program classify --latency 50,100,200,300 --plot map.png --json
    """
    from linecard.errors import ConfigError, ConfigProblem
    from linecard.files import check_outputs
    from linecard.plot.core import write_heat_map, write_splits
    from linecard.plot.style import kind_of
    from linecard.tables import records

    files = Files(csv, parquet)
    check_outputs(plot, html)
    if plot is not None:
        kind_of(plot)
    try:
        latencies = [int(part) for part in latency.split(",")]
    except ValueError:
        message = f"found {latency!r}, expected cycles: 150, or 50,100,300"
        raise ConfigError.of([ConfigProblem("--latency", "", message)]) from None
    with stderr.progress("Tracing", "packets") as progress:
        traced = linecard.program_trace(
            program,
            trace,
            entry=entry,
            control=control,
            packets=packets,
            cache=cache,
            cache_bytes=cache_limit << 20,
            progress=progress,
        )
    note_kept(traced)
    results = []
    for cycles in latencies:
        with stderr.progress("Simulating", "splits") as progress:
            results.append(
                linecard.core(
                    traced,
                    latency=cycles,
                    bandwidth=bandwidth,
                    area=area,
                    threads=threads,
                    clock_mhz=clock_mhz,
                    adapt_packets=adapt,
                    events=events,
                    jobs=jobs,
                    progress=progress,
                )
            )
    if json:
        found = [result.to_dict() for result in results]
        stdout.print_json(found[0] if len(found) == 1 else {"cores": found})
    else:
        for result in results:
            _print_core(result)
    files.write(
        records(
            [row for result in results for row in result.rows],
            latency_cycles=[result.latency_cycles for result in results for _ in result.rows],
        )
    )
    if plot is not None:
        written = write_splits(results[0], plot) if len(results) == 1 else write_heat_map(results, plot)
        stderr.note_written([written])
    if html is not None:
        from linecard.report.core import write_cores

        stderr.note_written([write_cores(results, html, command_line())])
    end_with_damage(traced)


def _print_core(result: CoreResult) -> None:
    from linecard.core.result import PLATEAUS_PERCENT

    table = pieces.lined(
        ("threads", "r"),
        ("cache", "r"),
        ("pkts/Mcycle", "r"),
        ("", "l"),
        ("hits", "r"),
        ("bus", "r"),
        ("busy", "r"),
        ("switch", "r"),
        ("idle", "r"),
        ("limit", "l"),
    )
    most = result.best_packets_per_mcycle or 1.0
    for row in result.rows:
        best = row.threads == result.best_threads
        idle = row.idle_memory_percent + row.idle_other_percent
        busy = row.instructions_percent + row.pipeline_percent + row.load_use_percent
        table.add_row(
            Text(str(row.threads), style="bold green" if best else ""),
            f"{row.cache_kb:g} KB",
            Text(f"{row.packets_per_mcycle:,.1f}", style="bold" if best else ""),
            pieces.bar(row.packets_per_mcycle / most, "green" if best else "blue", 10),
            pieces.percent(row.hit_percent / 100, 0) if row.cache_kb else "–",
            pieces.percent(row.bandwidth_percent / 100, 0),
            pieces.percent(busy / 100, 0),
            pieces.percent(row.switches_percent / 100, 0),
            pieces.percent(idle / 100, 0),
            row.limit,
        )
    best_row = result.best
    verdict = f"Best: {best_row.threads} threads and {best_row.cache_kb:g} KB of cache; limit: {best_row.limit}"
    parts = [
        Padding(
            Text(
                f"{result.program.name}: {result.latency_cycles} cycles, {result.refs_per_cycle:g} references/cycle, "
                f"{result.area} thread-equivalents",
                style="bold",
            ),
            (1, 0, 0, 2),
        ),
        pieces.section(table),
        pieces.section(Text(verdict, style="bold green")),
    ]
    flat = [
        f"{low} to {high} threads within {percent:g} %"
        for percent in PLATEAUS_PERCENT
        for low, high in (result.plateau(percent),)
        if low < high
    ]
    if flat:
        parts.append(Padding(Text(", ".join(flat), style=pieces.DIM), (0, 0, 0, 2)))
    if not result.single_peak and len(result.rows) > 1:
        parts.append(pieces.section(Text("Throughput over threads has several peaks", style="yellow")))
    facts = result.adapted_facts()
    if facts:
        found = pieces.grid("l", "w")
        for name, value in facts:
            found.add_row(Text(name, style=pieces.DIM), value)
        parts.append(pieces.section(pieces.heading("Malleable, adapting"), found))
    stdout.show(*parts, Text(""))
