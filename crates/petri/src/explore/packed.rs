//! Markings as rows of words, in which each place has as many bits as it needs: 1, 2, 4, 8, 16 or 32.
//!
//! A place gets more bits when it first holds more tokens than its bits can tell; then all rows are written anew, which
//! happens early, while there are few. A table of open addressing holds the numbers of rows.

/// So many rows, and so many for each row that there is, are written anew for single places; beyond that all places get as
/// many bits as the one that asks.
const MOST_REWRITTEN: usize = 4096;
const MOST_REWRITTEN_PER_ROW: usize = 4;

/// Where a place stands in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    /// What a token of the place adds to the hash of a marking.
    weight: u64,
    word: u32,
    shift: u8,
    bits: u8,
}

impl Field {
    #[inline]
    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    #[inline]
    fn get(self, row: &[u64]) -> u32 {
        (row[self.word as usize] >> self.shift & self.mask()) as u32
    }

    #[inline]
    fn set(self, row: &mut [u64], tokens: u32) {
        let word = &mut row[self.word as usize];
        *word = *word & !(self.mask() << self.shift) | u64::from(tokens) << self.shift;
    }
}

/// Where all places stand.
#[derive(Debug, Default)]
struct Layout {
    fields: Vec<Field>,
    /// Places by where they stand.
    places: Vec<u32>,
    /// Where the places of each word begin among those; one more for the end.
    starts: Vec<u32>,
}

impl Layout {
    /// The widest first, so that none stands in two words.
    fn new(bits: &[u8]) -> Self {
        let mut layout = Self { fields: vec![Field::default(); bits.len()], ..Self::default() };
        let mut end = 0;
        for wanted in [32, 16, 8, 4, 2, 1] {
            for (place, &bits) in bits.iter().enumerate().filter(|(_, bits)| **bits == wanted) {
                if end % 64 == 0 {
                    layout.starts.push(layout.places.len() as u32);
                }
                layout.fields[place] = Field {
                    weight: weight_of(place),
                    word: (end / 64) as u32,
                    shift: (end % 64) as u8,
                    bits,
                };
                layout.places.push(place as u32);
                end += usize::from(bits);
            }
        }
        layout.starts.push(layout.places.len() as u32);
        layout
    }

    fn words(&self) -> usize {
        self.starts.len() - 1
    }

    fn places_of(&self, word: usize) -> &[u32] {
        &self.places[self.starts[word] as usize..self.starts[word + 1] as usize]
    }
}

/// Bits for a number of tokens.
fn bits_for(tokens: u32) -> u8 {
    (32 - tokens.leading_zeros()).max(1).next_power_of_two() as u8
}

