//! Packets inside the chip: a table whose entries are reused, so that the run allocates nothing per packet.

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
    /// Port that received it, by number among the receiving ports.
    pub receiver: u16,
    /// Its output port by number among the sending ports, and its class there, once the program has selected
    /// them.
    pub sender: u16,
    pub class: u16,
    /// Number of its output queue among those counted separately, from then on.
    pub counted: u16,
    pub cells: u16,
    /// Cells that programs have moved from the receive buffer.
    pub moved: u16,
    /// Cells of the receive buffer that it still occupies.
    pub pool_cells: u16,
    pub pool: u16,
    /// Inbox and group in which it waits for a thread, or whose thread has it.
    pub inbox: u16,
    pub group: u32,
    pub received: Ticks,
    /// When it was ready for a thread, and when a thread took it.
    pub offered: Ticks,
    pub taken: Ticks,
    /// Its total time in inboxes, and with threads before the last one.
    pub waited: Ticks,
    pub held: Ticks,
    /// When a program handed it to its output queue, and when it left the queue.
    pub sent: Ticks,
    /// Number of the memory that keeps it, among the memories that keep packets.
    pub store: u16,
    pub allocated: bool,
    pub first_cell: u32,
    /// Its cells have consecutive numbers from the first on.
    pub in_a_row: bool,
    /// Position of the last cell written and of the last cell read: number in the packet, cell of the memory.
    pub write_at: (u16, u32),
    pub read_at: (u16, u32),
    /// Outstanding accesses of a port for it, and the latest completion time known so far.
    pub parts: u32,
    pub done: Ticks,
    /// A port has written all of it to memory.
    pub stored: bool,
    /// Its order domain, its number there, and the next packet that waits for its turn.
    pub domain: u32,
    pub turn: u32,
    pub next_waiting: PacketId,
    /// Thread that keeps it while there is no room ahead, or [`NOBODY`].
    pub holder: u32,
    /// It occupies room in the window of packets that wait for their turn.
    pub in_window: bool,
    /// Dropped; the entry remains until its turn comes.
    pub dropped: bool,
    /// Its thread waits for the position in an output queue.
    pub placing: Option<Placing>,
    /// A thread has it.
    pub attended: bool,
    /// It has departed, and only its thread still refers to it.
    pub departed: bool,
    /// It is complete in memory, and no thread sends it yet.
    pub complete: bool,
    /// Whether it has room in the queue of its output port, its first cell in the cell stream of that queue,
    /// and when an output thread got its first block.
    pub admitted: bool,
    pub stream: u64,
    pub picked: Ticks,
    /// Its bytes in the receive buffer.
    pub in_receive: u32,
    /// Its cells that are allocated in the transmit buffer, that are complete there, and that have been sent.
    pub transmit_cells: u16,
    pub filled: u16,
    pub cells_sent: u16,
    /// Threads that have lent it and still work on it, and the thread that waits for them, or [`NOBODY`].
    pub lenders: u16,
    pub awaits: u32,
}

/// How a thread requests the position of its packet in an output queue (`Action::Place`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placing {
    /// The next step if the packet is to be kept in memory.
    pub kept: u16,
    /// It enters the queue in any case.
    pub stays: bool,
}

impl Packet {
    /// Sets its location in memory: the first cell.
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
            stored: false,
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

    /// Returns whether its thread keeps it, because there is no room ahead.
    #[inline]
    pub fn is_held(&self) -> bool {
        self.holder != NOBODY
    }

    /// Returns the bytes of a cell as received; at least 1, so that an empty last cell is an access too.
    #[inline]
    pub fn cell_bytes(&self, cell: u16) -> u16 {
        of_cell(cell, self.head.bytes)
    }

    /// Returns the bytes of consecutive cells, at least 1.
    #[inline]
    pub fn bytes_of_cells(&self, first: u16, cells: u16) -> u32 {
        let last = first + cells - 1;
        u32::from(cells - 1) * linecard_program::CELL_BYTES + u32::from(self.cell_bytes(last))
    }

    /// Returns the bytes of a cell of the departing packet, at least 1.
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

/// Packets inside, by number; numbers are reused.
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

    /// Returns the number of packets in the table.
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
