//! Containers, built by hand in both byte orders.

use crate::common;

use common::{ORDERS, Order, ethernet, ipv4_tcp, pcap, read_all};
use linecard_traffic::{
    CaptureReader, Compression, DamageKind, Decoded, Format, LinkType, Network, OpenOptions, TrafficError,
};
use std::io::{Cursor, Write};

fn frame() -> Vec<u8> {
    ethernet(&[0x08, 0x00], &ipv4_tcp())
}

#[test]
fn pcap_in_every_order_and_resolution() {
    for order in ORDERS {
        for (magic, time_ns) in [(0xa1b2_c3d4, 3_000_005_000), (0xa1b2_3c4d, 3_000_000_005)] {
            let file = pcap(order, magic, 1, &[(3, 5, 1514, &frame())]);
            let (packets, reader) = read_all("x", &file);
            assert_eq!((reader.format(), reader.link_type()), (Format::Pcap, Some(LinkType::ETHERNET)));
            assert!(reader.report().is_clean());
            assert_eq!(packets.len(), 1);
            let packet = packets[0];
            assert_eq!((packet.time_ns, packet.wire_bytes, packet.captured_bytes), (time_ns, 1514, 54));
            assert_eq!((packet.flow.src_port, packet.flow.dst_port), (1000, 80));
        }
    }
}

#[test]
fn a_stated_check_sequence_is_no_part_of_the_frame() {
    let frame = frame();
    let wire_bytes = frame.len() as u32;
    // Upper bits of the link type: the length in words of 16 bits, and the flag that it is stated.
    for (upper, fcs_bytes) in [(0, 0), (0x2400_0000, 4), (0x1400_0000, 2), (0x2000_0000, 0), (0x0400_0000, 0)]
    {
        for order in ORDERS {
            let file = pcap(order, 0xa1b2_c3d4, upper | 1, &[(1, 2, wire_bytes, &frame)]);
            let (packets, reader) = read_all("x.pcap", &file);
            let found = (packets[0].wire_bytes, packets[0].fcs_bytes, packets[0].bytes_without_fcs());
            assert_eq!(found, (wire_bytes, fcs_bytes, wire_bytes - u32::from(fcs_bytes)));
            assert_eq!(reader.link_type(), Some(LinkType::ETHERNET));
        }
    }
    // pcapng: in bits, or in bytes.
    for (value, fcs_bytes) in [(32, 4), (4, 4), (16, 2), (0, 0)] {
        let order = Order::Little;
        let options = option(order, 13, &[value]);
        let blocks = [interface(order, 1, 0, &options), enhanced(order, 0, 1, wire_bytes, &frame)];
        let (packets, _) = read_all("x", &[section(order), blocks.concat()].concat());
        assert_eq!(packets[0].fcs_bytes, fcs_bytes, "{value}");
    }
    // Flags of a packet, with an inbound direction: 4 bytes instead of the 2 of its interface, and not stated.
    for (flags, fcs_bytes) in [(4 << 5 | 1, 4), (1, 2)] {
        for order in ORDERS {
            let two_bytes = option(order, 13, &[16]);
            let comment = option(order, 1, b"seen");
            let options = [comment, option(order, 2, &order.u32(flags)), option(order, 0, &[])].concat();
            let fields = [0, 0, 1, wire_bytes, wire_bytes].map(|f| order.u32(f)).concat();
            let padding = vec![0; frame.len().next_multiple_of(4) - frame.len()];
            let packet = block(order, 6, &[fields, frame.clone(), padding, options].concat());
            let (packets, reader) =
                read_all("x", &[section(order), interface(order, 1, 0, &two_bytes), packet].concat());
            assert!(reader.report().is_clean());
            assert_eq!(packets[0].fcs_bytes, fcs_bytes, "{flags}");
        }
    }
}

