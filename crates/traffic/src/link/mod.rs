//! Link layers: from the first byte of a frame to its network header.
//!
//! One file per family. Each reads forward only, so that no header chain can loop, and stops at the end of the
//! captured bytes. Nothing here allocates or panics, for any bytes.
//!
//! Deliberately not read: 802.11, Frame Relay, Bluetooth, USB and the hundred other link types, whose packets
//! are delivered as opaque; and the contents of tunnels.

mod atm;
mod ethernet;
mod hdlc;
mod header;
mod link_type;
mod loopback;
mod mpls;
mod ppp;
mod sll;

pub use header::{ETHERNET_FCS_BYTES, ETHERNET_HEADER_BYTES, MAX_TAGS};
pub use link_type::LinkType;

use crate::{Decoded, Packet, ip};

/// Reads the headers of `frame` into `packet`.
#[inline]
pub(crate) fn decode(link: LinkType, frame: &[u8], packet: &mut Packet) {
    packet.link = link;
    match link {
        LinkType::ETHERNET => ethernet::decode(frame, 0, packet),
        LinkType::RAW_IP | LinkType::IPV4 | LinkType::IPV6 => ip::decode(frame, 0, packet),
        LinkType::LINUX_SLL => sll::decode_v1(frame, packet),
        LinkType::LINUX_SLL2 => sll::decode_v2(frame, packet),
        LinkType::NULL | LinkType::LOOP => loopback::decode(frame, packet),
        LinkType::PPP | LinkType::PPP_HDLC | LinkType::C_HDLC => hdlc::decode(frame, packet),
        LinkType::PPP_ETHER => ppp::decode_session(frame, 0, packet),
        LinkType::ATM_LLC => atm::decode(frame, packet),
        _ => packet.decoded = Decoded::UnknownLinkType,
    }
}
