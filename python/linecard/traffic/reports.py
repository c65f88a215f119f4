"""The reports of the core. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

import msgspec

from linecard._methods import DiagnosticMethods, SizeBinMethods


class FlowsReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Statistics of one capture. A flow is a unidirectional 5-tuple: protocol, addresses and ports.

    Attributes:
        file: Path of the capture, or name of a link profile.
        format: Format of the capture; ``described link`` for a link profile.
        compression: Compression.
        packets: Number of packets in the capture.
        bytes: Number of bytes on the wire, computed from the original packet lengths in the capture.
        captured_bytes: Number of packet bytes that the capture contains.
        seconds: Time between the earliest and the latest packet in seconds.
        duration_ns: Exact time between the earliest and the latest packet in nanoseconds.
        mean_bytes: Mean packet size on the wire; 0 if the capture contains no packet.
        at_most_64_bytes_percent: Packets of at most 64 bytes, in percent of all packets.
        size_bins: Histogram of packet sizes on the wire.
        ip_packets: Packets with an IP header.
        ipv4_packets: Packets with an IPv4 header.
        ipv6_packets: Packets with an IPv6 header.
        vlan_packets: Packets with a VLAN tag.
        mpls_packets: Packets with an MPLS label.
        flows: Number of unidirectional flows.
        single_packet_flows: Number of flows with exactly one packet.
        single_packet_flows_percent: Flows with exactly one packet, in percent of all flows.
        packets_in_single_packet_flows_percent: Packets in flows with one packet, in percent of all packets.
        top10_flows_percent: Packets in the ten largest flows, in percent of all packets.
        ipv4_checksums: Number of complete IPv4 headers in the capture; Linecard verifies their checksums.
        ipv4_checksums_ok_percent: IPv4 headers with a valid checksum, in percent of complete IPv4 headers; ``None`` if
            the capture contains no complete IPv4 header.
        skipped: Number of packets that belong to no flow, by reason. The totals of packets and bytes include these
            packets.
        incomplete_flow_packets: Number of packets that were assigned to a flow although the capture lacks their ports
            or part of their headers.
        damage: Number of findings in the capture, by kind; some kinds of finding do not indicate damage.
        clean: Whether the capture is free of damage.
        damaged_records: Number of findings that indicate damage.
        diagnostics: The first findings in the capture, each with its file, byte offset and packet number.
    """

    file: str
    format: str
    compression: str
    packets: int
    bytes: int
    captured_bytes: int
    seconds: float
    duration_ns: int
    mean_bytes: float
    at_most_64_bytes_percent: float
    size_bins: tuple[SizeBin, ...]
    ip_packets: int
    ipv4_packets: int
    ipv6_packets: int
    vlan_packets: int
    mpls_packets: int
    flows: int
    single_packet_flows: int
    single_packet_flows_percent: float
    packets_in_single_packet_flows_percent: float
    top10_flows_percent: float
    ipv4_checksums: int
    ipv4_checksums_ok_percent: float | None
    skipped: dict[str, int]
    incomplete_flow_packets: int
    damage: dict[str, int]
    clean: bool
    damaged_records: int
    diagnostics: tuple[Diagnostic, ...]


class SizeBin(SizeBinMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """Packets with a wire size from ``from_bytes`` to ``to_bytes``; the range includes these two sizes.

    Attributes:
        from_bytes: Smallest wire size in the bin.
        to_bytes: Largest wire size in the bin.
        packets: Number of packets in the bin.
    """

    from_bytes: int
    to_bytes: int
    packets: int


class Diagnostic(DiagnosticMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """One finding in a capture, such as a damaged record.

    Attributes:
        kind: Kind of the finding, such as ``cut_short``.
        file: Path of the capture.
        byte_offset: Position of the finding in bytes from the beginning of the decompressed file.
        packet: Number of the packet, counted from 1; a lost packet has the number that it would have had in an
            undamaged capture.
        line: Line number in a text file, counted from 1; ``None`` for other files.
        found: The contents of the capture at the position of the finding.
        expected: The contents that the format requires at the position of the finding.
        action: Action that Linecard takes after the finding.
    """

    kind: str
    file: str
    byte_offset: int
    packet: int
    line: int | None
    found: str
    expected: str
    action: str


class TrafficViewReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Flows from the viewpoint of a cache: after an idle time, the next packet with the same key starts a new flow.

    Attributes:
        packets: Number of packets that belong to a flow.
        flows: Number of flows; two flows with the same key are separated by an idle time.
        keys: Keys.
        single_packet_flows_percent: Flows with one packet, in percent of all flows.
        packets_in_single_packet_flows_percent: Packets in flows with one packet, in percent of all packets.
        large_flows_percent: Flows with more than 1000 packets, in percent of all flows.
        packets_in_large_flows_percent: Packets in flows with more than 1000 packets, in percent of all packets.
        mean_concurrent_flows: Mean number of active flows, averaged over the packets.
        most_concurrent_flows: Maximum number of active flows.
        sizes: Flow sizes in ascending order, with cumulative percentages of flows and packets.
    """

    packets: int
    flows: int
    keys: int
    single_packet_flows_percent: float
    packets_in_single_packet_flows_percent: float
    large_flows_percent: float
    packets_in_large_flows_percent: float
    mean_concurrent_flows: float
    most_concurrent_flows: int
    sizes: tuple[FlowSizeRow, ...]


class FlowSizeRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """Flows of one size: one point on each of the two curves in Girish 2008, Figure 5.3.

    Attributes:
        flow_packets: Number of packets in each flow of this size.
        flows: Number of flows with this number of packets.
        flows_cumulative_percent: Flows with at most this number of packets, in percent of all flows.
        packets_cumulative_percent: Packets in flows with at most this number of packets, in percent of all packets.
    """

    flow_packets: int
    flows: int
    flows_cumulative_percent: float
    packets_cumulative_percent: float


class ShotNoiseReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The load of generated shot-noise traffic.

    Attributes:
        rates_mbps: Load of each window in Mbit/s.
        mean_mbps: Mean load in Mbit/s.
        variation_percent: Coefficient of variation: sample standard deviation of the loads in percent of their mean.
        expected_variation_percent: Coefficient of variation of the loads according to the closed form (Campbell's
            theorem, averaged over a window).
        active_flows: Mean number of active flows, computed from the closed form.
        packets: Number of generated packets.
        seed: Seed of every random stream.
        window_ms: Length of a window in milliseconds.
    """

    rates_mbps: tuple[float, ...]
    mean_mbps: float
    variation_percent: float
    expected_variation_percent: float
    active_flows: float
    packets: int
    seed: int
    window_ms: float