#[test]
fn modified_pcap_has_longer_record_headers() {
    for order in ORDERS {
        let mut file = pcap(order, 0xa1b2_cd34, 1, &[]);
        for _ in 0..2 {
            for field in [3, 5, 54, 54, 9, 9] {
                file.extend(order.u32(field));
            }
            file.extend(frame());
        }
        let (packets, reader) = read_all("x", &file);
        assert_eq!(packets.len(), 2);
        assert!(reader.report().is_clean() && packets[1].network == Network::Ipv4);
    }
}

#[test]
fn the_frame_can_be_read_until_the_next_packet() {
    let file = pcap(Order::Little, 0xa1b2_c3d4, 1, &[(0, 0, 60, &frame()), (0, 1, 60, &[1, 2, 3])]);
    let mut reader = common::reader("x", &file);
    use linecard_traffic::PacketSource;
    reader.next_packet().unwrap();
    assert_eq!(reader.frame(), frame());
    reader.next_packet().unwrap();
    assert_eq!(reader.frame(), [1, 2, 3]);
    assert!(reader.next_packet().unwrap().is_none() && reader.frame().is_empty());
}

/// A pcapng block.
fn block(order: Order, kind: u32, body: &[u8]) -> Vec<u8> {
    let length = order.u32(12 + body.len().next_multiple_of(4) as u32);
    let padding = vec![0; body.len().next_multiple_of(4) - body.len()];
    [&order.u32(kind)[..], &length, body, &padding, &length].concat()
}

fn section(order: Order) -> Vec<u8> {
    let body = [&order.u32(0x1a2b_3c4d)[..], &order.u16(1), &order.u16(0), &[0xff; 8]].concat();
    block(order, 0x0a0d_0d0a, &body)
}

fn interface(order: Order, link: u16, snap_bytes: u32, options: &[u8]) -> Vec<u8> {
    block(order, 1, &[&order.u16(link)[..], &[0; 2], &order.u32(snap_bytes), options].concat())
}

fn option(order: Order, code: u16, value: &[u8]) -> Vec<u8> {
    let padding = vec![0; value.len().next_multiple_of(4) - value.len()];
    [&order.u16(code)[..], &order.u16(value.len() as u16), value, &padding].concat()
}

fn enhanced(order: Order, interface: u32, ticks: u64, wire_bytes: u32, frame: &[u8]) -> Vec<u8> {
    let fields =
        [interface, (ticks >> 32) as u32, ticks as u32, frame.len() as u32, wire_bytes].map(|f| order.u32(f));
    block(order, 6, &[&fields.concat()[..], frame].concat())
}

#[test]
fn pcapng_sections_interfaces_and_blocks() {
    for order in ORDERS {
        let other = if matches!(order, Order::Little) { Order::Big } else { Order::Little };
        let ns = option(order, 9, &[9]);
        let frame = frame();
        let obsolete_fields = [order.u16(1), order.u16(0)].concat();
        let obsolete_rest = [0, 3_000_000_007, frame.len() as u32, 100].map(|f| order.u32(f)).concat();
        let file = [
            section(order),
            interface(order, 1, 0, &[]),
            interface(order, 101, 0, &ns),
            enhanced(order, 0, 2_000_001, 1500, &frame),
            enhanced(order, 1, 2_000_001_007, 40, &ipv4_tcp()),
            block(order, 0x0bad_cafe, &[1, 2, 3, 4, 5]),
            // Snapshot length 0 means the whole packet, up to the end of the block.
            block(order, 3, &[&order.u32(54)[..], &frame].concat()),
            block(order, 2, &[obsolete_fields, obsolete_rest, frame.clone()].concat()),
            // A new section has its own byte order and interfaces.
            section(other),
            interface(other, 1, 20, &option(other, 9, &[0x80 | 1])),
            enhanced(other, 0, 11, 1500, &frame),
            block(other, 3, &[&other.u32(54)[..], &frame[..20]].concat()),
        ]
        .concat();
        let (packets, reader) = read_all("x", &file);
        assert!(reader.report().is_clean(), "{:?}", reader.report().diagnostics());
        assert_eq!(reader.report().count(DamageKind::NoTimestamp), 2);
        let seen: Vec<_> = packets.iter().map(|p| (p.time_ns, p.wire_bytes, p.captured_bytes)).collect();
        let expected = [
            (2_000_001_000, 1500, 54),
            (2_000_001_007, 40, 40),
            (2_000_001_007, 54, 54),
            (3_000_000_007, 100, 54),
            (5_500_000_000, 1500, 54),
            (5_500_000_000, 54, 20),
        ];
        assert_eq!(seen, expected);
        // The obsolete block names interface 1, which is raw IP: an Ethernet frame there is not IP.
        assert_eq!(packets[3].decoded, Decoded::BadIpVersion);
        assert!(packets.iter().take(3).all(|packet| packet.flow.dst_port == 80));
    }
}

