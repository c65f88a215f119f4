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

/// Positions to a word, words to a block, blocks to a superblock.
const FAN: usize = 64;

/// One mark at the latest position of each digest, counted on three levels, so that counting those behind a
/// position reads at most a word, 63 bytes, 63 half words and the few superblocks of the trace.
#[derive(Debug)]
pub(crate) struct Marks {
    words: Vec<u64>,
    in_word: Vec<u8>,
    in_block: Vec<u16>,
    in_superblock: Vec<u32>,
}

impl Marks {
    /// No marks on `positions` positions.
    pub fn new(positions: usize) -> Self {
        let words = positions.div_ceil(FAN);
        let blocks = words.div_ceil(FAN);
        Self {
            words: vec![0; words],
            in_word: vec![0; blocks * FAN],
            in_block: vec![0; blocks],
            in_superblock: vec![0; blocks.div_ceil(FAN)],
        }
    }

    /// Moves the mark of a digest from `previous` to `at`, behind all others; the number of marks it passed.
    #[inline]
    pub fn step(&mut self, at: u32, previous: u32) -> u32 {
        if previous == NEVER {
            self.change(at as usize, 1);
            return NEVER;
        }
        let passed = self.between(previous as usize, at as usize);
        self.change(previous as usize, -1);
        self.change(at as usize, 1);
        passed
    }

    /// Marks behind position `first`; none stands at `end` or behind.
    #[inline]
    fn between(&self, first: usize, end: usize) -> u32 {
        let (word, last_word) = (first / FAN, end / FAN);
        let (block, last_block) = (word / FAN, last_word / FAN);
        let (superblock, last_superblock) = (block / FAN, last_block / FAN);
        let mut count = (self.words[word] >> (first % FAN) >> 1).count_ones();
        if word != last_word {
            let words = &self.in_word[word + 1..((block + 1) * FAN).min(last_word + 1)];
            count += words.iter().map(|&marks| u32::from(marks)).sum::<u32>();
        }
        if block != last_block {
            let blocks = &self.in_block[block + 1..((superblock + 1) * FAN).min(last_block + 1)];
            count += blocks.iter().map(|&marks| u32::from(marks)).sum::<u32>();
        }
        if superblock != last_superblock {
            count += self.in_superblock[superblock + 1..=last_superblock].iter().sum::<u32>();
        }
        count
    }

    /// Sets (`by` 1) or takes (`by` -1) the mark at a position.
    #[inline]
    fn change(&mut self, at: usize, by: i8) {
        let word = at / FAN;
        let block = word / FAN;
        self.words[word] ^= 1 << (at % FAN);
        self.in_word[word] = self.in_word[word].wrapping_add_signed(by);
        self.in_block[block] = self.in_block[block].wrapping_add_signed(by.into());
        let superblock = &mut self.in_superblock[block / FAN];
        *superblock = superblock.wrapping_add_signed(by.into());
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
