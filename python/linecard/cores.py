"""A multithreaded core with a data cache under a traced program: threads against cache (Mudigonda 2007).

The area of a core is split between threads and cache, in thread-equivalents. `core` runs every split of one core on the
trace of a program, says what limits each, and what a malleable core of the same area reaches that adapts by itself.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard import _core, _html
from linecard._convert import convert
from linecard.program import ProgramTrace, program_trace
from linecard.results import field_names, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike
    from pathlib import Path

    import polars

    Progress = Callable[[int, int], object]

AREA = 16
LATENCY_CYCLES = 150
BANDWIDTH = 0.64
EVENTS = 400_000
# Splits so near to the best are told beside it: which of them is best may be chance.
PLATEAUS_PERCENT = (0.1, 1.0)


@dataclass(frozen=True, slots=True)
class CoreRow:
    """One split of the area.

    Attributes:
        threads: Threads.
        cache_th_eq: Thread-equivalents of data cache; ``cache_kb`` its size.
        packets_per_mcycle: Throughput, packets in a million cycles.
        hit_percent: Accesses to data that do not go off chip.
        bandwidth_percent: Use of memory.
        queueing_cycles: Mean wait of an access for memory to be free.
        run_instructions: Instructions between two changes of threads.
        lock_waits_per_packet: Locks found held.
        instructions_percent: Cycles of instructions; the others: branches and long operations (``pipeline``), loads
            used too soon, changes of threads, registers not there, idling for memory, idling for locks or packets.
        limit: What holds throughput back: compute, switches, memory latency, memory bandwidth or locks.
    """

    threads: int
    cache_th_eq: int
    cache_kb: float
    packets_per_mcycle: float
    hit_percent: float
    bandwidth_percent: float
    queueing_cycles: float
    run_instructions: float
    lock_waits_per_packet: float
    instructions_percent: float
    pipeline_percent: float
    load_use_percent: float
    switches_percent: float
    registers_percent: float
    idle_memory_percent: float
    idle_other_percent: float
    limit: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """Packets with one number of threads: a trial, or the time between two adaptations."""

    from_packet: int
    threads: int
    packets_per_mcycle: float
    trial: bool


@dataclass(frozen=True, slots=True)
class Adapted:
    """A malleable core that finds its number of threads.

    Attributes:
        threads: Threads at the end.
        steady_packets_per_mcycle: Throughput between the adaptations.
        packets_per_mcycle: Throughput with all trials.
        history: What happened, in order.
        unsuccessful: Adaptations that the end of the stream cut short.
    """

    threads: int
    steady_packets_per_mcycle: float
    packets_per_mcycle: float
    history: tuple[Stretch, ...]
    unsuccessful: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CoreResult:
    """Every split of a core's area under one program, traffic and memory.

    Attributes:
        program: What was traced.
        latency_cycles: Cycles of an access off chip.
        refs_per_cycle: References that memory serves a cycle.
        area: Thread-equivalents for threads and cache.
        window_packets: Packets that each simulation counts.
        rows: One row per number of threads.
        best_threads: Threads of the best split; of equal ones, within 0.01 %, the most. ``plateau`` says how many
            others are as good as equal.
        best_packets_per_mcycle: Its throughput.
        single_peak: Whether throughput over threads rises, peaks and falls.
        adapted: A malleable core of the same area; ``None`` where it was not asked for.
    """

    program: ProgramTrace
    latency_cycles: int
    refs_per_cycle: float
    area: int
    window_packets: int
    rows: tuple[CoreRow, ...]
    best_threads: int
    best_packets_per_mcycle: float
    single_peak: bool
    adapted: Adapted | None

    @property
    def best(self) -> CoreRow:
        """The best split."""
        return next(row for row in self.rows if row.threads == self.best_threads)

    def plateau(self, percent: float) -> tuple[int, int]:
        """Fewest and most threads of the splits around the best one that lie within so many percent of it."""
        least = self.best_packets_per_mcycle * (1 - percent / 100)
        near = [row.threads for row in self.rows if row.packets_per_mcycle >= least]
        low = high = self.best_threads
        while low - 1 in near:
            low -= 1
        while high + 1 in near:
            high += 1
        return low, high

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        names = [name for name in self.__slots__ if name != "program"]
        plateaus = [{"within_percent": percent, "threads": list(self.plateau(percent))} for percent in PLATEAUS_PERCENT]
        whole = {"program": self.program.to_dict(), **{name: plain(getattr(self, name)) for name in names}}
        return {**whole, "plateaus": plateaus}

    def to_frame(self) -> polars.DataFrame:
        """The rows as a polars data frame (extra ``frames``)."""
        from linecard import tables

        names = field_names(CoreRow)
        return tables.frame(names, [[getattr(row, name) for name in names] for row in self.rows])

    def write_plot(self, path: str | Path) -> Path:
        """Draw throughput and cycles over the splits as PNG (extra ``plot``)."""
        from linecard import coreplot

        return coreplot.write_splits(self, path)

    def write_html(self, path: str | Path, *, command: str | None = None) -> Path:
        """Write one self-contained page; ``command`` is shown as what repeats it."""
        from linecard.pages.core import write_cores

        return write_cores([self], path, command)

    def __repr__(self) -> str:
        return (
            f"<CoreResult {self.program.name}, {self.latency_cycles} cycles, {self.refs_per_cycle:g} refs/cycle: "
            f"best {self.best_threads} threads, {self.best_packets_per_mcycle:.0f} packets/Mcycle>"
        )

    def _repr_html_(self) -> str:
        most = max(row.packets_per_mcycle for row in self.rows)
        shares = [(f"{row.threads} threads", row.packets_per_mcycle / most) for row in self.rows]
        title = f"{self.program.name}: best {self.best_threads} threads, limit {self.best.limit}"
        return _html.block(title, _html.bars("Throughput over threads, of the best", shares))


def core(
    program: str | PathLike[str] | ProgramTrace,
    traffic: str | PathLike[str] = "edge",
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
        program: A traced program, or what `linecard.program_trace` takes.
        traffic: Its packets, where it is not traced yet.
        latency: Cycles of an access off chip.
        bandwidth: References that memory serves a cycle.
        area: Thread-equivalents for threads and cache.
        threads: One number of threads; ``None`` for every one that fits.
        clock_mhz: Clock at which packets come when the capture has them; 0 for back to back.
        adapt_packets: Packets through a malleable core that adapts; 0 for none.
        events: Accesses, locks and packet ends that each simulation counts; the trace begins again where it is through.
        packets: Packets to trace.
        jobs: Simulations at a time; ``None`` for one per processor.
        progress: Called now and then with (done, in all).

    Returns:
        All splits, the best, and why.

    Raises:
        ConfigError: No core can be so, or more threads than area.
        RunError: The program faults, or its locks wait for each other.
    """
    traced = (
        program
        if isinstance(program, ProgramTrace)
        else program_trace(program, traffic, packets=packets, progress=progress)
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
        jobs=jobs or os.cpu_count() or 1,
        progress=progress,
    )
    found["rows"] = tuple(convert(found["rows"], list[CoreRow]))
    found["adapted"] = convert(found["adapted"], Adapted | None)
    return CoreResult(program=traced, **found)


