//! Headers made from a packet record, for writing packets of which no captured bytes exist.
//!
//! IP packets get an IP header and the first bytes of TCP or UDP; fields that the record does not have (sequence
//! numbers, windows, transport checksums) are zero. Packets that are not IP become zeros.

use crate::{FiveTuple, LinkType, Network, Packet, ip};

const ETHERTYPE_IPV4: [u8; 2] = [0x08, 0x00];
const ETHERTYPE_IPV6: [u8; 2] = [0x86, 0xdd];
const DONT_FRAGMENT: u8 = 0x40;
/// TCP data offset of five words.
const TCP_OFFSET: u8 = 0x50;
const UDP_HEADER_BYTES: u16 = 8;
const IPV4_HEADER_BYTES: u16 = 20;

/// Returns an IPv4 header of 20 bytes with a valid checksum, from the flow, TTL and length of a packet.
#[must_use]
pub fn ipv4_header(packet: &Packet) -> [u8; 20] {
    ipv4_header_of(&packet.flow, packet.ttl, packet.ip_bytes)
}

/// As `ipv4_header`, before there is a record.
#[inline]
pub(crate) fn ipv4_header_of(flow: &FiveTuple, ttl: u8, ip_bytes: u32) -> [u8; 20] {
    let mut header = [0; 20];
    header[0] = 0x45;
    header[2..4].copy_from_slice(&total_length(ip_bytes).to_be_bytes());
    header[6] = DONT_FRAGMENT;
    header[8] = ttl;
    header[9] = flow.protocol;
    header[12..16].copy_from_slice(&(flow.src as u32).to_be_bytes());
    header[16..20].copy_from_slice(&(flow.dst as u32).to_be_bytes());
    ip::set_checksum(&mut header);
    header
}

fn total_length(ip_bytes: u32) -> u16 {
    ip_bytes.min(u32::from(u16::MAX)) as u16
}

/// Writes the packet's headers into `out`, after clearing it: at most `snap_bytes`, at most the wire length.
///
/// `link` must be [`LinkType::ETHERNET`] or [`LinkType::RAW_IP`]; for any other the frame is zeros.
pub fn build(packet: &Packet, link: LinkType, snap_bytes: u32, out: &mut Vec<u8>) {
    out.clear();
    if link == LinkType::ETHERNET && packet.network != Network::Other {
        out.extend_from_slice(&[0; 12]);
        let v6 = packet.network == Network::Ipv6;
        out.extend_from_slice(if v6 { &ETHERTYPE_IPV6 } else { &ETHERTYPE_IPV4 });
    }
    if link == LinkType::ETHERNET || link == LinkType::RAW_IP {
        push_network(packet, out);
    }
    out.resize(packet.wire_bytes.min(snap_bytes) as usize, 0);
}

/// Appends the headers of the IP packet; none if it is no IP packet.
pub(crate) fn push_network(packet: &Packet, out: &mut Vec<u8>) {
    match packet.network {
        Network::Ipv4 => {
            // A captured header may announce options that are not there.
            let known = packet.ip_header[0] == 0x45;
            out.extend_from_slice(&if known { packet.ip_header } else { ipv4_header(packet) });
        }
        Network::Ipv6 => {
            let payload = packet.ip_bytes.saturating_sub(40).min(u32::from(u16::MAX)) as u16;
            out.extend_from_slice(&[0x60, 0, 0, 0]);
            out.extend_from_slice(&payload.to_be_bytes());
            out.extend_from_slice(&[packet.flow.protocol, packet.ttl]);
            out.extend_from_slice(&packet.flow.src.to_be_bytes());
            out.extend_from_slice(&packet.flow.dst.to_be_bytes());
        }
        Network::Other => return,
    }
    if !packet.later_fragment {
        push_transport(packet, out);
    }
}

fn push_transport(packet: &Packet, out: &mut Vec<u8>) {
    let ([a, b], [c, d]) = (packet.flow.src_port.to_be_bytes(), packet.flow.dst_port.to_be_bytes());
    let ports = [a, b, c, d];
    match packet.flow.protocol {
        ip::TCP => {
            let mut header = [0; 20];
            header[..4].copy_from_slice(&ports);
            [header[12], header[13]] = [TCP_OFFSET, packet.tcp_flags];
            out.extend_from_slice(&header);
        }
        ip::UDP => {
            out.extend_from_slice(&ports);
            let length =
                total_length(packet.ip_bytes).saturating_sub(IPV4_HEADER_BYTES).max(UDP_HEADER_BYTES);
            out.extend_from_slice(&length.to_be_bytes());
            out.extend_from_slice(&[0; 2]);
        }
        ip::SCTP => out.extend_from_slice(&ports),
        _ => {}
    }
}
