//! Link and network layers, frame by frame.

use crate::common;

use common::{ethernet, ipv4, ipv4_tcp, ipv6, one_packet, one_packet_of, tcp};
use linecard_traffic::{Decoded, FiveTuple, Network, Packet};

const V4_FLOW: FiveTuple =
    FiveTuple { src: 0xc633_0007, dst: 0x0808_0404, src_port: 1000, dst_port: 80, protocol: 6 };

fn check_v4(link: u32, frame: &[u8]) -> Packet {
    let packet = one_packet(link, frame);
    assert_eq!(packet.flow, V4_FLOW, "link type {link}, frame {frame:02x?}");
    assert_eq!((packet.network, packet.decoded), (Network::Ipv4, Decoded::Complete));
    assert_eq!((packet.ttl, packet.tcp_flags, packet.ip_bytes), (61, 2, 40));
    assert_eq!(packet.ipv4_checksum_ok, Some(true));
    assert_eq!(frame[usize::from(packet.ip_offset)], 0x45);
    packet
}

fn check_v6(link: u32, frame: &[u8]) {
    let packet = one_packet(link, frame);
    let flow = FiveTuple { src: 0x1_0007, dst: 0x2_0009, ..V4_FLOW };
    assert_eq!((packet.flow, packet.network), (flow, Network::Ipv6), "link type {link}");
    assert_eq!((packet.ttl, packet.ip_bytes), (63, 60));
}

#[test]
fn every_link_type_carries_both_protocols() {
    let (v4, v6) = (ipv4_tcp(), ipv6(6, &tcp()));
    let with = |header: &[u8], ip: &[u8]| [header, ip].concat();
    for raw in [12, 14, 101] {
        check_v4(raw, &v4);
        check_v6(raw, &v6);
    }
    check_v4(228, &v4);
    check_v6(229, &v6);
    for loopback in [0, 108] {
        check_v4(loopback, &with(&[2, 0, 0, 0], &v4));
        check_v4(loopback, &with(&[0, 0, 0, 2], &v4));
        for family in [10, 24, 28, 30] {
            check_v6(loopback, &with(&[family, 0, 0, 0], &v6));
            check_v6(loopback, &with(&[0, 0, 0, family], &v6));
        }
    }
    for ppp in [9, 50] {
        check_v4(ppp, &with(&[0xff, 3, 0, 0x21], &v4));
        check_v4(ppp, &with(&[0, 0x21], &v4));
        check_v4(ppp, &with(&[0x21], &v4));
        check_v6(ppp, &with(&[0xff, 3, 0, 0x57], &v6));
    }
    check_v4(104, &with(&[0x0f, 0, 8, 0], &v4));
    check_v6(104, &with(&[0x8f, 0, 0x86, 0xdd], &v6));
    check_v4(51, &with(&[0x11, 0, 0, 1, 0, 42, 0, 0x21], &v4));
    check_v4(113, &with(&[0, 0, 0, 1, 0, 6, 2, 2, 2, 2, 2, 2, 0, 0, 8, 0], &v4));
    check_v4(276, &with(&[&[8, 0][..], &[0; 18]].concat(), &v4));
    check_v6(276, &with(&[&[0x86, 0xdd][..], &[0; 18]].concat(), &v6));
    check_v4(100, &with(&[0xaa, 0xaa, 3, 0, 0, 0, 8, 0], &v4));
    check_v4(1, &ethernet(&[8, 0], &v4));
    check_v6(1, &ethernet(&[0x86, 0xdd], &v6));
    // A length of 48 bytes, LLC and SNAP; after a tag, too.
    check_v4(1, &ethernet(&[0, 48, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0], &v4));
    check_v6(1, &ethernet(&[0x81, 0, 0, 7, 0, 68, 0xaa, 0xaa, 3, 0, 0, 0, 0x86, 0xdd], &v6));
}

