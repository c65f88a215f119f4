//! Captures, their wrappers, and lists about traffic.

use super::choice;
use crate::scratch;
use linecard_flowcache::{Geometry, Options, Policy, PolicyKind, Trace, digests_from_bytes, simulate};
use linecard_traffic::generators::{EmpiricalSizes, Sizes};
use linecard_traffic::remap::{AddressMap, AddressMapOptions, read_prefixes};
use linecard_traffic::{
    CaptureReader, Datagrams, FlowStatisticsBuilder, Format, OpenOptions, PacketSource, Payload,
};
use std::io::Cursor;
use std::path::Path;

/// The smallest record of any format: a CSV line.
const LEAST_RECORD_BYTES: usize = 4;
/// What unpacks to more is read this far.
const MOST_PACKETS: usize = 20_000;

/// Reads packets as `linecard flows` does, and makes whole datagrams of them as programs get them.
fn read(bytes: &[u8], options: &OpenOptions) -> Option<usize> {
    let mut reader = CaptureReader::from_reader("x", Cursor::new(bytes.to_vec()), options).ok()?;
    let mut flows = FlowStatisticsBuilder::default();
    let mut datagrams = Datagrams::new(Payload::Random, 1);
    let mut datagram = Vec::new();
    let mut packets = 0;
    while packets < MOST_PACKETS {
        let Ok(Some(packet)) = reader.next_packet() else { break };
        packets += 1;
        flows.add(&packet);
        datagram.clear();
        let is_made = datagrams.build(&packet, reader.frame(), &mut datagram);
        assert_eq!(is_made, !datagram.is_empty(), "a datagram without a byte, or bytes of none");
    }
    assert_eq!(reader.packets_delivered() as usize, packets);
    assert_eq!(flows.finish(Some(reader.report())).packets as usize, packets);
    Some(packets)
}

/// The bytes as a capture of any format, or of the one that is chosen.
pub fn capture(data: &[u8]) {
    let (chosen, bytes) = choice(data);
    let format = Format::ALL.get(chosen >> 1).copied();
    let options = OpenOptions { format, strict: chosen & 1 == 1 };
    let packed =
        bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(b"BZh") || bytes.starts_with(&[0x28, 0xb5]);
    if let (Some(packets), false) = (read(bytes, &options), packed) {
        assert!(packets <= bytes.len() / LEAST_RECORD_BYTES, "more packets than bytes");
    }
}

/// The bytes inside a sound wrapper, and damaged in it at the place that the first bytes say.
pub fn packed_capture(data: &[u8]) {
    use std::io::Write;
    let Some((&[kind, at, damage], bytes)) = data.split_first_chunk() else { return };
    let packed = match kind % 3 {
        0 => {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packer.write_all(bytes).and_then(|()| packer.finish())
        }
        1 => zstd::encode_all(bytes, 1),
        _ => {
            let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            packer.write_all(bytes).and_then(|()| packer.finish())
        }
    };
    let mut packed = packed.expect("a packer writes to memory");
    let options = OpenOptions::default();
    let sound = read(&packed, &options);
    let plain = read(bytes, &options);
    // What unpacks to nothing, or to another wrapper, is refused or read otherwise than the plain bytes.
    if let (Some(sound), Some(plain), false) = (sound, plain, wrapped(bytes)) {
        assert_eq!(sound, plain, "packets within the wrapper and without it");
    }
    let place = usize::from(at) * packed.len() / 256;
    packed[place] ^= damage;
    read(&packed, &options);
    packed.truncate(place);
    read(&packed, &options);
}

fn wrapped(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(b"BZh") || bytes.starts_with(&[0x28, 0xb5])
}

/// A file of digests, through one cache of each policy in turn.
pub fn digests(data: &[u8]) {
    let (chosen, bytes) = choice(data);
    let Ok(digests) = digests_from_bytes(bytes) else { return };
    let Ok(trace) = Trace::new(&digests) else { return };
    let policy = PolicyKind::ALL[chosen % PolicyKind::ALL.len()];
    let Ok(geometry) = Geometry::new(16, 4) else { return };
    let configuration = linecard_flowcache::Configuration::new(geometry, Policy::new(policy));
    if let Ok(row) = simulate(&trace, &configuration, &Options::default()) {
        assert_eq!(row.hits + row.misses, digests.len() as u64);
        assert_eq!(row.cold + row.capacity + row.conflict, row.misses);
    }
}

/// A list of prefixes, and the map of addresses over it.
pub fn prefixes(data: &[u8]) {
    let path = scratch::file("prefixes", data);
    let Ok(prefixes) = read_prefixes(Path::new(&path)) else { return };
    let Ok(map) = AddressMap::new(&prefixes, AddressMapOptions::default()) else { return };
    for address in [0, 1, 0x0a00_0001, 0x7f00_0001, 0xc0a8_0001, u32::MAX] {
        assert_eq!(map.map(address), map.map(address));
    }
    assert!(!map.describe().is_empty());
}

/// A list of sizes with weights.
pub fn sizes(data: &[u8]) {
    let path = scratch::file("sizes.csv", data);
    if let Ok(sizes) = EmpiricalSizes::from_csv(Path::new(&path)) {
        let sizes = Sizes::Empirical(sizes);
        let (mean, square) = (sizes.mean_bytes(), sizes.mean_square_bytes());
        assert!(mean.is_finite() && mean > 0.0 && square.is_finite(), "mean {mean}, of squares {square}");
        assert!(square >= mean * mean * (1.0 - 1e-9), "mean {mean}, of squares {square}");
    }
}
