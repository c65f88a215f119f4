//! SECOND: the first miss of a digest sets bits in a table; the next miss finds them and is admitted.
//! Source: Einziger, Friedman and Manes, ACM Transactions on Storage 2017 (doorkeeper).
//!
//! The table (a Bloom filter of two hashes, the "doorkeeper" of TinyLFU) is cleared when up to a quarter of its
//! bits may be set. Single packets, most flows of a core link, never enter the cache.

use super::info::{AdmissionInfo, Admit};
use crate::cache::NextVictim;
use crate::geometry::Geometry;
use crate::policy::info::Parameter;

pub(super) const INFO: AdmissionInfo = AdmissionInfo {
    name: "SECOND",
    parameter: Parameter {
        meaning: "number of table bits per cache entry",
        default: 16,
        least: 8,
        most: 1 << 10,
    },
    cost_bits: |geometry, bits| u64::from(table_bits(geometry, bits)),
};

pub(crate) struct Second {
    marks: Vec<bool>,
    marked: u32,
    most: u32,
}

fn table_bits(geometry: Geometry, bits_per_entry: u32) -> u32 {
    geometry.entries().saturating_mul(bits_per_entry).min(1 << 31).next_power_of_two()
}

impl Admit for Second {
    fn new(bits_per_entry: u32, geometry: Geometry, _seed: u64) -> Self {
        let bits = table_bits(geometry, bits_per_entry);
        Self { marks: vec![false; bits as usize], marked: 0, most: bits / 8 }
    }

    #[inline]
    fn see(&mut self, _digest: u32) {}

    #[inline]
    fn admits(&mut self, digest: u32, _victim: NextVictim) -> bool {
        // The upper bits of a product depend on all bits of the digest.
        let shift = 32 - self.marks.len().ilog2();
        let place = |spread: u32| (u64::from(digest.wrapping_mul(spread)) >> shift) as usize;
        let places = [place(0x9e37_79b1), place(0x85eb_ca6b)];
        if places.iter().all(|&place| self.marks[place]) {
            return true;
        }
        if self.marked == self.most {
            self.marks.fill(false);
            self.marked = 0;
        }
        places.iter().for_each(|&place| self.marks[place] = true);
        self.marked += 1;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_miss_comes_in_until_the_table_is_cleared() {
        let mut second = Second::new(8, Geometry::new(32, 4).unwrap(), 1);
        let mut miss = |digest| second.admits(digest, NextVictim::Vacant);
        assert_eq!([miss(1), miss(2), miss(1), miss(2)], [false, false, true, true]);
        // 256 bits are cleared with the 33rd mark.
        assert!((100..131).filter(|&digest| miss(digest)).count() < 5);
        assert!(!miss(1));
    }
}
