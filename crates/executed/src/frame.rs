//! Bytes of packets as programs get them: what the capture kept, and the rest made up.

use linecard_traffic::{Datagrams, LinkType, Network, Packet, Payload};

/// Smallest Ethernet frame without its check sequence, and the largest that is made of a record that states more.
const LEAST_FRAME_BYTES: usize = 60;
const MOST_FRAME_BYTES: usize = 1 << 16;
/// Destination and source of frames whose capture has no Ethernet header.
const MADE_UP_ADDRESSES: [u8; 12] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1];

/// Makes IP packets and Ethernet frames, one at a time.
#[derive(Debug)]
pub struct Framer {
    datagrams: Datagrams,
    /// The frame that was made last.
    frame: Vec<u8>,
}

impl Framer {
    /// Made-up bytes come from this seed.
    pub fn new(payload: Payload, seed: u64) -> Self {
        Self { datagrams: Datagrams::new(payload, seed), frame: Vec::new() }
    }

    /// The IP packet of a record, of which the capture kept `captured`; nothing where it has none.
    pub fn datagram(&mut self, packet: &Packet, captured: &[u8]) -> Option<&[u8]> {
        if is_ip(packet) { self.datagrams.build(packet, captured) } else { None }
    }

    /// The Ethernet frame of a record, without its check sequence: an IP packet whole behind the link header of the
    /// capture, or, where that has another or none, behind a made-up one. A frame without IP is as captured, and zero
    /// behind that up to its size on the wire. Nothing of what is neither IP nor Ethernet.
    pub fn ethernet(&mut self, packet: &Packet, captured: &[u8]) -> Option<&[u8]> {
        if !is_frame(packet) {
            return None;
        }
        let ethernet = packet.link == LinkType::ETHERNET;
        self.frame.clear();
        match self.datagrams.build(packet, captured).filter(|_| is_ip(packet)) {
            Some(datagram) => {
                match captured.get(..usize::from(packet.ip_offset)).filter(|_| ethernet) {
                    Some(header) if header.len() >= 14 => self.frame.extend_from_slice(header),
                    _ => {
                        self.frame.extend_from_slice(&MADE_UP_ADDRESSES);
                        let kind: u16 = if packet.network == Network::Ipv4 { 0x0800 } else { 0x86dd };
                        self.frame.extend_from_slice(&kind.to_be_bytes());
                    }
                }
                self.frame.extend_from_slice(datagram);
            }
            None => self.frame.extend_from_slice(captured),
        }
        let wire = if ethernet { packet.wire_bytes as usize } else { 0 };
        let size = wire.clamp(LEAST_FRAME_BYTES, MOST_FRAME_BYTES).max(self.frame.len());
        self.frame.resize(size, 0);
        Some(&self.frame)
    }
}

/// Whether a record has an IP packet that can be made whole.
pub(crate) fn is_ip(packet: &Packet) -> bool {
    packet.network != Network::Other && (packet.ip_bytes > 0 || packet.wire_bytes >= 20)
}

/// Whether a record is an Ethernet frame, or can be made one.
pub(crate) fn is_frame(packet: &Packet) -> bool {
    is_ip(packet) || packet.link == LinkType::ETHERNET
}
