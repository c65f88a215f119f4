//! PPP (RFC 1661), with or without HDLC address and control bytes (RFC 1662), Cisco HDLC, and PPPoE sessions
//! (RFC 2516).

use super::{ethernet, word};
use crate::{Decoded, Packet, ip};

/// Version, type, code, session and length.
const PPPOE_HEADER_BYTES: usize = 6;

/// PPP or Cisco HDLC, told apart by the first byte.
pub(super) fn decode(frame: &[u8], at: usize, packet: &mut Packet) {
    match frame.get(at) {
        // Address "all stations", control "unnumbered information".
        Some(0xff) => decode_protocol(frame, at + 2, packet),
        // Cisco's unicast and broadcast: an Ethernet type follows.
        Some(0x0f | 0x8f) => ethernet::decode_ethertype(frame, at + 2, packet),
        Some(_) => decode_protocol(frame, at, packet),
        None => packet.decoded = Decoded::CutBeforeIp,
    }
}

/// A PPPoE session header, then PPP without address and control.
pub(super) fn decode_session(frame: &[u8], at: usize, packet: &mut Packet) {
    decode_protocol(frame, at + PPPOE_HEADER_BYTES, packet);
}

fn decode_protocol(frame: &[u8], at: usize, packet: &mut Packet) {
    let Some(&first) = frame.get(at) else {
        packet.decoded = Decoded::CutBeforeIp;
        return;
    };
    // An odd first byte is a protocol number compressed to one byte.
    let (protocol, next) = if first & 1 == 1 {
        (u16::from(first), at + 1)
    } else {
        match word(frame, at) {
            Some(protocol) => (protocol, at + 2),
            None => {
                packet.decoded = Decoded::CutBeforeIp;
                return;
            }
        }
    };
    match protocol {
        0x0021 | 0x0057 => ip::decode(frame, next, packet),
        0x0281 | 0x0283 => ethernet::decode_mpls(frame, next, packet),
        _ => packet.decoded = Decoded::NotIp,
    }
}
