//! Serial lines: PPP with or without HDLC address and control bytes (RFC 1662), and Cisco HDLC.

use super::{ethernet, ppp};
use crate::{Decoded, Packet};

/// Decodes PPP or Cisco HDLC, distinguished by the first byte.
pub(super) fn decode(frame: &[u8], packet: &mut Packet) {
    match frame.first() {
        // Address "all stations", control "unnumbered information".
        Some(0xff) => ppp::decode_protocol(frame, 2, packet),
        // Cisco's unicast and broadcast: an Ethernet type follows.
        Some(0x0f | 0x8f) => ethernet::decode_ethertype(frame, 2, packet),
        Some(_) => ppp::decode_protocol(frame, 0, packet),
        None => packet.decoded = Decoded::CutBeforeIp,
    }
}
