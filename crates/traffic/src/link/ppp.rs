//! PPP (RFC 1661) behind its framing, and PPPoE sessions (RFC 2516).

use super::header::word;
use super::mpls;
use crate::{Decoded, Packet, ip};

/// Version, type, code, session and length.
const PPPOE_HEADER_BYTES: usize = 6;

/// A PPPoE session header, then PPP without address and control.
pub(super) fn decode_session(frame: &[u8], at: usize, packet: &mut Packet) {
    decode_protocol(frame, at + PPPOE_HEADER_BYTES, packet);
}

/// Decodes a protocol number and the header that it announces.
pub(super) fn decode_protocol(frame: &[u8], at: usize, packet: &mut Packet) {
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
        0x0281 | 0x0283 => mpls::decode(frame, next, packet),
        _ => packet.decoded = Decoded::NotIp,
    }
}