#[test]
fn tags_and_labels_are_counted() {
    let v4 = ipv4_tcp();
    let tags = check_v4(1, &ethernet(&[0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 8, 0], &v4));
    assert_eq!((tags.vlan_tags, tags.mpls_labels), (2, 0));
    let labels = check_v4(1, &ethernet(&[0x88, 0x47, 0, 1, 0, 64, 0, 2, 1, 64], &v4));
    assert_eq!((labels.vlan_tags, labels.mpls_labels), (0, 2));
    let session = [0x81, 0, 0, 1, 0x88, 0x64, 0x11, 0, 0, 1, 0, 42, 0, 0x21];
    assert_eq!(check_v4(1, &ethernet(&session, &v4)).vlan_tags, 1);
    // A pseudowire has a label, a control word and an Ethernet frame.
    let inner = ethernet(&[8, 0], &v4);
    let wire = check_v4(1, &ethernet(&[0x88, 0x47, 0, 1, 1, 64, 0, 0, 0, 0], &inner));
    assert_eq!(wire.mpls_labels, 1);
    let cooked =
        check_v4(113, &[&[0, 0, 0, 1, 0, 6, 2, 2, 2, 2, 2, 2, 0, 0, 0x81, 0, 0, 1, 8, 0], &v4[..]].concat());
    assert_eq!(cooked.vlan_tags, 1);
}

#[test]
fn later_fragments_and_other_protocols_have_no_ports() {
    for (protocol, fragment) in [(6, 1), (17, 100), (47, 0), (1, 0), (33, 0)] {
        let packet = one_packet(101, &ipv4(protocol, fragment, &tcp()));
        let expected = FiveTuple { src_port: 0, dst_port: 0, protocol, ..V4_FLOW };
        assert_eq!((packet.flow, packet.decoded), (expected, Decoded::Complete));
        assert_eq!((packet.later_fragment, packet.tcp_flags), (fragment != 0, 0));
    }
    // The first fragment has ports.
    assert_eq!(one_packet(101, &ipv4(6, 0x2000, &tcp())).flow, V4_FLOW);
    assert_eq!(one_packet(101, &ipv4(132, 0, &tcp())).flow, FiveTuple { protocol: 132, ..V4_FLOW });
}

