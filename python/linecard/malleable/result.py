"""What a core gives under a program: every split of its area, and the malleable core beside the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.result import Result
from linecard.several import Several

if TYPE_CHECKING:
    from linecard.executed.trace_result import ProgramTrace


# Splits so near to the best are told beside it: which of them is best may be chance.
PLATEAUS_PERCENT = (0.1, 1.0)


@dataclass(frozen=True, slots=True)
class CoreRow:
    """One split of the area.

    Attributes:
        threads: Threads.
        cache_th_eq: Thread-equivalents of data cache; ``cache_kb`` its size.
        cache_kb: Its size.
        packets_per_mcycle: Throughput, packets in a million cycles.
        hit_percent: Accesses to data that do not go off chip.
        bandwidth_percent: Use of memory.
        queueing_cycles: Mean wait of an access for memory to be free.
        run_instructions: Instructions between two changes of threads.
        lock_waits_per_packet: Locks found held.
        instructions_percent: Cycles of instructions; the others: branches and long operations (``pipeline``), loads
            used too soon, changes of threads, registers not there, idling for memory, idling for locks or packets.
        pipeline_percent: Cycles of branches and long operations.
        load_use_percent: Cycles of loads used too soon.
        switches_percent: Cycles of changes of threads.
        registers_percent: Cycles of registers that were not there.
        idle_memory_percent: Cycles of idling for memory.
        idle_other_percent: Cycles of idling for locks or packets.
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
class CoreResult(Result):
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

    TABLE: ClassVar[str] = "rows"
    ASKED: ClassVar[tuple[str, ...]] = ("latency_cycles", "refs_per_cycle", "area", "window_packets")
    APART: ClassVar[tuple[str, ...]] = ("program",)

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
        plateaus = [{"within_percent": percent, "threads": list(self.plateau(percent))} for percent in PLATEAUS_PERCENT]
        return {"program": self.program.to_dict(), **Result.to_dict(self), "plateaus": plateaus}

    def manifest(self) -> dict[str, Any]:
        """What was asked for, and of which program."""
        return {**Result.manifest(self), "program": self.program.manifest()}

    def __repr__(self) -> str:
        return (
            f"<CoreResult {self.program.name}, {self.latency_cycles} cycles, {self.refs_per_cycle:g} refs/cycle: "
            f"best {self.best_threads} threads, {self.best_packets_per_mcycle:.0f} packets/Mcycle>"
        )


class Cores(Several[CoreResult]):
    """A program on cores with several latencies of memory."""
