//! Ethernet II, 802.3 with LLC and SNAP (RFC 1042), IEEE 802.1Q/802.1ad tags, MPLS label stacks and PPPoE sessions, in
//! any order. Other 802.3 frames are not followed.

use super::header::{ADDRESS_BYTES, ETHERTYPE_IPV4, ETHERTYPE_IPV6, LLC_SNAP, MAX_TAGS, word};
use super::{mpls, ppp};
use crate::{Decoded, Packet, ip};

const ETHERTYPE_PPPOE_SESSION: u16 = 0x8864;
/// A smaller number is the length of an 802.3 frame.
const MOST_LENGTH: u16 = 1500;

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
            ..=MOST_LENGTH if frame[at..].starts_with(&LLC_SNAP) => at += LLC_SNAP.len(),
            0x8847 | 0x8848 => return mpls::decode(frame, at, packet),
            ETHERTYPE_PPPOE_SESSION => return ppp::decode_session(frame, at, packet),
            _ => {
                packet.decoded = Decoded::NotIp;
                return;
            }
        }
    }
}
