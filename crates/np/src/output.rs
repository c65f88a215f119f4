//! Transmit slots of a port: blocks in the order in which they were given out, each slot busy until its handshake
//! and its cells are through.

use linecard_program::PacketId;
use linecard_sim::Ticks;
use std::collections::VecDeque;

/// A block in a transmit slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub packet: PacketId,
    pub cells: u16,
    pub last: bool,
    /// Whether its cells have been read from the packet buffer.
    filled: bool,
    /// When the slot is free again; set once it is first in order and filled.
    free_at: Option<Ticks>,
}

pub(crate) struct TransmitPort {
    slots: VecDeque<Slot>,
    /// Number of the block at the front.
    front: u8,
    capacity: usize,
    handshake: Ticks,
    drain_cell: Ticks,
    last_free: Ticks,
    /// Slot time taken, up to `since`.
    taken: u128,
    since: Ticks,
}

impl TransmitPort {
    pub fn new(capacity: usize, handshake: Ticks, drain_cell: Ticks) -> Self {
        Self {
            slots: VecDeque::with_capacity(capacity),
            front: 0,
            capacity,
            handshake,
            drain_cell,
            last_free: 0,
            taken: 0,
            since: 0,
        }
    }

    #[inline]
    pub fn has_free_slot(&self) -> bool {
        self.slots.len() < self.capacity
    }

    /// Slots in all.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Give a slot to a block; returns its number.
    #[inline]
    pub fn reserve(&mut self, packet: PacketId, cells: u16, last: bool, now: Ticks) -> u8 {
        self.taken(now);
        let number = self.front.wrapping_add(self.slots.len() as u8);
        self.slots.push_back(Slot { packet, cells, last, filled: false, free_at: None });
        number
    }

    /// The block of slot `number` is in the transmit buffer. Calls `sent` for every block that may now leave, in
    /// order; returns when the port's next slot is free, if that has become known.
    #[inline]
    pub fn filled(&mut self, number: u8, now: Ticks, mut sent: impl FnMut(&Slot)) -> Option<Ticks> {
        let had = self.next().is_some();
        self.slots[number.wrapping_sub(self.front) as usize].filled = true;
        for slot in &mut self.slots {
            if !slot.filled {
                break;
            }
            if slot.free_at.is_none() {
                let free_at = now + self.handshake + self.drain_cell * Ticks::from(slot.cells);
                self.last_free = self.last_free.max(free_at);
                slot.free_at = Some(self.last_free);
                sent(slot);
            }
        }
        if had { None } else { self.next() }
    }

    /// The block whose slot is free at `now`, if there is one.
    #[inline]
    pub fn take_free(&mut self, now: Ticks) -> Option<Slot> {
        let slot = *self.slots.front()?;
        (slot.free_at? <= now).then(|| {
            self.taken(now);
            self.slots.pop_front();
            self.front = self.front.wrapping_add(1);
            slot
        })
    }

    /// Time for which slots were taken until `now`, summed over the slots.
    #[inline]
    pub fn taken(&mut self, now: Ticks) -> u128 {
        self.taken += u128::from(now - self.since) * self.slots.len() as u128;
        self.since = now;
        self.taken
    }

    /// Forget what was taken before `now` (the end of warm-up).
    pub fn restart(&mut self, now: Ticks) {
        (self.taken, self.since) = (0, now);
    }

    /// When the next slot is free, if that is known.
    #[inline]
    pub fn next(&self) -> Option<Ticks> {
        self.slots.front().and_then(|s| s.free_at)
    }
}
