//! BSD loopback: four bytes of address family, in either byte order.

use crate::{Decoded, Packet, ip};

const HEADER_BYTES: usize = 4;

pub(super) fn decode(frame: &[u8], packet: &mut Packet) {
    let Some(&family) = frame.first_chunk::<HEADER_BYTES>() else {
        packet.decoded = Decoded::CutBeforeIp;
        return;
    };
    // Families are small numbers, so exactly one of the two readings is plausible.
    let family = u32::from_le_bytes(family).min(u32::from_be_bytes(family));
    match family {
        // AF_INET everywhere; AF_INET6 on Linux, NetBSD and OpenBSD, FreeBSD, Darwin.
        2 | 10 | 24 | 28 | 30 => ip::decode(frame, HEADER_BYTES, packet),
        _ => packet.decoded = Decoded::NotIp,
    }
}
