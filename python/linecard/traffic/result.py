"""Statistics of a capture: packets, sizes, flows, and damage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linecard.result import Result
from linecard.view import Fact


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Packets of ``from_bytes`` to ``to_bytes`` on the wire, both included.

    Attributes:
        from_bytes: Smallest size.
        to_bytes: Largest size.
        packets: Number of packets.
    """

    from_bytes: int
    to_bytes: int
    packets: int

    @property
    def label(self) -> str:
        """The bin in words, such as ``65–127``."""
        return f"≥ {self.from_bytes}" if self.to_bytes >= 0xFFFF_FFFF else f"{self.from_bytes}–{self.to_bytes}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding in a capture.

    Attributes:
        kind: Kind of the finding, such as ``cut_short``.
        file: The capture.
        byte_offset: Position, in bytes from the beginning after decompression.
        packet: Number of the packet, counted from 1; of a lost packet, the number that it would have had.
        line: Line number from 1 in text files, else ``None``.
        found: What was found.
        expected: What was expected.
        action: Treatment of the finding.
    """

    kind: str
    file: str
    byte_offset: int
    packet: int
    line: int | None
    found: str
    expected: str
    action: str

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}, "
        return (
            f"{self.file}: {line}byte offset {self.byte_offset}, packet {self.packet}: "
            f"found {self.found}, expected {self.expected}; {self.action}"
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FlowStatistics(Result):
    """Statistics of one capture. A flow is a one-way 5-tuple: protocol, addresses and ports.

    Attributes:
        file: The capture, or the name of a described link.
        format: Its format, or ``described link``.
        compression: Its compression.
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

    TABLE: ClassVar[str] = "size_bins"
    ASKED: ClassVar[tuple[str, ...]] = ("file", "format", "compression", "packets", "bytes")
    INPUT: ClassVar[str] = "file"

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

    def facts(self) -> list[Fact]:
        """The numbers in words."""
        rate = ""
        # A capture joined from several days has a duration, but no rate.
        if self.seconds and "clock_jump" not in self.damage:
            rate = f"{self.bytes * 8 / self.seconds / 1e6:,.3f} Mbit/s"
        # A described link has sizes and headers, and no bytes; nor has a table of packets.
        captured = f", {self.captured_bytes:,} captured" if self.captured_bytes else ""
        packing = "" if self.compression in {"", "none"} else f"in {self.compression}"
        alone = (
            f"{self.single_packet_flows_percent:.1f} % of flows, "
            f"{self.packets_in_single_packet_flows_percent:.1f} % of packets"
        )
        facts = [
            Fact("Format", self.format, packing),
            Fact("Packets", f"{self.packets:,}", f"{self.ipv4_packets:,} IPv4, {self.ipv6_packets:,} IPv6"),
            Fact("Bytes", f"{self.bytes:,}", f"on the wire{captured}"),
            Fact("Duration", f"{self.seconds:,.6f} s", rate),
            Fact(
                "Mean size", f"{self.mean_bytes:.1f} bytes", f"{self.at_most_64_bytes_percent:.1f} % at most 64 bytes"
            ),
            Fact(
                "Flows", f"{self.flows:,}", f"one-way; the ten largest hold {self.top10_flows_percent:.1f} % of packets"
            ),
            Fact("Single-packet flows", f"{self.single_packet_flows:,}", alone),
        ]
        if self.vlan_packets or self.mpls_packets:
            facts.append(Fact("Tags", f"{self.vlan_packets:,} with VLAN, {self.mpls_packets:,} with MPLS"))
        if self.ipv4_checksums_ok_percent is not None:
            share = f"{self.ipv4_checksums_ok_percent:.1f} %"
            facts.append(Fact("IPv4 checksums", share, f"of {self.ipv4_checksums:,} hold"))
        return facts

    def __repr__(self) -> str:
        return f"<FlowStatistics {self.file}: {self.packets:,} packets, {self.flows:,} flows>"
