"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec

from linecard.traffic.reports import Diagnostic


class QueueingReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every manager under one workload.

    Attributes:
        rows: One row per manager, in the order of the request.
        workload: Notation of the workload, or the capture.
        format: ``workload``, or the capture's format.
        compression: Compression of the capture.
        packets: Packets of the capture that were mapped to queues; 0 for a workload.
        packets_without_flow: Packets of the capture without an IP header, which are left out.
        damaged_records: Damaged records of the capture, which were skipped.
        diagnostics: The first findings in the capture.
        gaps: Inter-arrival times within queues.
    """

    rows: tuple[QueueRow, ...]
    workload: str
    format: str
    compression: str | None
    packets: int
    packets_without_flow: int
    damaged_records: int
    diagnostics: tuple[Diagnostic, ...]
    gaps: Gaps


class QueueRow(msgspec.Struct, frozen=True, omit_defaults=True):
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
        engine_utilization: Utilisation of the engines.
        empty_dequeues: Dequeues from an empty queue in the whole run.
        packets_left_inside: Packets in queues at the end.
        simulated_ns: Measured simulated time.
        enqueue_hit_ns: Unloaded latency of an enqueue whose descriptor word is in the cache (Table 5).
        enqueue_miss_ns: Unloaded latency with the descriptor word in memory.
        dequeue_hit_ns: Unloaded latency of a dequeue whose descriptor word is in the cache.
        dequeue_miss_ns: Unloaded latency with the descriptor word in memory.
        model_mops: Prediction of the analytical model (section 3.6, interpreted as a recursion).
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


class Gaps(msgspec.Struct, frozen=True, omit_defaults=True):
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


class GapRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """Arrivals with ``from_packets`` to ``to_packets`` packets of other queues since the last arrival in their queue.

    ``share`` is relative to all arrivals with a predecessor in their queue, 0 to 1.

    Attributes:
        from_packets: Smallest gap of the range, in packets.
        to_packets: First gap beyond the range.
        share: Fraction of the packets with a predecessor in their queue.
    """

    from_packets: int
    to_packets: int
    share: float


class QueueDesignReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every size of a queuing cache that was tried, and the smallest that reaches the target.

    Attributes:
        smallest: By product, then entries, then engines; ``None`` when no size reaches the target.
        designs: One row per number of entries and engines.
        target_mops: The target, operations per second, 10^6.
        most_threads: Maximum number of threads tried.
        workload: Notation of the workload, or the capture.
        format: ``workload``, or the capture's format.
        compression: Compression of the capture.
        packets: Packets of the capture that were mapped to queues; 0 for a workload.
        packets_without_flow: Packets of the capture without an IP header, which are left out.
        damaged_records: Damaged records of the capture, which were skipped.
        diagnostics: The first findings in the capture.
    """

    smallest: QueueDesign | None
    designs: tuple[QueueDesign, ...]
    target_mops: float
    most_threads: int
    workload: str
    format: str
    compression: str | None
    packets: int
    packets_without_flow: int
    damaged_records: int
    diagnostics: tuple[Diagnostic, ...]


class QueueDesign(msgspec.Struct, frozen=True, omit_defaults=True):
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


class QueueSetting(msgspec.Struct, frozen=True, omit_defaults=True):
    """One setting of the machine, the managers or the traffic.

    Attributes:
        key: Key.
        value: Value.
        unit: Unit of the value.
        meaning: What it means.
        source: Source of the value.
    """

    key: str
    value: str
    unit: str
    meaning: str
    source: str
