//! Packets inside the machine: a table with reuse, so that nothing is allocated while packets flow.

use linecard_program::{PacketHead, PacketId};
use linecard_sim::Ticks;

/// A packet between arrival and departure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Packet {
    pub head: PacketHead,
    /// Number in the order of arrival.
    pub number: u64,
    pub arrived: Ticks,
    /// Time in the receive buffer.
    pub waited: Ticks,
    pub enqueued: Ticks,
    /// When its first block was given to an output thread.
    pub picked: Ticks,
    pub input_thread: u16,
    pub queue: u16,
    /// Whether all of it is in the buffer and it may be sent.
    pub complete: bool,
    pub admitted: bool,
    pub allocated: bool,
    pub cells: u16,
    /// First cell in the packet buffer.
    pub first_cell: u32,
    /// Where the cell to be written next stands, and its number in the packet.
    pub write_at: (u16, u32),
    /// The same for reading.
    pub read_at: (u16, u32),
    /// Position of the first cell in its queue's stream of cells (wide path).
    pub stream: u64,
}

/// Packets inside, by number; numbers are used again.
pub(crate) struct Table<P> {
    slots: Vec<P>,
    free: Vec<u32>,
}

/// The packets of this machine.
pub(crate) type Packets = Table<Packet>;

impl<P> Default for Table<P> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<P: Copy> Table<P> {
    pub fn insert(&mut self, packet: P) -> PacketId {
        match self.free.pop() {
            Some(index) => {
                self.slots[index as usize] = packet;
                PacketId(index)
            }
            None => {
                self.slots.push(packet);
                PacketId(self.slots.len() as u32 - 1)
            }
        }
    }

    pub fn remove(&mut self, id: PacketId) -> P {
        self.free.push(id.0);
        self.slots[id.0 as usize]
    }

    /// Packets inside now.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

impl<P> std::ops::Index<PacketId> for Table<P> {
    type Output = P;
    #[inline]
    fn index(&self, id: PacketId) -> &P {
        &self.slots[id.0 as usize]
    }
}

impl<P> std::ops::IndexMut<PacketId> for Table<P> {
    #[inline]
    fn index_mut(&mut self, id: PacketId) -> &mut P {
        &mut self.slots[id.0 as usize]
    }
}
