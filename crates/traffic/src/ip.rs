//! IPv4 (RFC 791), IPv6 (RFC 8200) with its extension headers, and the first bytes of TCP, UDP and SCTP.
//!
//! It reads only the fields that a packet processor's classifier needs. An IPv4 header that does not fit its
//! frame on the wire is damaged (RFC 1812, section 5.2.2). A total length of 0 states nothing: BIG TCP packets and
//! packets that the network interface is to segment have it.
//!
//! A parsing library would not do: a header that the capture cut must still return the fields that it has, and
//! the code runs once per packet.

pub(crate) use crate::checksum::replace_in_header;
pub use crate::checksum::{ones_complement_sum, set_checksum};
use crate::{Decoded, Network, Packet};

/// IP protocol number of TCP.
pub const TCP: u8 = 6;
/// IP protocol number of UDP.
pub const UDP: u8 = 17;
/// IP protocol number of SCTP.
pub const SCTP: u8 = 132;

const IPV4_HEADER_BYTES: usize = 20;
const IPV4_PROTOCOL_AT: usize = 9;
const IPV6_HEADER_BYTES: usize = 40;
const TCP_FLAGS_AT: usize = 13;

/// Reads the network header at `at`.
#[inline]
pub(crate) fn decode(frame: &[u8], at: usize, packet: &mut Packet) {
    packet.ip_offset = at.min(usize::from(u16::MAX)) as u16;
    match frame.get(at).map(|byte| byte >> 4) {
        Some(4) => decode_v4(frame, at, packet),
        Some(6) => decode_v6(frame, at, packet),
        Some(_) => packet.decoded = Decoded::BadIpVersion,
        None => packet.decoded = Decoded::CutBeforeIp,
    }
}

#[inline]
fn decode_v4(frame: &[u8], at: usize, packet: &mut Packet) {
    let on_wire = bytes_on_wire(frame, at, packet);
    let header_bytes = usize::from(frame[at] & 0xf) * 4;
    if header_bytes < IPV4_HEADER_BYTES || header_bytes > on_wire {
        packet.decoded = Decoded::BadIpHeaderLength;
        return;
    }
    let Some(header) = frame[at..].first_chunk::<IPV4_HEADER_BYTES>() else {
        return decode_cut_v4(&frame[at..], packet);
    };
    let total_bytes = usize::from(u16::from_be_bytes([header[2], header[3]]));
    if total_bytes != 0 && !(header_bytes..=on_wire).contains(&total_bytes) {
        packet.decoded = Decoded::BadIpTotalLength;
        return;
    }
    packet.network = Network::Ipv4;
    packet.ip_header = *header;
    packet.ip_bytes = u32::from(u16::from_be_bytes([header[2], header[3]]));
    packet.ttl = header[8];
    packet.flow.protocol = header[IPV4_PROTOCOL_AT];
    packet.flow.src = u128::from(u32::from_be_bytes([header[12], header[13], header[14], header[15]]));
    packet.flow.dst = u128::from(u32::from_be_bytes([header[16], header[17], header[18], header[19]]));
    packet.ipv4_checksum_ok =
        frame.get(at..at + header_bytes).map(|whole| ones_complement_sum(whole) == 0xffff);
    packet.later_fragment = u16::from_be_bytes([header[6], header[7]]) & 0x1fff != 0;
    decode_transport(frame, at + header_bytes, packet);
}

/// Returns the bytes from `at` to the end of the frame on the wire, its check sequence left out. A damaged record may
/// have more bytes than it states.
fn bytes_on_wire(frame: &[u8], at: usize, packet: &Packet) -> usize {
    (packet.bytes_without_fcs() as usize).max(frame.len()).saturating_sub(at)
}

/// Reads an IPv4 header cut by the capture: it is useful once it contains the protocol.
#[cold]
fn decode_cut_v4(captured: &[u8], packet: &mut Packet) {
    if captured.len() <= IPV4_PROTOCOL_AT {
        packet.decoded = Decoded::CutBeforeIp;
        return;
    }
    let mut header = [0; IPV4_HEADER_BYTES];
    header[..captured.len()].copy_from_slice(captured);
    packet.network = Network::Ipv4;
    packet.decoded = Decoded::AddressesNotCaptured;
    packet.ip_header = header;
    packet.ip_bytes = u32::from(u16::from_be_bytes([header[2], header[3]]));
    packet.ttl = header[8];
    packet.flow.protocol = header[IPV4_PROTOCOL_AT];
    let address = |at: usize| {
        let missing_bytes = (at + 4).saturating_sub(captured.len()).min(4) as u128;
        let known = u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        missing_bytes << 32 | u128::from(known)
    };
    packet.flow.src = address(12);
    packet.flow.dst = address(16);
}

fn decode_v6(frame: &[u8], at: usize, packet: &mut Packet) {
    let Some(header) = frame[at..].first_chunk::<IPV6_HEADER_BYTES>() else {
        packet.decoded = Decoded::CutBeforeIp;
        return;
    };
    packet.network = Network::Ipv6;
    packet.ip_bytes = IPV6_HEADER_BYTES as u32 + u32::from(u16::from_be_bytes([header[4], header[5]]));
    packet.ttl = header[7];
    packet.flow.src = address_v6(header, 8);
    packet.flow.dst = address_v6(header, 24);
    let transport = skip_extensions(frame, at + IPV6_HEADER_BYTES, header[6], packet);
    match transport {
        Some(at) => decode_transport(frame, at, packet),
        None => packet.decoded = Decoded::PortsNotCaptured,
    }
}

