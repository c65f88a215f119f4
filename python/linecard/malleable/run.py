"""Simulation of a multithreaded core that runs a traced program, for every split of its area (Mudigonda 2007).

The area of a core, in thread-equivalents, is split between threads and cache. `core` simulates every split of one core
with the trace of a program and finds the bottleneck of each split. `core` also simulates a malleable core of the same
area, which adapts its number of threads at run time.
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
    """Simulate every split of a core's area into threads and data cache, with one program.

    Args:
        program: A traced program, or a program in a form that `linecard.program_trace` accepts.
        trace: Packets for the program, if ``program`` is not a finished trace.
        latency: Cycles per off-chip access.
        bandwidth: Number of references that memory serves per cycle.
        area: Area for threads and cache, in thread-equivalents.
        threads: Number of threads to simulate; by default, every number that fits.
        clock_mhz: Clock frequency of the core, for converting capture times to cycles; with 0, packets arrive back to
            back.
        adapt_packets: Number of packets that an adaptive malleable core processes; 0 to leave out this core.
        events: Number of accesses, locks and packet ends that each simulation measures; a trace is
            repeated when it ends.
        packets: Number of packets to trace.
        jobs: Number of parallel simulations; by default, one per CPU core.
        progress: Function that is called from time to time with (done, total).

    Returns:
        Results for all splits, the best split, and its bottleneck.

    Raises:
        ConfigError: A number is out of range for a core, or the area is too small for the threads.
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
    """Simulate the chips of Mudigonda 2007 (IXP2800, optimal fixed, malleable) with several memories.

    Args:
        traced: The traced program.
        points: Memories, each as a latency in cycles and a number of references per cycle.
        events: Number of events that each simulation counts.
        chips: Chips to simulate: ``fixed`` (IXP2800, optimal fixed, and ideal malleable), ``malleable``,
            ``configurable`` (any number of cores).
        adapt_packets: Number of packets that the adaptive chip processes; 0 to leave out this chip.
        per_chip: Whether the references per cycle in ``points`` are those of the whole chip, which all cores share, and
            not of each core.
        jobs: Number of parallel simulations.
        progress: Function that is called from time to time with (done, total).

    Returns:
        One dictionary per memory, with the throughput of each chip in packets per million cycles; 0 for a chip that was
        not requested.

    Raises:
        ConfigError: The name of a chip is unknown.
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
    """Compare register loading in a malleable core: predicted registers, all, five hot ones, and register caches.

    Args:
        traced: The traced program.
        latency: Cycles per off-chip access.
        bandwidth: Number of references that memory serves per cycle.
        threads: Number of threads; 0 for the best number.
        cache_registers: Numbers of registers in the simulated register caches, which replace the least recently used
            register.
        only_predicted: Whether to leave out the reference schemes, with which prediction is compared.
        events: Number of events that each simulation counts.
        jobs: Number of parallel simulations.
        progress: Function that is called from time to time with (done, total).

    Returns:
        One dictionary for each scheme.
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
    """Measure the delay of subsequent packets after a malleable core terminates a thread.

    Args:
        traced: The traced program.
        latency: Cycles per off-chip access.
        bandwidth: Number of references that memory serves per cycle.
        threads: Number of threads, one of which is terminated; 0 for the best number.
        packets: Numbers of packets over which the delay after the termination is measured, in ascending order.
        events: Number of events that each simulation measures in the search for the best number of threads.
        progress: Function that is called from time to time with (done, total).

    Returns:
        A dictionary with the number of ``threads`` before the termination, ``packets``, the number of ``times`` that a
        thread was terminated, and ``longer_percent``. ``longer_percent`` is the additional time for each number of
        packets,
        compared with a core that has one thread fewer and all cache lines pinned.

    Raises:
        ConfigError: ``packets`` is empty, has a number below 1, or is not ascending.
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
