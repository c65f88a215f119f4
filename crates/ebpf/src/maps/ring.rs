//! Ring buffers. Their reader is assumed to keep up: a record is consumed when it is submitted, and only
//! counted.

/// In front of each record.
const HEADER_BYTES: u64 = 8;

#[derive(Clone, Debug)]
pub(crate) struct Ring {
    capacity: u64,
    next: u64,
    /// Offset and size of records that are reserved and not yet submitted.
    reserved: Vec<(u64, u64)>,
}

impl Ring {
    pub fn new(capacity: u64) -> Self {
        Self { capacity, next: 0, reserved: Vec::new() }
    }

    /// Reserves a record and returns its offset; `None` if the reserved records leave no space.
    pub fn reserve(&mut self, bytes: u64) -> Option<u64> {
        let whole = (bytes.checked_add(HEADER_BYTES)?).next_multiple_of(8);
        if whole > self.capacity {
            return None;
        }
        if self.next + whole > self.capacity {
            self.next = 0;
        }
        let (from, behind) = (self.next, self.next + whole);
        let free = self.reserved.iter().all(|&(at, size)| behind <= at - HEADER_BYTES || at + size <= from);
        if !free {
            return None;
        }
        self.next = behind;
        self.reserved.push((from + HEADER_BYTES, bytes));
        Some(from + HEADER_BYTES)
    }

    /// Releases a record and returns its size; `None` if there is none at that offset.
    pub fn release(&mut self, offset: u64) -> Option<u64> {
        let at = self.reserved.iter().position(|&(from, _)| from == offset)?;
        Some(self.reserved.swap_remove(at).1)
    }

    pub fn holds(&self) -> bool {
        !self.reserved.is_empty()
    }

    /// Drops the records that a failed program reserved.
    pub fn forget(&mut self) {
        self.reserved.clear();
    }

    pub fn capacity(&self) -> u64 {
        self.capacity
    }
}
