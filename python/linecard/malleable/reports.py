"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

import msgspec


class CoreReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The throughput of a core for every split of its area into threads and cache.

    Attributes:
        latency_cycles: Latency of an off-chip access in cycles.
        refs_per_cycle: Memory bandwidth in references per cycle.
        area: Total area of the threads and the cache, in units of the area of one thread (thread-equivalents).
        window_packets: Number of packets that each simulation measures.
        rows: One row for each number of threads.
        best_threads: Number of threads in the best split. If several splits are within 0.01 % of the best throughput,
            the highest number of threads is used. The method ``plateau`` returns the range of splits whose throughput
            is close to the best.
        best_packets_per_mcycle: Throughput.
        single_peak: Whether the throughput rises to a single peak, and then falls, as the number of threads increases.
        adapted: Results of a malleable core with the same area; ``None`` if not requested. Also ``None`` if the area is
            at most that of the register cache, 2 thread-equivalents.
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
        queueing_cycles: Mean time that an access waits because the memory is busy, in cycles.
        run_instructions: Mean number of instructions between two thread switches.
        lock_waits_per_packet: Mean number of times that a packet had to wait for a lock.
        instructions_percent: Percentage of cycles in which the core executes instructions; other fields contain the
            percentages of the remaining cycles.
        pipeline_percent: Percentage of cycles in which the core is stalled by branches and multi-cycle operations.
        load_use_percent: Percentage of cycles in which an instruction waits for a value that a load has not yet
            delivered.
        switches_percent: Percentage of cycles spent on thread switches.
        registers_percent: Percentage of cycles in which the core is stalled because a thread's registers are being
            loaded.
        idle_memory_percent: Percentage of cycles in which the core is idle because threads wait for memory.
        idle_other_percent: Percentage of cycles in which the core is idle because threads wait for locks or packets.
        limit: Resource that limits the throughput of the split: compute, switches, memory latency, memory bandwidth or
            locks; offered load if the core mostly waits for packets.
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
        threads: Number of threads at the end of the simulation.
        steady_packets_per_mcycle: Throughput in packets per million cycles, excluding all trials; ``None`` if every
            packet was part of a trial.
        packets_per_mcycle: Throughput in packets per million cycles, including all trials.
        history: The intervals in chronological order; the number of threads is constant within each interval.
        unsuccessful: Number of adaptations that had not finished when the packet stream ended. After such an
            adaptation, the core has the number of threads from before it.
    """

    threads: int
    steady_packets_per_mcycle: float | None
    packets_per_mcycle: float
    history: tuple[Stretch, ...]
    unsuccessful: int


class Stretch(msgspec.Struct, frozen=True, omit_defaults=True):
    """An interval with a constant number of threads: a trial, or the time between two adaptations.

    Attributes:
        from_packet: Number of packets that were processed before this interval.
        threads: Number of threads.
        packets_per_mcycle: Throughput in packets per million cycles.
        trial: Whether the interval was a trial.
    """

    from_packet: int
    threads: int
    packets_per_mcycle: float
    trial: bool
