//! A table of open addressing that finds the number of a row by its hash.

/// Numbers of rows that are all different, by the upper halves of their hashes.
#[derive(Debug)]
pub(super) struct Slots {
    /// The upper half of a row's hash, and its number plus one in the lower half; 0 is empty. The hash alone
    /// distinguishes most rows, without reading them.
    held: Vec<u64>,
    count: usize,
}

impl Slots {
    pub fn new() -> Self {
        Self { held: vec![0; 1 << 12], count: 0 }
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the free slot of a row with this hash, unless it equals one for which `same` returns true.
    #[inline]
    pub fn vacant(&self, hash: u64, same: impl Fn(usize) -> bool) -> Option<usize> {
        let mask = self.held.len() - 1;
        let hash = hash >> 32;
        let mut slot = hash as usize & mask;
        while self.held[slot] != 0 {
            let held = self.held[slot];
            if held >> 32 == hash && same((held as u32 - 1) as usize) {
                return None;
            }
            slot = (slot + 1) & mask;
        }
        Some(slot)
    }

    /// Assigns the next number to a row of this hash in a free slot.
    #[inline]
    pub fn add(&mut self, slot: usize, hash: u64) {
        self.count += 1;
        self.held[slot] = hash >> 32 << 32 | self.count as u64;
        if self.count * 2 > self.held.len() {
            self.grow();
        }
    }

    #[cold]
    #[allow(clippy::slow_vector_initialization)] // a page of zeroes that is read before it is written is faulted in twice
    fn grow(&mut self) {
        let mut slots = Vec::with_capacity(self.held.len() * 2);
        slots.resize(self.held.len() * 2, 0u64);
        let mask = slots.len() - 1;
        for held in std::mem::take(&mut self.held).into_iter().filter(|&held| held != 0) {
            let mut slot = (held >> 32) as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = held;
        }
        self.held = slots;
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.held.fill(0);
        self.count = 0;
    }
}
