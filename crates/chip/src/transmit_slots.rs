//! Transmit slots of a port: blocks in the order in which they were assigned. Each slot is occupied until its
//! block has been handed over, has drained, and is on the wire behind the blocks before it.

use crate::config::TransmitSlotsConfig;
use crate::wire::Wire;
use linecard_program::PacketId;
use linecard_program::script::Block;
use linecard_sim::{Ring, Ticks, Timebase};

/// A block in a transmit slot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slot {
    pub packet: PacketId,
    pub block: Block,
    /// Bytes of the block.
    bytes: u32,
    /// Whether its cells have been read from the packet memory.
    filled: bool,
    /// When the slot becomes free; valid once its block is leaving.
    free_at: Ticks,
}

/// The slots of a port.
#[derive(Debug)]
pub(crate) struct TransmitSlots {
    slots: Ring<Slot>,
    /// Blocks at the front that leave: they and all before them have been filled.
    leaving: usize,
    /// Number of the block at the front.
    front: u8,
    capacity: usize,
    handshake: Ticks,
    drain_cell: Ticks,
    /// Occupied slot time, up to `since`.
    taken: u128,
    since: Ticks,
}

impl TransmitSlots {
    pub fn new(config: &TransmitSlotsConfig, timebase: &Timebase) -> Self {
        Self {
            slots: Ring::new(config.slots as usize),
            leaving: 0,
            front: 0,
            capacity: config.slots as usize,
            handshake: timebase.ticks_from_ps(config.handshake_ps),
            drain_cell: timebase.ticks_from_ps(config.drain_cell_ps),
            taken: 0,
            since: 0,
        }
    }

    #[inline]
    pub fn has_free(&self) -> bool {
        self.slots.len() < self.capacity
    }

    /// Returns the number of slots.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the number of blocks in slots.
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// Assigns a slot to a block of `bytes` bytes. Returns its number.
    #[inline]
    pub fn reserve(&mut self, packet: PacketId, block: Block, bytes: u32, now: Ticks) -> u8 {
        self.enter(now);
        let slot = self.front.wrapping_add(self.slots.len() as u8);
        let block = Block { slot, ..block };
        self.slots.push_back(Slot { packet, block, bytes, filled: false, free_at: 0 });
        slot
    }

    /// The block of slot `number` is in the transmit buffer. Calls `sent` for every block that may now leave,
    /// in order. Returns when the port's next slot becomes free, if that has become known.
    #[inline]
    pub fn filled(
        &mut self,
        number: u8,
        wire: &mut Wire,
        now: Ticks,
        mut sent: impl FnMut(&Slot),
    ) -> Option<Ticks> {
        let had = self.leaving > 0;
        if let Some(slot) = self.slots.get_mut(usize::from(number.wrapping_sub(self.front))) {
            slot.filled = true;
        }
        while let Some(slot) = self.slots.get_mut(self.leaving)
            && slot.filled
        {
            let over = now + self.handshake + self.drain_cell * Ticks::from(slot.block.cells);
            slot.free_at = wire.send_part(over, slot.bytes, slot.block.first_cell == 0);
            sent(slot);
            self.leaving += 1;
        }
        if had { None } else { self.next() }
    }

    /// Returns the block whose slot becomes free at `now`, if there is one.
    #[inline]
    pub fn take_free(&mut self, now: Ticks) -> Option<Slot> {
        if self.next()? > now {
            return None;
        }
        self.enter(now);
        self.front = self.front.wrapping_add(1);
        self.leaving -= 1;
        self.slots.pop_front()
    }

    fn enter(&mut self, now: Ticks) {
        self.taken += u128::from(now - self.since) * self.slots.len() as u128;
        self.since = now;
    }

    /// Returns the time for which slots were occupied until `now`, total over the slots.
    pub fn taken(&self, now: Ticks) -> u128 {
        self.taken + u128::from(now - self.since) * self.slots.len() as u128
    }

    /// Discards the time before `now` (the end of warm-up).
    pub fn restart(&mut self, now: Ticks) {
        (self.taken, self.since) = (0, now);
    }

    /// Returns when the next slot becomes free, if that is known.
    #[inline]
    pub fn next(&self) -> Option<Ticks> {
        if self.leaving > 0 { Some(self.slots.front()?.free_at) } else { None }
    }
}
