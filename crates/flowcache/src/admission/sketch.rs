//! Counts digests approximately in few bits: a count-min sketch of four rows of 4-bit counters.
//!
//! All counters are halved after a number of counts, so that old flows are forgotten (Einziger and Friedman,
//! TinyLFU, ACM Transactions on Storage 2017).

const ROWS: usize = 4;
const COUNT_MOST: u8 = 15;
/// Default number of counts per entry of the cache before all are halved: a power of two near the paper's ten.
pub(crate) const SAMPLE_PER_ENTRY: u32 = 16;

/// Odd multipliers, one per row; the upper bits of a product depend on all bits of the digest.
const SPREAD: [u32; ROWS] = [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f];

/// Approximate counts of digests.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    /// The counters of a column in all rows are adjacent.
    columns: Vec<[u8; ROWS]>,
    /// Right shift of a product that leaves the number of a column.
    shift: u32,
    counted: u32,
    sample: u32,
}

impl Sketch {
    /// Returns a sketch for `entries` entries, halved after `sample` counts per entry.
    pub fn new(entries: u32, sample_per_entry: u32) -> Self {
        let columns = columns(entries);
        Self {
            columns: vec![[0; ROWS]; columns as usize],
            shift: 32 - columns.ilog2(),
            counted: 0,
            sample: entries.saturating_mul(sample_per_entry),
        }
    }

    /// Returns the bits of all counters.
    pub const fn bits(entries: u32) -> u64 {
        columns(entries) as u64 * ROWS as u64 * 4
    }

    /// Counts a digest; only its smallest counters increase.
    #[inline]
    pub fn count(&mut self, digest: u32) {
        let places = self.places(digest);
        let counts = self.counts(places);
        let risen = (least(counts) + 1).min(COUNT_MOST);
        for row in 0..ROWS {
            self.columns[places[row]][row] = counts[row].max(risen);
        }
        self.counted += 1;
        if self.counted >= self.sample {
            self.halve();
        }
    }

    /// Returns the smallest of the digest's counters: never too low since the last halving, rarely too high.
    #[inline]
    pub fn estimate(&self, digest: u32) -> u8 {
        least(self.counts(self.places(digest)))
    }

    /// Returns the digest's column in each row.
    #[inline]
    fn places(&self, digest: u32) -> [usize; ROWS] {
        SPREAD.map(|spread| (digest.wrapping_mul(spread) >> (self.shift & 31)) as usize)
    }

    #[inline]
    fn counts(&self, places: [usize; ROWS]) -> [u8; ROWS] {
        std::array::from_fn(|row| self.columns[places[row]][row])
    }

    #[cold]
    fn halve(&mut self) {
        self.counted /= 2;
        self.columns.as_flattened_mut().iter_mut().for_each(|counter| *counter /= 2);
    }
}

/// Returns the counters of a row: about one per packet of the sample that is not of a counted flow.
const fn columns(entries: u32) -> u32 {
    let least = if entries < 8 { 8 } else { entries };
    least.next_power_of_two() * 2
}

#[inline]
fn least([a, b, c, d]: [u8; ROWS]) -> u8 {
    a.min(b).min(c.min(d))
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
