//! Ethernet II, IEEE 802.1Q/802.1ad tags, MPLS label stacks and PPPoE sessions, in any order.
//!
//! An MPLS stack names no protocol; the first nibble behind it decides, as in RFC 4928: 4 and 6 are IP, 0 is the
//! control word of a pseudowire (RFC 4385), behind which an Ethernet frame follows. 802.3 frames with LLC are
//! not followed.

use super::{MAX_TAGS, ppp, word};
use crate::{Decoded, Packet, ip};

const ADDRESS_BYTES: usize = 12;
const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_IPV6: u16 = 0x86dd;
const ETHERTYPE_PPPOE_SESSION: u16 = 0x8864;
const BOTTOM_OF_STACK: u8 = 1;

pub(super) fn decode(frame: &[u8], at: usize, packet: &mut Packet) {
    decode_ethertype(frame, at + ADDRESS_BYTES, packet);
}

/// Reads on from a two-byte Ethernet type at `at`.
#[inline]
pub(super) fn decode_ethertype(frame: &[u8], mut at: usize, packet: &mut Packet) {
    loop {
        let Some(ethertype) = word(frame, at) else {
            packet.decoded = Decoded::CutBeforeIp;
            return;
        };
        at += 2;
        match ethertype {
            ETHERTYPE_IPV4 | ETHERTYPE_IPV6 => return ip::decode(frame, at, packet),
            // Customer and service tags, and the older numbers for stacked ones.
            0x8100 | 0x88a8 | 0x9100 | 0x9200 | 0x9300 => {
                if packet.vlan_tags == MAX_TAGS {
                    packet.decoded = Decoded::TooManyTags;
                    return;
                }
                packet.vlan_tags += 1;
                at += 2;
            }
            0x8847 | 0x8848 => return decode_mpls(frame, at, packet),
            ETHERTYPE_PPPOE_SESSION => return ppp::decode_session(frame, at, packet),
            _ => {
                packet.decoded = Decoded::NotIp;
                return;
            }
        }
    }
}

pub(super) fn decode_mpls(frame: &[u8], mut at: usize, packet: &mut Packet) {
    loop {
        let Some(label) = frame.get(at..at + 4) else {
            // Where the stack ends is unknown, so are its labels.
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
