"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from linecard._methods import NotIpFramesMethods, PartMethods, ValueRangeMethods
from linecard._reports import Metric
from linecard.executed.reports import ExecutedProgram
from linecard.records import Number


class RunReport(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The report of one run of a chip. The report is deterministic: it contains no wall-clock time.

    Attributes:
        chip: Name of the chip.
        program: Name of the program that runs for each packet.
        traffic: Description of the traffic.
        seed: Seed of all random numbers in the run.
        version: Version of Linecard.
        config_hash: SHA-256 of the resolved configuration.
        warnings: Warnings about this run.
        capture_damage: Number of damaged records of the capture that were skipped; if the capture is replayed
            repeatedly, each pass counts the damaged records again.
        summary: The main results of the run.
        bottleneck: The bottleneck of the run.
        resources: Utilisation of each resource.
        dram: Breakdown of the simulated time by activity of the DRAM data bus.
        packet_time: Parts of the mean packet latency.
        drops: Dropped packets by reason.
        metrics: Every measurement of the run; other fields of the report repeat some measurements.
        programs: Results of executed programs, one result for each group of identical clusters that executes a program.
        ranges: Parameters of the chip's file for which a source states an interval.
        what_if: Throughput gains in the additional runs that search for the bottleneck, from largest to smallest; not
            part of ``to_dict``.
        breakdown: Packet counts by port, class and queue; a chip with only one port, for example, has no rows for
            ports.
        latency_bins: The latency histogram with 64 bins per octave: a pair (upper edge in ns, number of packets) for
            each nonempty bin. ``to_dict`` omits the histogram.
    """

    chip: str
    program: str
    traffic: str
    seed: int
    version: str
    config_hash: str
    warnings: tuple[str, ...]
    capture_damage: int
    summary: Summary
    bottleneck: Bottleneck
    resources: tuple[ResourceUse, ...]
    dram: DramTime
    packet_time: tuple[PacketTime, ...]
    drops: tuple[DropCount, ...]
    metrics: tuple[Metric, ...]
    programs: tuple[ExecutedProgram, ...] = ()
    ranges: tuple[ValueRange, ...] = ()
    what_if: tuple[WhatIf, ...]
    breakdown: tuple[Part, ...] = ()
    latency_bins: tuple[tuple[float, int], ...]


class Summary(msgspec.Struct, frozen=True, omit_defaults=True):
    """The main results of a run.

    Attributes:
        throughput_gbps: Throughput in Gbit/s: bits of packets that left the chip, divided by the simulated time.
            Packets that the program finishes without sending them (``XDP_DROP``, a step ``finish``) also count as
            packets that left.
        throughput_mpps: Throughput in Mpps: packets that left the chip, divided by the simulated time.
        offered_gbps: Offered load in Gbit/s: bits of packets that arrived, divided by the simulated time.
        packets_in: Packets that arrived while the run collected statistics.
        packets_out: Packets that left the chip while the run collected statistics.
        packets_dropped: Packets dropped for any reason, except packets that the program drops on purpose (``not_ip``).
        loss_fraction: Packets dropped, divided by packets that left or were dropped; packets still inside the chip do
            not count.
        latency_ns: Latency of the packets that left the chip.
        simulated_seconds: Simulated time during which the run collected statistics.
        steady: Whether the run is steady: the run is long enough, its warm-up has ended, and the number of packets in
            the chip does not grow.
        intervals: Confidence intervals; ``None`` if the run is too short to compute them.
        packets_inside: Packets still inside the chip at the end of the run.
        not_ip: Non-IP frames by outcome; ``None`` if the run has no non-IP frames.
    """

    NUMBERS: ClassVar[dict[str, Number]] = {
        "throughput_gbps": Number(unit="Gbit/s"),
        "throughput_mpps": Number(unit="Mpackets/s"),
        "offered_gbps": Number(unit="Gbit/s"),
        "packets_in": Number(unit="packets"),
        "packets_out": Number(unit="packets"),
        "packets_dropped": Number(unit="packets"),
        "loss_fraction": Number(unit="fraction"),
        "simulated_seconds": Number(unit="s"),
    }

    throughput_gbps: float
    throughput_mpps: float
    offered_gbps: float
    packets_in: int
    packets_out: int
    packets_dropped: int
    loss_fraction: float
    latency_ns: LatencyNs
    simulated_seconds: float
    steady: bool
    intervals: Intervals | None
    packets_inside: int
    not_ip: NotIpFrames | None = None


class LatencyNs(msgspec.Struct, frozen=True, omit_defaults=True):
    """Packet latency in nanoseconds, from the last received bit of a packet to its last sent bit.

    Attributes:
        mean: Exact arithmetic mean of the latency.
        p50: Median latency; all percentiles are within 1.6 % of the exact value.
        p90: Latency that 90 % of the packets do not exceed.
        p99: Latency that 99 % of the packets do not exceed.
        p999: Latency that 99.9 % of the packets do not exceed.
        max: Exact maximum of the latency.
    """

    mean: float
    p50: float
    p90: float
    p99: float
    p999: float
    max: float


class Intervals(msgspec.Struct, frozen=True, omit_defaults=True):
    """Confidence intervals of the main results, computed from the batch means of one run.

    Attributes:
        throughput_gbps: Confidence interval of the throughput, in Gbit/s.
        loss_fraction: Confidence interval of the loss, as a fraction.
        latency_mean_ns: Confidence interval of the mean latency, in ns.
    """

    throughput_gbps: Interval
    loss_fraction: Interval
    latency_mean_ns: Interval


class Interval(msgspec.Struct, frozen=True, omit_defaults=True):
    """Bounds of a 95 % confidence interval.

    Attributes:
        low: Lower bound of the confidence interval.
        high: Upper bound of the confidence interval.
    """

    low: float
    high: float


class NotIpFrames(NotIpFramesMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """Counts of non-IP frames by outcome, taken while the run collects statistics.

    At the end of the run, some non-IP frames can still be inside the chip. If a program checks headers or looks up
    addresses, the key ``not_ip`` of ``[program]`` sets how the program treats non-IP frames. Frames that the program
    punts or drops on purpose count neither as sent packets, nor as dropped packets, nor as loss.

    Attributes:
        packets_in: Non-IP frames that arrived.
        forwarded: Non-IP frames that left through a port.
        punted: Non-IP frames that went to the host.
        dropped_by_choice: Non-IP frames that the program drops because the chip's file requests it (``not_ip``).
        finished: Non-IP frames that an executed program or a step ``finish`` ended without sending them; these frames
            count as packets that left.
        lost: Non-IP frames lost for the same reasons as IP packets: a full buffer, a full queue, or arrival above line
            rate.
    """

    packets_in: int
    forwarded: int
    punted: int
    dropped_by_choice: int
    finished: int
    lost: int


class Bottleneck(msgspec.Struct, frozen=True, omit_defaults=True):
    """The bottleneck of a run, and the evidence for it.

    Attributes:
        component: The resource that limits the throughput; if the chip forwards all traffic, the offered load.
        utilization: Fraction of the time for which the resource was busy; for the offered load and for several parts,
            the fraction of the busiest resource. ``None`` for resources without a utilisation, such as queues and
            buffers.
        why: A sentence with the numbers that identify the bottleneck.
    """

    component: str
    utilization: float | None
    why: str


class ResourceUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """Fraction of the simulated time for which one resource was busy, from 0 to 1.

    Attributes:
        component: Name of the resource; a group of identical resources has two rows: the mean and the busiest resource.
        utilization: Fraction of the time for which the resource was busy.
    """

    component: str
    utilization: float


class DramTime(msgspec.Struct, frozen=True, omit_defaults=True):
    """Breakdown of the simulated time by activity of the DRAM data bus, in fractions that add up to 1.

    The field ``row_hit_rate`` is not part of the breakdown.

    Attributes:
        data: Fraction of the time in which the bus transfers data.
        row_miss: Time spent waiting for a precharge or an activate, as a fraction of the simulated time.
        turnaround: Time spent on bus turnaround, as a fraction of the simulated time.
        refresh: Time spent on refreshes, as a fraction of the simulated time.
        idle: Time without a request, as a fraction of the simulated time.
        row_hit_rate: Fraction of accesses that hit an open row.
        spacing: Time spent waiting between two column commands to an open row, as a fraction of the simulated time.
    """

    data: float
    row_miss: float
    turnaround: float
    refresh: float
    idle: float
    row_hit_rate: float
    spacing: float


class PacketTime(msgspec.Struct, frozen=True, omit_defaults=True):
    """One part of the mean latency of a packet, in nanoseconds and as a fraction.

    Attributes:
        part: Name of the part, such as ``compute`` or ``wait dram``.
        mean_ns: Mean time of this part of the latency, in nanoseconds.
        share: This part's mean time divided by the sum of all parts' mean times, from 0 to 1.
    """

    part: str
    mean_ns: float
    share: float


class DropCount(msgspec.Struct, frozen=True, omit_defaults=True):
    """Packets dropped for one reason.

    Attributes:
        reason: The reason for the drop, as named in the metrics.
        packets: Number of packets dropped for this reason.
    """

    reason: str
    packets: int


class ValueRange(ValueRangeMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """A parameter of the chip's file for which a source states an interval, in the parameter's unit.

    Attributes:
        key: Key of the parameter.
        low: Lower end of the interval.
        high: Upper end of the interval.
    """

    key: str
    low: float
    high: float


class WhatIf(msgspec.Struct, frozen=True, omit_defaults=True):
    """The throughput gain of a run in which one part of the chip is improved.

    Attributes:
        change: Description of the change, such as ``twice the threads in island``.
        gain: Relative change in throughput due to the improvement.
    """

    change: str
    gain: float


class Part(PartMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """A group of packets that a run counts separately.

    For each group, ``packets_inside_at_start + packets_offered`` equals ``packets_delivered + packets_lost +
    packets_by_choice + packets_inside``.

    Attributes:
        of: ``input``: packets that arrived at a port; ``output``: packets that programs sent to a port. ``class``:
            packets of one class on any port; ``queue``: packets of one class on one port. ``no queue``: packets that
            were lost or finished before a program sent them, and packets still unsent at the end of the run.
        packets_inside_at_start: Packets of the group inside the chip when statistics started.
        packets_offered: Packets of the group that arrived at a port or that programs sent.
        packets_delivered: Packets of the group that left the chip.
        packets_lost: Packets lost for any reason.
        packets_by_choice: Packets whose processing a program ended on purpose (``program.not_ip``); these packets do
            not count as lost.
        packets_inside: Packets of the group inside the chip at the end of the run.
        loss_fraction: Lost packets, divided by packets that left or were lost.
        port: Port of the group; ``None`` if the group covers all ports.
        traffic_class: Class of service of the group; ``None`` if the group covers all classes.
        offered_gbps: Offered load in Gbit/s: bits of packets that arrived at a port or that programs sent; ``None`` for
            the group ``no queue``.
        throughput_gbps: Throughput in Gbit/s: bits of packets that left the chip; ``None`` for the group ``no queue``.
        latency_ns: Latency of packets that left; ``None`` if no packet left, or for the group ``no queue``.
    """

    of: str
    packets_inside_at_start: int
    packets_offered: int
    packets_delivered: int
    packets_lost: int
    packets_by_choice: int
    packets_inside: int
    loss_fraction: float
    port: str | None
    traffic_class: str | None
    offered_gbps: float | None
    throughput_gbps: float | None
    latency_ns: LatencyNs | None


class ChipDrawing(msgspec.Struct, frozen=True, omit_defaults=True):
    """The facts about a chip that its block diagram shows.

    Attributes:
        chip: Name of the chip.
        title: Title.
        clusters: The clusters of the chip, one entry for each name.
        places: Memories and accelerators of the chip.
        links: Links.
        routes: Routes from clusters to memories and units.
        ports: Ports.
    """

    chip: str
    title: str
    clusters: tuple[Cluster, ...]
    places: tuple[Place, ...]
    links: tuple[Link, ...]
    routes: tuple[Route, ...]
    ports: tuple[Port, ...]


class Cluster(msgspec.Struct, frozen=True, omit_defaults=True):
    """The clusters that share one name.

    Attributes:
        name: Name.
        count: Number of clusters with this name.
        engines: Number of engines in each cluster.
        threads: Number of hardware threads in each engine.
        clock_mhz: Clock.
        takes: Inboxes and rings from which the cluster's threads take packets.
        puts: Inboxes and rings into which the cluster's program puts packets.
    """

    name: str
    count: int
    engines: int
    threads: int
    clock_mhz: float
    takes: tuple[str, ...]
    puts: tuple[str, ...]


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """A memory or an accelerator.

    Attributes:
        name: Name.
        kind: Type of the memory or unit.
        is_memory: True for a memory, false for an accelerator.
        per: Name of the cluster, if each instance of the cluster has its own copy of the memory or unit.
        count: Number of instances.
        roles: Roles that the chip's file binds to the memory or unit.
        capacity_bytes: Capacity.
        behind: If this memory is a cache, the memory whose data the cache contains; otherwise ``None``.
    """

    name: str
    kind: str
    is_memory: bool
    per: str | None
    count: int
    roles: tuple[str, ...]
    capacity_bytes: int | None
    behind: str | None


class Link(msgspec.Struct, frozen=True, omit_defaults=True):
    """An on-chip link.

    Attributes:
        name: Name.
        count: Number of instances.
        rate_gbps: Rate of the link in Gbit/s.
    """

    name: str
    count: int
    rate_gbps: float


class Route(msgspec.Struct, frozen=True, omit_defaults=True):
    """A route from a cluster to a memory or unit.

    Attributes:
        from: Cluster.
        to: Memory or unit at the end of the route.
        links: Links along the route.
        nanoseconds: Round-trip time in nanoseconds, without waiting times.
    """

    from_: str = msgspec.field(name="from")
    to: str
    links: tuple[str, ...]
    nanoseconds: float


class Port(msgspec.Struct, frozen=True, omit_defaults=True):
    """The ports that share one name.

    Attributes:
        name: Name.
        count: Number of ports with this name.
        receive_gbps: Receive rate in Gbit/s; ``None`` if the ports only send.
        transmit_gbps: Transmit rate in Gbit/s; ``None`` if the ports only receive.
        memory: Memory to which the ports write packets and from which they read packets.
    """

    name: str
    count: int
    receive_gbps: float | None
    transmit_gbps: float | None
    memory: str | None
