//! Arbitrary bytes: no panic, no endless loop, and never more packets than the bytes can hold.

use crate::common;

use common::{ORDERS, ethernet, ipv4_tcp, ipv6, pcap, tcp};
use linecard_traffic::{CaptureReader, Format, Network, OpenOptions, PacketSource};
use proptest::prelude::*;
use std::io::Cursor;

/// The smallest record of any format: a CSV line.
const MIN_RECORD_BYTES: usize = 4;

/// Reads to the end. Returns the number of packets.
fn drain(bytes: &[u8], format: Option<Format>, strict: bool) -> usize {
    let options = OpenOptions { format, strict };
    let Ok(mut reader) = CaptureReader::from_reader("x", Cursor::new(bytes.to_vec()), &options) else {
        return 0;
    };
    let mut packets = 0;
    let mut flows = linecard_traffic::FlowStatisticsBuilder::default();
    while let Ok(Some(packet)) = reader.next_packet() {
        packets += 1;
        assert!(packets <= bytes.len() / MIN_RECORD_BYTES, "more packets than bytes");
        flows.add(&packet);
        assert!(packet.network != Network::Other || packet.flow == Default::default());
    }
    let statistics = flows.finish(Some(reader.report()));
    assert_eq!(statistics.packets as usize, packets);
    packets
}

/// Valid files of every format.
fn valid_files() -> Vec<(Format, Vec<u8>)> {
    let ip = ipv4_tcp();
    let frames = [
        ethernet(&[8, 0], &ip),
        ethernet(&[0x81, 0, 0, 1, 0x88, 0x47, 0, 1, 1, 64], &ip),
        ethernet(&[0x86, 0xdd], &ipv6(0, &[&[6, 0, 0, 0, 0, 0, 0, 0], &tcp()[..]].concat())),
        ethernet(&[0x88, 0x64, 0x11, 0, 0, 1, 0, 42, 0, 0x21], &ip),
    ];
    let records: Vec<_> = frames.iter().enumerate().map(|(n, f)| (n as u32, 5, 99, &f[..])).collect();
    let mut files = Vec::new();
    for order in ORDERS {
        for link in [1, 0, 9, 50, 101, 113, 276] {
            files.push((Format::Pcap, pcap(order, 0xa1b2_c3d4, link, &records)));
        }
        let block = |kind: u32, body: &[u8]| {
            let length = order.u32(12 + body.len() as u32);
            [&order.u32(kind)[..], &length, body, &length].concat()
        };
        let section = [&order.u32(0x1a2b_3c4d)[..], &order.u16(1), &order.u16(0), &[0xff; 8]].concat();
        let mut file = block(0x0a0d_0d0a, &section);
        file.extend(block(
            1,
            &[&order.u16(1)[..], &[0; 6], &order.u16(9), &order.u16(1), &[9, 0, 0, 0]].concat(),
        ));
        for frame in &frames {
            let padded = frame.len().next_multiple_of(4);
            let mut body = [0, 0, 7, frame.len() as u32, 99].map(|field| order.u32(field)).concat();
            body.extend(frame);
            body.resize(20 + padded, 0);
            file.extend(block(6, &body));
        }
        files.push((Format::PcapNg, file));
    }
    let mut erf = Vec::new();
    for (kind, body) in
        [(2, [&[0, 0], &frames[0][..]].concat()), (1, [&[0xff, 3, 0, 0x21], &ip[..]].concat())]
    {
        erf.extend([1, 0, 0, 0, 9, 0, 0, 0, kind, 4]);
        erf.extend((16 + body.len() as u16).to_be_bytes());
        erf.extend([0, 0, 0, 99]);
        erf.extend(body);
    }
    files.push((Format::Erf, erf));
    files.push((Format::Tsh, [&[0, 0, 0, 9, 1, 0, 0, 5], &ip[..36]].concat().repeat(3)));
    let mut dag = [&[0, 0, 0, 0, 9, 0, 0, 0, 60, 0], &frames[0][..]].concat();
    dag.resize(64, 0);
    files.push((Format::LegacyDag, dag.repeat(3)));
    files.push((Format::Csv, b"time,length,src,dst,protocol\n1,2,10.0.0.1,10.0.0.2,6\n2,3,,,\n".to_vec()));
    files
}

#[test]
fn the_valid_files_are_valid() {
    for (format, file) in valid_files() {
        let (packets, reader) = common::read_all("x", &file);
        assert!(packets.len() >= 2 && reader.report().is_clean(), "{format:?}");
    }
}

#[test]
fn every_prefix_of_a_valid_file_delivers_a_prefix_of_its_packets() {
    for (format, file) in valid_files() {
        // A shorter number in a cut CSV line is still a number.
        if format == Format::Csv {
            continue;
        }
        let (all, _) = common::read_all("x", &file);
        for end in 1..file.len() {
            let options = OpenOptions { format: Some(format), strict: false };
            let cut = Cursor::new(file[..end].to_vec());
            let Ok(mut reader) = CaptureReader::from_reader("x", cut, &options) else { continue };
            let mut delivered = 0;
            while let Some(packet) = reader.next_packet().unwrap() {
                assert_eq!(packet, all[delivered], "{format:?} cut at {end}");
                delivered += 1;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes(
        bytes in prop::collection::vec(any::<u8>(), 0..600),
        format in prop::sample::select(vec![None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)]),
        strict in any::<bool>(),
    ) {
        drain(&bytes, format.map(|index: usize| Format::ALL[index]), strict);
    }

    #[test]
    fn mutated_captures(
        which in any::<prop::sample::Index>(),
        mutations in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
        strict in any::<bool>(),
    ) {
        let files = valid_files();
        let (format, mut bytes) = which.get(&files).clone();
        for (at, value) in mutations {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        drain(&bytes, None, strict);
        drain(&bytes, Some(format), strict);
    }

    #[test]
    fn mutated_compression(
        at in any::<prop::sample::Index>(),
        value in any::<u8>(),
    ) {
        use std::io::Write;
        let (_, file) = &valid_files()[0];
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(file).unwrap();
        let bzip2 = {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(file).unwrap();
            encoder.finish().unwrap()
        };
        for mut bytes in [encoder.finish().unwrap(), zstd::encode_all(&file[..], 1).unwrap(), bzip2] {
            let at = at.index(bytes.len());
            bytes[at] = value;
            let options = OpenOptions::default();
            if let Ok(mut reader) = CaptureReader::from_reader("x", Cursor::new(bytes), &options) {
                while reader.next_packet().unwrap().is_some() {}
            }
        }
    }
}