fn address_v6(header: &[u8; IPV6_HEADER_BYTES], at: usize) -> u128 {
    let mut address = [0; 16];
    address.copy_from_slice(&header[at..at + 16]);
    u128::from_be_bytes(address)
}

/// Follows extension headers from `at` and stores the upper protocol in the flow. Returns `None` if the chain
/// leaves the captured bytes. Every header is at least eight bytes long, so the chain ends.
fn skip_extensions(frame: &[u8], mut at: usize, mut next: u8, packet: &mut Packet) -> Option<usize> {
    loop {
        packet.flow.protocol = next;
        let header = match next {
            // Hop-by-hop, routing, fragment, authentication, destination, mobility, HIP, shim6.
            0 | 43 | 44 | 51 | 60 | 135 | 139 | 140 => frame.get(at..at + 4)?,
            _ => return Some(at),
        };
        let bytes = match next {
            44 => {
                packet.later_fragment = u16::from_be_bytes([header[2], header[3]]) & 0xfff8 != 0;
                8
            }
            51 => (usize::from(header[1]) + 2) * 4,
            _ => (usize::from(header[1]) + 1) * 8,
        };
        next = header[0];
        at += bytes;
        if packet.later_fragment {
            packet.flow.protocol = next;
            return Some(at);
        }
    }
}

#[inline]
fn decode_transport(frame: &[u8], at: usize, packet: &mut Packet) {
    packet.decoded = Decoded::Complete;
    let protocol = packet.flow.protocol;
    if packet.later_fragment || !matches!(protocol, TCP | UDP | SCTP) {
        return;
    }
    let Some(ports) = frame.get(at..at + 4) else {
        packet.decoded = Decoded::PortsNotCaptured;
        return;
    };
    packet.flow.src_port = u16::from_be_bytes([ports[0], ports[1]]);
    packet.flow.dst_port = u16::from_be_bytes([ports[2], ports[3]]);
    if protocol == TCP {
        packet.tcp_flags = frame.get(at + TCP_FLAGS_AT).copied().unwrap_or(0);
    }
}

/// IPv4 blocks that are not public unicast (RFC 6890 and its successors): first address and prefix length.
const SPECIAL_V4: [(u32, u32); 14] = [
    (0x0000_0000, 8),  // this network
    (0x0a00_0000, 8),  // private
    (0x6440_0000, 10), // shared by carriers
    (0x7f00_0000, 8),  // loopback
    (0xa9fe_0000, 16), // link local
    (0xac10_0000, 12), // private
    (0xc000_0000, 24), // protocol assignments
    (0xc000_0200, 24), // documentation
    (0xc058_6300, 24), // 6to4 relays
    (0xc0a8_0000, 16), // private
    (0xc612_0000, 15), // benchmarks
    (0xc633_6400, 24), // documentation
    (0xcb00_7100, 24), // documentation
    (0xe000_0000, 3),  // multicast and reserved
];

/// The special addresses among those with a given first byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    None,
    Some,
    All,
}

/// By first byte, so that most addresses need one lookup.
const SPECIAL_FIRST_BYTE: [Special; 256] = {
    let mut special = [Special::None; 256];
    let mut block = 0;
    while block < SPECIAL_V4.len() {
        let (first, length) = SPECIAL_V4[block];
        let mut byte = first >> 24;
        while byte <= (first | (u32::MAX >> length)) >> 24 {
            special[byte as usize] = if length <= 8 { Special::All } else { Special::Some };
            byte += 1;
        }
        block += 1;
    }
    special
};

/// Returns whether an IPv4 address is public unicast.
#[must_use]
#[inline]
pub fn is_public_v4(address: u32) -> bool {
    let special = SPECIAL_FIRST_BYTE[(address >> 24) as usize];
    special == Special::None || (special == Special::Some && stands_in_no_special_block(address))
}

#[cold]
fn stands_in_no_special_block(address: u32) -> bool {
    SPECIAL_V4.iter().all(|&(first, length)| (address ^ first) >> (32 - length) != 0)
}

/// Returns the special blocks as first and last address, both included, in order.
pub(crate) fn special_v4_ranges() -> impl Iterator<Item = (u32, u32)> {
    SPECIAL_V4.iter().map(|&(first, length)| (first, first | (u32::MAX >> length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_public_unless_it_lies_in_a_special_block() {
        let ranges: Vec<_> = special_v4_ranges().collect();
        let edges = ranges.iter().flat_map(|&(first, last)| [first, last]);
        let around = edges.flat_map(|edge| [edge.wrapping_sub(1), edge, edge.wrapping_add(1)]);
        let each_first_byte = (0..=255u32).map(|byte| byte << 24 | 0x00ab_cdef);
        for address in around.chain(each_first_byte) {
            let special = ranges.iter().any(|&(first, last)| (first..=last).contains(&address));
            assert_eq!(is_public_v4(address), !special, "{address:#x}");
        }
    }
}
