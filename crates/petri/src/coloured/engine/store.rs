//! The tokens of a coloured place.
//!
//! An entry is a colour with the number of its tokens; in a queue, a token. Entries of freed tokens are used again.

use super::super::net::{Choice, ColouredPlace};
use rustc_hash::FxHashMap;

pub(super) const NONE: u32 = u32::MAX;
/// Up to this number of colours, each has a permanent entry.
const MOST_DIRECT: u64 = 4096;

enum Lookup {
    /// The number of a colour is its entry.
    Direct,
    /// By hash of the words, with the next entry of the same hash.
    Hashed { first: FxHashMap<u64, u32>, next: Vec<u32> },
    /// Without lookups: a queue.
    None,
}

pub(super) struct Store {
    pub width: usize,
    words: Vec<i64>,
    pub count: Vec<u32>,
    free: Vec<u32>,
    lookup: Lookup,
    ranges: Vec<(i64, i64)>,
}

/// Returns a hash of the words of a key: the word itself if there is only one.
#[inline]
pub(super) fn mixed(words: impl Iterator<Item = i64>) -> u64 {
    words.fold(0, |hash: u64, word| (hash.rotate_left(5) ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

impl Store {
    pub fn new(place: &ColouredPlace) -> Self {
        let width = place.colour.width();
        let mut store = Self {
            width,
            words: Vec::new(),
            count: Vec::new(),
            free: Vec::new(),
            lookup: Lookup::None,
            ranges: place.colour.ranges(),
        };
        match place.colour.size() {
            _ if place.choice == Choice::Fifo => (),
            Some(size) if size <= MOST_DIRECT => {
                store.lookup = Lookup::Direct;
                store.count = vec![0; size as usize];
                store.words = (0..size).flat_map(|number| place.colour.nth(number)).collect();
            }
            _ => store.lookup = Lookup::Hashed { first: FxHashMap::default(), next: Vec::new() },
        }
        store
    }

    #[inline]
    pub fn words(&self, entry: u32) -> &[i64] {
        &self.words[entry as usize * self.width..(entry as usize + 1) * self.width]
    }

    /// Returns the first word, with its position, that the place does not accept.
    #[inline]
    pub fn misfit(&self, words: &[i64]) -> Option<(u16, i64)> {
        let bad = words.iter().zip(&self.ranges).position(|(word, (low, high))| word < low || word > high)?;
        Some((bad as u16, words[bad]))
    }

    #[inline]
    fn direct(&self, words: &[i64]) -> u32 {
        let number = words
            .iter()
            .zip(&self.ranges)
            .fold(0, |number, (word, (low, high))| number * (high - low + 1) + (word - low));
        number as u32
    }

    /// Returns the entry of a colour, if it exists.
    #[inline]
    pub fn find(&self, words: &[i64]) -> Option<u32> {
        match &self.lookup {
            Lookup::Direct => Some(self.direct(words)).filter(|&entry| self.count[entry as usize] > 0),
            Lookup::Hashed { first, next } => {
                let mut at = first.get(&mixed(words.iter().copied())).copied().unwrap_or(NONE);
                while at != NONE && self.words(at) != words {
                    at = next[at as usize];
                }
                (at != NONE).then_some(at)
            }
            Lookup::None => None,
        }
    }

    /// Returns the number of tokens of a colour.
    pub fn held(&self, words: &[i64]) -> u32 {
        let entry = if self.misfit(words).is_none() { self.find(words) } else { None };
        entry.map_or(0, |entry| self.count[entry as usize])
    }

    /// Adds tokens of a colour. Returns its entry, and whether it is new; `None` if the tokens are too many to count.
    #[inline]
    pub fn add(&mut self, words: &[i64], count: u32) -> Option<(u32, bool)> {
        if let Lookup::Direct = self.lookup {
            let entry = self.direct(words);
            let held = &mut self.count[entry as usize];
            let new = *held == 0;
            *held = held.checked_add(count)?;
            return Some((entry, new));
        }
        if let Some(entry) = self.find(words) {
            let held = &mut self.count[entry as usize];
            *held = held.checked_add(count)?;
            return Some((entry, false));
        }
        let entry = self.free.pop().unwrap_or_else(|| {
            self.count.push(0);
            self.words.extend(std::iter::repeat_n(0, self.width));
            self.count.len() as u32 - 1
        });
        self.count[entry as usize] = count;
        let first = entry as usize * self.width;
        self.words[first..first + self.width].copy_from_slice(words);
        if let Lookup::Hashed { first, next } = &mut self.lookup {
            if next.len() < self.count.len() {
                next.resize(self.count.len(), NONE);
            }
            let head = first.entry(mixed(words.iter().copied())).or_insert(NONE);
            next[entry as usize] = *head;
            *head = entry;
        }
        Some((entry, true))
    }

    /// Removes tokens of an entry. Returns whether none are left; the entry must then be [released](Self::release).
    #[inline]
    pub fn remove(&mut self, entry: u32, count: u32) -> bool {
        self.count[entry as usize] -= count;
        self.count[entry as usize] == 0
    }

    /// Makes an entry available again.
    #[inline]
    pub fn release(&mut self, entry: u32) {
        let hash = match &self.lookup {
            Lookup::Direct => return,
            Lookup::None => {
                self.free.push(entry);
                return;
            }
            Lookup::Hashed { .. } => mixed(self.words(entry).iter().copied()),
        };
        let Lookup::Hashed { first, next } = &mut self.lookup else { return };
        if first.get(&hash) == Some(&entry) {
            match next[entry as usize] {
                NONE => {
                    first.remove(&hash);
                }
                further => {
                    first.insert(hash, further);
                }
            }
        } else if let Some(&head) = first.get(&hash) {
            let mut at = head;
            while next[at as usize] != entry {
                at = next[at as usize];
            }
            next[at as usize] = next[entry as usize];
        }
        self.free.push(entry);
    }
}
