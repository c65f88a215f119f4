//! Whole IP packets: the captured bytes, completed by synthetic ones.
//!
//! Captures end after the headers, TSH keeps 36 bytes, CSV and generators none. A packet program reads whole
//! packets, so missing bytes are filled in: headers from the packet record, payload from a pool that is random,
//! or text like that of web pages. Addresses are those of the record, and so those of a capture mapped into
//! routed space.

use crate::generators::Random;
use crate::ip::{self, TCP, UDP};
use crate::{FiveTuple, Network, Packet, frame};
use foldhash::HashMap;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Largest IP packet.
pub const MOST_DATAGRAM_BYTES: usize = 65_535;
/// Bytes of the pool of synthetic payload: a packet takes a section of it.
const POOL_BYTES: usize = 256 << 10;
const IPV4_BYTES: usize = 20;
const IPV6_BYTES: usize = 40;
const TCP_BYTES: usize = 20;
const UDP_BYTES: usize = 8;
const TCP_SEQUENCE_AT: usize = 4;
const FIRST_SEQUENCE: u32 = 1000;
const FIN: u8 = 1;
const SYN: u8 = 2;

/// The content of synthetic payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Every byte equally likely.
    Random,
    /// Words and tags, like a web page.
    Pages,
}

/// Builds IP packets, one at a time.
#[derive(Debug)]
pub struct Datagrams {
    pool: Vec<u8>,
    random: Random,
    headers: Vec<u8>,
    /// Next sequence number of each TCP flow with synthetic headers.
    sequence: HashMap<FiveTuple, u32>,
}

impl Datagrams {
    /// Returns a builder; `seed` determines the synthetic bytes.
    #[must_use]
    pub fn new(payload: Payload, seed: u64) -> Self {
        let mut random = Random::seed_from_u64(seed);
        let mut pool = vec![0; POOL_BYTES + MOST_DATAGRAM_BYTES];
        match payload {
            Payload::Random => random.fill_bytes(&mut pool),
            Payload::Pages => fill_page(&mut pool, &mut random),
        }
        Self { pool, random, headers: Vec::new(), sequence: HashMap::default() }
    }

    /// Appends the IP packet of a record and its captured frame to `out`. Returns whether it is an IP packet.
    ///
    /// The header states its size. If the header's size is invalid (0 in packets larger than IP allows), the
    /// size is the wire length of the record, at most [`MOST_DATAGRAM_BYTES`].
    pub fn build(&mut self, packet: &Packet, frame: &[u8], out: &mut Vec<u8>) -> bool {
        let least = match packet.network {
            Network::Ipv4 => IPV4_BYTES,
            Network::Ipv6 => IPV6_BYTES,
            Network::Other => return false,
        };
        let captured = frame.get(usize::from(packet.ip_offset)..).unwrap_or_default();
        let stated = packet.ip_bytes as usize;
        let on_wire = (packet.bytes_without_fcs() as usize).saturating_sub(usize::from(packet.ip_offset));
        let size = if stated >= least { stated } else { on_wire };
        let size = size.clamp(least, MOST_DATAGRAM_BYTES);

        let from = (self.random.next_u32() as usize) % POOL_BYTES;
        let kept = captured.len().min(size);
        let at = out.len();
        out.extend_from_slice(&captured[..kept]);
        out.extend_from_slice(&self.pool[from..from + size - kept]);
        let datagram = &mut out[at..];
        self.fill_headers(packet, kept, datagram);
        if packet.network == Network::Ipv4 {
            fill_addresses(packet, datagram);
        }
        true
    }

    /// Writes headers from the record behind the first `kept` bytes, which the capture contains.
    fn fill_headers(&mut self, packet: &Packet, kept: usize, datagram: &mut [u8]) {
        let network_bytes = if packet.network == Network::Ipv4 { IPV4_BYTES } else { IPV6_BYTES };
        // A captured header may have options: then the transport header is elsewhere, and stays unchanged.
        let plain = kept < network_bytes || packet.network == Network::Ipv6 || datagram[0] & 15 == 5;
        let headed = match packet.flow.protocol {
            _ if !plain || packet.later_fragment => network_bytes,
            TCP => network_bytes + TCP_BYTES,
            UDP => network_bytes + UDP_BYTES,
            _ => network_bytes,
        };
        let end = headed.min(datagram.len()).min(packet.wire_bytes as usize);
        if kept < end {
            self.headers.clear();
            frame::push_network(packet, &mut self.headers);
            datagram[kept..end].copy_from_slice(&self.headers[kept..end]);
        }
        let sequence_at = network_bytes + TCP_SEQUENCE_AT;
        if kept <= sequence_at && end == network_bytes + TCP_BYTES {
            let payload = (datagram.len() - end) as u32;
            let phantom = u32::from(packet.tcp_flags & (FIN | SYN) != 0);
            let next = self.sequence.entry(packet.flow).or_insert(FIRST_SEQUENCE);
            datagram[sequence_at..sequence_at + 4].copy_from_slice(&next.to_be_bytes());
            *next = next.wrapping_add(payload + phantom);
        }
    }
}

