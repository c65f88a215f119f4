"""A multithreaded core under a traced program, with every split into threads and cache (Mudigonda 2007).

The area of a core is split between threads and cache, in thread-equivalents. `core` runs every split of one core on the
trace of a program and finds the bottleneck of each. It also runs a malleable core of the same area, which adapts at run
time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.executed.riscv import program_trace
from linecard.executed.trace_result import ProgramTrace
from linecard.malleable.result import CoreResult
from linecard.request import default_jobs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    Progress = Callable[[int, int], object]

AREA = 16
LATENCY_CYCLES = 150
BANDWIDTH = 0.64
EVENTS = 400_000


@plain
def core(
    program: str | PathLike[str] | ProgramTrace,
    trace: str | PathLike[str] = "edge",
    *,
    latency: int = LATENCY_CYCLES,
    bandwidth: float = BANDWIDTH,
    area: int = AREA,
    threads: int | None = None,
    clock_mhz: int = 0,
    adapt_packets: int = 0,
    events: int = EVENTS,
    packets: int = 20_000,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> CoreResult:
    """Run every split of a core's area between threads and data cache under a program.

    Args:
        program: A traced program, or a program as `linecard.program_trace` accepts it.
        trace: Packets, if the program is not traced yet.
        latency: Cycles per off-chip access.
        bandwidth: References that memory serves per cycle.
        area: Thread-equivalents for threads and cache.
        threads: One number of threads; ``None`` for every one that fits.
        clock_mhz: Clock of the core, which converts capture times to cycles; 0 sends packets back to back.
        adapt_packets: Packets of an adaptive malleable core; 0 for none.
        events: Accesses, locks and packet ends that each simulation measures; a trace that ends is repeated.
        packets: Packets to trace.
        jobs: Number of parallel simulations; ``None`` for one per processor.
        progress: Called now and then with (done, total).

    Returns:
        All splits, the best split, and its bottleneck.

    Raises:
        ConfigError: No core has these numbers, or the area does not hold the threads.
        RunError: The program faults, or its locks deadlock.
    """
    traced = (
        program
        if isinstance(program, ProgramTrace)
        else program_trace(program, trace, packets=packets, progress=progress)
    )
    found = _core.core(
        traced.traced,
        latency_cycles=latency,
        refs_per_cycle=bandwidth,
        area=area,
        threads=threads or 0,
        clock_mhz=clock_mhz,
        events=events,
        adapt_packets=adapt_packets,
        jobs=jobs or default_jobs(),
        progress=progress,
    )
    return convert({**found, "program": traced}, CoreResult)


def deployments(
    traced: ProgramTrace,
    points: Sequence[tuple[int, float]],
    *,
    events: int,
    chips: Sequence[str] = ("fixed", "malleable"),
    adapt_packets: int = 0,
    per_chip: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Run the chips of Mudigonda 2007 (IXP2800, optimal fixed, malleable) with several memories.

    Args:
        traced: The program.
        points: Memories: latency in cycles, references per cycle.
        events: Events that each simulation counts.
        chips: Chips to run: ``fixed`` (IXP2800, optimal fixed, and the ideal malleable one), ``malleable``,
            ``configurable`` (any number of cores).
        adapt_packets: Packets of the adaptive chip; 0 for none.
        per_chip: Whether the references per cycle are those of the chip, which its cores share, or of each core.
        jobs: Number of parallel simulations.
        progress: Called now and then with (done, total).

    Returns:
        One dictionary per memory: throughput of each chip in packets per million cycles, 0 for a chip that was not
        requested.

    Raises:
        ConfigError: A chip is unknown.
    """
    return _core.core_deployments(
        traced.traced,
        points,
        events=events,
        chips=chips,
        adapt_packets=adapt_packets,
        per_chip=per_chip,
        jobs=jobs or default_jobs(),
        progress=progress,
    )


def registers(
    traced: ProgramTrace,
    *,
    latency: int = LATENCY_CYCLES,
    bandwidth: float = BANDWIDTH,
    threads: int = 0,
    cache_registers: Sequence[int] = (),
    only_predicted: bool = False,
    events: int = EVENTS,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Compare register schemes of a malleable core: predicted, all, five hot registers, and register caches.

    Args:
        traced: The program.
        latency: Cycles per off-chip access.
        bandwidth: References that memory serves per cycle.
        threads: Threads; 0 for the best number.
        cache_registers: Sizes of register caches with least-recently-used replacement.
        only_predicted: Leave out the reference schemes for prediction.
        events: Events that each simulation counts.
        jobs: Number of parallel simulations.
        progress: Called now and then with (done, total).

    Returns:
        One dictionary per scheme.
    """
    return _core.core_registers(
        traced.traced,
        latency_cycles=latency,
        refs_per_cycle=bandwidth,
        threads=threads,
        cache_registers=cache_registers,
        only_predicted=only_predicted,
        events=events,
        jobs=jobs or default_jobs(),
        progress=progress,
    )


def termination(
    traced: ProgramTrace,
    *,
    latency: int = LATENCY_CYCLES,
    bandwidth: float = BANDWIDTH,
    threads: int = 0,
    packets: Sequence[int] = (300,),
    events: int = EVENTS,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measure how much terminating a thread of a malleable core delays the packets after it.

    Args:
        traced: The program.
        latency: Cycles per off-chip access.
        bandwidth: References that memory serves per cycle.
        threads: Threads, of which one is terminated; 0 for the best number.
        packets: Numbers of packets after the termination over which the delay is measured, ascending.
        events: Events that each simulation measures in the search for the best number of threads.
        progress: Called now and then with (done, total).

    Returns:
        Dictionary with ``threads`` before the termination, ``packets``, the number of ``times`` that a thread was
        terminated, and ``longer_percent``. ``longer_percent`` is the additional time for each number of packets,
        compared with a core that has one thread less and all lines pinned.

    Raises:
        ConfigError: ``packets`` is empty, below 1 or not ascending.
    """
    return _core.core_termination(
        traced.traced,
        latency_cycles=latency,
        refs_per_cycle=bandwidth,
        threads=threads,
        packets=packets,
        events=events,
        progress=progress,
    )
