//! Where a program's regions are, and the rooms of packets in theirs.

use linecard_program::script::{Action, RoleId};

/// Packets stand side by side in their memory, in rooms of so many bytes, so many rooms.
pub(super) const ROOM_BYTES: u32 = 2048;
const ROOMS: u32 = 64;
/// Bytes of all rooms.
pub(super) const PACKET_BYTES: u64 = ROOM_BYTES as u64 * ROOMS as u64;

/// Where the packet of a number stands in its memory.
pub(super) fn room_of(number: u64) -> u32 {
    (number % u64::from(ROOMS)) as u32 * ROOM_BYTES
}

/// Where a region is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub role: RoleId,
    /// First byte within the role, and its size.
    pub base: u32,
    pub within_bytes: u32,
}

impl Placed {
    /// At a byte of the role of a number.
    pub fn new(role: usize, base: u64, within_bytes: u64) -> Self {
        Self { role: RoleId(role as u8), base: base as u32, within_bytes: within_bytes.min(1 << 31) as u32 }
    }

    /// A new packet stands in a room of this region: what caches of engines have of the one before is no longer true.
    pub fn forget(self, room: u32, bytes: usize) -> Action {
        let bytes = bytes.min(ROOM_BYTES as usize) as u16;
        Action::Forget { role: self.role, bytes, address: self.base + room }
    }
}
