//! Counting distinct digests between two packets of one flow, in one pass.

use crate::trace::{NEVER, Trace};
use serde::Serialize;

/// Packets whose digest came back after so many others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ReuseRow {
    /// Fewest other digests in between.
    pub distance_from: u32,
    /// Most other digests in between.
    pub distance_to: u32,
    /// Packets.
    pub packets: u64,
    /// Packets with this distance or less, of all packets; the rest are farther or first references.
    pub cumulative_percent: f64,
}

/// Reuse distances in steps of powers of two: 0, 1, 2 to 3, 4 to 7, … up to the largest that occurs.
#[must_use]
pub fn reuse_rows(trace: &Trace) -> Vec<ReuseRow> {
    let mut bins = Vec::new();
    for &distance in trace.distances() {
        if distance != NEVER {
            let bin = (u32::BITS - distance.leading_zeros()) as usize;
            bins.resize(bins.len().max(bin + 1), 0);
            bins[bin] += 1;
        }
    }
    let mut so_far = 0;
    let row = |(bin, &packets): (usize, &u64)| {
        so_far += packets;
        ReuseRow {
            distance_from: if bin == 0 { 0 } else { 1 << (bin - 1) },
            distance_to: ((1u64 << bin) - 1) as u32,
            packets,
            cumulative_percent: 100.0 * so_far as f64 / trace.digests().len() as f64,
        }
    };
    bins.iter().enumerate().map(row).collect()
}

/// Where each digest was seen last: open addressing over one array, a cache line per look-up most of the time.
#[derive(Debug)]
pub(crate) struct LastSeen {
    /// The digest above, one more than the position below; 0 is an empty slot.
    slots: Vec<u64>,
    used: usize,
}

impl Default for LastSeen {
    fn default() -> Self {
        Self { slots: vec![0; 1 << 12], used: 0 }
    }
}

impl LastSeen {
    /// The position noted for `digest`, or [`NEVER`]; notes `at` instead.
    #[inline]
    pub fn replace(&mut self, digest: u32, at: u32) -> u32 {
        let slot = self.slot(digest);
        let old = std::mem::replace(&mut self.slots[slot], u64::from(digest) << 32 | u64::from(at + 1));
        if old == 0 {
            self.used += 1;
            if self.used * 2 > self.slots.len() {
                self.grow();
            }
        }
        // An empty slot gives 0 - 1, which is `NEVER`.
        (old as u32).wrapping_sub(1)
    }