#[test]
fn pcapng_time_offset() {
    for order in ORDERS {
        let offset = match order {
            Order::Little => (-3_i64).to_le_bytes(),
            Order::Big => (-3_i64).to_be_bytes(),
        };
        let file = [
            section(order),
            interface(order, 1, 0, &option(order, 14, &offset)),
            enhanced(order, 0, 5_000_000, 60, &frame()),
            enhanced(order, 0, 1_000_000, 60, &frame()),
        ]
        .concat();
        let (packets, reader) = read_all("x", &file);
        assert_eq!(packets[0].time_ns, 2_000_000_000);
        // A time before 1970 is reported, and replaced with the previous time.
        assert_eq!(packets[1].time_ns, 2_000_000_000);
        assert_eq!(reader.report().count(DamageKind::BadTimestamp), 1);
    }
}

#[test]
fn pcapng_steps_over_a_block_that_is_wrong_inside() {
    for order in ORDERS {
        let mut too_long = enhanced(order, 0, 1, 60, &frame());
        too_long[20..24].copy_from_slice(&order.u32(4000));
        let file = [
            section(order),
            interface(order, 1, 0, &[]),
            too_long,
            enhanced(order, 5, 1, 60, &frame()),
            block(order, 6, &[0; 8]),
            enhanced(order, 0, 1, 60, &frame()),
        ]
        .concat();
        let (packets, reader) = read_all("x", &file);
        assert_eq!(packets.len(), 1);
        assert_eq!(reader.report().count(DamageKind::BadBlock), 3);
    }
}

/// An ERF record; `kind` may have the extension bit.
fn erf(kind: u8, wire_bytes: u16, body: &[u8]) -> Vec<u8> {
    let mut record = vec![0, 0, 0, 0x80, 9, 0, 0, 0, kind, 4];
    record.extend((16 + body.len() as u16).to_be_bytes());
    record.extend([0, 0]);
    record.extend(wire_bytes.to_be_bytes());
    record.extend(body);
    record
}

