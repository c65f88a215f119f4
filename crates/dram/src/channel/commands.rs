//! A command queue: the requests that may issue commands, and what they want next.

use super::transactions::NONE;

/// Entries of a command queue, at most.
pub const MAX_COMMAND_QUEUE: usize = 16;

/// What a queue would do next, as far as the state of its bank decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// Nothing: it is empty.
    Nothing,
    /// Open the row of its oldest request.
    Activate,
    /// Close the row for its oldest request, or serve the oldest read or the oldest write that hits the row; each, if
    /// there is one, when the table allows it.
    Open {
        /// Whether the oldest request may have the row closed.
        precharge: bool,
        /// Place of the oldest read that hits.
        read: u8,
        /// Place of the oldest write that hits, and waits for no read of its address.
        write: u8,
    },
}

impl Want {
    /// Which kinds of commands: activate, precharge, read, write.
    #[inline(always)]
    pub fn kinds(self) -> [bool; 4] {
        match self {
            Want::Nothing => [false; 4],
            Want::Activate => [true, false, false, false],
            Want::Open { precharge, read, write } => [false, precharge, read != NOWHERE, write != NOWHERE],
        }
    }
}

/// No place in the queue.
pub(super) const NOWHERE: u8 = u8::MAX;

/// Requests in order of age.
#[derive(Clone, Debug)]
pub(super) struct CommandQueue {
    len: usize,
    slots: [u16; MAX_COMMAND_QUEUE],
    rows: [u32; MAX_COMMAND_QUEUE],
    columns: [u32; MAX_COMMAND_QUEUE],
    /// Bit set of places.
    writes: u32,
    pub want: Want,
    /// The bank of its oldest request.
    pub bank: u32,
}

impl CommandQueue {
    pub fn new(bank: u32) -> Self {
        Self {
            len: 0,
            slots: [NONE; MAX_COMMAND_QUEUE],
            rows: [0; MAX_COMMAND_QUEUE],
            columns: [0; MAX_COMMAND_QUEUE],
            writes: 0,
            want: Want::Nothing,
            bank,
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub fn push(&mut self, slot: u16, row: u32, column: u32, write: bool) {
        self.slots[self.len] = slot;
        self.rows[self.len] = row;
        self.columns[self.len] = column;
        self.writes |= u32::from(write) << self.len;
        self.len += 1;
    }

    /// Take a request out; those behind it move up.
    #[inline]
    pub fn remove(&mut self, place: usize) -> u16 {
        let slot = self.slots[place];
        for p in place + 1..self.len {
            self.slots[p - 1] = self.slots[p];
            self.rows[p - 1] = self.rows[p];
            self.columns[p - 1] = self.columns[p];
        }
        let older = self.writes & ((1 << place) - 1);
        self.writes = older | ((self.writes >> 1) & !((1 << place) - 1));
        self.len -= 1;
        slot
    }

    /// Row and column of the oldest request.
    #[inline]
    pub fn oldest(&self) -> (u32, u32) {
        (self.rows[0], self.columns[0])
    }

    pub fn slots(&self) -> &[u16] {
        &self.slots[..self.len]
    }

    /// Bit set of the places whose request is to `row`.
    #[inline]
    pub fn hits(&self, row: u32) -> u32 {
        let mut hits = 0;
        for place in 0..self.len {
            hits |= u32::from(self.rows[place] == row) << place;
        }
        hits
    }

    /// Work out what the queue wants; `open` is the open row of its bank, and `capped` whether the row has served as
    /// many requests as it may.
    #[inline]
    pub fn consider(&mut self, open: Option<u32>, capped: bool) {
        self.want = match open {
            _ if self.len == 0 => Want::Nothing,
            None => Want::Activate,
            Some(row) => {
                let hits = self.hits(row);
                let precharge = hits & 1 == 0 && (hits == 0 || capped);
                let (reads, writes) = (hits & !self.writes, hits & self.writes);
                let read = if reads == 0 { NOWHERE } else { reads.trailing_zeros() as u8 };
                let write = if writes == 0 { NOWHERE } else { self.first_free_write(reads, writes) };
                Want::Open { precharge, read, write }
            }
        };
    }

    /// The oldest write of some that has no older read of its column before it.
    #[inline]
    fn first_free_write(&self, reads: u32, mut writes: u32) -> u8 {
        while writes != 0 {
            let place = writes.trailing_zeros() as usize;
            let mut older = reads & ((1 << place) - 1);
            let mut held = false;
            while older != 0 {
                held |= self.columns[older.trailing_zeros() as usize] == self.columns[place];
                older &= older - 1;
            }
            if !held {
                return place as u8;
            }
            writes &= writes - 1;
        }
        NOWHERE
    }
}
