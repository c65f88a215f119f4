//! The directory of a cache of descriptor words: tags, order of use, dirty bits and pins.
//!
//! An index by line number finds lines, so that a lookup in a fully associative cache of any size has constant
//! cost; the order of use within a set is a linked list. The manager keeps the values, by slot.

use linecard_sim::{Stream, stream};

/// No slot, no line.
pub const NONE: u32 = u32::MAX;

/// The line that a full set evicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// The least recently used.
    Lru,
    /// A random one.
    Random,
}

/// A slot, and its neighbours in the order of use.
#[derive(Clone, Copy, Debug)]
struct Slot {
    line: u32,
    newer: u32,
    older: u32,
    pins: u32,
    /// The end of the order of its set.
    end: u32,
    dirty: bool,
}

/// Tags of a set-associative cache.
#[derive(Debug)]
pub struct Directory {
    ways: u32,
    sets: u32,
    slot_of: Vec<u32>,
    /// The slots, followed by a sentinel for each set: its order of use is a ring, in which the oldest is newer
    /// than the sentinel and the newest older.
    slots: Vec<Slot>,
    replacement: Replacement,
    draws: Stream,
}

impl Directory {
    /// Returns an empty cache of `sets` sets of `ways` lines, for lines numbered below `lines`.
    pub fn new(sets: u32, ways: u32, lines: u32, replacement: Replacement, seed: u64) -> Self {
        let slots = sets * ways;
        let empty = |end| Slot { line: NONE, newer: end, older: end, pins: 0, end, dirty: false };
        let ends = (0..slots).map(|slot| slots + slot / ways).chain(slots..slots + sets);
        let mut directory = Self {
            ways,
            sets,
            slot_of: vec![NONE; lines as usize],
            slots: ends.map(empty).collect(),
            replacement,
            draws: stream(seed, "cache replacement"),
        };
        for slot in 0..slots {
            directory.push_newest(slot);
        }
        directory
    }

    /// Returns the number of slots.
    pub fn slots(&self) -> u32 {
        self.sets * self.ways
    }

    /// Returns the slot of a line, if it is in the cache.
    #[inline]
    pub fn find(&self, line: u32) -> Option<u32> {
        let slot = self.slot_of[line as usize];
        (slot != NONE).then_some(slot)
    }

    /// Returns the line in a slot, if there is one.
    #[inline]
    pub fn line(&self, slot: u32) -> Option<u32> {
        Some(self.slots[slot as usize].line).filter(|&line| line != NONE)
    }

    /// Marks a line as the most recently used.
    #[inline]
    pub fn touch(&mut self, slot: u32) {
        let Slot { newer, older, end, .. } = self.slots[slot as usize];
        if newer != end {
            self.slots[newer as usize].older = older;
            self.slots[older as usize].newer = newer;
            self.push_newest(slot);
        }
    }

    /// Returns the slot that `line` would take: an unpinned one of its set.
    pub fn victim(&mut self, line: u32) -> Option<u32> {
        // A division costs more than the rest of a lookup.
        let set = if self.sets.is_power_of_two() { line & (self.sets - 1) } else { line % self.sets };
        if self.replacement == Replacement::Random {
            let first = set * self.ways;
            let turn = self.draws.below(self.ways);
            let slots = (0..self.ways).map(|way| first + (way + turn) % self.ways);
            let empty = (first..first + self.ways).find(|&slot| self.slots[slot as usize].line == NONE);
            return empty.into_iter().chain(slots).find(|&slot| self.slots[slot as usize].pins == 0);
        }
        let end = self.slots() + set;
        let mut slot = self.slots[end as usize].newer;
        while slot != end && self.slots[slot as usize].pins > 0 {
            slot = self.slots[slot as usize].newer;
        }
        (slot != end).then_some(slot)
    }

    /// Replaces the line in a slot; the new line is the most recently used, and clean.
    #[inline]
    pub fn replace(&mut self, slot: u32, line: u32) {
        let this = &mut self.slots[slot as usize];
        let before = std::mem::replace(&mut this.line, line);
        this.dirty = false;
        if before != NONE {
            self.slot_of[before as usize] = NONE;
        }
        self.slot_of[line as usize] = slot;
        self.touch(slot);
    }

    /// Adds a pin that keeps a slot from being evicted.
    #[inline]
    pub fn pin(&mut self, slot: u32) {
        self.slots[slot as usize].pins += 1;
    }

    /// Removes one pin.
    #[inline]
    pub fn unpin(&mut self, slot: u32) {
        self.slots[slot as usize].pins -= 1;
    }

    /// Returns whether a slot must be written back before it is replaced.
    #[inline]
    pub fn is_dirty(&self, slot: u32) -> bool {
        self.slots[slot as usize].dirty
    }

    /// Records that a slot must be written back before it is replaced.
    #[inline]
    pub fn set_dirty(&mut self, slot: u32) {
        self.slots[slot as usize].dirty = true;
    }

    /// Inserts an unlinked slot as the newest of its set.
    #[inline]
    fn push_newest(&mut self, slot: u32) {
        let end = self.slots[slot as usize].end;
        let before = std::mem::replace(&mut self.slots[end as usize].older, slot);
        self.slots[before as usize].newer = slot;
        let this = &mut self.slots[slot as usize];
        (this.newer, this.older) = (end, before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Looks a line up and fetches it on a miss. Returns whether it hit.
    fn access(directory: &mut Directory, line: u32) -> bool {
        if let Some(slot) = directory.find(line) {
            directory.touch(slot);
            return true;
        }
        let slot = directory.victim(line).expect("nothing is pinned");
        directory.replace(slot, line);
        false
    }

    #[test]
    fn lru_by_hand() {
        let mut directory = Directory::new(1, 2, 10, Replacement::Lru, 1);
        let hits: Vec<bool> = [7, 8, 7, 9, 8, 7].iter().map(|&line| access(&mut directory, line)).collect();
        // 7 8 | 7 hits | 9 replaces 8 | 8 replaces 7 | 7 replaces 9
        assert_eq!(hits, [false, false, true, false, false, false]);
    }

    #[test]
    fn pinned_lines_stay() {
        for replacement in [Replacement::Lru, Replacement::Random] {
            let mut directory = Directory::new(1, 2, 10, replacement, 1);
            access(&mut directory, 1);
            access(&mut directory, 2);
            let pinned = directory.find(1).unwrap();
            directory.pin(pinned);
            for line in 3..8 {
                access(&mut directory, line);
                assert_eq!(directory.find(1), Some(pinned));
            }
            let other = 1 - pinned;
            directory.pin(other);
            assert_eq!(directory.victim(9), None);
            directory.unpin(other);
            assert_eq!(directory.victim(9), Some(other));
        }
    }

    proptest! {
        /// Compares it with a list per set, newest first.
        #[test]
        fn agrees_with_lists(
            ways in 1u32..5, sets in 1u32..4,
            lines in proptest::collection::vec(0u32..24, 1..200),
        ) {
            let mut directory = Directory::new(sets, ways, 24, Replacement::Lru, 1);
            let mut naive: Vec<Vec<u32>> = vec![Vec::new(); sets as usize];
            for line in lines {
                let set = &mut naive[(line % sets) as usize];
                let hit = set.contains(&line);
                set.retain(|&other| other != line);
                set.insert(0, line);
                set.truncate(ways as usize);
                prop_assert_eq!(access(&mut directory, line), hit);
            }
        }
    }
}
