//! Locations of a program's regions, and the rooms of packets in the packet region.

use linecard_program::script::{Action, RoleId};

/// Packets are side by side in their memory: the bytes of a room, and the number of rooms.
pub(super) const ROOM_BYTES: u32 = 2048;
const ROOMS: u32 = 64;
/// Bytes of all rooms.
pub(super) const PACKET_BYTES: u64 = ROOM_BYTES as u64 * ROOMS as u64;

/// Bytes of the context of a thread (`struct xdp_md`), rounded up.
pub(super) const CONTEXT_BYTES: u32 = 64;
/// Bytes of the stack of a thread: a frame for each of the nested functions that a program may call.
pub(super) const STACK_BYTES: u32 = 4096;

/// Returns the room of the packet with a number.
pub(super) fn room_of(number: u64) -> u32 {
    (number % u64::from(ROOMS)) as u32 * ROOM_BYTES
}

/// The location of a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub role: RoleId,
    /// First byte within the role, and its size.
    pub base: u32,
    pub within_bytes: u32,
}

impl Placed {
    /// Returns the location at a byte of the role with a number.
    pub fn new(role: usize, base: u64, within_bytes: u64) -> Self {
        Self { role: RoleId(role as u8), base: base as u32, within_bytes: within_bytes.min(1 << 31) as u32 }
    }

    /// Returns the action for a new packet in a room of this region: caches of engines discard the data of the
    /// previous packet.
    pub fn forget(self, room: u32, bytes: usize) -> Action {
        let bytes = bytes.min(ROOM_BYTES as usize) as u16;
        Action::Forget { role: self.role, bytes, address: self.base + room }
    }
}