#[test]
fn erf_types() {
    let ip = ipv4_tcp();
    let ethernet = [&[0, 0], &frame()[..]].concat();
    let snap = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
    let cases = [
        (2, 58, ethernet.clone(), LinkType::ETHERNET, 58),
        (11, 58, ethernet.clone(), LinkType::ETHERNET, 58),
        (16, 58, ethernet.clone(), LinkType::ETHERNET, 58),
        (20, 58, ethernet.clone(), LinkType::ETHERNET, 58),
        (1, 48, [&[0xff, 3, 0, 0x21], &ip[..]].concat(), LinkType::PPP_HDLC, 48),
        (1, 48, [&[0x0f, 0, 8, 0], &ip[..]].concat(), LinkType::PPP_HDLC, 48),
        (5, 48, [&[0, 0, 0, 1, 0xff, 3, 0, 0x21], &ip[..]].concat(), LinkType::PPP_HDLC, 48),
        (3, 53, [&[0; 4], &snap[..], &ip].concat(), LinkType::ATM_LLC, 40),
        (4, 52, [&[0; 4], &snap[..], &ip].concat(), LinkType::ATM_LLC, 52),
        (9, 56, [&[0; 8], &snap[..], &ip].concat(), LinkType::ATM_LLC, 56),
        (22, 40, ip.clone(), LinkType::IPV4, 40),
        // There are two extension headers: the first indicates that another follows.
        (0x80 | 2, 58, [&[0x83; 8], &[3; 8], &ethernet[..]].concat(), LinkType::ETHERNET, 58),
    ];
    for (kind, wire_field, body, link, wire_bytes) in cases {
        // Padding records and provenance records are not packets.
        let file = [erf(48, 0, &[]), erf(kind, wire_field, &body), erf(27, 0, &[0; 32]).repeat(2)].concat();
        let (packets, reader) = read_all("x.erf", &file);
        // Provenance records are noted once.
        assert_eq!(reader.report().count(DamageKind::ProvenanceRecord), 1);
        assert_eq!(reader.report().diagnostics().len(), 1);
        assert_eq!((packets.len(), reader.link_type()), (1, Some(link)), "type {kind}");
        let packet = packets[0];
        assert_eq!((packet.time_ns, packet.wire_bytes), (9_500_000_000, wire_bytes), "type {kind}");
        assert_eq!(packet.fcs_bytes, if link == LinkType::ETHERNET { 4 } else { 0 }, "type {kind}");
        assert_eq!((packet.flow.src_port, packet.flow.dst_port), (1000, 80), "type {kind}");
    }
}

#[test]
fn erf_headers_longer_than_the_record() {
    let file = [erf(0x82, 60, &[0x80; 4]), erf(2, 58, &[&[0, 0], &frame()[..]].concat())].concat();
    let (packets, reader) = read_all("x.erf", &file);
    assert_eq!((packets.len(), packets[0].captured_bytes), (2, 0));
    assert_eq!(reader.report().count(DamageKind::BadRecord), 1);
}

#[test]
fn tsh_records() {
    let mut record = vec![0, 0, 0, 9, 1, 0, 0, 5];
    record.extend(&ipv4_tcp()[..36]);
    let file = record.repeat(3);
    // The format is recognised by content alone, and by name.
    for name in ["x", "x.tsh"] {
        let (packets, reader) = read_all(name, &file);
        assert_eq!((packets.len(), reader.format()), (3, Format::Tsh));
        let packet = packets[2];
        assert_eq!((packet.time_ns, packet.wire_bytes, packet.captured_bytes), (9_000_005_000, 40, 36));
        assert_eq!((packet.flow.dst_port, packet.tcp_flags), (80, 2));
        assert_eq!(packet.ipv4_checksum_ok, Some(true));
    }
}

#[test]
fn tsh_leaves_options_out() {
    let mut record = vec![0, 0, 0, 9, 1, 0, 0, 5];
    record.extend(&ipv4_tcp()[..36]);
    record[8] = 0x4f;
    let (packets, _) = read_all("x.tsh", &record);
    assert_eq!((packets[0].flow.dst_port, packets[0].tcp_flags), (80, 2));
    assert_eq!((packets[0].ip_header[0], packets[0].ipv4_checksum_ok), (0x4f, Some(false)));
}

#[test]
fn legacy_dag_layouts() {
    let time = [0, 0, 0, 0x80, 9, 0, 0, 0];
    let snap = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0];
    let ip = ipv4_tcp();
    let layouts = [
        (LinkType::ATM_LLC, [&[0; 8], &snap[..], &ip].concat()),
        (LinkType::ETHERNET, [&60_u16.to_le_bytes(), &frame()[..]].concat()),
        (LinkType::PPP_HDLC, [&[0, 0, 0, 64, 0, 0, 0, 44, 0xff, 3, 0, 0x21], &ip[..36]].concat()),
    ];
    for (link, body) in layouts {
        let mut record = [&time[..], &body].concat();
        record.resize(64, 0);
        let (packets, reader) = read_all("x", &record.repeat(4));
        assert_eq!((reader.format(), reader.link_type()), (Format::LegacyDag, Some(link)));
        assert_eq!((packets.len(), packets[3].flow.dst_port), (4, 80));
        assert_eq!(packets[3].time_ns, 9_500_000_000);
        assert_eq!(packets[3].fcs_bytes, if link == LinkType::ETHERNET { 4 } else { 0 });
    }
}