/// Writes the addresses of the record: the capture may have been mapped into routed space.
fn fill_addresses(packet: &Packet, datagram: &mut [u8]) {
    let (src, dst) = ((packet.flow.src as u32).to_be_bytes(), (packet.flow.dst as u32).to_be_bytes());
    if datagram[12..16] == src && datagram[16..20] == dst {
        return;
    }
    datagram[12..16].copy_from_slice(&src);
    datagram[16..20].copy_from_slice(&dst);
    if let Some(header) = datagram.first_chunk_mut::<IPV4_BYTES>()
        && header[0] & 15 == 5
    {
        ip::set_checksum(header);
    }
}

/// Fills the pool with meaningless words and tags, with the letter frequencies of English.
fn fill_page(pool: &mut [u8], random: &mut Random) {
    const LETTERS: &[u8] = b"etaoinshrdlucmfwypvbgkqjxzetaoinshretaoinetao";
    const TAGS: [&[u8]; 6] = [b"<p>", b"</p>\n", b"<a href=\"/", b"\">", b"</a> ", b"<td class=\"c\">"];
    let mut at = 0;
    let mut put = |bytes: &[u8]| {
        let room = (pool.len() - at).min(bytes.len());
        pool[at..at + room].copy_from_slice(&bytes[..room]);
        at += room;
        at < pool.len()
    };
    loop {
        let draw = random.next_u32();
        let more = if draw.is_multiple_of(9) {
            put(TAGS[(draw >> 8) as usize % TAGS.len()])
        } else {
            let mut word = [b' '; 12];
            let letters = 2 + (draw >> 4) as usize % 9;
            let mut bits = random.next_u64();
            for letter in &mut word[..letters] {
                *letter = LETTERS[(bits % LETTERS.len() as u64) as usize];
                bits /= LETTERS.len() as u64;
            }
            put(&word[..=letters])
        };
        if !more {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::{Arrivals, FlowShape, Generator, GeneratorConfig, Sizes};
    use crate::{Decoded, PacketSource};

    #[test]
    fn generated_packets_read_back_as_their_records() {
        let config = GeneratorConfig {
            seed: 3,
            packets: Some(500),
            sizes: Sizes::Imix,
            arrivals: Arrivals::Poisson { bits_per_second: 1_000_000_000 },
            flows: FlowShape { flows: 40, ..FlowShape::default() },
        };
        let mut source = Generator::new(&config).expect("generator");
        let mut datagrams = Datagrams::new(Payload::Random, 1);
        let mut next_sequence: HashMap<FiveTuple, u32> = HashMap::default();
        while let Some(packet) = source.next_packet().expect("packet") {
            let mut bytes = Vec::new();
            assert!(datagrams.build(&packet, &[], &mut bytes), "an IP packet");
            assert_eq!(bytes.len(), packet.ip_bytes as usize);
            let mut back = Packet::default();
            ip::decode(&bytes, 0, &mut back);
            assert_eq!((back.flow, back.decoded), (packet.flow, Decoded::Complete));
            assert_eq!(back.ipv4_checksum_ok, Some(true));
            if packet.flow.protocol == TCP {
                let sequence = u32::from_be_bytes([bytes[24], bytes[25], bytes[26], bytes[27]]);
                if let Some(&expected) = next_sequence.get(&packet.flow) {
                    assert_eq!(sequence, expected, "segments of a flow follow each other");
                }
                let phantom = u32::from(packet.tcp_flags & 3 != 0);
                next_sequence.insert(packet.flow, sequence.wrapping_add(bytes.len() as u32 - 40 + phantom));
            }
        }
    }

    #[test]
    fn what_was_captured_stays_and_the_rest_is_filled() {
        let mut packet = Packet {
            network: Network::Ipv4,
            ip_bytes: 60,
            wire_bytes: 74,
            ip_offset: 14,
            ..Packet::default()
        };
        packet.flow =
            FiveTuple { src: 0x0a00_0001, dst: 0x0a00_0002, src_port: 7, dst_port: 9, protocol: 17 };
        let header = crate::frame::ipv4_header(&packet);
        let mut frame = vec![0xee; 14];
        frame.extend_from_slice(&header);
        frame.extend_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8, 0xaa]);
        packet.ip_header = header;
        let mut datagrams = Datagrams::new(Payload::Pages, 1);
        let mut bytes = Vec::new();
        assert!(datagrams.build(&packet, &frame, &mut bytes));
        assert_eq!(bytes.len(), 60);
        assert_eq!(&bytes[20..29], &[1, 2, 3, 4, 5, 6, 7, 8, 0xaa]);
        assert!(bytes[29..].iter().all(u8::is_ascii));
        assert!(!datagrams.build(&Packet::default(), &frame, &mut bytes));
        assert_eq!(bytes.len(), 60);
    }
}
