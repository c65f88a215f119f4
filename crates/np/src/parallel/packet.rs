//! Packets inside the machine.

use linecard_program::PacketHead;
use linecard_sim::Ticks;

/// A packet between arrival and departure.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packet {
    pub head: PacketHead,
    /// Number in the order of arrival.
    pub number: u64,
    pub flow_hash: u32,
    pub arrived: Ticks,
    /// When a thread took it up.
    pub received: Ticks,
    /// When it was complete in the packet buffer, and when a thread took it up again.
    pub stored: Ticks,
    pub resumed: Ticks,
    pub queue: u16,
    pub thread: u16,
    pub cells: u16,
    /// Cells that have left the receive buffer.
    pub taken: u16,
    /// Cells that are complete in the transmit buffer, and that have left it.
    pub filled: u16,
    pub sent: u16,
    /// Cells that have their place in the transmit buffer.
    pub tbuf_cells: u16,
    /// Whether all of it is in the packet buffer.
    pub complete: bool,
    /// Bank of the first cell.
    pub bank: u32,
}

impl Packet {
    /// Bytes of a cell.
    #[inline]
    pub fn cell_bytes(&self, cell: u16) -> u32 {
        let before = u32::from(cell) * linecard_program::CELL_BYTES;
        (self.head.bytes - before).min(linecard_program::CELL_BYTES)
    }
}

/// The packets of this machine.
pub(super) type Packets = crate::packet::Table<Packet>;
