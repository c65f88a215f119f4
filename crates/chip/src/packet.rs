//! Packets inside the chip: a table with reuse, so that nothing is allocated while packets flow.

use crate::tally::NO_QUEUE;
use linecard_program::{PacketHead, PacketId};
use linecard_sim::Ticks;

/// No packet.
pub(crate) const NONE: PacketId = PacketId(u32::MAX);

/// No thread.
pub(crate) const NOBODY: u32 = u32::MAX;

/// A packet between its last bit in and its last bit out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    pub head: PacketHead,
    /// Number in the order of arrival.
    pub number: u64,
    pub flow_hash: u32,
    /// Number of the port that it came by among those that receive.
    pub receiver: u16,
    /// Number of its output port among those that send, and its class there, once a program has said.
    pub sender: u16,
    pub class: u16,
    /// Number of its output queue among those that are counted apart, from then on.
    pub counted: u16,
    pub cells: u16,
    /// Cells that programs have moved out of the receive buffer.
    pub moved: u16,
    /// Cells of the receive buffer that it still takes.
    pub pool_cells: u16,
    pub pool: u16,
    /// Inbox and group where it waits for a thread, or whose thread has it.
    pub inbox: u16,
    pub group: u32,
    pub received: Ticks,
    /// When it was ready for a thread, and when one took it up.
    pub offered: Ticks,
    pub taken: Ticks,
    /// What it has waited in inboxes in all, and been with threads before the last one.
    pub waited: Ticks,
    pub held: Ticks,
    /// When a program handed it to its output queue, and when it left the queue.
    pub sent: Ticks,
    /// Number of the memory that keeps it among those that do.
    pub store: u16,
    pub allocated: bool,
    pub first_cell: u32,
    /// Its cells follow each other by number from the first on.
    pub in_a_row: bool,
    /// Cells followed so far when writing and when reading: number in the packet, cell of the memory.
    pub write_at: (u16, u32),
    pub read_at: (u16, u32),
    /// Accesses of a port under way for it, and when the last of them is done as far as known.
    pub parts: u32,
    pub done: Ticks,
    /// What it is in order with, its number there, and the next one that waits for its turn.
    pub domain: u32,
    pub turn: u32,
    pub next_waiting: PacketId,
    /// Thread that has it in hand while there is no room for it ahead, or [`NOBODY`].
    pub holder: u32,
    /// It takes room of the window of those that wait for their turn.
    pub in_window: bool,
    /// Given up; it only stands for its turn.
    pub dropped: bool,
    /// Its thread waits for its place in an output queue.
    pub placing: Option<Placing>,
    /// A thread has it.
    pub attended: bool,
    /// It has left, and only its thread still names it.
    pub departed: bool,
    /// All of it is in memory, and no thread sends it yet.
    pub complete: bool,
    /// Whether it has a place in the queue of its output port, its first cell in the stream of that queue's cells, and when
    /// its first block was given to an output thread.
    pub admitted: bool,
    pub stream: u64,
    pub picked: Ticks,
    /// Bytes of it in the receive buffer.
    pub in_receive: u32,
    /// Cells that have their place in the transmit buffer, that are complete there, and that have been sent.
    pub transmit_cells: u16,
    pub filled: u16,
    pub cells_sent: u16,
    /// Threads that have lent it and still work for it, and the one that waits for them, or [`NOBODY`].
    pub lenders: u16,
    pub awaits: u32,
}

/// How a thread asks for the place of its packet in an output queue (`Action::Place`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placing {
    /// The step that follows where the packet is to be kept in memory.
    pub kept: u16,
    /// It takes its place nevertheless.
    pub stays: bool,
}

impl Packet {
    /// It has a place in memory from a cell on.
    pub fn place_at(&mut self, store: u16, first: u32, in_a_row: bool) {
        (self.store, self.first_cell, self.in_a_row) = (store, first, in_a_row);
        (self.write_at, self.read_at) = ((0, first), (0, first));
    }

    pub fn new(head: PacketHead, number: u64, flow_hash: u32, receiver: u16, now: Ticks) -> Self {
        Self {
            head,
            number,
            flow_hash,
            receiver,
            sender: 0,
            class: 0,
            counted: NO_QUEUE,
            cells: head.cells() as u16,
            moved: 0,
            pool_cells: 0,
            pool: 0,
            inbox: 0,
            group: 0,
            received: now,
            offered: now,
            taken: now,
            waited: 0,
            held: 0,
            sent: now,
            store: 0,
            allocated: false,
            first_cell: 0,
            in_a_row: false,
            write_at: (0, 0),
            read_at: (0, 0),
            parts: 0,
            done: 0,
            domain: 0,
            turn: 0,
            next_waiting: NONE,
            holder: NOBODY,
            in_window: false,
            dropped: false,
            placing: None,
            attended: false,
            departed: false,
            complete: false,
            admitted: false,
            stream: 0,
            picked: now,
            in_receive: 0,
            transmit_cells: 0,
            filled: 0,
            cells_sent: 0,
            lenders: 0,
            awaits: NOBODY,
        }
    }

    /// Whether its thread has it in hand, for want of room ahead.
    #[inline]
    pub fn is_held(&self) -> bool {
        self.holder != NOBODY
    }

    /// Bytes of a cell as received; at least 1, so that an empty last cell is an access too.
    #[inline]
    pub fn cell_bytes(&self, cell: u16) -> u16 {
        of_cell(cell, self.head.bytes)
    }

    /// Bytes of cells that follow each other, likewise.
    #[inline]
    pub fn bytes_of_cells(&self, first: u16, cells: u16) -> u32 {
        let last = first + cells - 1;
        u32::from(cells - 1) * linecard_program::CELL_BYTES + u32::from(self.cell_bytes(last))
    }

    /// Bytes of a cell as the packet leaves; likewise.
    #[inline]
    pub fn leaving_cell_bytes(&self, cell: u16) -> u16 {
        of_cell(cell, self.head.leaving_bytes())
    }
}

#[inline]
fn of_cell(cell: u16, bytes: u32) -> u16 {
    let cell_bytes = linecard_program::CELL_BYTES;
    let before = (u32::from(cell) * cell_bytes).min(bytes);
    (bytes - before).clamp(1, cell_bytes) as u16
}

/// Packets inside, by number; numbers are used again.
#[derive(Default)]
pub(crate) struct Packets {
    slots: Vec<Packet>,
    free: Vec<u32>,
}

impl Packets {
    pub fn insert(&mut self, packet: &Packet) -> PacketId {
        match self.free.pop() {
            Some(index) => {
                self.slots[index as usize] = *packet;
                PacketId(index)
            }
            None => {
                self.slots.push(*packet);
                PacketId(self.slots.len() as u32 - 1)
            }
        }
    }

    /// Packets in the table.
    pub fn count(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub fn remove(&mut self, id: PacketId) {
        self.free.push(id.0);
    }
}

impl std::ops::Index<PacketId> for Packets {
    type Output = Packet;
    #[inline]
    fn index(&self, id: PacketId) -> &Packet {
        &self.slots[id.0 as usize]
    }
}

impl std::ops::IndexMut<PacketId> for Packets {
    #[inline]
    fn index_mut(&mut self, id: PacketId) -> &mut Packet {
        &mut self.slots[id.0 as usize]
    }
}
