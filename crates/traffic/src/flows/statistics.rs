//! The statistics, and the meaning of each number.

use super::{FlowTable, SizeBin, SizeHistogram};
use crate::{CaptureReader, DamageReport, Decoded, Network, Packet, PacketSource, Severity, TrafficError};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Counters that are updated per packet.
#[derive(Clone, Debug, Default)]
struct Counters {
    packets: u64,
    wire_bytes: u64,
    captured_bytes: u64,
    first_ns: Option<u64>,
    earliest_ns: u64,
    latest_ns: u64,
    ipv4_packets: u64,
    ipv6_packets: u64,
    vlan_packets: u64,
    mpls_packets: u64,
    checksums: u64,
    checksums_ok: u64,
    decoded: [u64; Decoded::ALL.len()],
}

impl Counters {
    #[inline]
    fn add(&mut self, packet: &Packet) {
        self.packets += 1;
        self.wire_bytes += u64::from(packet.wire_bytes);
        self.captured_bytes += u64::from(packet.captured_bytes);
        if self.first_ns.is_none() {
            self.first_ns = Some(packet.time_ns);
            self.earliest_ns = packet.time_ns;
            self.latest_ns = packet.time_ns;
        }
        self.earliest_ns = self.earliest_ns.min(packet.time_ns);
        self.latest_ns = self.latest_ns.max(packet.time_ns);
        self.ipv4_packets += u64::from(packet.network == Network::Ipv4);
        self.ipv6_packets += u64::from(packet.network == Network::Ipv6);
        self.vlan_packets += u64::from(packet.vlan_tags > 0);
        self.mpls_packets += u64::from(packet.mpls_labels > 0);
        self.checksums += u64::from(packet.ipv4_checksum_ok.is_some());
        self.checksums_ok += u64::from(packet.ipv4_checksum_ok == Some(true));
        self.decoded[packet.decoded as usize] += 1;
    }
}

/// Statistics of one packet stream.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct FlowStatistics {
    /// Number of packets in the capture.
    pub packets: u64,
    /// Number of bytes on the wire, computed from the original packet lengths in the capture.
    pub bytes: u64,
    /// Number of packet bytes that are stored in the capture.
    pub captured_bytes: u64,
    /// Time between the earliest and the latest packet in seconds.
    pub seconds: f64,
    /// Exact time between the earliest and the latest packet in nanoseconds.
    pub duration_ns: u64,
    /// Mean packet size on the wire; 0 if the capture contains no packet.
    pub mean_bytes: f64,
    /// Percentage of packets that have at most 64 bytes.
    pub at_most_64_bytes_percent: f64,
    /// Histogram of packet sizes on the wire.
    pub size_bins: Vec<SizeBin>,
    /// Number of packets with an IP header.
    pub ip_packets: u64,
    /// Number of packets with an IPv4 header.
    pub ipv4_packets: u64,
    /// Number of packets with an IPv6 header.
    pub ipv6_packets: u64,
    /// Number of packets with a VLAN tag.
    pub vlan_packets: u64,
    /// Number of packets with an MPLS label.
    pub mpls_packets: u64,
    /// Number of unidirectional flows.
    pub flows: u64,
    /// Number of flows with exactly one packet.
    pub single_packet_flows: u64,
    /// Percentage of flows that have exactly one packet.
    pub single_packet_flows_percent: f64,
    /// Percentage of packets that belong to flows with one packet.
    pub packets_in_single_packet_flows_percent: f64,
    /// Percentage of packets that are in the ten largest flows.
    pub top10_flows_percent: f64,
    /// Number of complete IPv4 headers in the capture; Linecard verifies the checksum of each header.
    pub ipv4_checksums: u64,
    /// Percentage of complete IPv4 headers that have a valid checksum; `None` if the capture contains no complete IPv4
    /// header.
    pub ipv4_checksums_ok_percent: Option<f64>,
    /// Number of skipped packets by reason; skipped packets belong to no flow. The totals of packets and bytes include
    /// skipped packets. IP packets are skipped if the capture lacks their addresses or ports.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Number of findings in the capture, by kind; some kinds of finding do not indicate damage.
    pub damage: BTreeMap<&'static str, u64>,
    /// Whether the capture is free of damage.
    pub clean: bool,
}

