"""What the core reports. Written by `make docs` from the types of Rust."""

from __future__ import annotations

import msgspec

from linecard._methods import DiagnosticMethods, SizeBinMethods


class FlowsReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Statistics of one capture. A flow is a one-way 5-tuple: protocol, addresses and ports.

    Attributes:
        file: The capture, or the name of a described link.
        format: Format, or ``described link``.
        compression: Compression.
        packets: Packets delivered.
        bytes: Bytes on the wire, original lengths.
        captured_bytes: Bytes stored in the capture.
        seconds: Time between the earliest and the latest packet.
        duration_ns: The same in nanoseconds, exact.
        mean_bytes: Mean wire size; 0 without packets.
        at_most_64_bytes_percent: Share of packets of at most 64 bytes.
        size_bins: Packets by wire size.
        ip_packets: Packets with an IP header.
        ipv4_packets: Packets with an IPv4 header.
        ipv6_packets: Packets with an IPv6 header.
        vlan_packets: Packets with a VLAN tag.
        mpls_packets: Packets with an MPLS label.
        flows: One-way flows.
        single_packet_flows: Flows of exactly one packet.
        single_packet_flows_percent: These flows, in percent of all flows.
        packets_in_single_packet_flows_percent: Packets in these flows, in percent of all packets.
        top10_flows_percent: Packets in the ten largest flows, in percent of all packets.
        ipv4_checksums: IPv4 headers that were captured whole, so that their checksum can be verified.
        ipv4_checksums_ok_percent: Headers with a valid checksum, in percent of these; ``None`` without any.
        skipped: Packets without a flow, by reason. They still count as packets and bytes.
        incomplete_flow_packets: Packets of a flow whose ports, or part of the header, were not captured.
        damage: Findings by kind; not every finding is damage.
        clean: Whether no finding is damage.
        damaged_records: Findings that are damage.
        diagnostics: The first findings, with file, byte offset and packet number.
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
    """Packets of ``from_bytes`` to ``to_bytes`` on the wire, both included.

    Attributes:
        from_bytes: Smallest size.
        to_bytes: Largest size.
        packets: Number of packets.
    """

    from_bytes: int
    to_bytes: int
    packets: int


class Diagnostic(DiagnosticMethods, msgspec.Struct, frozen=True, omit_defaults=True):
    """One finding in a capture.

    Attributes:
        kind: Kind of the finding, such as ``cut_short``.
        file: The capture.
        byte_offset: Position, in bytes from the beginning after decompression.
        packet: Number of the packet, counted from 1; of a lost packet, the number that it would have had.
        line: Line number from 1 in text files, else ``None``.
        found: What was found.
        expected: What was expected.
        action: The action that was taken.
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
    """Flows as a cache meets them: one ends after a silence, and its key is then a new flow.

    Attributes:
        packets: Packets that belong to a flow.
        flows: Flows; a silence separates two flows of one key.
        keys: Keys.
        single_packet_flows_percent: Flows with one packet, in percent of all flows.
        packets_in_single_packet_flows_percent: Packets in these flows, in percent of all packets.
        large_flows_percent: Flows with more than 1000 packets, in percent of all flows.
        packets_in_large_flows_percent: Packets in these flows, in percent of all packets.
        mean_concurrent_flows: Mean number of active flows over the packets.
        most_concurrent_flows: Maximum number of active flows.
        sizes: Flows by size, smallest first.
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
    """Flows of one size: a point of the two curves of Girish 2008, Figure 5.3.

    Attributes:
        flow_packets: Packets of a flow.
        flows: Flows with this number of packets.
        flows_cumulative_percent: Flows with at most that number of packets, in percent of all flows.
        packets_cumulative_percent: Packets in those flows, in percent of all packets.
    """

    flow_packets: int
    flows: int
    flows_cumulative_percent: float
    packets_cumulative_percent: float


class ShotNoiseReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """The generated load.

    Attributes:
        rates_mbps: Load of each window in Mbit/s.
        mean_mbps: Mean.
        variation_percent: Sample standard deviation, divided by their mean.
        expected_variation_percent: Its closed form (Campbell's theorem, averaged over a window).
        active_flows: Mean number of active flows, by the closed form.
        packets: Packets generated.
        seed: Seed of every random stream.
        window_ms: Length of a window.
    """

    rates_mbps: tuple[float, ...]
    mean_mbps: float
    variation_percent: float
    expected_variation_percent: float
    active_flows: float
    packets: int
    seed: int
    window_ms: float