#[test]
fn csv_columns_and_lines() {
    let text = "# made by hand\nlength,time,src,dst,src_port,dst_port,protocol\r\n\
                60,1.5,10.0.0.1,10.0.0.2,1000,80,tcp\n\n1500,2.000000001,::1,::2,,,58\n\
                x,3,10.0.0.1,10.0.0.2,1,2,6\n40,3,10.0.0.1,::2,1,2,6\n40,4\n9,5.1234567899,,,,,\n";
    let (packets, reader) = read_all("x", text.as_bytes());
    assert_eq!(reader.format(), Format::Csv);
    let seen: Vec<_> = packets.iter().map(|p| (p.time_ns, p.wire_bytes, p.network)).collect();
    let expected = [
        (1_500_000_000, 60, Network::Ipv4),
        (2_000_000_001, 1500, Network::Ipv6),
        (5_123_456_789, 9, Network::Other),
    ];
    assert_eq!(seen, expected);
    // A frame of 60 bytes has an IP packet of 46, which may still be forwarded 63 times.
    let ip: Vec<_> = packets.iter().map(|p| (p.link, p.ip_bytes, p.ip_offset, p.ttl)).collect();
    let frame = LinkType::ETHERNET;
    assert_eq!(ip, [(frame, 46, 14, 64), (frame, 1486, 14, 64), (frame, 0, 0, 0)]);
    let lines: Vec<_> = reader.report().diagnostics().iter().map(|d| (d.kind, d.line)).collect();
    assert_eq!(lines, [6, 7, 8].map(|line| (DamageKind::BadLine, Some(line))));
}

