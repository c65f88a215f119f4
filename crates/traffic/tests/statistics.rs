//! Flow statistics, worked out by hand.

use crate::common;

use common::{ethernet, ipv4, pcap, tcp};
use linecard_traffic::{CaptureReader, FlowStatistics, FlowStatisticsBuilder, OpenOptions, PacketSource};
use std::io::Cursor;

/// Six packets: five of three flows, one of none.
///
/// | time | wire | flow |
/// |---|---|---|
/// | 1.0 s | 64 | a, TCP |
/// | 1.5 s | 1500 | a |
/// | 1.5 s | 60 | ARP |
/// | 2.0 s | 65 | b, TCP, later fragment: no ports |
/// | 1.9 s | 1519 | c, UDP, one VLAN tag, wrong checksum |
/// | 3.0 s | 100 | a |
fn capture() -> Vec<u8> {
    let a = ethernet(&[8, 0], &ipv4(6, 0, &tcp()));
    let b = ethernet(&[8, 0], &ipv4(6, 9, &tcp()));
    let mut c = ethernet(&[0x81, 0, 0, 1, 8, 0], &ipv4(17, 0, &tcp()));
    c[28] ^= 0xff;
    let arp = ethernet(&[8, 6], &[0; 28]);
    let packets = [
        (1, 0, 64, &a[..]),
        (1, 500_000, 1500, &a),
        (1, 500_000, 60, &arp),
        (2, 0, 65, &b),
        (1, 900_000, 1519, &c),
        (3, 0, 100, &a),
    ];
    pcap(common::Order::Big, 0xa1b2_c3d4, 1, &packets)
}

fn open() -> CaptureReader {
    CaptureReader::from_reader("x", Cursor::new(capture()), &OpenOptions::default()).unwrap()
}

#[test]
fn every_number() {
    let mut reader = open();
    let s = FlowStatistics::of_capture(&mut reader).unwrap();
    assert_eq!((s.packets, s.bytes, s.captured_bytes), (6, 3308, 54 + 54 + 42 + 54 + 58 + 54));
    assert_eq!((s.seconds, s.duration_ns), (2.0, 2_000_000_000));
    assert_eq!((s.flows, s.single_packet_flows), (3, 2));
    assert_eq!(s.mean_bytes, 3308.0 / 6.0);
    assert_eq!(s.at_most_64_bytes_percent, 100.0 * (2.0 / 6.0));
    assert_eq!(s.size_bins.iter().map(|bin| bin.packets).collect::<Vec<_>>(), [2, 2, 0, 0, 0, 1, 1, 0]);
    assert_eq!((s.ip_packets, s.ipv4_packets, s.ipv6_packets), (5, 5, 0));
    assert_eq!((s.vlan_packets, s.mpls_packets), (1, 0));
    assert_eq!(s.single_packet_flows_percent, 100.0 * (2.0 / 3.0));
    assert_eq!(s.packets_in_single_packet_flows_percent, 40.0);
    assert_eq!(s.top10_flows_percent, 100.0);
    assert_eq!((s.ipv4_checksums, s.ipv4_checksums_ok_percent), (5, Some(80.0)));
    assert_eq!(s.skipped.into_iter().collect::<Vec<_>>(), [("not_ip", 1)]);
    assert_eq!(s.damage.into_iter().collect::<Vec<_>>(), [("reordered", 1)]);
    assert_eq!(reader.report().diagnostics()[0].packet, 5);
    assert!(s.clean);
}

/// Eight UDP packets of eight flows: two sources, two destinations, two source ports.
fn eight_flows(snap_bytes: usize) -> FlowStatistics {
    let frames: Vec<_> = (0..8)
        .map(|flow: u8| {
            let mut ip = ipv4(17, 0, &tcp());
            (ip[15], ip[19], ip[21]) = (flow & 1, flow >> 1 & 1, flow >> 2);
            ethernet(&[8, 0], &ip)
        })
        .collect();
    let records: Vec<_> = frames.iter().map(|frame| (1, 0, 54, &frame[..snap_bytes])).collect();
    let file = pcap(common::Order::Little, 0xa1b2_c3d4, 1, &records);
    FlowStatistics::of_capture(&mut common::reader("cut", &file)).unwrap()
}

#[test]
fn packets_whose_addresses_or_ports_are_cut_belong_to_no_flow() {
    let cases = [
        // An Ethernet header of 14 bytes, 20 of IPv4 and 4 of ports.
        (38, 8, 8, None),
        (37, 0, 8, Some("ports_not_captured")),
        (34, 0, 8, Some("ports_not_captured")),
        (33, 0, 8, Some("addresses_not_captured")),
        (24, 0, 8, Some("addresses_not_captured")),
        (23, 0, 0, Some("cut_before_ip")),
    ];
    for (snap_bytes, flows, ip_packets, reason) in cases {
        let s = eight_flows(snap_bytes);
        assert_eq!((s.packets, s.flows, s.ip_packets), (8, flows, ip_packets), "{snap_bytes} bytes");
        let skipped: Vec<_> = s.skipped.into_iter().collect();
        assert_eq!(skipped, reason.map(|reason| (reason, 8)).into_iter().collect::<Vec<_>>());
        assert!(s.clean && s.damage.is_empty());
    }
}

#[test]
fn the_order_of_packets_changes_nothing() {
    let mut packets = Vec::new();
    let mut reader = open();
    while let Some(packet) = reader.next_packet().unwrap() {
        packets.push(packet);
    }
    let statistics = |order: &[usize]| {
        let mut builder = FlowStatisticsBuilder::default();
        order.iter().for_each(|&index| builder.add(&packets[index]));
        (builder.finish(None), builder.table().top(3))
    };
    let reference = statistics(&[0, 1, 2, 3, 4, 5]);
    assert_eq!(statistics(&[5, 4, 3, 2, 1, 0]), reference);
    assert_eq!(statistics(&[3, 0, 4, 1, 5, 2]), reference);
}

#[test]
fn json_carries_the_promised_keys() {
    let json = serde_json::to_value(FlowStatistics::of_capture(&mut open()).unwrap()).unwrap();
    for key in ["packets", "bytes", "seconds", "flows", "mean_bytes", "single_packet_flows", "skipped"] {
        assert!(json.get(key).is_some(), "{key}");
    }
}

#[test]
fn nothing_is_a_number_too() {
    let s = FlowStatisticsBuilder::default().finish(None);
    assert_eq!((s.packets, s.seconds, s.mean_bytes, s.ipv4_checksums_ok_percent), (0, 0.0, 0.0, None));
}