impl FlowStatistics {
    /// Reads a capture to its end.
    ///
    /// # Errors
    ///
    /// As [`PacketSource::next_packet`]. The statistics up to the error are lost; [`FlowStatisticsBuilder`]
    /// keeps them.
    pub fn of_capture(reader: &mut CaptureReader) -> Result<Self, TrafficError> {
        let mut builder = FlowStatisticsBuilder::default();
        builder.add_all(reader)?;
        Ok(builder.finish(Some(reader.report())))
    }

    /// Reads any source to its end.
    ///
    /// # Errors
    ///
    /// As [`PacketSource::next_packet`].
    pub fn of_source(source: &mut impl PacketSource) -> Result<Self, TrafficError> {
        let mut builder = FlowStatisticsBuilder::default();
        builder.add_all(source)?;
        Ok(builder.finish(None))
    }
}

/// Collects statistics packet by packet.
#[derive(Clone, Debug, Default)]
pub struct FlowStatisticsBuilder {
    counters: Counters,
    sizes: SizeHistogram,
    table: FlowTable,
}

impl FlowStatisticsBuilder {
    /// Counts one packet.
    #[inline]
    pub fn add(&mut self, packet: &Packet) {
        self.counters.add(packet);
        self.sizes.add(packet.wire_bytes);
        if packet.decoded.has_flow() {
            self.table.add(packet.flow, packet.wire_bytes);
        }
    }

    /// Counts every packet of a source. After an error, everything before it has been counted.
    ///
    /// # Errors
    ///
    /// As [`PacketSource::next_packet`].
    pub fn add_all(&mut self, source: &mut impl PacketSource) -> Result<(), TrafficError> {
        while let Some(packet) = source.next_packet()? {
            self.add(&packet);
        }
        Ok(())
    }

    /// The flow table so far.
    #[must_use]
    pub fn table(&self) -> &FlowTable {
        &self.table
    }

    /// Returns the statistics of all counted packets.
    #[must_use]
    pub fn finish(&self, report: Option<&DamageReport>) -> FlowStatistics {
        let Counters { packets, wire_bytes, ipv4_packets, ipv6_packets, .. } = self.counters;
        let counters = &self.counters;
        let flows = self.table.len() as u64;
        let single = self.table.single_packet_flows();
        let top10 = self.table.top(10).iter().map(|(_, count)| count.packets).sum();
        let duration_ns = counters.latest_ns - counters.earliest_ns;
        let of_decoded = |decoded: Decoded| counters.decoded[decoded as usize];
        let with_flow = of_decoded(Decoded::Complete);
        let skipped = Decoded::ALL.into_iter().filter(|d| !d.has_flow() && of_decoded(*d) > 0);
        let findings = report.into_iter().flat_map(DamageReport::counts);
        FlowStatistics {
            packets,
            bytes: wire_bytes,
            captured_bytes: counters.captured_bytes,
            seconds: duration_ns as f64 / 1e9,
            duration_ns,
            mean_bytes: ratio(wire_bytes, packets),
            at_most_64_bytes_percent: 100.0 * ratio(self.sizes.at_most_64(), packets),
            size_bins: self.sizes.bins(),
            ip_packets: ipv4_packets + ipv6_packets,
            ipv4_packets,
            ipv6_packets,
            vlan_packets: counters.vlan_packets,
            mpls_packets: counters.mpls_packets,
            flows,
            single_packet_flows: single,
            single_packet_flows_percent: 100.0 * ratio(single, flows),
            packets_in_single_packet_flows_percent: 100.0 * ratio(single, with_flow),
            top10_flows_percent: 100.0 * ratio(top10, with_flow),
            ipv4_checksums: counters.checksums,
            ipv4_checksums_ok_percent: (counters.checksums > 0)
                .then(|| 100.0 * ratio(counters.checksums_ok, counters.checksums)),
            skipped: skipped.map(|decoded| (decoded.key(), of_decoded(decoded))).collect(),
            damage: findings.map(|(kind, count)| (kind.key(), count)).collect(),
            clean: report.is_none_or(|report| report.total(Severity::Damage) == 0),
        }
    }
}

/// Returns a quotient for a table; 0 if the divisor is 0.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
