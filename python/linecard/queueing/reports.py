"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec

from linecard.traffic.reports import Diagnostic


class QueueingReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every manager under one workload.

    Attributes:
        rows: One row per manager, in the order asked for.
        workload: Notation of the workload, or the capture.
        format: ``workload``, or the capture's format.
        compression: How the capture is compressed.
        packets: Packets of the capture that were mapped to queues; 0 of a workload.
        packets_without_flow: Packets of the capture without an IP header, left out.
        damaged_records: Damaged places of the capture that were passed over.
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
    """One manager: what was simulated, and what the analytical model says.

    Attributes:
        manager: ``nc``, ``dc``, ``sqc``, ``qarray`` or ``qc``.
        operations: Operations measured.
        throughput_mops: Operations per simulated second, 10^6.
        hit_rate: Operations that found their descriptor in the cache, 0 to 1.
        latency_mean_ns: From when a thread takes an operation to when it is done, waiting for locks included.
        latency_p50_ns: Median.
        latency_p99_ns: 99th percentile.
        latency_max_ns: Largest.
        lock_wait_mean_ns: Waiting for the lock, mean over all operations.
        messages_per_operation: Messages from threads over the interconnect.
        reads_per_operation: Memory reads.
        writes_per_operation: Memory writes.
        references_per_operation: Both.
        instructions_per_operation: What the document states (Table 5), not a count.
        read_port_utilization: Share of time that the memory's read port is busy, 0 to 1.
        write_port_utilization: The same of the write port, which serves reads too where ports are shared.
        request_path_utilization: The same of the interconnect towards memory.
        response_path_utilization: The same of the interconnect towards threads.
        engine_utilization: Share of time that an engine works.
        empty_dequeues: Dequeues of the whole run that found their queue empty.
        packets_left_inside: Packets in queues at the end.
        simulated_ns: Simulated time that was measured.
        enqueue_hit_ns: Latency of a lone thread's enqueue whose descriptor word is in the cache (Table 5).
        enqueue_miss_ns: The same, in memory.
        dequeue_hit_ns: The same of a dequeue.
        dequeue_miss_ns: The same of a dequeue, in memory.
        model_mops: What the analytical model predicts (section 3.6, read as a recursion).
        model_difference_percent: Prediction against simulation, in percent of the simulation.
        model_printed_mops: What the formula predicts as it is printed.
        model_hit_rate: Hits by the order of operations alone.
        memory_limit_mops: What the memory ports allow at these hits.
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
    """How near packets of a queue arrive after each other (section 5.1, Figure 10); shares from 0 to 1.

    Attributes:
        below_loss: No packet of another queue in between: operations wait for each other.
        between: Fewer than the cache has entries: a hit, and no wait.
        above_gain: More: a miss is likely.
        rows: The distribution.
    """

    below_loss: float
    between: float
    above_gain: float
    rows: tuple[GapRow, ...]


class GapRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """Arrivals with at least ``from_packets`` and fewer than ``to_packets`` of other queues since the last of theirs.

    ``share`` is of all arrivals that have one before them in their queue, 0 to 1.

    Attributes:
        from_packets: Least gap of the range, in packets.
        to_packets: The first gap beyond it.
        share: Packets in it, of all that have one before them in their queue.
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
        most_threads: Most threads that were tried.
        workload: Notation of the workload, or the capture.
        format: ``workload``, or the capture's format.
        compression: How the capture is compressed.
        packets: Packets of the capture that were mapped to queues; 0 of a workload.
        packets_without_flow: Packets of the capture without an IP header, left out.
        damaged_records: Damaged places of the capture that were passed over.
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
        threads: Fewest threads that reach the target; ``None`` when the most that were tried do not.
        throughput_mops: Throughput with those threads, or with the most.
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
        key: Its key.
        value: Its value.
        unit: Unit of the value.
        meaning: What it means.
        source: Where the value comes from.
    """

    key: str
    value: str
    unit: str
    meaning: str
    source: str
