"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

import msgspec


class CoreReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The throughput of a core for every split of its area into threads and cache.

    Attributes:
        latency_cycles: Latency of an off-chip access in cycles.
        refs_per_cycle: Memory bandwidth in references per cycle.
        area: Area for threads and cache; the unit is the area of one thread (thread-equivalent).
        window_packets: Number of packets that each simulation measures.
        rows: One row for each number of threads.
        best_threads: Number of threads in the best split; if several splits are within 0.01 % of the best throughput,
            the largest number of threads. ``plateau`` returns the range of splits with nearly the best throughput.
        best_packets_per_mcycle: Throughput.
        single_peak: Whether the throughput rises to a single peak and then falls as the number of threads grows.
        adapted: Results of a malleable core with the same area; ``None`` if not requested.
    """

    latency_cycles: int
    refs_per_cycle: float
    area: int
    window_packets: int
    rows: tuple[CoreRow, ...]
    best_threads: int
    best_packets_per_mcycle: float
    single_peak: bool
    adapted: Adapted | None


class CoreRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """Results of one split of the area into threads and cache.

    Attributes:
        threads: Number of threads.
        cache_th_eq: Area of the data cache in thread-equivalents.
        cache_kb: Size of the data cache in KB.
        packets_per_mcycle: Throughput in packets per million cycles.
        hit_percent: Percentage of data accesses that hit in the cache.
        bandwidth_percent: Utilisation of the memory in percent.
        queueing_cycles: Mean time in cycles that an access waits for a busy memory.
        run_instructions: Mean number of instructions between two thread switches.
        lock_waits_per_packet: Number of lock requests per packet that had to wait.
        instructions_percent: Percentage of cycles in which instructions execute; other fields list the remaining
            cycles.
        pipeline_percent: Percentage of cycles stalled by branches and long operations.
        load_use_percent: Percentage of cycles stalled between a load and the use of its value.
        switches_percent: Percentage of cycles spent on thread switches.
        registers_percent: Percentage of cycles stalled while registers are loaded.
        idle_memory_percent: Percentage of cycles in which the core is idle because threads wait for memory.
        idle_other_percent: Percentage of cycles in which the core is idle because threads wait for locks or packets.
        limit: Bottleneck of the split: compute, switches, memory latency, memory bandwidth or locks.
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


class Adapted(msgspec.Struct, frozen=True, omit_defaults=True):
    """Results of a malleable core, which adapts its number of threads at run time.

    Attributes:
        threads: Number of threads at the end.
        steady_packets_per_mcycle: Throughput between adaptations, in packets per million cycles.
        packets_per_mcycle: Throughput including all trials, in packets per million cycles.
        history: The intervals in order, each with a constant number of threads.
        unsuccessful: Number of adaptations that were incomplete when the packet stream ended.
    """

    threads: int
    steady_packets_per_mcycle: float
    packets_per_mcycle: float
    history: tuple[Stretch, ...]
    unsuccessful: int


class Stretch(msgspec.Struct, frozen=True, omit_defaults=True):
    """An interval with a constant number of threads: a trial, or the time between two adaptations.

    Attributes:
        from_packet: Number of packets before this interval.
        threads: Number of threads.
        packets_per_mcycle: Throughput in packets per million cycles.
        trial: Whether the interval was a trial.
    """

    from_packet: int
    threads: int
    packets_per_mcycle: float
    trial: bool
