//! Markings as rows of words, in which each place has as many bits as it needs: 1, 2, 4, 8, 16 or 32.
//!
//! A place gets more bits when it first holds more tokens than fit; then all rows are rewritten, which happens
//! early, while they are few. Several workers can read rows in parallel, each with a cursor and a list of its
//! findings.

use super::slots::Slots;

/// Most rows that are rewritten for single places, as a constant plus a multiple of the present rows. Beyond
/// that all places get as many bits as the one that needs more.
const MOST_REWRITTEN: usize = 4096;
const MOST_REWRITTEN_PER_ROW: usize = 4;

/// The position of a place in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    /// The contribution of a token of the place to the hash of a marking.
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

/// The positions of all places.
#[derive(Debug, Default)]
struct Layout {
    fields: Vec<Field>,
    /// Places in the order of their positions.
    places: Vec<u32>,
    /// Start of the places of each word in that order; one more for the end.
    starts: Vec<u32>,
}

impl Layout {
    /// Lays out places of the given widths, widest first, so that no place is split over two words.
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

/// Adjacent bits of a row that stay adjacent when it is rewritten.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: u32,
    to: u32,
    from_shift: u8,
    to_shift: u8,
    bits: u8,
}

impl Move {
    /// Returns the moves from one layout to another, in which no place has fewer bits.
    fn all(before: &Layout, after: &Layout) -> Vec<Self> {
        let mut moves: Vec<Self> = Vec::new();
        for &place in &after.places {
            let [from, to] = [before, after].map(|layout| layout.fields[place as usize]);
            let follows = |last: &Self| {
                (last.from, last.to) == (from.word, to.word)
                    && last.from_shift + last.bits == from.shift
                    && last.to_shift + last.bits == to.shift
            };
            match moves.last_mut().filter(|last| follows(last)) {
                Some(last) => last.bits += from.bits,
                None => moves.push(Self {
                    from: from.word,
                    to: to.word,
                    from_shift: from.shift,
                    to_shift: to.shift,
                    bits: from.bits,
                }),
            }
        }
        moves
    }

    #[inline]
    fn copy(self, from: &[u64], to: &mut [u64]) {
        let bits = from[self.from as usize] >> self.from_shift & (u64::MAX >> (64 - self.bits));
        to[self.to as usize] |= bits << self.to_shift;
    }
}

/// Bits for a number of tokens.
fn bits_for(tokens: u32) -> u8 {
    (32 - tokens.leading_zeros()).max(1).next_power_of_two() as u8
}

