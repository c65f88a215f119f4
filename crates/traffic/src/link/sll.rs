//! Linux "cooked" captures, versions 1 and 2 (tcpdump.org, LINKTYPE_LINUX_SLL and LINKTYPE_LINUX_SLL2).

use super::header::word;
use super::{ethernet, mpls};
use crate::{Decoded, Packet, ip};

const V1_PROTOCOL_AT: usize = 14;
const V2_HEADER_BYTES: usize = 20;

pub(super) fn decode_v1(frame: &[u8], packet: &mut Packet) {
    ethernet::decode_ethertype(frame, V1_PROTOCOL_AT, packet);
}

/// Version 2 has the protocol first and the packet behind the header; tags and labels may be in between.
pub(super) fn decode_v2(frame: &[u8], packet: &mut Packet) {
    let Some(ethertype) = word(frame, 0) else {
        packet.decoded = Decoded::CutBeforeIp;
        return;
    };
    match ethertype {
        0x0800 | 0x86dd => ip::decode(frame, V2_HEADER_BYTES, packet),
        0x8847 | 0x8848 => mpls::decode(frame, V2_HEADER_BYTES, packet),
        // The tag's contents come first, then the next type.
        0x8100 | 0x88a8 => {
            packet.vlan_tags = 1;
            ethernet::decode_ethertype(frame, V2_HEADER_BYTES + 2, packet);
        }
        _ => packet.decoded = Decoded::NotIp,
    }
}
