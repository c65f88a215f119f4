//! Written captures can be read again, and the shipped capture is the output of its program.

use crate::common;

#[allow(dead_code, reason = "the example is a program, its main is not called here")]
#[path = "../examples/make_edge_mix.rs"]
mod make_edge_mix;

use common::{ipv6, one_packet, read_all, tcp};
use linecard_traffic::generators::{Arrivals, FlowShape, Generator, GeneratorConfig, Sizes};
use linecard_traffic::write::PcapWriter;
use linecard_traffic::{FlowStatistics, LinkType, OpenOptions, Packet, PacketSource, TrafficError, open};
use std::path::PathBuf;

fn generated() -> Vec<Packet> {
    let config = GeneratorConfig {
        seed: 3,
        packets: Some(2000),
        sizes: Sizes::Imix,
        arrivals: Arrivals::Poisson { bits_per_second: 10_000_000 },
        flows: FlowShape::default(),
    };
    let mut generator = Generator::new(&config).unwrap();
    std::iter::from_fn(|| generator.next_packet().unwrap()).collect()
}

#[test]
fn generated_packets_survive_a_round_trip() {
    for (link, link_bytes) in [(LinkType::RAW_IP, 0), (LinkType::ETHERNET, 14)] {
        for gzip in [false, true] {
            let mut writer = PcapWriter::new(Vec::new(), link, 64, gzip).unwrap();
            let written: Vec<Packet> = generated()
                .into_iter()
                .map(|mut packet| {
                    packet.wire_bytes += link_bytes;
                    packet.ip_offset = link_bytes as u16;
                    packet.link = link;
                    packet.captured_bytes = packet.wire_bytes.min(64);
                    packet
                })
                .collect();
            for packet in &written {
                writer.write_headers(packet).unwrap();
            }
            let (read, reader) = read_all("x", &writer.finish().unwrap());
            assert!(reader.report().is_clean());
            assert_eq!(read, written);
        }
    }
}

#[test]
fn ipv6_headers_survive_a_round_trip() {
    let packet = one_packet(101, &ipv6(6, &tcp()));
    let mut writer = PcapWriter::new(Vec::new(), LinkType::RAW_IP, 65_535, false).unwrap();
    writer.write_headers(&packet).unwrap();
    let (read, _) = read_all("x", &writer.finish().unwrap());
    assert_eq!(read, [packet]);
}

#[test]
fn a_time_beyond_the_format_is_refused() {
    let mut writer = PcapWriter::new(Vec::new(), LinkType::RAW_IP, 64, false).unwrap();
    let packet = Packet { time_ns: u64::MAX, ..Packet::default() };
    assert!(matches!(writer.write_headers(&packet), Err(TrafficError::BadParameter(_))));
}

fn shipped() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/captures/edge-mix.pcap.gz")
}

fn gunzip(path: &std::path::Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).unwrap();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(file), &mut bytes).unwrap();
    bytes
}

#[test]
fn the_shipped_capture_is_fresh() {
    let directory = std::env::temp_dir().join(format!("linecard-edge-mix-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let made = directory.join("edge-mix.pcap.gz");
    make_edge_mix::make(&made).unwrap();
    // The output of compressors may differ by version and processor, but the content must not.
    let equal = gunzip(&made) == gunzip(&shipped());
    std::fs::remove_dir_all(&directory).unwrap();
    assert!(equal, "examples/captures/edge-mix.pcap.gz is stale: run the example make_edge_mix");
}

#[test]
fn the_shipped_capture_looks_like_an_edge_link() {
    let mut reader = open(&shipped(), &OpenOptions::default()).unwrap();
    let s = FlowStatistics::of_capture(&mut reader).unwrap();
    assert_eq!((s.packets, s.ipv4_packets, s.clean), (20_000, 20_000, true));
    assert!(s.skipped.is_empty() && s.damage.is_empty());
    assert!((535.0..=545.0).contains(&s.mean_bytes), "{}", s.mean_bytes);
    assert!((35.0..=45.0).contains(&s.at_most_64_bytes_percent), "{}", s.at_most_64_bytes_percent);
    assert_eq!(s.ipv4_checksums_ok_percent, Some(100.0));
    let rate = s.bytes as f64 * 8.0 / s.seconds;
    assert!((1.45e9..=1.55e9).contains(&rate), "{rate}");
    assert!(std::fs::metadata(shipped()).unwrap().len() < 400_000);
}
