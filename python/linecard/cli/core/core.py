"""`linecard core`: the best split of a core between threads and data cache."""

from __future__ import annotations

from typing import Annotated

import typer

import linecard
from linecard.cli import stderr
from linecard.cli.executed.damage import end_with_damage, note_kept
from linecard.cli.executed.options import Cache, CacheLimit, Control, Entry, Trace
from linecard.cli.options import Packets
from linecard.cli.output import Json, Output, Outputs


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
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Simulations at the same time; one per core if left out.")
    ] = None,
    json: Json = False,
    output: Output = None,
) -> None:
    """Find the best split of a core's area between threads and data cache for a program.

    Simulates every split on one execution trace: throughput, what limits it, the best split, and what a malleable core
    of the same area reaches that finds its number of threads by itself.

    **Examples**

        linecard core --program classify --latency 150 --bandwidth 0.64 --area 16

        linecard core --program my_filter.c --trace edge --latency 300 -o splits.png

        linecard core --program classify --latency 50,100,200,300 -o splits.html --json
    """
    from linecard.errors import ConfigError, ConfigProblem
    from linecard.malleable.result import Cores

    outputs = Outputs(json, output)
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
    outputs.give(Cores(results, "cores", "latency_cycles"))
    end_with_damage(traced)
