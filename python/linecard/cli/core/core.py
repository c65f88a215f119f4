"""`linecard core`: the best split of a core's area between threads and data cache."""

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
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help="A shipped program, C file or ELF file.")],
    trace: Trace = "edge",
    latency: Annotated[
        str, typer.Option(metavar="L,…", help="Cycles of an off-chip access; each further value adds a result.")
    ] = "150",
    bandwidth: Annotated[
        float, typer.Option(metavar="B", help="Number of references that memory serves per cycle.")
    ] = 0.64,
    area: Annotated[int, typer.Option(metavar="A", help="Area for threads and cache, in thread-equivalents.")] = 16,
    threads: Annotated[
        int | None, typer.Option(metavar="N", help="Simulate only splits with this number of threads.")
    ] = None,
    adapt: Annotated[
        int,
        typer.Option(
            "--adapt",
            min=0,
            metavar="N",
            help="Packets for the simulation of a malleable core; 0 skips the simulation.",
        ),
    ] = 300_000,
    clock_mhz: Annotated[
        int,
        typer.Option(
            "--clock-mhz",
            min=0,
            metavar="F",
            help="Clock of the core, which converts capture times to cycles; 0 sends packets back to back.",
        ),
    ] = 0,
    entry: Entry = None,
    control: Control = None,
    packets: Packets = 20_000,
    cache: Cache = None,
    cache_limit: CacheLimit = 4096,
    events: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of measured events in each simulation.")
    ] = 400_000,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Number of parallel simulations; by default, one per CPU core.")
    ] = None,
    json: Json = False,
    output: Output = None,
) -> None:
    """Find the best split of a core's area between threads and data cache for a program.

    The command simulates every split on one execution trace. The command prints the throughput and the limit of each
    split, and the best split. For comparison, the command also simulates a malleable core of the same area, which
    adapts its number of threads at run time.

    **Examples**

        linecard core classify --latency 150 --bandwidth 0.64 --area 16

        linecard core my_filter.c --trace edge --latency 300 -o splits.png

        linecard core classify --latency 50,100,200,300 -o splits.html --json
    """
    from linecard.errors import ConfigError, ConfigProblem
    from linecard.malleable.result import Cores

    outputs = Outputs(json, output)
    try:
        latencies = [int(part) for part in latency.split(",")]
    except ValueError:
        message = f"found {latency!r}, expected cycles, such as 150 or 50,100,300"
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