#[test]
fn csv_refuses_columns_it_does_not_know() {
    for (text, line, found) in [
        ("time,length,sorce\n", 1, "column `sorce`"),
        ("\ntime,length,time\n", 2, "column `time` twice"),
        ("time,src\n", 1, "a header without a required column"),
        ("# nothing\n", 2, "no header with column names"),
    ] {
        let cursor = Cursor::new(text.as_bytes());
        match CaptureReader::from_reader("x.csv", cursor, &OpenOptions::default()).err() {
            Some(TrafficError::BadLine { line: at, found: what, .. }) => {
                assert_eq!((at, what.as_str()), (line, found));
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

#[test]
fn a_csv_line_without_end_does_not_fill_the_memory() {
    let text = [b"time,length\n1,2\n", &[b'7'; 100_000][..], b"\n3,4\n"].concat();
    let (packets, reader) = read_all("x", &text);
    assert_eq!(packets.len(), 2);
    assert_eq!(reader.report().count(DamageKind::BadLine), 1);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

#[test]
fn every_compression_whole_in_members_and_cut() {
    type Compress = fn(&[u8]) -> Vec<u8>;
    let ways: [(Compression, Compress); 3] =
        [(Compression::Gzip, gzip), (Compression::Zstd, zstd), (Compression::Bzip2, bzip2)];
    let frame = frame();
    let records: Vec<_> =
        (0..5000_u32).map(|n| (n, n.wrapping_mul(77_777) % 1_000_000, 60, &frame[..])).collect();
    let file = pcap(Order::Big, 0xa1b2_c3d4, 1, &records);
    for (compression, compress) in ways {
        let (first, second) = file.split_at(file.len() / 3);
        for bytes in [compress(&file), [compress(first), compress(second)].concat()] {
            let (packets, reader) = read_all("x", &bytes);
            assert_eq!((reader.compression(), packets.len()), (compression, 5000));
            assert!(reader.report().is_clean());
            assert_eq!(reader.progress().file_bytes_read, bytes.len() as u64);
        }
        let whole = compress(&file);
        // Bytes after the last member must be reported.
        let (packets, reader) = read_all("x", &[&whole[..], b"garbage that is no member"].concat());
        assert_eq!((packets.len(), reader.report().is_clean()), (5000, false), "{compression:?}");
        let (packets, reader) = read_all("x", &whole[..whole.len() * 2 / 3]);
        assert!(packets.len() < 5000, "{compression:?}");
        assert_eq!(reader.report().count(DamageKind::Compression), 1, "{compression:?}");
        assert_eq!(reader.report().total(linecard_traffic::Severity::Damage), 1, "{compression:?}");
    }
}

#[test]
fn an_empty_file_and_an_unknown_one_are_told_apart() {
    let open = |bytes: &'static [u8]| {
        CaptureReader::from_reader("x", Cursor::new(bytes), &OpenOptions::default()).err().unwrap()
    };
    assert!(matches!(open(b""), TrafficError::Empty { .. }));
    let error = open(b"hello, world");
    assert!(matches!(error, TrafficError::UnknownFormat { .. }), "{error}");
}

#[test]
fn strict_mode_stops_at_damage_and_stays_stopped() {
    use linecard_traffic::PacketSource;
    let file = pcap(
        Order::Little,
        0xa1b2_c3d4,
        1,
        &[(1, 0, 60, &frame()), (2, 2_000_000, 60, &frame()), (3, 0, 60, &frame())],
    );
    let options = OpenOptions { strict: true, ..OpenOptions::default() };
    let mut reader = CaptureReader::from_reader("x.pcap", Cursor::new(file.clone()), &options).unwrap();
    assert!(reader.next_packet().unwrap().is_some());
    let error = reader.next_packet().unwrap_err().to_string();
    assert_eq!(
        error,
        "x.pcap: byte offset 94, packet 2: found 2000000 in the fraction field of a time stamp, expected less than \
         1000000; the whole seconds in the fraction field were added to the seconds field"
    );
    assert!(reader.next_packet().unwrap().is_none());
    // Lenient reading delivers all three packets and reports the same damage.
    let (packets, reader) = read_all("x.pcap", &file);
    assert_eq!((packets.len(), packets[1].time_ns), (3, 4_000_000_000));
    assert_eq!(reader.report().diagnostics()[0].to_string(), error);
    assert_eq!(reader.report().count(DamageKind::TimeBackwards), 0);
}

#[test]
fn a_version_that_is_not_known_is_said_and_read() {
    for order in ORDERS {
        let mut file = pcap(order, 0xa1b2_c3d4, 1, &[(3, 5, 1514, &frame())]);
        file[4..8].copy_from_slice(&[order.u16(3), order.u16(7)].concat());
        let (packets, reader) = read_all("x", &file);
        let report = reader.report();
        assert_eq!((packets.len(), report.is_clean()), (1, true));
        assert!(report.diagnostics()[0].found.contains("pcap version 3.7"), "{:?}", report.diagnostics());

        let mut header = section(order);
        header[12..16].copy_from_slice(&[order.u16(2), order.u16(0)].concat());
        let file = [header, interface(order, 1, 0, &[]), enhanced(order, 0, 1, 1500, &frame())].concat();
        let (packets, reader) = read_all("x", &file);
        let report = reader.report();
        assert_eq!((packets.len(), report.is_clean()), (1, true));
        assert!(report.diagnostics()[0].found.contains("version 2.0"), "{:?}", report.diagnostics());
    }
}

#[test]
fn a_file_packed_by_another_program_is_named() {
    let files: [(&[u8], &str); 3] =
        [(b"\xfd7zXZ\0\0\x04", "xz"), (b"PK\x03\x04\x14\0", "zip"), (b"\x04\x22\x4d\x18x", "lz4")];
    for (start, name) in files {
        let error = CaptureReader::from_reader("x", Cursor::new(start.to_vec()), &OpenOptions::default());
        let error = error.err().expect("nothing that is read").to_string();
        assert!(error.contains(name), "{error}");
    }
}
