//! Counting how often digests were seen, in few bits: a count-min sketch of four rows of 4-bit counters.
//!
//! All counters are halved after a number of counts, so that old flows are forgotten (Einziger and Friedman,
//! TinyLFU, ACM Transactions on Storage 2017).

const ROWS: usize = 4;
const COUNT_MOST: u8 = 15;
/// Counts per entry of the cache before all are halved, where nothing else is asked for: a power of two near the
/// paper's ten.
pub(crate) const SAMPLE_PER_ENTRY: u32 = 16;

/// Odd multipliers, one a row; the upper bits of a product depend on all bits of the digest.
const SPREAD: [u32; ROWS] = [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f];

/// How often digests were seen, roughly.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    rows: [Vec<u8>; ROWS],
    bits: u32,
    counted: u32,
    sample: u32,
}

impl Sketch {
    /// For a cache of so many entries, halved after so many counts per entry.
    pub fn new(entries: u32, sample_per_entry: u32) -> Self {
        let counters = columns(entries);
        Self {
            rows: std::array::from_fn(|_| vec![0; counters as usize]),
            bits: counters.ilog2(),
            counted: 0,
            sample: entries.saturating_mul(sample_per_entry),
        }
    }

    /// Bits of all counters.
    pub const fn bits(entries: u32) -> u64 {
        columns(entries) as u64 * ROWS as u64 * 4
    }

    /// Counts one more; only the smallest counters of the digest rise.
    pub fn count(&mut self, digest: u32) {
        let least = self.estimate(digest);
        let bits = self.bits;
        for (row, spread) in self.rows.iter_mut().zip(SPREAD) {
            let counter = &mut row[column(digest, spread, bits)];
            if *counter == least && least < COUNT_MOST {
                *counter += 1;
            }
        }
        self.counted += 1;
        if self.counted >= self.sample {
            self.halve();
        }
    }

    /// The smallest of the digest's counters: never too low since the last halving, rarely too high.
    pub fn estimate(&self, digest: u32) -> u8 {
        let counters =
            self.rows.iter().zip(SPREAD).map(|(row, spread)| row[column(digest, spread, self.bits)]);
        counters.min().expect("there are rows")
    }

    fn halve(&mut self) {
        self.counted /= 2;
        self.rows.iter_mut().flatten().for_each(|counter| *counter /= 2);
    }
}

/// Counters in a row: about one per packet of the sample that is not of a flow already counted.
const fn columns(entries: u32) -> u32 {
    let least = if entries < 8 { 8 } else { entries };
    least.next_power_of_two() * 2
}

#[inline]
fn column(digest: u32, spread: u32, bits: u32) -> usize {
    (digest.wrapping_mul(spread) >> (32 - bits)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_saturate_and_fade() {
        let mut sketch = Sketch::new(16, 16);
        (0..20).for_each(|_| sketch.count(5));
        assert_eq!((sketch.estimate(5), sketch.estimate(6)), (15, 0));
        (0..236).for_each(|_| sketch.count(6));
        assert_eq!(sketch.estimate(5), 7);
    }
}
