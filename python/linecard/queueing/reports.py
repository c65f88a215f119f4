"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

import msgspec

from linecard.traffic.reports import Diagnostic


class QueueingReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Results of every simulated queue manager for one workload.

    Attributes:
        rows: One row for each queue manager, in the order in which the request lists them.
        workload: Workload in the notation of Kumar and Crowley (2006), or name of the capture.
        format: ``workload`` if the operations come from a workload; otherwise, the file format of the capture.
        compression: Compression format of the capture file.
        packets: Number of packets in the capture that were mapped to queues; 0 if the operations come from a workload.
        packets_without_flow: Number of packets in the capture that have no IP header; the simulation ignores them.
        damaged_records: Number of damaged records in the capture that were skipped.
        diagnostics: Problems that were found in the capture; of each kind, at most the first ten.
        gaps: Distribution of the distances between consecutive arrivals in the same queue.
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
    """Results of one queue manager for the workload. Rates and fractions are averages over the measured operations.

    Attributes:
        manager: Name of the queue manager: ``nc``, ``dc``, ``sqc``, ``qarray`` or ``qc``.
        operations: Number of measured operations.
        throughput_mops: Throughput in million operations per simulated second.
        hit_rate: Fraction of operations whose descriptor is in the cache, from 0 to 1.
        latency_mean_ns: Mean time from the start of an operation in a thread to its end, including time spent waiting
            for locks.
        latency_p50_ns: Median.
        latency_p99_ns: 99th percentile of the latency.
        latency_max_ns: Largest.
        lock_wait_mean_ns: Mean waiting time for the lock per operation; operations that do not wait count as 0.
        messages_per_operation: Number of messages that threads send over the interconnect per operation.
        reads_per_operation: Memory reads per operation.
        writes_per_operation: Memory writes per operation.
        references_per_operation: Memory reads and writes per operation.
        instructions_per_operation: Instructions per operation, as stated in Table 5 of Kumar and Crowley (2006); the
            run does not count instructions.
        read_port_utilization: Fraction of time in which the memory's read port is busy, from 0 to 1. If reads and
            writes share one port, the value is that of the port, as in ``write_port_utilization``.
        write_port_utilization: Fraction of time in which the memory's write port is busy, from 0 to 1.
        request_path_utilization: Fraction of time in which the interconnect towards the memory is busy.
        response_path_utilization: Fraction of time in which the interconnect towards the threads is busy.
        engine_utilization: Utilisation of the engines.
        empty_dequeues: Number of dequeues from an empty queue in the whole run.
        packets_left_inside: Number of packets that are still in queues at the end of the run.
        simulated_ns: Duration of the measurement, in simulated time.
        enqueue_hit_ns: Unloaded latency of an enqueue whose descriptor word is in the cache (Kumar and Crowley 2006,
            Table 5).
        enqueue_miss_ns: Unloaded latency of an enqueue whose descriptor word is in memory.
        dequeue_hit_ns: Unloaded latency of a dequeue whose descriptor word is in the cache.
        dequeue_miss_ns: Unloaded latency of a dequeue whose descriptor word is in memory.
        model_mops: Throughput that the analytical model predicts if section 3.6 of Kumar and Crowley (2006) is
            interpreted as a recursion.
        model_difference_percent: Predicted throughput minus simulated throughput, in percent of the simulated
            throughput.
        model_printed_mops: Throughput predicted by the formula as printed in Kumar and Crowley (2006).
        model_hit_rate: Cache hit rate that the analytical model predicts solely from the order of the operations.
        memory_limit_mops: Throughput at which the memory ports saturate if the hit rate is ``model_hit_rate``; ``None``
            if the memory sets no limit.
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
    memory_limit_mops: float | None


class Gaps(msgspec.Struct, frozen=True, omit_defaults=True):
    """Distribution of distances between arrivals in the same queue (Kumar and Crowley 2006, section 5.1, Figure 10).

    The distance is the number of packets that arrive in other queues between two consecutive arrivals in the same
    queue. The first arrival in a queue has no distance; all fractions are fractions of the other arrivals.

    Attributes:
        below_loss: Fraction of arrivals whose distance is 0; each of them waits for the previous operation on the
            queue.
        between: Fraction of arrivals whose distance is at least 1 and less than the number of cache entries. Their
            operations hit the cache without waiting.
        above_gain: Fraction of arrivals whose distance is at least the number of cache entries. Their operations are
            likely to miss the cache.
        rows: The distribution of the distances, with one row per range of distances.
    """

    below_loss: float
    between: float
    above_gain: float
    rows: tuple[GapRow, ...]


class GapRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """Arrivals whose distance from the previous arrival in the same queue is in one range.

    Attributes:
        from_packets: Lower end of the range of distances, in packets (inclusive).
        to_packets: Upper end of the range of distances, in packets (exclusive).
        share: Number of arrivals in this range, divided by the number of arrivals that have a predecessor in their
            queue.
    """

    from_packets: int
    to_packets: int
    share: float


class QueueDesignReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """All simulated sizes of the queuing cache, and the smallest size that reaches the target throughput.

    Attributes:
        smallest: The design with the smallest ``product``; of equal designs, the one with the fewest entries, then the
            fewest engines. ``None`` if no design reaches the target.
        designs: One row for each combination of a number of entries and a number of engines.
        target_mops: Target throughput in million operations per second.
        most_threads: Maximum number of threads in the search.
        workload: Workload in the notation of Kumar and Crowley (2006), or name of the capture.
        format: ``workload`` if the operations come from a workload; otherwise, the file format of the capture.
        compression: Compression format of the capture file.
        packets: Number of packets in the capture that were mapped to queues; 0 if the operations come from a workload.
        packets_without_flow: Number of packets in the capture that have no IP header; the simulation ignores them.
        damaged_records: Number of damaged records in the capture that were skipped.
        diagnostics: Problems that were found in the capture; of each kind, at most the first ten.
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
    """A queuing cache with a given number of entries and engines.

    Attributes:
        entries: Entries.
        engines: Engines.
        threads: Smallest number of threads that reaches the target; ``None`` if no simulated number reaches the target.
        throughput_mops: Throughput at ``threads`` threads, or at the largest simulated number of threads if ``threads``
            is ``None``.
        product: ``entries × engines × threads``.
    """

    entries: int
    engines: int
    threads: int | None
    throughput_mops: float
    product: int | None


class QueueSetting(msgspec.Struct, frozen=True, omit_defaults=True):
    """One setting of the simulated machine, of the queue managers or of the traffic.

    Attributes:
        key: Key.
        value: Value.
        unit: Unit of the value.
        meaning: Meaning of the setting.
        source: Source of the value.
    """

    key: str
    value: str
    unit: str
    meaning: str
    source: str
