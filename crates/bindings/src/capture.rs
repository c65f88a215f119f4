//! Reads the packets of a capture or of a link profile, and checks for Ctrl-C periodically.

use crate::watched::Ticker;
use linecard_platform::{InputError, PacketInput};
use linecard_traffic::{Packet, PacketSource};
use std::ops::ControlFlow;

/// Number of packets between two checks for Ctrl-C.
const PACKETS_PER_LOOK: u64 = 1 << 14;

/// Opens an input and passes up to `most_packets` of its packets to `see`; 0 means all packets.
///
/// Returns the input after these packets, and their number; `Break` if the user stopped the work.
pub fn each_packet<E: From<InputError>>(
    name: &str,
    most_packets: u64,
    strict: bool,
    ticker: &Ticker,
    mut see: impl FnMut(&Packet) -> Result<(), E>,
) -> Result<ControlFlow<(), (PacketInput, u64)>, E> {
    let mut input = PacketInput::open(name, most_packets, strict)?;
    let most_packets = if most_packets == 0 { u64::MAX } else { most_packets };
    let mut packets = 0;
    while packets < most_packets
        && let Some(packet) = input.next_packet().map_err(InputError::from)?
    {
        packets += 1;
        see(&packet)?;
        if packets.is_multiple_of(PACKETS_PER_LOOK) {
            let (done, total) = input.file_bytes();
            if ticker.tick(done, total).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue((input, packets)))
}
