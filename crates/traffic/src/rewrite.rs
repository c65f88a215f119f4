//! Writes the fields that a program changed into the bytes of an IPv4 packet.

use crate::checksum::ones_complement_sum;

/// Header fields that programs change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4Fields {
    /// Hops left.
    pub ttl: u8,
    /// Source address.
    pub source: u32,
    /// Destination address.
    pub destination: u32,
    /// Source and destination port of TCP and UDP.
    pub ports: [u16; 2],
}

const TCP: u8 = 6;
const UDP: u8 = 17;

/// Writes the fields into a packet that begins with an IPv4 header. The header's checksum is corrected if a
/// field has changed; the transport checksum is not. Bytes that are no whole header stay unchanged.
pub fn rewrite_ipv4(packet: &mut [u8], fields: &Ipv4Fields) {
    let header_bytes = usize::from(packet.first().copied().unwrap_or(0) & 0xf) * 4;
    if packet.first().is_none_or(|first| first >> 4 != 4) || header_bytes < 20 || packet.len() < header_bytes
    {
        return;
    }
    let before = packet[..header_bytes].to_vec();
    packet[8] = fields.ttl;
    packet[12..16].copy_from_slice(&fields.source.to_be_bytes());
    packet[16..20].copy_from_slice(&fields.destination.to_be_bytes());
    if packet[..header_bytes] != before[..] {
        packet[10..12].fill(0);
        let checksum = !ones_complement_sum(&packet[..header_bytes]);
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());
    }
    let is_first_fragment = u16::from_be_bytes([packet[6], packet[7]]) & 0x1fff == 0;
    if matches!(packet[9], TCP | UDP)
        && is_first_fragment
        && let Some(ports) = packet.get_mut(header_bytes..header_bytes + 4)
    {
        ports[..2].copy_from_slice(&fields.ports[0].to_be_bytes());
        ports[2..].copy_from_slice(&fields.ports[1].to_be_bytes());
    }
}
