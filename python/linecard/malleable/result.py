"""Results of a core under a program: every split of its area, and a malleable core beside the best split."""

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
        threads: Number of threads.
        cache_th_eq: Area of the data cache, in thread-equivalents.
        cache_kb: Size of the data cache in KB.
        packets_per_mcycle: Throughput in packets per million cycles.
        hit_percent: Data accesses that hit in the cache.
        bandwidth_percent: Utilisation of the memory.
        queueing_cycles: Mean waiting time of an access for a busy memory.
        run_instructions: Mean instructions between two thread switches.
        lock_waits_per_packet: Lock requests that had to wait, per packet.
        instructions_percent: Cycles in which instructions execute; the fields below are the rest of the cycles.
        pipeline_percent: Stall cycles of branches and long operations.
        load_use_percent: Stall cycles between a load and its use.
        switches_percent: Cycles of thread switches.
        registers_percent: Stall cycles for registers that must be loaded.
        idle_memory_percent: Idle cycles in which threads wait for memory.
        idle_other_percent: Idle cycles in which threads wait for locks or packets.
        limit: Bottleneck: compute, switches, memory latency, memory bandwidth or locks.
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
    """A period with one number of threads: a trial, or the time between two adaptations."""

    from_packet: int
    threads: int
    packets_per_mcycle: float
    trial: bool


@dataclass(frozen=True, slots=True)
class Adapted:
    """A malleable core that finds its number of threads.

    Attributes:
        threads: Threads at the end.
        steady_packets_per_mcycle: Throughput between adaptations, in packets per million cycles.
        packets_per_mcycle: Throughput including all trials.
        history: Periods in order.
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
        program: The traced program.
        latency_cycles: Latency of an off-chip access in cycles.
        refs_per_cycle: References that the memory serves per cycle.
        area: Thread-equivalents for threads and cache.
        window_packets: Packets that each simulation measures.
        rows: One row per number of threads.
        best_threads: Threads of the best split; of splits within 0.01 %, the largest number. ``plateau`` returns the
            splits that are about as good.
        best_packets_per_mcycle: Its throughput.
        single_peak: Whether throughput over threads rises, peaks and falls.
        adapted: A malleable core of the same area; ``None`` if it was not requested.
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
        """Fewest and most threads of the splits around the best one that are within this percentage of it."""
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
        """The request, with the program."""
        return {**Result.manifest(self), "program": self.program.manifest()}

    def __repr__(self) -> str:
        return (
            f"<CoreResult {self.program.name}, {self.latency_cycles} cycles, {self.refs_per_cycle:g} refs/cycle: "
            f"best {self.best_threads} threads, {self.best_packets_per_mcycle:.0f} packets/Mcycle>"
        )


class Cores(Several[CoreResult]):
    """A program on cores with several memory latencies."""
