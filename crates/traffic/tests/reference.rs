//! Reference captures: do this crate's numbers agree with the independent ones, row by row?

use crate::common;

use common::{csv_rows, reference_data};
use linecard_traffic::{
    DamageKind, FlowStatistics, Format, OpenOptions, PacketSource, Severity, TrafficError, open,
};
use std::collections::HashMap;

/// Half a unit of the last printed digit, with a margin for its own rounding.
fn half_unit(decimals: i32) -> f64 {
    0.5001 * 10_f64.powi(-decimals)
}

fn check(row: &HashMap<String, String>, column: &str, value: f64, tolerance: f64) {
    let expected = &row[column];
    if expected.is_empty() {
        return;
    }
    let expected: f64 = expected.parse().unwrap();
    assert!(
        (value - expected).abs() <= tolerance,
        "{} {column}: {value} here, {expected} in the reference",
        row["file"]
    );
}

/// Packets and flows of the reference whose IPv4 header does not fit its frame, which the reference does not ask. In the
/// first two, 9 TCP packets have flipped bits in the total length, an echo states 255 of 100 bytes, and payloads of MPLS
/// that are not IP look like headers of 28 to 60 bytes in fewer bytes; in the third, 15 damaged headers are the content.
const DAMAGED: [(&str, u64, u64); 3] =
    [("mixedge-a-snap96.pcap.zst", 20, 7), ("mixedge-a.tsh.zst", 1, 1), ("mpls-pw-ipv6.pcap.gz", 15, 12)];

#[test]
fn statistics_of_every_trace() {
    let Some(data) = reference_data("statistics_of_every_trace") else { return };
    let rows = csv_rows(&data.join("stats.csv"));
    assert!(!rows.is_empty());
    for row in rows {
        let path = data.join("traces").join(&row["file"]);
        let mut reader = open(&path, &OpenOptions::default()).unwrap();
        let s = FlowStatistics::of_capture(&mut reader).unwrap();
        check(&row, "packets", s.packets as f64, 0.0);
        check(&row, "wire_bytes", s.bytes as f64, 0.0);
        check(&row, "captured_bytes", s.captured_bytes as f64, 0.0);
        // ERF times are finer than the microseconds of the reference.
        check(&row, "duration_s", s.seconds, 1.1e-6);
        let damaged = DAMAGED.iter().find(|(file, ..)| *file == row["file"]);
        let (damaged_packets, damaged_flows) =
            damaged.map_or((0, 0), |&(_, packets, flows)| (packets, flows));
        check(&row, "flows_5tuple", (s.flows + damaged_flows) as f64, 0.0);
        check(&row, "ip_packets", (s.ip_packets + damaged_packets) as f64, 0.0);
        check(&row, "ipv6_packets", s.ipv6_packets as f64, 0.0);
        check(&row, "vlan_packets", s.vlan_packets as f64, 0.0);
        check(&row, "mpls_packets", s.mpls_packets as f64, 0.0);
        check(&row, "mean_wire_size", s.mean_bytes, half_unit(1));
        check(&row, "pct_le64", s.at_most_64_bytes_percent, half_unit(2));
        // Shares of flows differ by at most the share of the damaged ones.
        let of_flows = half_unit(2) + 100.0 * damaged_flows as f64 / s.flows.max(1) as f64;
        let of_packets = half_unit(2) + 100.0 * damaged_packets as f64 / s.ip_packets.max(1) as f64;
        check(&row, "pct_single_pkt_flows", s.single_packet_flows_percent, of_flows);
        let in_single = s.packets_in_single_packet_flows_percent;
        check(&row, "pct_packets_in_single_pkt_flows", in_single, of_packets);
        check(&row, "top10_flow_pct", s.top10_flows_percent, of_packets);
        match s.ipv4_checksums_ok_percent {
            Some(percent) => check(&row, "pct_ipv4_hdr_cksum_ok", percent, half_unit(1)),
            None => assert_eq!(row["pct_ipv4_hdr_cksum_ok"], ""),
        }
        assert_eq!(
            s.packets,
            s.skipped.values().sum::<u64>() + s.ip_packets,
            "{}: every packet has a flow or a reason",
            row["file"]
        );
        if row["format"] == "legacy-dag" {
            assert_eq!(reader.format(), Format::LegacyDag);
            assert_eq!((s.ipv4_packets, s.clean), (100, true), "{}", row["file"]);
        }
    }
}

/// Captures of link types that the reference program rejects and this crate delivers as opaque packets; for
/// `linktype-65000.pcap`, the reference expects that as well.
const OPAQUE: [(&str, u64); 5] = [
    ("packets/hoobr_juniper3.pcap", 1),
    ("packets/juniper_es_oobr.pcap", 1),
    ("packets/juniper_monitor_invalid_cookie_length.pcap", 1),
    ("packets/vtp_asan-3.pcap", 1),
    ("packets/vtp_asan.pcap", 5),
];