def deployments(
    traced: ProgramTrace,
    points: Sequence[tuple[int, float]],
    *,
    events: int,
    configurable: bool,
    adapt_packets: int,
    per_chip: bool,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Run the chips of Mudigonda 2007 (IXP2800, optimal fixed, malleable) with several memories.

    Args:
        traced: The program.
        points: Memories: latency in cycles, references a cycle.
        events: Events that each simulation counts.
        configurable: Try chips with any number of cores, too.
        adapt_packets: Packets through the adapting chip; 0 for none.
        per_chip: Whether the references are those of the chip, shared by its cores, or of each core.
        jobs: Simulations at a time.
        progress: Called now and then with (done, in all).

    Returns:
        One dictionary per memory: throughput of each chip, packets in a million cycles.
    """
    found: list[dict[str, Any]] = _core.core_deployments(
        traced.traced,
        list(points),
        events=events,
        configurable=configurable,
        adapt_packets=adapt_packets,
        per_chip=per_chip,
        jobs=jobs or os.cpu_count() or 1,
        progress=progress,
    )
    return found


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
    """Compare ways to keep the registers of a malleable core: predicted, all, five hot ones, register caches.

    Args:
        traced: The program.
        latency: Cycles of an access off chip.
        bandwidth: References that memory serves a cycle.
        threads: Threads; 0 for the best number.
        cache_registers: Sizes of register caches with least-recently-used replacement.
        only_predicted: Leave out the ways that prediction is compared with.
        events: Events that each simulation counts.
        jobs: Simulations at a time.
        progress: Called now and then with (done, in all).

    Returns:
        One dictionary per scheme.
    """
    found: list[dict[str, Any]] = _core.core_registers(
        traced.traced,
        latency_cycles=latency,
        refs_per_cycle=bandwidth,
        threads=threads,
        cache_registers=list(cache_registers),
        only_predicted=only_predicted,
        events=events,
        jobs=jobs or os.cpu_count() or 1,
        progress=progress,
    )
    return found


def termination(
    traced: ProgramTrace,
    *,
    latency: int = LATENCY_CYCLES,
    bandwidth: float = BANDWIDTH,
    events: int = EVENTS,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """What terminating a thread of a malleable core costs the few hundred packets after it.

    Args:
        traced: The program.
        latency: Cycles of an access off chip.
        bandwidth: References that memory serves a cycle.
        events: Events that each simulation counts of those that find the best number of threads.
        progress: Called now and then with (done, in all).

    Returns:
        ``threads`` before, ``packets`` that count as right after it, how many ``times`` a thread was terminated, and by
        how much a packet took longer (``longer_percent``) than with one thread less and all lines pinned.
    """
    found: dict[str, Any] = _core.core_termination(
        traced.traced,
        latency_cycles=latency,
        refs_per_cycle=bandwidth,
        events=events,
        progress=progress,
    )
    return found
