"""`linecard core`: the best split of a core's area between threads and data cache."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import linecard
from linecard.cli import stderr
from linecard.cli.executed.tracing import CacheLimit, end_with_damage, note_kept
from linecard.cli.output import Outputs
from linecard.cli.question import Word, asks
from linecard.errors import ConfigError
from linecard.malleable.result import Cores


@asks(
    linecard.program_trace,
    *("defines", "payload", "seed", "routes", "strict", "budget", "unchecked", "cache_bytes"),
    into="traced",
)
@asks(
    linecard.core,
    *("program", "trace", "latency", "packets"),
    bandwidth=Word(metavar="B"),
    area=Word(metavar="A"),
    adapt_packets=Word("--adapt", least=0, usual=300_000),
    clock_mhz=Word(metavar="F", least=0),
    events=Word(least=1),
)
def core(
    latency: Annotated[
        str, typer.Option(metavar="L,…", help="Off-chip latency in cycles; each additional value adds a result.")
    ] = "150",
    cache_limit: CacheLimit = 4096,
    *,
    outputs: Outputs,
    asked: dict[str, Any],
    traced: dict[str, Any],
) -> None:
    """Find the best split of a core's area between threads and data cache for a program.

    The command simulates every split on one execution trace. The command prints the throughput and the bottleneck of
    each split, and the best split. For comparison, the command also simulates a malleable core of the same area, which
    adapts its number of threads at run time.

    **Examples**

        linecard core classify --latency 150 --bandwidth 0.64 --area 16

        linecard core my_filter.c --trace edge --latency 300 -o splits.png

        linecard core classify --latency 50,100,200,300 -o splits.html --json
    """
    try:
        latencies = [int(part) for part in latency.split(",")]
    except ValueError:
        message = f"found {latency!r}, expected one or several latencies in cycles, such as 150 or 50,100,300"
        raise ConfigError.at("--latency", "", message) from None
    with stderr.progress("Tracing", "packets") as progress:
        trace = linecard.program_trace(**traced, cache_bytes=cache_limit << 20, progress=progress)
    note_kept(trace)
    results = []
    for cycles in latencies:
        with stderr.progress("Simulating", "splits") as progress:
            results.append(linecard.core(trace, latency=cycles, **asked, progress=progress))
    outputs.give(Cores(results, "cores", "latency_cycles"))
    end_with_damage(trace.traffic)
