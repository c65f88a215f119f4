"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec


class CoreReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a core reaches.

    Attributes:
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


class Adapted(msgspec.Struct, frozen=True, omit_defaults=True):
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


class Stretch(msgspec.Struct, frozen=True, omit_defaults=True):
    """Packets with one number of threads: a trial, or the time between two adaptations.

    Attributes:
        from_packet: Packets before it.
        threads: Threads.
        packets_per_mcycle: Packets in a million cycles.
        trial: Whether it was a trial.
    """

    from_packet: int
    threads: int
    packets_per_mcycle: float
    trial: bool