/// Returns the contribution of a token of a place to the hash of a marking. The hash is a sum, so that it
/// changes only with the changed places (the finalizer of SplitMix64).
fn weight_of(place: usize) -> u64 {
    let mut word = (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Returns whether rows are equal; short ones without a call.
#[inline]
fn same(one: &[u64], other: &[u64]) -> bool {
    if one.len() > 4 { one == other } else { one.iter().zip(other).all(|(one, other)| one == other) }
}

/// Rows of words that are all different, with their numbers.
#[derive(Debug)]
struct Set {
    /// Words of a row.
    width: usize,
    words: Vec<u64>,
    slots: Slots,
}

impl Set {
    fn new(width: usize) -> Self {
        Self { width, words: Vec::new(), slots: Slots::new() }
    }

    fn row(&self, number: usize) -> &[u64] {
        &self.words[number * self.width..(number + 1) * self.width]
    }

    /// Returns the free slot of a row that is not in the set.
    #[inline]
    fn vacant(&self, hash: u64, row: &[u64]) -> Option<usize> {
        self.slots.vacant(hash, |number| same(self.row(number), row))
    }

    /// Adds a row in a vacant slot.
    #[inline(never)]
    fn add(&mut self, slot: usize, hash: u64, row: &[u64]) {
        self.words.extend_from_slice(row);
        self.slots.add(slot, hash);
    }

    /// Adds a row if it is new. Returns whether it was; most are not.
    #[inline]
    fn insert(&mut self, hash: u64, row: &[u64]) -> bool {
        let Some(slot) = self.vacant(hash, row) else { return false };
        self.add(slot, hash, row);
        true
    }
}

/// The present row.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    /// Number, its words, twice, and their hash.
    at: usize,
    here: Vec<u64>,
    beside: Vec<u64>,
    hash: u64,
}

impl Cursor {
    /// Calls `then` with the row that differs from the present one by these changes of places, all of which fit, and
    /// its hash.
    #[inline]
    fn beside<T>(
        &mut self,
        layout: &Layout,
        changes: &[(u32, i64)],
        then: impl FnOnce(u64, &[u64]) -> T,
    ) -> T {
        let Self { here, beside, .. } = self;
        let mut hash = self.hash;
        for &(place, by) in changes {
            let field = layout.fields[place as usize];
            let word = &mut beside[field.word as usize];
            // The sum fits, so that nothing is carried to the neighbours.
            *word = word.wrapping_add((by as u64) << field.shift);
            hash = hash.wrapping_add(field.weight.wrapping_mul(by as u64));
        }
        let result = then(hash, beside);
        for &(place, _) in changes {
            let word = layout.fields[place as usize].word as usize;
            beside[word] = here[word];
        }
        result
    }
}

/// Rows that are all different, with their numbers.
#[derive(Debug)]
pub(super) struct Rows {
    layout: Layout,
    set: Set,
    /// The number of rows that were rewritten.
    rewritten: usize,
}

impl Rows {
    /// Returns the first marking, and a cursor on it.
    pub fn new(tokens: &[u32]) -> (Self, Cursor) {
        // More bits than needed cost nothing while one word is enough.
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
        let mut set = Set::new(layout.words());
        set.insert(hash, &row);
        let cursor = Cursor { at: 0, here: row.clone(), beside: row, hash };
        (Self { layout, set, rewritten: 0 }, cursor)
    }

    /// Number of instances.
    pub fn count(&self) -> usize {
        self.set.slots.count()
    }

    /// The tokens of a marking by place.
    pub fn tokens(&self, number: usize) -> impl Iterator<Item = u32> {
        let row = self.set.row(number);
        self.layout.fields.iter().map(move |field| field.get(row))
    }

    /// Moves the cursor to another marking; calls `differs` with every place whose tokens differ.
    #[inline]
    pub fn go_to(&self, cursor: &mut Cursor, number: usize, mut differs: impl FnMut(u32, u32)) {
        let Cursor { here, beside, hash, .. } = cursor;
        let layout = &self.layout;
        for (word, (&there, here)) in self.set.row(number).iter().zip(here).enumerate() {
            let differing = there ^ *here;
            if differing == 0 {
                continue;
            }
            for &place in layout.places_of(word) {
                let field = layout.fields[place as usize];
                if differing >> field.shift & field.mask() != 0 {
                    let [before, after] = [*here, there].map(|word| word >> field.shift & field.mask());
                    *hash = hash.wrapping_add(field.weight.wrapping_mul(after.wrapping_sub(before)));
                    differs(place, after as u32);
                }
            }
            (*here, beside[word]) = (there, there);
        }
        cursor.at = number;
    }

    /// Returns whether a place has enough bits for the stated tokens.
    #[inline]
    fn fits(&self, place: u32, tokens: u64) -> bool {
        tokens <= self.layout.fields[place as usize].mask()
    }

    /// Adds the marking that differs from the present one, which has `tokens`, by these changes of places, if it is
    /// new. Returns whether it was; `None` if a place then holds too many tokens to count.
    #[inline]
    pub fn insert_beside(
        &mut self,
        cursor: &mut Cursor,
        changes: &[(u32, i64)],
        tokens: &[u32],
    ) -> Option<bool> {
        for &(place, by) in changes {
            let after = (i64::from(tokens[place as usize]) + by) as u64;
            if !self.fits(place, after) {
                self.widen(place, u32::try_from(after).ok()?, cursor);
            }
        }
        let Self { layout, set, .. } = self;
        Some(cursor.beside(layout, changes, |hash, row| set.insert(hash, row)))
    }

    /// As [`insert_beside`](Self::insert_beside), for a worker: new rows are recorded. Returns `None` if a
    /// place has too few bits.
    #[inline]
    pub fn note_beside(
        &self,
        cursor: &mut Cursor,
        changes: &[(u32, i64)],
        tokens: &[u32],
        fresh: &mut Fresh,
    ) -> Option<()> {
        for &(place, by) in changes {
            if !self.fits(place, (i64::from(tokens[place as usize]) + by) as u64) {
                return None;
            }
        }
        let from = cursor.at as u32;
        cursor.beside(&self.layout, changes, |hash, row| {
            // Most markings that a batch finds it finds again; its rows are few, and so near.
            if let Some(slot) = fresh.set.vacant(hash, row)
                && self.set.vacant(hash, row).is_some()
            {
                fresh.set.add(slot, hash, row);
                fresh.origins.push((hash, from));
            }
        });
        Some(())
    }

    /// Adds a row that a worker recorded, if it is still new. Returns the marking from which it was found.
    pub fn take(&mut self, fresh: &Fresh, number: usize) -> Option<u32> {
        let (hash, from) = fresh.origins[number];
        self.set.insert(hash, fresh.set.row(number)).then_some(from)
    }

    /// Clears a worker's record, and gives its rows the present width.
    pub fn begin(&self, cursor: &mut Cursor, fresh: &mut Fresh) {
        self.renew(cursor);
        fresh.set.width = self.set.width;
        fresh.set.words.clear();
        fresh.set.slots.clear();
        fresh.origins.clear();
    }

    /// Reads the present row again, in the new layout.
    fn renew(&self, cursor: &mut Cursor) {
        cursor.here.clear();
        cursor.here.extend_from_slice(self.set.row(cursor.at));
        cursor.beside.clone_from(&cursor.here);
    }

    /// Increases the bits of a place for the stated tokens, and rewrites all rows.
    #[cold]
    fn widen(&mut self, place: u32, tokens: u32, cursor: &mut Cursor) {
        let wanted = bits_for(tokens);
        let mut bits: Vec<u8> = self.layout.fields.iter().map(|field| field.bits).collect();
        bits[place as usize] = wanted;
        if self.rewritten > MOST_REWRITTEN + MOST_REWRITTEN_PER_ROW * self.count() {
            bits.iter_mut().for_each(|bits| *bits = wanted.max(*bits));
        }
        self.rewritten += self.count();
        let before = std::mem::replace(&mut self.layout, Layout::new(&bits));
        let (old, new) = (before.words(), self.layout.words());
        let moves = Move::all(&before, &self.layout);
        let mut words = vec![0; self.count() * new];
        for (from, to) in self.set.words.chunks(old).zip(words.chunks_mut(new)) {
            moves.iter().for_each(|one| one.copy(from, to));
        }
        (self.set.words, self.set.width) = (words, new);
        self.renew(cursor);
    }
}

/// The new rows of a worker in a batch, each with its hash and the number of the marking before it.
#[derive(Debug)]
pub(super) struct Fresh {
    set: Set,
    origins: Vec<(u64, u32)>,
}

impl Fresh {
    pub fn new() -> Self {
        Self { set: Set::new(0), origins: Vec::new() }
    }

    /// Number of instances.
    pub fn count(&self) -> usize {
        self.origins.len()
    }

    /// Returns the number of words of all rows.
    pub fn words(&self) -> usize {
        self.set.words.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        /// Rows equal a plain list of markings, with the same numbers, however wide their places become.
        #[test]
        fn rows_are_a_list_of_markings(
            first in proptest::collection::vec(0u32..4, 1..150),
            steps in proptest::collection::vec((any::<u32>(), proptest::collection::vec((any::<u32>(), 0u32..40), 0..4)), 1..200),
        ) {
            let (mut rows, mut cursor) = Rows::new(&first);
            let mut list = vec![first.clone()];
            let mut numbers = HashMap::from([(first.clone(), 0)]);
            let mut here = first.clone();
            for (number, drawn) in steps {
                let number = number as usize % list.len();
                rows.go_to(&mut cursor, number, |place, tokens| {
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
                prop_assert_eq!(rows.insert_beside(&mut cursor, &changes, &here), Some(new));
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
