//! Words that two packets on the chip write at the same time without protection: they hold no common lock, and not
//! both use atomic operations.
//!
//! For its program, a packet is on the chip from when a thread takes it until that thread looks for the next packet.

use super::hot::Word;
use super::table::Table;
use std::collections::BTreeMap;

/// The most words whose last write is remembered; if there are more, all are discarded.
const MOST_WORDS: usize = 1 << 20;
/// The most locks of a write that are remembered.
const MOST_HELD: usize = 4;

#[derive(Clone, Copy, Debug, Default)]
struct Write {
    thread: u32,
    /// The number of its packet in the order in which threads took packets.
    turn: u64,
    operation: u32,
    atomic: bool,
    /// Held locks, each number plus 1; 0 for none.
    held: [u32; MOST_HELD],
}

impl Write {
    fn is_kept_from(&self, other: &Self) -> bool {
        self.atomic && other.atomic || self.held.iter().any(|lock| *lock > 0 && other.held.contains(lock))
    }
}

/// Two operations that wrote a word at the same time.
pub(super) struct Race {
    pub word: Word,
    pub operations: (u32, u32),
    pub times: u64,
}

/// The writes of packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Races {
    /// The packet that each thread processes, by its turn; 0 for none.
    at_work: Vec<u64>,
    turns: u64,
    thread: u32,
    held: [u32; MOST_HELD],
    /// By word ([`Word`], in one number, which is hashed faster than two).
    written: Table<Write>,
    /// By the two operations: the first word, and the number of races.
    found: BTreeMap<(u32, u32), (Word, u64)>,
}

impl Races {
    /// A thread takes a packet.
    pub fn takes(&mut self, thread: u32) {
        let at = thread as usize;
        if at >= self.at_work.len() {
            self.at_work.resize(at + 1, 0);
        }
        self.turns += 1;
        self.at_work[at] = self.turns;
        (self.thread, self.held) = (thread, [0; MOST_HELD]);
    }

    /// A thread finds no packet.
    pub fn rests(&mut self, thread: u32) {
        if let Some(turn) = self.at_work.get_mut(thread as usize) {
            *turn = 0;
        }
    }

    pub fn lock(&mut self, lock: u32, taken: bool) {
        let (from, to) = if taken { (0, lock + 1) } else { (lock + 1, 0) };
        if let Some(place) = self.held.iter_mut().find(|held| **held == from) {
            *place = to;
        }
    }

    pub fn write(&mut self, word: Word, operation: u32, atomic: bool) {
        let own = Write { thread: self.thread, turn: self.turns, operation, atomic, held: self.held };
        let key = u64::from(word.0) << 32 | u64::from(word.1);
        if self.written.len() >= MOST_WORDS {
            self.written.clear();
        }
        let Some(last) = self.written.get_mut(key) else { return self.written.insert(key, own) };
        let is_at_work = last.thread != own.thread && self.at_work[last.thread as usize] == last.turn;
        let races_with = (is_at_work && !own.is_kept_from(last)).then_some(last.operation);
        *last = own;
        if let Some(other) = races_with {
            let pair = (other.min(operation), other.max(operation));
            match self.found.get_mut(&pair) {
                Some((_, times)) => *times += 1,
                None => drop(self.found.insert(pair, (word, 1))),
            }
        }
    }

    pub fn found(&self) -> impl Iterator<Item = Race> + '_ {
        self.found.iter().map(|(&operations, &(word, times))| Race { word, operations, times })
    }

    pub fn restart(&mut self) {
        self.found.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how often two consecutive writes of a word by two threads are reported as unprotected.
    fn told(between: impl Fn(&mut Races), locks: [&[u32]; 2], atomic: [bool; 2]) -> u64 {
        let mut races = Races::default();
        for thread in 0..2 {
            races.takes(thread as u32);
            locks[thread].iter().for_each(|&lock| races.lock(lock, true));
            races.write((0, 64), 10 + thread as u32, atomic[thread]);
            locks[thread].iter().for_each(|&lock| races.lock(lock, false));
            if thread == 0 {
                between(&mut races);
            }
        }
        races.found().map(|race| race.times).sum()
    }

    #[test]
    fn only_writes_at_the_same_time_with_nothing_between_them_are_told() {
        let nothing = |_: &mut Races| {};
        assert_eq!(told(nothing, [&[], &[]], [false, false]), 1);
        assert_eq!(told(nothing, [&[3], &[4]], [false, false]), 1, "different locks");
        assert_eq!(told(nothing, [&[3], &[]], [false, false]), 1, "one side alone");
        assert_eq!(told(nothing, [&[], &[]], [true, false]), 1, "one side alone");
        assert_eq!(told(nothing, [&[1, 3], &[3, 4]], [false, false]), 0, "a common lock");
        assert_eq!(told(nothing, [&[], &[]], [true, true]), 0, "atomic on both sides");
        assert_eq!(told(|races| races.rests(0), [&[], &[]], [false, false]), 0, "the first one is done");
        assert_eq!(
            told(|races| races.takes(0), [&[], &[]], [false, false]),
            0,
            "its thread has another packet"
        );
    }
}
