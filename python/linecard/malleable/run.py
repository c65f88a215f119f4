"""Simulation of a multithreaded core that runs a traced program, for every split of its area (Mudigonda 2007).

The area of a core is split between threads and cache; its unit is the area of one thread (thread-equivalent). `core`
simulates every split of one core with the trace of a program, and finds the resource that limits each split. `core`
also simulates a malleable core of the same area, which adapts its number of threads at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from linecard import _core
from linecard._arguments import plain
from linecard._convert import convert
from linecard.executed.riscv import program_trace
from linecard.executed.trace_result import ProgramTrace
from linecard.malleable.result import CoreResult
from linecard.request import default_jobs

if TYPE_CHECKING:
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
    """Simulate one program with every split of a core's area into threads and data cache.

    Args:
        program: A traced program, or a program that `linecard.program_trace` accepts.
        trace: Packets for the program; has no effect if ``program`` is already a trace.
        latency: Cycles per off-chip access.
        bandwidth: Memory bandwidth in references per cycle.
        area: Area for threads and cache, in thread-equivalents (the area of one thread).
        threads: Simulate only this number of threads; by default, every number of threads that fits into the area.
        clock_mhz: Clock frequency of the core, for converting capture times to cycles; with 0, packets arrive back to
            back.
        adapt_packets: Number of packets in the simulation of an adaptive malleable core; with 0, this core is not
            simulated.
        events: Number of trace events (accesses, locks, ends of packets) that each simulation measures; a shorter trace
            is repeated.
        packets: Number of packets to trace.
        jobs: Number of parallel simulations; by default, one per CPU core.
        progress: Function that is called repeatedly with the completed and the total work.

    Returns:
        Results for all splits, the best split, and the resource that limits the best split.

    Raises:
        ConfigError: An argument is out of range, or the area is too small for the number of threads.
        RunError: The program ends with a fault or a deadlock.
    """
    traced = (
        program
        if isinstance(program, ProgramTrace)
        else program_trace(program, trace, packets=packets, progress=progress)
    )
    request = {
        "latency_cycles": latency,
        "refs_per_cycle": bandwidth,
        "area": area,
        "threads": threads or 0,
        "clock_mhz": clock_mhz,
        "events": events,
        "adapt_packets": adapt_packets,
        "jobs": jobs or default_jobs(),
    }
    found = _core.core(traced.traced, request, progress=progress)
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
    """Simulate the chips of Mudigonda 2007 (IXP2800, optimal fixed, malleable), each with several memories.

    Args:
        traced: The traced program.
        points: Memories, each as a pair of latency (cycles) and bandwidth (references per cycle).
        events: Number of trace events (accesses, locks, ends of packets) that each simulation measures.
        chips: Groups of chips to simulate. ``fixed`` is a group of three: the IXP2800, the optimal fixed chip, and the
            ideal malleable chip. ``malleable`` is the malleable chip with its fixed number of cores. ``configurable``
            is the malleable chip with the number of cores that has the highest throughput.
        adapt_packets: Number of packets that the adaptive chip processes; 0 to simulate no adaptive chip.
        per_chip: Whether a bandwidth in ``points`` is the total for all cores of a chip; otherwise, each core has this
            bandwidth.
        jobs: Number of parallel simulations.
        progress: Function that is called repeatedly with the completed and the total work.

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
    """Compare schemes for loading the registers of a malleable core.

    The schemes load the predicted registers, the registers that an oracle selects, the five most frequently needed
    registers, or all registers. Further schemes are register caches.

    Args:
        traced: The traced program.
        latency: Cycles per off-chip access.
        bandwidth: Memory bandwidth in references per cycle.
        threads: Number of threads; 0 for the number with the highest throughput.
        cache_registers: Sizes of the simulated register caches in registers; the caches replace the least recently used
            register.
        only_predicted: Whether to simulate only the prediction and the register caches, without the other schemes.
        events: Number of trace events (accesses, locks, ends of packets) that each simulation measures.
        jobs: Number of parallel simulations.
        progress: Function that is called repeatedly with the completed and the total work.

    Returns:
        One dictionary for each register-loading scheme.
    """
    request = {
        "deployment": {"latency_cycles": latency, "refs_per_cycle": bandwidth},
        "threads": threads,
        "cache_registers": cache_registers,
        "only_predicted": only_predicted,
        "events": events,
        "jobs": jobs or default_jobs(),
    }
    return _core.core_registers(traced.traced, request, progress=progress)


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
    """Measure how much the termination of a thread delays the next packets in a malleable core.

    Args:
        traced: The traced program.
        latency: Cycles per off-chip access.
        bandwidth: Memory bandwidth in references per cycle.
        threads: Number of threads before one thread is terminated; 0 for the number with the highest throughput.
        packets: Numbers of packets, in ascending order; for each number, the delay is measured over that many packets
            after the termination.
        events: Number of events that each simulation measures during the search for the best number of threads.
        progress: Function that is called repeatedly with the completed and the total work.

    Returns:
        A dictionary with four keys. ``threads`` is the number of threads before the termination. ``packets`` repeats
        the argument. ``times`` is the number of terminations. ``longer_percent`` contains the additional time for each
        number of packets, in percent of the time for as many packets long after the termination.

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