#[test]
fn malformed_captures_deliver_exactly_what_is_good() {
    let Some(data) = reference_data("malformed_captures_deliver_exactly_what_is_good") else { return };
    for row in csv_rows(&data.join("malformed/expected.csv")) {
        let name = row["file"].as_str();
        let path = data.join("malformed").join(name);
        let opaque = OPAQUE.iter().find(|(file, _)| *file == name).map(|&(_, packets)| packets);
        let expected = if row["expected_good_records"].is_empty() {
            &row["capinfos_packets"]
        } else {
            &row["expected_good_records"]
        };
        let expected = opaque.unwrap_or_else(|| expected.parse().unwrap());
        let mut reader = match open(&path, &OpenOptions::default()) {
            Ok(reader) => reader,
            // The file has no known format, so no packet is good.
            Err(TrafficError::UnknownFormat { .. } | TrafficError::Empty { .. }) => {
                assert_eq!(expected, 0, "{name}");
                continue;
            }
            Err(error) => panic!("{name}: {error}"),
        };
        let statistics = FlowStatistics::of_capture(&mut reader).unwrap();
        assert_eq!(statistics.packets, expected, "{name}");
        let report = reader.report();
        for diagnostic in report.diagnostics() {
            assert!(diagnostic.packet <= statistics.packets + 1, "{diagnostic}");
            assert!(diagnostic.to_string().contains("byte offset"), "{diagnostic}");
        }
        // An error of the peer, other than an unknown type, is damage here.
        let peer_error = &row["capinfos_error"];
        if !peer_error.is_empty() && opaque.is_none() && !peer_error.contains("network type") {
            let tsh_unknown_to_peer = name.ends_with(".tsh");
            assert!(!report.is_clean() || tsh_unknown_to_peer, "{name}: {peer_error}");
        }
        assert_eq!(report.is_clean(), statistics.clean);
    }
}

/// The expected finding in each damaged file, and its position.
const FINDINGS: [(&str, DamageKind, u64, u64); 20] = [
    ("generated/all-zero.tsh", DamageKind::BadRecord, 0, 1),
    ("generated/caplen-ff.pcap", DamageKind::ImpossibleLength, 720, 11),
    ("generated/cut-in-header.pcap", DamageKind::CutShort, 3732, 51),
    ("generated/cut.erf", DamageKind::CutShort, 3076, 41),
    ("generated/cut.tsh", DamageKind::CutShort, 4400, 101),
    ("generated/gz-cut.pcap.gz", DamageKind::Compression, 3090, 42),
    ("generated/ip-ihl-0.pcap", DamageKind::MalformedPacket, 24, 1),
    ("generated/ip-ver-15.pcap", DamageKind::MalformedPacket, 24, 1),
    ("generated/linktype-65000.pcap", DamageKind::UnknownLinkType, 24, 1),
    ("generated/mixed-endian.pcap", DamageKind::ImpossibleLength, 1488, 21),
    ("generated/ng-len-huge.pcapng", DamageKind::ImpossibleLength, 924, 11),
    ("generated/ng-len-mismatch.pcapng", DamageKind::LengthMismatch, 924, 11),
    ("generated/rlen-15.erf", DamageKind::ImpossibleLength, 716, 11),
    ("generated/rlen-ffff.erf", DamageKind::CutShort, 716, 11),
    ("generated/short.tsh", DamageKind::CutShort, 0, 1),
    ("generated/trailing-garbage.pcap", DamageKind::CutShort, 7608, 101),
    ("generated/ts-backwards.pcap", DamageKind::TimeBackwards, 3732, 51),
    ("generated/ts-usec-overflow.pcap", DamageKind::BadTimestamp, 3732, 51),
    ("generated/vlan-bomb.pcap", DamageKind::MalformedPacket, 24, 1),
    ("generated/zeros-tail.pcap", DamageKind::TimeBackwards, 7608, 101),
];

#[test]
fn findings_name_the_place() {
    let Some(data) = reference_data("findings_name_the_place") else { return };
    for (name, kind, byte_offset, packet) in FINDINGS {
        let path = data.join("malformed").join(name);
        let mut reader = open(&path, &OpenOptions::default()).unwrap();
        FlowStatistics::of_capture(&mut reader).unwrap();
        let first = reader.report().diagnostics().iter().find(|diagnostic| diagnostic.kind == kind);
        let place = first.map(|diagnostic| (diagnostic.byte_offset, diagnostic.packet));
        assert_eq!(place, Some((byte_offset, packet)), "{name}");
        assert_eq!(reader.report().is_clean(), kind.severity() != Severity::Damage, "{name}");
    }
}

#[test]
fn strict_mode_stops_at_the_first_damage() {
    let Some(data) = reference_data("strict_mode_stops_at_the_first_damage") else { return };
    for (name, kind, _, packet) in FINDINGS {
        let path = data.join("malformed").join(name);
        let mut reader = open(&path, &OpenOptions { strict: true, ..OpenOptions::default() }).unwrap();
        let mut delivered = 0;
        let error = loop {
            match reader.next_packet() {
                Ok(Some(_)) => delivered += 1,
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        match error {
            Some(TrafficError::Damaged(diagnostic)) => {
                assert_eq!((diagnostic.kind, delivered + 1), (kind, packet), "{name}");
            }
            Some(error) => panic!("{name}: {error}"),
            None => assert_ne!(kind.severity(), Severity::Damage, "{name}"),
        }
    }
}

#[test]
fn the_same_packets_in_every_container() {
    let Some(data) = reference_data("the_same_packets_in_every_container") else { return };
    let read = |name: &str| {
        let mut reader = open(&data.join("traces").join(name), &OpenOptions::default()).unwrap();
        let mut packets = Vec::new();
        while let Some(packet) = reader.next_packet().unwrap() {
            // Ports are left out and times compared loosely: in some of these files a newline conversion has turned
            // bytes of 10 into 13.
            packets.push((packet.time_ns / 1000, packet.wire_bytes, packet.ip_header));
        }
        packets
    };
    let reference = read("lt-100-ns.pcap");
    assert_eq!(reference.len(), 100);
    assert_eq!(reference, read("lt-100.pcapng"));
    let erf = read("lt-100.erf");
    for (a, b) in reference.iter().zip(&erf) {
        assert!(a.0.abs_diff(b.0) <= 1000 && (a.1, a.2) == (b.1, b.2), "{a:?} {b:?}");
    }
    assert_eq!(erf[..5], read("lt-5_packets.erf.bz2")[..]);
}
