//! MPLS label stacks (RFC 3032).
//!
//! A stack names no protocol; the first nibble behind it decides, as in RFC 4928: 4 and 6 are IP, 0 is the control word of a
//! pseudowire (RFC 4385), behind which an Ethernet frame follows.

use super::header::{ADDRESS_BYTES, ETHERTYPE_IPV4, ETHERTYPE_IPV6, MAX_TAGS, word};
use crate::{Decoded, Packet, ip};

const BOTTOM_OF_STACK: u8 = 1;

pub(super) fn decode(frame: &[u8], mut at: usize, packet: &mut Packet) {
    loop {
        let Some(label) = frame.get(at..at + 4) else {
            // The end of the stack is unknown, and so is the number of labels.
            packet.mpls_labels = 0;
            packet.decoded = Decoded::CutBeforeIp;
            return;
        };
        if packet.mpls_labels == MAX_TAGS {
            packet.decoded = Decoded::TooManyTags;
            return;
        }
        packet.mpls_labels += 1;
        at += 4;
        if label[2] & BOTTOM_OF_STACK != 0 {
            break;
        }
    }
    match frame.get(at).map(|byte| byte >> 4) {
        Some(4 | 6) => ip::decode(frame, at, packet),
        Some(0) => decode_pseudowire(frame, at, packet),
        Some(_) => packet.decoded = Decoded::NotIp,
        None => packet.decoded = Decoded::CutBeforeIp,
    }
}

/// A control word, then an Ethernet frame.
fn decode_pseudowire(frame: &[u8], at: usize, packet: &mut Packet) {
    // A second label stack inside would let a hostile frame recurse; what is in the inner frame must be IP.
    match word(frame, at + 4 + ADDRESS_BYTES) {
        Some(ETHERTYPE_IPV4 | ETHERTYPE_IPV6) => ip::decode(frame, at + 4 + ADDRESS_BYTES + 2, packet),
        Some(_) => packet.decoded = Decoded::NotIp,
        None => packet.decoded = Decoded::CutBeforeIp,
    }
}
