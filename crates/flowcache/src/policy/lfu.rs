//! LFU: the entry with the fewest hits is evicted; among equals, the least recently used one.
//! Source: definition as in the test data of this project; evaluated for digest caches by Li et al. 2003 (thesis,
//! section 5.5).
//!
//! A count starts at 1 with the insertion and is discarded with the entry; it never ages.

use super::build::Build;
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, NextVictim, Replay};
use crate::geometry::Geometry;
use crate::ways::Ways;

/// Bits of a count in hardware: enough for the largest flow of the golden traces.
const COUNT_BITS: u64 = 16;

pub(super) const INFO: Info = Info {
    name: "LFU",
    aliases: &[],
    parameter: None,
    cost: Cost::Bits(|geometry, _| u64::from(geometry.entries()) * COUNT_BITS + super::build::ordered_bits(geometry)),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(Lfu::new(build.geometry))
}

struct Lfu {
    ways: Ways,
    /// The count in the upper half, the position of the last use in the lower half: one comparison orders by
    /// both.
    worth: Vec<u64>,
}

const ONE: u64 = 1 << 32;

impl Lfu {
    fn new(geometry: Geometry) -> Self {
        Self { ways: Ways::new(geometry), worth: vec![0; geometry.entries() as usize] }
    }

    fn least(&self, set: u32) -> usize {
        self.ways.filled(set).min_by_key(|&way| self.worth[way]).expect("a full set has entries")
    }
}

impl Cache for Lfu {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        let found = self.ways.find(access);
        if let Some(way) = found {
            let count = self.worth[way] & !(ONE - 1);
            self.worth[way] = count + ONE + u64::from(access.at);
        }
        found.is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let way = self.ways.vacancy(access.set).unwrap_or_else(|| self.least(access.set));
        self.ways.put(way, access);
        self.worth[way] = ONE + u64::from(access.at);
    }

    fn next_victim(&self, set: u32) -> NextVictim {
        match self.ways.vacancy(set) {
            Some(_) => NextVictim::Vacant,
            None => NextVictim::Known(self.ways.digest(self.least(set))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::{letters, replay};

    #[test]
    fn by_hand() {
        let show = |lfu: &Lfu| {
            let entry = |way| format!("{}{}", letters([Some(lfu.ways.digest(way))]), lfu.worth[way] >> 32);
            lfu.ways.filled(0).map(entry).collect()
        };
        let mut lfu = Lfu::new(Geometry::new(3, 3).unwrap());
        // b and c tie when d comes; b is the older. Then c and d tie, and a new count starts at 1.
        replay(&mut lfu, "a:a1 b:a1b1 c:a1b1c1 a+a2b1c1 d:a2d1c1 d+a2d2c1 e:a2d2e1 e+a2d2e2 c:c1d2e2", show);
    }
}
