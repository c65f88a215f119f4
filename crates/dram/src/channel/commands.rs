//! A command queue: the requests that may issue commands, and the commands that they need next.

use super::transactions::{NONE, Transactions};
use crate::Command;

/// Most entries of a command queue.
pub const MAX_COMMAND_QUEUE: usize = 16;

/// The kinds of commands that a queue requests at one time, one bit for each of [`Kinds::COMMANDS`]. The state
/// of its bank decides: none if the queue is empty; an activate for its oldest request; or a precharge for its
/// oldest request, and the oldest read or the oldest write that hits the row. Each issues when the table
/// permits it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    /// The commands of the bits, in order.
    pub const COMMANDS: [Command; 4] = [Command::Activate, Command::Precharge, Command::Read, Command::Write];
    const NOTHING: Self = Self(0);
    /// The single kind of a set, if the set has exactly one.
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

    /// Returns whether a command is in the set.
    #[inline(always)]
    pub fn has(self, command: Command) -> bool {
        self.0 >> command as u8 & 1 == 1
    }

    /// Returns a set from its bits.
    #[cfg(test)]
    pub fn of(bits: u8) -> Self {
        Self(bits & 15)
    }

    /// Returns the set as a number below 16.
    #[inline(always)]
    pub fn number(self) -> usize {
        usize::from(self.0 & 15)
    }

    /// Returns the single command, if the set has exactly one.
    #[inline(always)]
    pub fn single(self) -> Option<Command> {
        Self::SINGLE[self.number()]
    }
}

/// Requests in order of age.
#[derive(Clone, Debug)]
pub(super) struct CommandQueue {
    len: u32,
    /// Bit sets of positions: the writes, and the requests to the open row.
    writes: u32,
    hits: u32,
    /// Position of the oldest write that hits and waits for no read of its address.
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

    /// Appends a request; `open` is the open row of its bank. Returns whether that may change the commands that
    /// the queue requests.
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

    /// Removes a request; those behind it move up.
    #[inline]
    pub fn remove(&mut self, place: usize) -> u16 {
        let slot = self.slots[place];
        self.len -= 1;
        if place == 0 {
            // A copy of fixed length compiles to a few vector instructions.
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

    /// Returns the oldest request.
    #[inline]
    pub fn oldest(&self) -> u16 {
        self.slots[0]
    }

    pub fn slots(&self) -> &[u16] {
        &self.slots[..self.len as usize]
    }

    /// Returns whether no request is to the open row.
    #[inline]
    pub fn misses(&self) -> bool {
        self.hits == 0
    }

    /// Its bank has opened the row of its oldest request.
    #[inline]
    pub fn opened(&mut self, row: u32) {
        // The comparison takes halves of fixed length: few queues use more than one.
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

    /// Its bank has closed its row. Returns the command it now requests: an activate for its oldest request.
    #[inline]
    pub fn closed(&mut self) -> Kinds {
        self.hits = 0;
        self.kinds = Kinds::when(self.len > 0, Command::Activate);
        self.kinds
    }

    /// Computes the commands that the queue requests; `capped` is whether the open row, if there is one, has
    /// served its limit of requests, and `strict` whether row hits then wait. Returns whether the commands differ
    /// from before.
    #[inline(always)]
    pub fn consider(&mut self, open: bool, capped: bool, strict: bool, transactions: &Transactions) -> bool {
        let before = self.kinds;
        self.kinds = if self.len == 0 {
            Kinds::NOTHING
        } else if !open {
            Kinds::when(true, Command::Activate)
        } else {
            let closes = self.hits & 1 == 0 && (self.hits == 0 || capped);
            let hits = if closes && strict { 0 } else { self.hits };
            let (reads, writes) = (hits & !self.writes, hits & self.writes);
            self.write = if reads == 0 || writes == 0 {
                writes.trailing_zeros()
            } else {
                self.first_free_write(reads, writes, transactions)
            };
            let precharge = Kinds::when(closes, Command::Precharge);
            let read = Kinds::when(reads != 0, Command::Read);
            let write = Kinds::when(self.write != u32::BITS, Command::Write);
            Kinds(precharge.0 | read.0 | write.0)
        };
        self.kinds != before
    }

    /// Returns the position of the oldest read that hits; 32 for none.
    #[inline]
    pub fn read(&self) -> usize {
        (self.hits & !self.writes).trailing_zeros() as usize
    }

    /// Returns the position of the oldest write that hits and waits for no read of its address; 32 for none.
    #[inline]
    pub fn write(&self) -> usize {
        self.write as usize
    }

    /// Returns the oldest write of a set that has no older read of its column.
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
