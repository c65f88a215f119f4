"""The reports that the compiled core returns. `make docs` writes this module from the types in Rust."""

from __future__ import annotations

import msgspec

from linecard._methods import DiagnosticMethods, SizeBinMethods


class FlowsReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Statistics of one capture. The 5-tuple of protocol, addresses and ports identifies a unidirectional flow.

    Attributes:
        file: Path of the capture, or name of a link profile.
        format: Format of the capture; ``described link`` for a link profile.
        compression: Compression.
        packets: Number of packets in the capture.
        bytes: Number of bytes on the wire, computed from the original packet lengths in the capture.
        captured_bytes: Number of packet bytes that are stored in the capture.
        seconds: Time between the earliest and the latest packet in seconds.
        duration_ns: Exact time between the earliest and the latest packet in nanoseconds.
        mean_bytes: Mean packet size on the wire; 0 if the capture contains no packet.
        at_most_64_bytes_percent: Percentage of packets that have at most 64 bytes.
        size_bins: Histogram of packet sizes on the wire.
        ip_packets: Number of packets with an IP header.
        ipv4_packets: Number of packets with an IPv4 header.
        ipv6_packets: Number of packets with an IPv6 header.
        vlan_packets: Number of packets with a VLAN tag.
        mpls_packets: Number of packets with an MPLS label.
        flows: Number of unidirectional flows.
        single_packet_flows: Number of flows with exactly one packet.
        single_packet_flows_percent: Percentage of flows that have exactly one packet.
        packets_in_single_packet_flows_percent: Percentage of packets that belong to flows with one packet.
        top10_flows_percent: Percentage of packets that are in the ten largest flows.
        ipv4_checksums: Number of complete IPv4 headers in the capture; Linecard verifies the checksum of each header.
        ipv4_checksums_ok_percent: Percentage of complete IPv4 headers that have a valid checksum; ``None`` if the
            capture contains no complete IPv4 header.
        skipped: Number of skipped packets by reason; skipped packets belong to no flow. The totals of packets and bytes
            include skipped packets. IP packets are skipped if the capture lacks their addresses or ports.
        damage: Number of findings in the capture, by kind; some kinds of finding do not indicate damage.
        clean: Whether the capture is free of damage.
        damaged_records: Number of findings that indicate damage.
        diagnostics: Findings in the capture, with file, byte offset and packet number; of each kind, at most the first
            ten.
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
    damage: dict[str, int]
    clean: bool
    damaged_records: int
    diagnostics: tuple[Diagnostic, ...]


class SizeBin(SizeBinMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """Packets whose size on the wire is from ``from_bytes`` to ``to_bytes``, inclusive.

    Attributes:
        from_bytes: Smallest packet size of the bin, in bytes on the wire.
        to_bytes: Largest packet size of the bin, in bytes on the wire.
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
        packets: Total number of packets in all flows.
        flows: Number of flows; two flows with the same key are separated by an idle time.
        keys: Keys.
        single_packet_flows_percent: Percentage of flows that have one packet.
        packets_in_single_packet_flows_percent: Percentage of packets that belong to flows with one packet.
        large_flows_percent: Percentage of flows that have more than 1000 packets.
        packets_in_large_flows_percent: Percentage of packets that belong to flows with more than 1000 packets.
        mean_concurrent_flows: Mean number of simultaneously active flows, averaged over the packets.
        most_concurrent_flows: Maximum number of simultaneously active flows.
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
        flow_packets: Flow size, as a number of packets.
        flows: Number of flows that have ``flow_packets`` packets.
        flows_cumulative_percent: Percentage of flows that have at most ``flow_packets`` packets.
        packets_cumulative_percent: Percentage of packets that belong to flows with at most ``flow_packets`` packets.
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
        variation_percent: Coefficient of variation: sample standard deviation of the window loads, in percent of the
            mean load.
        expected_variation_percent: Coefficient of variation of the window loads according to the closed form
            (Campbell's theorem, averaged over a window).
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
