"""Results of queue managers under a workload: rows, gaps between packets of a queue, designs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from linecard.queueing.settings import queueing_settings
from linecard.records import plain
from linecard.result import Result
from linecard.traffic.result import Diagnostic  # noqa: TC001 # msgspec reads the annotations

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """One manager under the workload. Rates and shares cover the measured operations.

    Attributes:
        manager: ``nc``, ``dc``, ``sqc``, ``qarray`` or ``qc``.
        operations: Measured operations.
        throughput_mops: Million operations per simulated second.
        hit_rate: Share of operations whose descriptor is in the cache, 0 to 1.
        latency_mean_ns: Mean time from the start of an operation in a thread to its end, waiting for locks included.
        latency_p50_ns: Median.
        latency_p99_ns: 99th percentile.
        latency_max_ns: Largest.
        lock_wait_mean_ns: Mean waiting time for the lock over all operations.
        messages_per_operation: Messages from threads over the interconnect.
        reads_per_operation: Memory reads.
        writes_per_operation: Memory writes.
        references_per_operation: Memory reads and writes.
        instructions_per_operation: Number that the document states (Table 5), not a count.
        read_port_utilization: Share of time in which the memory's read port is busy, 0 to 1.
        write_port_utilization: The same for the write port, which also serves reads if ports are shared.
        request_path_utilization: The same for the interconnect towards memory.
        response_path_utilization: The same for the interconnect towards threads.
        engine_utilization: Share of time in which an engine works.
        empty_dequeues: Dequeues from an empty queue in the whole run.
        packets_left_inside: Packets in queues at the end.
        simulated_ns: Measured simulated time.
        enqueue_hit_ns: Unloaded latency of an enqueue whose descriptor word is in the cache (Table 5).
        enqueue_miss_ns: The same with the descriptor word in memory.
        dequeue_hit_ns: Unloaded latency of a dequeue whose descriptor word is in the cache.
        dequeue_miss_ns: The same with the descriptor word in memory.
        model_mops: Prediction of the analytical model (section 3.6, read as a recursion).
        model_difference_percent: Difference of the prediction in percent of the simulation.
        model_printed_mops: Prediction of the formula as printed.
        model_hit_rate: Hit rate that follows from the order of operations alone.
        memory_limit_mops: Throughput at which the memory ports are full, at this hit rate.
    """

    manager: str
    operations: int
    throughput_mops: float
    hit_rate: float
    latency_mean_ns: float
    latency_p50_ns: float
    latency_p99_ns: float
    latency_max_ns: float
    lock_wait_mean_ns: float
    messages_per_operation: float
    reads_per_operation: float
    writes_per_operation: float
    references_per_operation: float
    instructions_per_operation: int
    read_port_utilization: float
    write_port_utilization: float
    request_path_utilization: float
    response_path_utilization: float
    engine_utilization: float
    empty_dequeues: int
    packets_left_inside: int
    simulated_ns: float
    enqueue_hit_ns: float
    enqueue_miss_ns: float
    dequeue_hit_ns: float
    dequeue_miss_ns: float
    model_mops: float
    model_difference_percent: float
    model_printed_mops: float
    model_hit_rate: float
    memory_limit_mops: float


@dataclass(frozen=True, slots=True)
class GapRow:
    """Arrivals with ``from_packets`` to fewer than ``to_packets`` arrivals of other queues since the last of theirs.

    ``share`` is their share of all arrivals with a predecessor in their queue, 0 to 1.
    """

    from_packets: int
    to_packets: int
    share: float


@dataclass(frozen=True, slots=True)
class Gaps:
    """Gaps between arrivals of a queue (section 5.1, Figure 10); shares from 0 to 1.

    Attributes:
        below_loss: Gaps without a packet of another queue: operations wait for each other.
        between: Gaps with fewer packets than the cache has entries: a hit, and no wait.
        above_gain: Longer gaps: a miss is likely.
        rows: The distribution.
    """

    below_loss: float
    between: float
    above_gain: float
    rows: tuple[GapRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class QueueingResult(Result):
    """Every manager under one workload.

    Attributes:
        rows: One row per manager, in the order of the request.
        workload: Notation of the workload, or the capture.
        format: ``workload``, or the capture's format.
        compression: Compression of the capture.
        packets: Packets of the capture that were mapped to queues; 0 for a workload.
        packets_without_flow: Packets of the capture without an IP header, which are left out.
        gaps: Inter-arrival times within queues.
        machine: The machine that the managers ran on: a preset, or a file.
        settings: Changes to its settings.
        warmup: Operations before the measurement; those that fill the queues come before them.
        seed: Seed of the workload.
        damaged_records: Damaged records of the capture, which were skipped.
        diagnostics: The first findings in the capture.
    """

    TABLE: ClassVar[str] = "rows"
    INPUT: ClassVar[str] = "workload"

    rows: tuple[QueueRow, ...]
    workload: str
    format: str
    compression: str | None
    packets: int
    packets_without_flow: int
    gaps: Gaps
    machine: str
    settings: tuple[str, ...]
    warmup: int
    seed: int
    damaged_records: int
    diagnostics: tuple[Diagnostic, ...]

    def row(self, manager: str) -> QueueRow:
        """The row of a manager.

        Raises:
            KeyError: The manager did not run.
        """
        for row in self.rows:
            if row.manager == manager:
                return row
        raise KeyError(f"no row of {manager!r}; expected one of: {', '.join(row.manager for row in self.rows)}")

    def ratio(self, manager: str, to: str) -> float:
        """Throughput of one manager, divided by that of another."""
        return self.row(manager).throughput_mops / self.row(to).throughput_mops

    def manifest(self) -> dict[str, Any]:
        """Everything needed to repeat this result and to recognise it."""
        return _manifest(self, Result.manifest(self), ("rows", "gaps", "diagnostics"))

    def __repr__(self) -> str:
        rates = ", ".join(f"{row.manager} {row.throughput_mops:.1f}" for row in self.rows)
        return f"<QueueingResult {self.workload}: {rates} M operations/s>"


@dataclass(frozen=True, slots=True)
class QueueDesign:
    """A queuing cache of one size.

    Attributes:
        entries: Entries.
        engines: Engines.
        threads: Fewest threads that reach the target; ``None`` if no tried number does.
        throughput_mops: Throughput with these threads, or with the largest tried number.
        product: ``entries × engines × threads``.
    """

    entries: int
    engines: int
    threads: int | None
    throughput_mops: float
    product: int | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class QueueDesignResult(Result):
    """Every tried size of a queuing cache, and the smallest that reaches the target.

    Attributes:
        smallest: Smallest size by product, then entries, then engines; ``None`` if no size reaches the target.
        designs: One row per number of entries and engines.
        target_mops: The target in million operations per second.
        most_threads: Largest tried number of threads.
        workload: The workload, or the capture.
        format: Format of the capture.
        compression: How it is compressed.
        packets: Packets of the workload.
        packets_without_flow: Packets of the capture without an IP header.
        machine: The machine that the managers ran on: a preset, or a file.
        settings: Changes to its settings.
        warmup: Operations before the measurement.
        seed: Seed of the workload.
        damaged_records: Findings of the capture that are damage.
        diagnostics: The first findings.
    """

    TABLE: ClassVar[str] = "designs"
    INPUT: ClassVar[str] = "workload"

    smallest: QueueDesign | None
    designs: tuple[QueueDesign, ...]
    target_mops: float
    most_threads: int
    workload: str
    format: str
    compression: str | None
    packets: int
    packets_without_flow: int
    machine: str
    settings: tuple[str, ...]
    warmup: int
    seed: int
    damaged_records: int
    diagnostics: tuple[Diagnostic, ...]

    def manifest(self) -> dict[str, Any]:
        """Everything needed to repeat this result and to recognise it."""
        return _manifest(self, Result.manifest(self), ("smallest", "designs", "diagnostics"))

    def __repr__(self) -> str:
        return f"<QueueDesignResult {self.workload} at {self.target_mops:g} M operations/s: {self.smallest}>"


def _manifest(
    result: QueueingResult | QueueDesignResult, shared: dict[str, Any], without: Iterable[str]
) -> dict[str, Any]:
    """All but the findings, and every setting of the machine."""
    asked = {name: value for name, value in result.to_dict().items() if name not in without}
    all_settings = plain(queueing_settings(result.settings, machine=result.machine))
    return {**shared, **asked, "all_settings": all_settings}