    #[inline]
    fn slot(&self, digest: u32) -> usize {
        let mask = self.slots.len() - 1;
        let spread = u64::from(digest).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut slot = (spread >> 32) as usize & mask;
        while self.slots[slot] != 0 && (self.slots[slot] >> 32) as u32 != digest {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[cold]
    fn grow(&mut self) {
        let doubled = vec![0; self.slots.len() * 2];
        for entry in std::mem::replace(&mut self.slots, doubled) {
            if entry != 0 {
                let slot = self.slot((entry >> 32) as u32);
                self.slots[slot] = entry;
            }
        }
    }
}

/// Positions to a word.
const WORD: usize = 64;
/// Counters that stand together on each level, and are added up together.
const FAN: usize = 16;

/// One mark at the latest position of each digest, counted on four levels above the bits: by words, and by 16, 256
/// and 4096 words. Counting the marks behind a position adds up 16 counters of a level at once, those up to the
/// position masked: no branch, and as many instructions for each packet.
#[derive(Debug)]
pub(crate) struct Marks {
    words: Vec<u64>,
    in_word: Vec<[u8; FAN]>,
    in_16_words: Vec<[u16; FAN]>,
    in_256_words: Vec<[u32; FAN]>,
    in_4096_words: Vec<u32>,
}

/// Counters of a level behind one of them.
macro_rules! behind {
    ($counters:expr, $place:expr, $type:ty) => {{
        // From the right start, a window of this is a mask of the places behind one.
        const MASKS: [$type; 2 * FAN] = {
            let mut masks = [0; 2 * FAN];
            let mut place = FAN;
            while place < 2 * FAN {
                masks[place] = <$type>::MAX;
                place += 1;
            }
            masks
        };
        let place = $place;
        let counters: &[$type; FAN] = &$counters[place / FAN];
        let masks = &MASKS[FAN - 1 - place % FAN..][..FAN];
        counters.iter().zip(masks).map(|(&marks, &mask)| u32::from(marks & mask)).sum::<u32>()
    }};
}

impl Marks {
    /// No marks on `positions` positions.
    pub fn new(positions: usize) -> Self {
        let words = positions.div_ceil(WORD);
        let groups = [1, 2, 3].map(|level| words.div_ceil(FAN.pow(level)));
        Self {
            words: vec![0; words],
            in_word: vec![[0; FAN]; groups[0]],
            in_16_words: vec![[0; FAN]; groups[1]],
            in_256_words: vec![[0; FAN]; groups[2]],
            in_4096_words: vec![0; groups[2]],
        }
    }

    /// Moves the mark of a digest from `previous` to `at`, behind all others; the number of marks it passed.
    #[inline]
    pub fn step(&mut self, at: u32, previous: u32) -> u32 {
        if previous == NEVER {
            self.change(at as usize, 1);
            return NEVER;
        }
        let passed = self.behind(previous as usize, at as usize);
        self.change(previous as usize, -1);
        self.change(at as usize, 1);
        passed
    }

    /// Marks behind position `first`; none stands at `end` or behind.
    #[inline]
    fn behind(&self, first: usize, end: usize) -> u32 {
        let word = first / WORD;
        let (group, last_group) = (word / FAN.pow(3), end / WORD / FAN.pow(3));
        (self.words[word] >> (first % WORD) >> 1).count_ones()
            + behind!(self.in_word, word, u8)
            + behind!(self.in_16_words, word / FAN, u16)
            + behind!(self.in_256_words, word / FAN.pow(2), u32)
            + self.in_4096_words[group + 1..last_group.max(group) + 1].iter().sum::<u32>()
    }

    /// Sets (`by` 1) or takes (`by` -1) the mark at a position.
    #[inline]
    fn change(&mut self, at: usize, by: i8) {
        let word = at / WORD;
        self.words[word] ^= 1 << (at % WORD);
        let count = &mut self.in_word[word / FAN][word % FAN];
        *count = count.wrapping_add_signed(by);
        let count = &mut self.in_16_words[word / FAN.pow(2)][word / FAN % FAN];
        *count = count.wrapping_add_signed(by.into());
        let count = &mut self.in_256_words[word / FAN.pow(3)][word / FAN.pow(2) % FAN];
        *count = count.wrapping_add_signed(by.into());
        let count = &mut self.in_4096_words[word / FAN.pow(3)];
        *count = count.wrapping_add_signed(by.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reuse_by_hand() {
        // Distances: first, first, 1, 0, first, 2, 2.
        let rows = reuse_rows(&Trace::new(&[7, 8, 7, 7, 9, 8, 7]).unwrap());
        let seen: Vec<_> = rows.iter().map(|row| (row.distance_from, row.distance_to, row.packets)).collect();
        assert_eq!(seen, [(0, 0, 1), (1, 1, 1), (2, 3, 2)]);
        assert_eq!(rows[2].cumulative_percent, 400.0 / 7.0);
        assert_eq!(reuse_rows(&Trace::new(&[1, 2]).unwrap()), []);
    }

    #[test]
    fn the_table_grows_and_keeps_all_digests_even_zero() {
        let mut seen = LastSeen::default();
        for round in 0..2 {
            for digest in 0..20_000u32 {
                let previous = if round == 0 { NEVER } else { digest };
                assert_eq!(seen.replace(digest, round * 20_000 + digest), previous);
            }
        }
    }
}
