//! Words of memories that a program accesses often, and the operations that access them.

use super::table::Table;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Words and operations that are counted separately; if there are more, words that were accessed once are dropped.
const MOST: usize = 1 << 18;

/// A word of a part, such as a role.
pub(super) type Word = (u8, u32);

/// Accesses of each word by operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    /// By word and operation ([`key`]).
    counts: Table<u64>,
    /// Accesses of dropped words, by part.
    forgotten: FxHashMap<u8, u64>,
}

/// The most accessed word of a unit that serves one access after another, and the operations that access it.
pub(super) struct Hottest<U> {
    pub unit: U,
    pub word: Word,
    /// Share of the accesses of the unit.
    pub share: f64,
    /// Operations, the most frequent first.
    pub operations: Vec<u32>,
    /// Accesses of the unit.
    accesses: u64,
}

/// Bits of an operation in a key. Operations beyond 16 million, if a program has as many, count as one.
const OPERATION_BITS: u32 = 24;
const LAST_OPERATION: u32 = (1 << OPERATION_BITS) - 1;

/// Returns a word and an operation in one number, which is hashed faster than several.
#[inline(always)]
fn key((part, word): Word, operation: u32) -> u64 {
    u64::from(part) << 56 | u64::from(word) << OPERATION_BITS | u64::from(operation.min(LAST_OPERATION))
}

/// Returns the word and the operation of a key.
fn parts_of(key: u64) -> (Word, u32) {
    (((key >> 56) as u8, (key >> OPERATION_BITS) as u32), key as u32 & LAST_OPERATION)
}

impl Words {
    #[inline]
    pub fn count(&mut self, word: Word, operation: u32) {
        let key = key(word, operation);
        match self.counts.first_mut(key) {
            Some(count) => *count += 1,
            None => self.count_behind(key),
        }
    }

    /// As `count`, for a count that is not in the slot of its hash, or in none yet.
    #[inline(never)]
    fn count_behind(&mut self, key: u64) {
        if let Some(count) = self.counts.get_mut(key) {
            *count += 1;
            return;
        }
        if self.counts.len() >= MOST {
            self.forget();
        }
        self.counts.insert(key, 1);
    }

    #[cold]
    fn forget(&mut self) {
        let mut least = 1;
        while self.counts.len() > MOST / 2 {
            let mut kept = Table::default();
            for (key, count) in self.counts.iter() {
                if count > least {
                    kept.insert(key, count);
                } else {
                    let ((part, _), _) = parts_of(key);
                    *self.forgotten.entry(part).or_insert(0) += count;
                }
            }
            self.counts = kept;
            least *= 2;
        }
    }

    pub fn restart(&mut self) {
        self.counts.clear();
        self.forgotten.clear();
    }

    /// Returns the hottest word of the busiest unit of each memory, the busiest memories first; `unit` returns the memory
    /// and the unit of a word, and the number of such units in the memory. Several parts may be in one memory.
    pub fn hottest<M: Clone + Ord, U: Copy + Ord>(
        &self,
        unit: impl Fn(Word) -> (M, U, u32),
    ) -> Vec<Hottest<U>> {
        let mut words: FxHashMap<Word, u64> = FxHashMap::default();
        for (key, count) in self.counts.iter() {
            let (word, _) = parts_of(key);
            *words.entry(word).or_insert(0) += count;
        }
        let mut forgotten: BTreeMap<M, u64> = BTreeMap::new();
        for (&part, &count) in &self.forgotten {
            *forgotten.entry(unit((part, 0)).0).or_insert(0) += count;
        }
        // By memory and unit: accesses, and the hottest word.
        let mut units: BTreeMap<(M, U), (u64, u64, Word)> = BTreeMap::new();
        for (&word, &count) in &words {
            let (memory, of, alike) = unit(word);
            let rest = forgotten.get(&memory).map_or(0, |rest| rest / u64::from(alike.max(1)));
            let found = units.entry((memory, of)).or_insert((rest, 0, word));
            found.0 += count;
            if (count, Reverse(word)) > (found.1, Reverse(found.2)) {
                (found.1, found.2) = (count, word);
            }
        }
        let mut busiest: BTreeMap<M, Hottest<U>> = BTreeMap::new();
        for ((memory, unit), (accesses, most, word)) in units {
            if busiest.get(&memory).is_none_or(|other| other.accesses < accesses) {
                let (share, operations) = (most as f64 / accesses as f64, self.operations(word, most));
                busiest.insert(memory, Hottest { unit, word, share, operations, accesses });
            }
        }
        let mut found: Vec<_> = busiest.into_values().collect();
        found.sort_by_key(|hottest| Reverse(hottest.accesses));
        found
    }

    /// Returns the operations that access a word, without rare ones.
    fn operations(&self, word: Word, count: u64) -> Vec<u32> {
        let counts = self.counts.iter().map(|(key, own)| (parts_of(key), own));
        let mut found: Vec<(u64, u32)> = counts
            .filter(|&((which, _), own)| which == word && own * 20 > count)
            .map(|((_, operation), own)| (own, operation))
            .collect();
        found.sort_by_key(|&(own, operation)| (Reverse(own), operation));
        found.into_iter().map(|(_, operation)| operation).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hottest_word_is_that_of_the_busiest_unit() {
        // Units of 64 bytes: the first has one word with 5 accesses, the second has two words with 4 and 3.
        let mut words = Words::default();
        for (word, operation, times) in [(0, 1, 5), (64, 2, 3), (64, 3, 1), (68, 4, 3)] {
            (0..times).for_each(|_| words.count((7, word), operation));
        }
        let found = words.hottest(|(part, word)| (part, word / 64, 4));
        assert_eq!((found.len(), found[0].unit, found[0].word), (1, 1, (7, 64)));
        assert_eq!((found[0].share, &found[0].operations[..]), (4.0 / 7.0, &[2, 3][..]));
    }

    #[test]
    fn parts_in_one_memory_are_counted_together() {
        let mut words = Words::default();
        for (part, times) in [(1, 4), (2, 1)] {
            (0..times).for_each(|_| words.count((part, 8), 3));
        }
        let found = words.hottest(|_| ("dram", (), 1));
        assert_eq!((found.len(), found[0].word, found[0].share), (1, (1, 8), 0.8));
    }

    #[test]
    fn a_hot_word_is_found_among_millions_that_are_not_and_its_share_stays() {
        let mut words = Words::default();
        for number in 0..2_000_000 {
            words.count((0, number * 4 + 4), 1);
            words.count((0, 0), 2);
        }
        let found = words.hottest(|(part, _)| (part, (), 1));
        assert_eq!(found[0].word, (0, 0));
        assert!((found[0].share - 0.5).abs() < 1e-9, "{}", found[0].share);
        assert!(words.counts.len() <= MOST);
    }
}
