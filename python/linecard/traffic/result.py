"""Statistics of a capture: packets, packet sizes, flows, and damaged records."""

from __future__ import annotations

from typing import ClassVar

from linecard.result import Result
from linecard.traffic.reports import FlowsReport
from linecard.view import Fact


class FlowStatistics(Result, FlowsReport, frozen=True):
    """Statistics of one capture. The 5-tuple of protocol, addresses and ports identifies a unidirectional flow."""

    TABLE: ClassVar[str] = "size_bins"
    ASKED: ClassVar[tuple[str, ...]] = ("file", "format", "compression", "packets", "bytes")
    INPUT: ClassVar[str] = "file"

    def facts(self) -> list[Fact]:
        """The statistics as text."""
        rate = ""
        # A capture joined from several days has a duration, but no rate.
        if self.seconds and "clock_jump" not in self.damage:
            rate = f"{self.bytes * 8 / self.seconds / 1e6:,.3f} Mbit/s"
        # A link profile has sizes and headers but no bytes, and neither has a table of packets.
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
                "Flows",
                f"{self.flows:,}",
                f"one-way; the ten largest flows contain {self.top10_flows_percent:.1f} % of packets",
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
