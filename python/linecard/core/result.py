"""What a core gives under a program: every split of its area, and the malleable core beside the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linecard import _html
from linecard.catalogue import describe
from linecard.records import field_names, plain

if TYPE_CHECKING:
    from pathlib import Path

    import polars

    from linecard.executed.trace import ProgramTrace


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

    def adapted_facts(self) -> list[tuple[str, str]]:
        """What a malleable core came to, in words: what was measured, beside the best split; empty without one."""
        found = self.adapted
        if found is None:
            return []
        trials = sum(stretch.trial for stretch in found.history)
        slower = describe("cores/malleable")["processor.slower"].text
        return [
            ("Ends with", f"{_threads(found.threads)} after {trials} trial{'' if trials == 1 else 's'}"),
            ("Between trials", f"{found.steady_packets_per_mcycle:,.1f} packets/Mcycle"),
            ("With its trials", f"{found.packets_per_mcycle:,.1f} packets/Mcycle"),
            (
                "Best fixed split",
                f"{self.best_packets_per_mcycle:,.1f} packets/Mcycle with {_threads(self.best_threads)}",
            ),
            ("Its clock", f"{slower} % slower than that of a fixed split"),
        ]

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
        from linecard.plot.core import write_splits

        return write_splits(self, path)

    def write_html(self, path: str | Path, *, command: str | None = None) -> Path:
        """Write one self-contained page; ``command`` is shown as what repeats it."""
        from linecard.report.core import write_cores

        return write_cores([self], path, command)

    def __repr__(self) -> str:
        return (
            f"<CoreResult {self.program.name}, {self.latency_cycles} cycles, {self.refs_per_cycle:g} refs/cycle: "
            f"best {self.best_threads} threads, {self.best_packets_per_mcycle:.0f} packets/Mcycle>"
        )

    def _repr_html_(self) -> str:
        header = ("threads", "cache", "pkts/Mcycle", "hits", "bus", "switch", "limit")
        rows = [
            (
                str(row.threads),
                f"{row.cache_kb:g} KB",
                f"{row.packets_per_mcycle:,.1f}",
                f"{row.hit_percent:.0f} %" if row.cache_kb else "–",
                f"{row.bandwidth_percent:.0f} %",
                f"{row.switches_percent:.0f} %",
                row.limit,
            )
            for row in self.rows
        ]
        best = f"Best: {_threads(self.best_threads)} and {self.best.cache_kb:g} KB of cache; limit: {self.best.limit}"
        return _html.block(
            f"{self.program.name}: {self.latency_cycles} cycles, {self.refs_per_cycle:g} references/cycle, "
            f"{self.area} thread-equivalents",
            _html.table(header, rows),
            _html.facts([("", best)]),
            _html.heading("Malleable, adapting") + _html.facts(self.adapted_facts()) if self.adapted else "",
        )


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"
