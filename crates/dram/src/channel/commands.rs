//! A command queue: the requests that may issue commands, and what they want next.

use super::transactions::{NONE, Transactions};
use crate::Command;

/// Entries of a command queue, at most.
pub const MAX_COMMAND_QUEUE: usize = 16;

/// Kinds of commands that a queue wants at one time, a bit for each of [`Kinds::COMMANDS`]. Which, is decided by the state of
/// its bank: nothing if it is empty; to open the row of its oldest request; or to close the row for its oldest request, or
/// to serve the oldest read or the oldest write that hits the row; each, if there is one, when the table allows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    /// The commands of the bits, in their order.
    pub const COMMANDS: [Command; 4] = [Command::Activate, Command::Precharge, Command::Read, Command::Write];
    const NOTHING: Self = Self(0);
    /// For every set of kinds the one, if it is one.
    const SINGLE: [Option<Command>; 16] = {
        let mut single = [None; 16];
        let mut kind = 0;
        while kind < Self::COMMANDS.len() {
            single[1 << kind] = Some(Self::COMMANDS[kind]);
            kind += 1;
        }
        single
    };

    #[inline(always)]
    fn when(wanted: bool, command: Command) -> Self {
        Self(u8::from(wanted) << command as u8)
    }

    /// Whether a command is among them.
    #[inline(always)]
    pub fn has(self, command: Command) -> bool {
        self.0 >> command as u8 & 1 == 1
    }

    /// Any set, by its bits.
    #[cfg(test)]
    pub fn of(bits: u8) -> Self {
        Self(bits & 15)
    }

    /// As a number below 16.
    #[inline(always)]
    pub fn number(self) -> usize {
        usize::from(self.0 & 15)
    }

    /// The one, if it is one.
    #[inline(always)]
    pub fn single(self) -> Option<Command> {
        Self::SINGLE[self.number()]
    }
}

/// Requests in order of age.
#[derive(Clone, Debug)]
pub(super) struct CommandQueue {
    len: u32,
    /// Bit sets of places: the writes, and the requests to the open row.
    writes: u32,
    hits: u32,
    /// Place of the oldest write that hits, and waits for no read of its address.
    write: u32,
    pub kinds: Kinds,
    /// The bank of its oldest request.
    pub bank: u32,
    slots: [u16; MAX_COMMAND_QUEUE],
    rows: [u32; MAX_COMMAND_QUEUE],
}

impl CommandQueue {
    pub fn new(bank: u32) -> Self {
        Self {
            len: 0,
            writes: 0,
            hits: 0,
            write: 0,
            kinds: Kinds::NOTHING,
            bank,
            slots: [NONE; MAX_COMMAND_QUEUE],
            rows: [0; MAX_COMMAND_QUEUE],
        }
    }

    #[inline]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Append a request; `open` is the open row of its bank. Returns whether that may change what the queue wants.
    #[inline]
    pub fn push(&mut self, slot: u16, row: u32, write: bool, open: Option<u32>) -> bool {
        let place = self.len as usize % MAX_COMMAND_QUEUE;
        let hits = open == Some(row);
        self.slots[place] = slot;
        self.rows[place] = row;
        self.writes |= u32::from(write) << place;
        self.hits |= u32::from(hits) << place;
        self.len += 1;
        hits || self.len == 1
    }

    /// Take a request out; those behind it move up.
    #[inline]
    pub fn remove(&mut self, place: usize) -> u16 {
        let slot = self.slots[place];
        self.len -= 1;
        if place == 0 {
            // Of a fixed length: a few vectors.
            self.slots.copy_within(1.., 0);
            self.rows.copy_within(1.., 0);
            self.writes >>= 1;
            self.hits >>= 1;
        } else {
            for p in place..self.len as usize {
                self.slots[p] = self.slots[p + 1];
                self.rows[p] = self.rows[p + 1];
            }
            let older = (1 << place) - 1;
            let without = |set: u32| set & older | set >> 1 & !older;
            self.writes = without(self.writes);
            self.hits = without(self.hits);
        }
        slot
    }

    /// The oldest request.
    #[inline]
    pub fn oldest(&self) -> u16 {
        self.slots[0]
    }

    pub fn slots(&self) -> &[u16] {
        &self.slots[..self.len as usize]
    }

    /// Whether no request is to the open row.
    #[inline]
    pub fn misses(&self) -> bool {
        self.hits == 0
    }

    /// Its bank has opened the row of its oldest request.
    #[inline]
    pub fn opened(&mut self, row: u32) {
        // By halves of a fixed length: few queues have more than one.
        let (first, second) = self.rows.split_at(MAX_COMMAND_QUEUE / 2);
        let equal = |rows: &[u32]| {
            rows.iter().enumerate().fold(0, |set, (place, &other)| set | u32::from(other == row) << place)
        };
        let mut hits = equal(first);
        if self.len as usize > first.len() {
            hits |= equal(second) << first.len();
        }
        self.hits = hits & ((1 << self.len) - 1);
    }

    /// Its bank has closed its row. Returns what it wants from now on: that the row of its oldest request is opened.
    #[inline]
    pub fn closed(&mut self) -> Kinds {
        self.hits = 0;
        self.kinds = Kinds::when(self.len > 0, Command::Activate);
        self.kinds
    }

    /// Work out which commands the queue wants; `capped` says whether the open row, if there is one, has served as many
    /// requests as it may. Returns whether they are others than before.
    #[inline(always)]
    pub fn consider(&mut self, open: bool, capped: bool, transactions: &Transactions) -> bool {
        let before = self.kinds;
        self.kinds = if self.len == 0 {
            Kinds::NOTHING
        } else if !open {
            Kinds::when(true, Command::Activate)
        } else {
            let hits = self.hits;
            let (reads, writes) = (hits & !self.writes, hits & self.writes);
            self.write = if reads == 0 || writes == 0 {
                writes.trailing_zeros()
            } else {
                self.first_free_write(reads, writes, transactions)
            };
            let precharge = hits & 1 == 0 && (hits == 0 || capped);
            let precharge = Kinds::when(precharge, Command::Precharge);
            let read = Kinds::when(reads != 0, Command::Read);
            let write = Kinds::when(self.write != u32::BITS, Command::Write);
            Kinds(precharge.0 | read.0 | write.0)
        };
        self.kinds != before
    }

    /// Place of the oldest read that hits; 32 without one.
    #[inline]
    pub fn read(&self) -> usize {
        (self.hits & !self.writes).trailing_zeros() as usize
    }

    /// Place of the oldest write that hits, and waits for no read of its address; 32 without one.
    #[inline]
    pub fn write(&self) -> usize {
        self.write as usize
    }

    /// The oldest write of some that has no older read of its column before it.
    fn first_free_write(&self, reads: u32, mut writes: u32, transactions: &Transactions) -> u32 {
        let column = |place: usize| transactions.place(self.slots[place]).1;
        while writes != 0 {
            let place = writes.trailing_zeros() as usize;
            let mut older = reads & ((1 << place) - 1);
            let mut held = false;
            while older != 0 {
                held |= column(older.trailing_zeros() as usize) == column(place);
                older &= older - 1;
            }
            if !held {
                return place as u32;
            }
            writes &= writes - 1;
        }
        u32::BITS
    }
}
