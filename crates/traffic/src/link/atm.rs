//! IP over ATM adaptation layer 5 with LLC/SNAP encapsulation (RFC 2684), as the first cell shows it.

use super::ethernet;
use super::header::LLC_SNAP;
use crate::{Decoded, Packet};

pub(super) fn decode(frame: &[u8], packet: &mut Packet) {
    if frame.starts_with(&LLC_SNAP) {
        ethernet::decode_ethertype(frame, LLC_SNAP.len(), packet);
    } else if frame.len() < LLC_SNAP.len() {
        packet.decoded = Decoded::CutBeforeIp;
    } else {
        packet.decoded = Decoded::NotIp;
    }
}