#[test]
fn ipv6_extension_headers_are_skipped() {
    let hop = |next: u8| vec![next, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let authentication = |next: u8| [vec![next, 1], vec![0; 10]].concat();
    let fragment = |next: u8, offset: u16| [&[next, 0], &offset.to_be_bytes()[..], &[0; 4]].concat();
    let chain = [hop(43), hop(51), authentication(60), hop(44), fragment(6, 1), tcp()].concat();
    let packet = one_packet(101, &ipv6(0, &chain));
    assert_eq!((packet.flow.protocol, packet.flow.dst_port), (6, 80));
    let later = one_packet(101, &ipv6(44, &[fragment(6, 8), tcp()].concat()));
    assert_eq!((later.flow.protocol, later.flow.dst_port, later.later_fragment), (6, 0, true));
    // A chain that leaves the captured bytes keeps its addresses.
    let cut = one_packet(101, &ipv6(0, &[0, 200, 0, 0]));
    assert_eq!((cut.decoded, cut.network), (Decoded::PortsNotCaptured, Network::Ipv6));
}

#[test]
fn cut_headers_tell_what_they_still_hold() {
    let v4 = ipv4_tcp();
    let expected = [
        (0, Decoded::CutBeforeIp),
        (9, Decoded::CutBeforeIp),
        (10, Decoded::AddressesNotCaptured),
        (19, Decoded::AddressesNotCaptured),
        (20, Decoded::PortsNotCaptured),
        (23, Decoded::PortsNotCaptured),
        (24, Decoded::Complete),
    ];
    for (bytes, decoded) in expected {
        assert_eq!(one_packet_of(40, 101, &v4[..bytes]).decoded, decoded, "{bytes} bytes captured");
    }
    // A cut address equals neither a whole one nor one cut elsewhere.
    let flows = [10, 12, 13, 16, 18, 20].map(|bytes| one_packet_of(40, 101, &v4[..bytes]).flow);
    assert!(flows[1..].windows(2).all(|pair| pair[0] != pair[1]), "{flows:x?}");
    assert_eq!(flows[0], flows[1]);
}

#[test]
fn broken_headers_have_no_flow() {
    let mut short = ipv4_tcp();
    short[0] = 0x44;
    let mut version = ipv4_tcp();
    version[0] = 0x55;
    for (frame, decoded) in [(short, Decoded::BadIpHeaderLength), (version, Decoded::BadIpVersion)] {
        let packet = one_packet(101, &frame);
        assert_eq!((packet.decoded, packet.network), (decoded, Network::Other));
        assert_eq!(packet.flow, FiveTuple::default());
    }
    let bomb = ethernet(&[0x81, 0, 0, 1].repeat(300), &ipv4_tcp());
    assert_eq!(one_packet(1, &bomb).decoded, Decoded::TooManyTags);
    let stack = ethernet(&[&[0x88, 0x47][..], &[0; 1200]].concat(), &ipv4_tcp());
    assert_eq!(one_packet(1, &stack).decoded, Decoded::TooManyTags);
    let unfinished = ethernet(&[0x88, 0x47, 0, 0, 0, 0], &[]);
    assert_eq!(one_packet(1, &unfinished).mpls_labels, 0);
}

#[test]
fn an_ipv4_header_that_does_not_fit_its_frame_is_damaged() {
    let decoded = |wire_bytes: u32, captured: usize, first: u8, total_bytes: u16| {
        let mut frame = ethernet(&[8, 0], &ipv4(6, 0, &[0; 64]));
        frame[14] = first;
        frame[16..18].copy_from_slice(&total_bytes.to_be_bytes());
        one_packet_of(wire_bytes, 1, &frame[..captured]).decoded
    };
    let (length, total) = (Decoded::BadIpHeaderLength, Decoded::BadIpTotalLength);
    // The frame ends 10, and 19, bytes into the header; or the capture cut it there.
    assert_eq!([24, 33].map(|bytes| decoded(bytes, bytes as usize, 0x45, 40)), [length; 2]);
    assert_eq!([24, 33].map(|bytes| decoded(60, bytes, 0x45, 40)), [Decoded::AddressesNotCaptured; 2]);
    // A header of 60 bytes in 44 bytes on the wire, and in 60 of which 44 were captured.
    assert_eq!(decoded(58, 58, 0x4f, 44), length);
    assert_eq!(decoded(74, 58, 0x4f, 60), Decoded::PortsNotCaptured);
    // The total length: less than the header, the header alone, the whole frame, more than the frame.
    let of = |total_bytes: u16| decoded(60, 60, 0x45, total_bytes);
    assert_eq!([10, 19, 47, 9999].map(of), [total; 4]);
    assert_eq!([20, 40, 46].map(of), [Decoded::Complete; 3]);
    assert_eq!((decoded(64, 60, 0x46, 23), decoded(64, 60, 0x46, 24)), (total, Decoded::Complete));
    // The length on the wire counts, not the captured one.
    assert_eq!([1514, 1513].map(|bytes| decoded(bytes, 60, 0x45, 1500)), [Decoded::Complete, total]);
    // A total length of 0 states nothing.
    assert_eq!(of(0), Decoded::Complete);
}

#[test]
fn foreign_protocols_and_links_are_opaque() {
    assert_eq!(one_packet(1, &ethernet(&[8, 6], &[0; 28])).decoded, Decoded::NotIp);
    // Spanning tree: LLC without SNAP; and SNAP with the codes of another organisation.
    assert_eq!(one_packet(1, &ethernet(&[0, 38, 0x42, 0x42, 3], &[0; 35])).decoded, Decoded::NotIp);
    assert_eq!(
        one_packet(1, &ethernet(&[0, 48, 0xaa, 0xaa, 3, 0, 0, 0xc, 8, 0], &ipv4_tcp())).decoded,
        Decoded::NotIp
    );
    assert_eq!(one_packet(113, &[0; 40]).decoded, Decoded::NotIp);
    assert_eq!(one_packet(0, &[7, 0, 0, 0, 1]).decoded, Decoded::NotIp);
    assert_eq!(one_packet(147, &ipv4_tcp()).decoded, Decoded::UnknownLinkType);
}

#[test]
fn checksums_are_judged_only_when_the_header_is_whole() {
    let mut wrong = ipv4_tcp();
    wrong[10] ^= 1;
    assert_eq!(one_packet(101, &wrong).ipv4_checksum_ok, Some(false));
    let mut options = ipv4_tcp();
    (options[0], options[3]) = (0x4f, 80);
    assert_eq!(one_packet_of(80, 101, &options).ipv4_checksum_ok, None);
}