/// What a token of a place adds to the hash of a marking: a sum, so that it changes with the places that do (the finalizer
/// of SplitMix64).
fn weight_of(place: usize) -> u64 {
    let mut word = (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Whether rows are the same; short ones without a call.
#[inline]
fn same(one: &[u64], other: &[u64]) -> bool {
    if one.len() > 4 { one == other } else { one.iter().zip(other).all(|(one, other)| one == other) }
}

/// Rows that are all different, with their numbers, and one of them that is looked at.
#[derive(Debug)]
pub(super) struct Rows {
    layout: Layout,
    words: Vec<u64>,
    /// The upper half of a marking's hash above, one more than its number below; 0 is empty. Most rows that are not the one
    /// looked for are told apart by the hash, without a look at the row.
    slots: Vec<u64>,
    count: usize,
    /// The number of the row that is looked at, its words, twice, and their hash.
    at: usize,
    here: Vec<u64>,
    beside: Vec<u64>,
    hash: u64,
    /// How many rows were written anew.
    rewritten: usize,
}

impl Rows {
    /// The first marking, which is looked at.
    pub fn new(tokens: &[u32]) -> Self {
        // What one word has room for costs nothing.
        let least =
            [32, 16, 8, 4, 2].into_iter().find(|&bits| usize::from(bits) * tokens.len() <= 64).unwrap_or(1);
        let bits: Vec<u8> = tokens.iter().map(|&tokens| bits_for(tokens).max(least)).collect();
        let layout = Layout::new(&bits);
        let mut row = vec![0; layout.words()];
        for (field, &tokens) in layout.fields.iter().zip(tokens) {
            field.set(&mut row, tokens);
        }
        let adds = |(field, &tokens): (&Field, &u32)| field.weight.wrapping_mul(tokens.into());
        let hash = layout.fields.iter().zip(tokens).map(adds).fold(0, u64::wrapping_add);
        let (slots, here, beside) = (vec![0; 1 << 12], row.clone(), row);
        let mut rows =
            Self { layout, words: Vec::new(), slots, count: 0, at: 0, here, beside, hash, rewritten: 0 };
        rows.insert(hash);
        rows
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    fn row(&self, number: usize) -> &[u64] {
        let words = self.layout.words();
        &self.words[number * words..(number + 1) * words]
    }

    /// The tokens of a marking by place.
    pub fn tokens(&self, number: usize) -> impl Iterator<Item = u32> {
        let row = self.row(number);
        self.layout.fields.iter().map(move |field| field.get(row))
    }

    /// Looks at another marking; `differs` is told every place that holds other tokens there.
    pub fn go_to(&mut self, number: usize, mut differs: impl FnMut(u32, u32)) {
        let Self { layout, words, here, beside, hash, .. } = self;
        let width = layout.words();
        let row = &words[number * width..(number + 1) * width];
        for (word, (&there, here)) in row.iter().zip(here).enumerate() {
            if there == *here {
                continue;
            }
            for &place in layout.places_of(word) {
                let field = layout.fields[place as usize];
                let [before, after] = [*here, there].map(|word| word >> field.shift & field.mask());
                if before != after {
                    *hash = hash.wrapping_add(field.weight.wrapping_mul(after.wrapping_sub(before)));
                    differs(place, after as u32);
                }
            }
            (*here, beside[word]) = (there, there);
        }
        self.at = number;
    }

    /// Adds the marking that differs from the one looked at, which has `tokens`, by these changes of places, if it is new;
    /// whether it was. Nothing where a place then holds too many tokens for a number.
    #[inline]
    pub fn insert_beside(&mut self, changes: &[(u32, i64)], tokens: &[u32]) -> Option<bool> {
        for &(place, by) in changes {
            let after = (i64::from(tokens[place as usize]) + by) as u64;
            if after > self.layout.fields[place as usize].mask() {
                self.widen(place, u32::try_from(after).ok()?);
            }
        }
        let mut hash = self.hash;
        for &(place, by) in changes {
            let field = self.layout.fields[place as usize];
            let word = &mut self.beside[field.word as usize];
            // It fits, so that nothing is carried to the neighbours.
            *word = word.wrapping_add((by as u64) << field.shift);
            hash = hash.wrapping_add(field.weight.wrapping_mul(by as u64));
        }
        let new = self.insert(hash);
        for &(place, _) in changes {
            let word = self.layout.fields[place as usize].word as usize;
            self.beside[word] = self.here[word];
        }
        Some(new)
    }

    /// Adds the row `beside` if it is new; whether it was.
    fn insert(&mut self, hash: u64) -> bool {
        let mask = self.slots.len() - 1;
        let hash = hash >> 32;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 {
            let held = self.slots[slot];
            if held >> 32 == hash && same(self.row((held as u32 - 1) as usize), &self.beside) {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        self.words.extend_from_slice(&self.beside);
        self.count += 1;
        self.slots[slot] = hash << 32 | self.count as u64;
        if self.count * 2 > self.slots.len() {
            let slots = self.slots.len() * 2;
            let held = std::mem::replace(&mut self.slots, vec![0; slots]);
            held.into_iter().filter(|&held| held != 0).for_each(|held| self.place(held));
        }
        true
    }

    /// Puts an entry into the table.
    fn place(&mut self, held: u64) {
        let mask = self.slots.len() - 1;
        let mut slot = (held >> 32) as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = held;
    }

    /// Gives a place bits for so many tokens, and writes all rows anew.
    #[cold]
    fn widen(&mut self, place: u32, tokens: u32) {
        let wanted = bits_for(tokens);
        let mut bits: Vec<u8> = self.layout.fields.iter().map(|field| field.bits).collect();
        bits[place as usize] = wanted;
        if self.rewritten > MOST_REWRITTEN + MOST_REWRITTEN_PER_ROW * self.count {
            bits.iter_mut().for_each(|bits| *bits = wanted.max(*bits));
        }
        self.rewritten += self.count;
        let before = std::mem::replace(&mut self.layout, Layout::new(&bits));
        let (old, new) = (before.words(), self.layout.words());
        let mut words = vec![0; self.count * new];
        for (from, to) in self.words.chunks(old).zip(words.chunks_mut(new)) {
            for (before, after) in before.fields.iter().zip(&self.layout.fields) {
                after.set(to, before.get(from));
            }
        }
        self.words = words;
        self.here = self.row(self.at).to_vec();
        self.beside.clone_from(&self.here);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        /// Rows are the markings that a list of them would hold, with the same numbers, however wide their places get.
        #[test]
        fn rows_are_a_list_of_markings(
            first in proptest::collection::vec(0u32..4, 1..150),
            steps in proptest::collection::vec((any::<u32>(), proptest::collection::vec((any::<u32>(), 0u32..40), 0..4)), 1..200),
        ) {
            let mut rows = Rows::new(&first);
            let mut list = vec![first.clone()];
            let mut numbers = HashMap::from([(first.clone(), 0)]);
            let mut here = first.clone();
            for (number, drawn) in steps {
                let number = number as usize % list.len();
                rows.go_to(number, |place, tokens| {
                    assert_ne!(here[place as usize], tokens);
                    here[place as usize] = tokens;
                });
                prop_assert_eq!(&here, &list[number]);
                let mut next = here.clone();
                let mut changes: Vec<(u32, i64)> = Vec::new();
                for (place, power) in drawn {
                    let place = place % first.len() as u32;
                    let tokens = if power < 32 { (1u64 << power) as u32 } else { power - 32 };
                    if changes.iter().all(|&(other, _)| other != place) {
                        changes.push((place, i64::from(tokens) - i64::from(here[place as usize])));
                        next[place as usize] = tokens;
                    }
                }
                let new = !numbers.contains_key(&next);
                prop_assert_eq!(rows.insert_beside(&changes, &here), Some(new));
                if new {
                    numbers.insert(next.clone(), list.len());
                    list.push(next);
                }
                prop_assert_eq!(rows.count(), list.len());
            }
            for (number, marking) in list.iter().enumerate() {
                prop_assert_eq!(&rows.tokens(number).collect::<Vec<_>>(), marking);
            }
        }
    }
}
