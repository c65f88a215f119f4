"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from linecard._methods import NotIpFramesMethods, PartMethods, ValueRangeMethods
from linecard._reports import Metric
from linecard.executed.reports import ExecutedProgram
from linecard.records import Number


class RunReport(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The report of a run. Deterministic: no wall-clock time in here.

    Attributes:
        chip: The chip.
        program: What each packet runs.
        traffic: The traffic.
        seed: Seed of all random draws.
        version: Version of Linecard.
        config_hash: SHA-256 of the resolved configuration.
        warnings: Warnings about this run.
        capture_damage: Damaged records of the capture that were skipped, counted in each pass.
        summary: The main numbers.
        bottleneck: The bottleneck of the run.
        resources: Utilisation of each resource.
        dram: Use of the time of the DRAM data bus.
        packet_time: Parts of the mean latency.
        drops: Packets dropped, by reason.
        metrics: Every measurement; the other fields show a part of them.
        programs: Results of executed programs, one per kind of cluster that has one.
        ranges: Values of the chip's file whose sources state an interval.
        what_if: Gains of the runs that found the bottleneck, the largest first; not part of :meth:``to_dict``.
        breakdown: Packets by port, class and queue, each only if there are several.
        latency_bins: The histogram of the latency: (upper edge in ns, packets) of each bin that is not empty, 64 bins
            per octave. Not part of :meth:``to_dict``.
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
    """The main numbers of a run.

    Attributes:
        throughput_gbps: Throughput: bits of packets that left, in Gbit/s of simulated time.
        throughput_mpps: Throughput: packets that left, in Mpps of simulated time.
        offered_gbps: Offered load: bits of packets that arrived, in Gbit/s of simulated time.
        packets_in: Packets that arrived while statistics were on.
        packets_out: Packets that left while statistics were on.
        packets_dropped: Packets dropped for any reason except by choice (``not_ip``).
        loss_fraction: Packets dropped, divided by packets that left or were dropped; packets still inside count in
            neither.
        latency_ns: Latency of the packets that left.
        simulated_seconds: Simulated time with statistics on.
        steady: Whether the run is steady: long enough, past its warm-up, and without packets that accumulate.
        intervals: Confidence intervals; ``None`` if the run is too short, or not judged.
        packets_inside: Packets still inside at the end.
        not_ip: Frames that are not IP, by outcome; ``None`` without any.
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
    """Packet latency, from a packet's last bit in to its last bit out, in nanoseconds.

    Attributes:
        mean: Arithmetic mean, exact.
        p50: Median; percentiles are within 1.6 % of the exact value.
        p90: 90 % of the packets have at most this latency.
        p99: 99 %.
        p999: 99.9 %.
        max: Maximum, exact.
    """

    mean: float
    p50: float
    p90: float
    p99: float
    p999: float
    max: float


class Intervals(msgspec.Struct, frozen=True, omit_defaults=True):
    """Confidence intervals of the main numbers, from batch means of one run.

    Attributes:
        throughput_gbps: Interval of the throughput, Gbit/s.
        loss_fraction: Interval of the loss, as a fraction.
        latency_mean_ns: Interval of the mean latency, ns.
    """

    throughput_gbps: Interval
    loss_fraction: Interval
    latency_mean_ns: Interval


class Interval(msgspec.Struct, frozen=True, omit_defaults=True):
    """Bounds of a 95 % confidence interval.

    Attributes:
        low: Lower end.
        high: Upper end.
    """

    low: float
    high: float


class NotIpFrames(NotIpFramesMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """Frames that are not IP while statistics were on; the remainder is still inside.

    ``not_ip`` of ``[program]`` sets their treatment by programs that check headers or look up addresses. Frames that it
    punts or drops are no loss: they count neither as packets out nor as packets dropped.

    Attributes:
        packets_in: Frames that arrived.
        forwarded: Frames that left by a port.
        punted: Frames that went to the host.
        dropped_by_choice: Frames that were dropped by choice of the chip's file.
        finished: Frames that an executed program, or a step ``finish``, ended; they count as packets that left.
        lost: Frames that were lost like other packets: a full buffer or queue, or arrival above line rate.
    """

    packets_in: int
    forwarded: int
    punted: int
    dropped_by_choice: int
    finished: int
    lost: int


class Bottleneck(msgspec.Struct, frozen=True, omit_defaults=True):
    """The bottleneck of a run, and the evidence.

    Attributes:
        component: The resource; if the chip carries all of its traffic, the offered load.
        utilization: Fraction of the time for which it was busy.
        why: The deciding numbers, as a sentence.
    """

    component: str
    utilization: float
    why: str


class ResourceUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """Fraction of the simulated time for which one resource was busy, 0 to 1.

    Attributes:
        component: The resource; for several identical ones, the mean and the busiest.
        utilization: The fraction.
    """

    component: str
    utilization: float


class DramTime(msgspec.Struct, frozen=True, omit_defaults=True):
    """Use of the time of the DRAM data bus: fractions of the simulated time that add up to 1.

    ``spacing`` is the time between column commands of an open row. ``row_hit_rate`` is the fraction of accesses that
    hit an open row.

    Attributes:
        data: Data moved.
        row_miss: Waiting for a precharge or an activate.
        turnaround: Bus turnaround.
        refresh: Refreshes.
        idle: No request.
        row_hit_rate: Fraction of accesses that hit an open row.
        spacing: Between column commands of an open row.
    """

    data: float
    row_miss: float
    turnaround: float
    refresh: float
    idle: float
    row_hit_rate: float
    spacing: float


class PacketTime(msgspec.Struct, frozen=True, omit_defaults=True):
    """One part of the mean latency of a packet, in nanoseconds, and its fraction.

    Attributes:
        part: The part, such as ``compute`` or ``wait dram``.
        mean_ns: The mean.
        share: Fraction of the sum of all parts, 0 to 1.
    """

    part: str
    mean_ns: float
    share: float


class DropCount(msgspec.Struct, frozen=True, omit_defaults=True):
    """Packets dropped for one reason.

    Attributes:
        reason: The reason, as in the metrics.
        packets: Count.
    """

    reason: str
    packets: int


class ValueRange(ValueRangeMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """A value of the chip's file whose sources state an interval, in the unit of its key.

    Attributes:
        key: Key.
        low: Lower end.
        high: Upper end.
    """

    key: str
    low: float
    high: float


class WhatIf(msgspec.Struct, frozen=True, omit_defaults=True):
    """The gain of a run with one part improved.

    Attributes:
        change: The change, such as ``twice the threads in island``.
        gain: Relative change of the throughput.
    """

    change: str
    gain: float


class Part(PartMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """A group of the packets of a run, counted separately.

    ``packets_inside_at_start + packets_offered`` equals ``packets_delivered + packets_lost + packets_by_choice +
    packets_inside`` for each.

    Attributes:
        of: ``input``, packets that arrived at a port; ``output``, packets that programs sent to a port. ``class``,
            packets of a class of any port; ``queue``, of a class of one port. ``no queue``, packets that no program had
            sent when they were lost or ended, or at the end of the run.
        packets_inside_at_start: Packets inside when statistics started.
        packets_offered: Packets that arrived or were sent there.
        packets_delivered: Packets that left.
        packets_lost: Packets lost, for any reason.
        packets_by_choice: Packets that programs ended by choice (``program.not_ip``), which are not lost.
        packets_inside: Packets inside at the end.
        loss_fraction: Packets lost, divided by packets that left or were lost.
        port: The port, of inputs, outputs and queues.
        traffic_class: The class, of classes and queues.
        offered_gbps: Offered load: bits of packets that arrived or were sent there, in Gbit/s; ``None`` without a
            queue.
        throughput_gbps: Bits of packets that left, likewise.
        latency_ns: Latency of packets that left; ``None`` without such packets or without a queue.
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
    """The facts about a chip that its drawing shows.

    Attributes:
        chip: The chip.
        title: Title.
        clusters: Clusters by name.
        places: Memories and accelerators.
        links: Links.
        routes: Routes between clusters, memories and units.
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
    """Clusters that share a name.

    Attributes:
        name: Name.
        count: Number of instances.
        engines: Engines of each.
        threads: Threads of an engine.
        clock_mhz: Clock.
        takes: Inboxes and rings that its threads take packets from.
        puts: Inboxes and rings that its program puts packets into.
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
        kind: Kind of memory or unit.
        is_memory: Whether it is a memory; otherwise it is an accelerator.
        per: Cluster whose instances have one each.
        count: Number of instances.
        roles: Roles that are bound to it.
        capacity_bytes: Capacity.
        behind: The memory behind a cache.
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
    """A link.

    Attributes:
        name: Name.
        count: Number of instances.
        rate_gbps: Rate, Gbit/s.
    """

    name: str
    count: int
    rate_gbps: float


class Route(msgspec.Struct, frozen=True, omit_defaults=True):
    """A route from a cluster to a memory or unit.

    Attributes:
        from: Cluster.
        to: Memory or unit.
        links: Links of the route.
        nanoseconds: Round-trip time, nanoseconds, without waiting.
    """

    from_: str = msgspec.field(name="from")
    to: str
    links: tuple[str, ...]
    nanoseconds: float


class Port(msgspec.Struct, frozen=True, omit_defaults=True):
    """Ports of one name.

    Attributes:
        name: Name.
        count: Number of instances.
        receive_gbps: Rate in and out, Gbit/s.
        transmit_gbps: See ``receive_gbps``.
        memory: Memory that they write packets to and read them from.
    """

    name: str
    count: int
    receive_gbps: float | None
    transmit_gbps: float | None
    memory: str | None
