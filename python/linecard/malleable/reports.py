"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec


class CoreReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The throughput of a core for every split of its area.

    Attributes:
        latency_cycles: Latency of an off-chip access in cycles.
        refs_per_cycle: References that the memory serves per cycle.
        area: Thread-equivalents for threads and cache.
        window_packets: Packets that each simulation measures.
        rows: One row per number of threads.
        best_threads: Threads of the best split; of splits within 0.01 %, the largest number. ``plateau`` returns the
            splits that are about as good.
        best_packets_per_mcycle: Throughput.
        single_peak: Whether throughput over threads rises, peaks and falls.
        adapted: A malleable core of the same area; ``None`` if it was not requested.
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


class Adapted(msgspec.Struct, frozen=True, omit_defaults=True):
    """A malleable core that finds its number of threads.

    Attributes:
        threads: Threads at the end.
        steady_packets_per_mcycle: Throughput between adaptations, in packets per million cycles.
        packets_per_mcycle: Throughput including all trials.
        history: The sequence of intervals.
        unsuccessful: Adaptations that the end of the stream cut short.
    """

    threads: int
    steady_packets_per_mcycle: float
    packets_per_mcycle: float
    history: tuple[Stretch, ...]
    unsuccessful: int


class Stretch(msgspec.Struct, frozen=True, omit_defaults=True):
    """Packets with one number of threads: a trial, or the time between two adaptations.

    Attributes:
        from_packet: Packets before this interval.
        threads: Number of threads.
        packets_per_mcycle: Packets per million cycles.
        trial: Whether it was a trial.
    """

    from_packet: int
    threads: int
    packets_per_mcycle: float
    trial: bool
