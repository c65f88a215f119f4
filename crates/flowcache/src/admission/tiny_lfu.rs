//! TINYLFU: a missing digest is admitted if it occurred more often than the entry that it would evict.
//! Source: Einziger, Friedman and Manes, ACM Transactions on Storage 2017.
//!
//! The counts come from a sketch that decays. If the policy does not know its victim in advance (a random one,
//! a hand that moves), a digest is admitted from its second packet on.

use super::info::{AdmissionInfo, Admit};
use super::sketch::Sketch;
use crate::cache::NextVictim;
use crate::geometry::Geometry;
use crate::policy::info::Parameter;

pub(super) const INFO: AdmissionInfo = AdmissionInfo {
    name: "TINYLFU",
    parameter: Parameter {
        meaning: "number of packets per cache entry after which all counts are halved",
        default: 16,
        least: 1,
        most: 1 << 16,
    },
    cost_bits: |geometry, _| Sketch::bits(geometry.entries()),
};

pub(crate) struct TinyLfu {
    sketch: Sketch,
}

impl Admit for TinyLfu {
    fn new(sample_per_entry: u32, geometry: Geometry, _seed: u64) -> Self {
        Self { sketch: Sketch::new(geometry.entries(), sample_per_entry) }
    }

    #[inline]
    fn see(&mut self, digest: u32) {
        self.sketch.count(digest);
    }

    #[inline]
    fn admits(&mut self, digest: u32, victim: NextVictim) -> bool {
        match victim {
            NextVictim::Vacant => true,
            NextVictim::Known(victim) => self.sketch.estimate(digest) > self.sketch.estimate(victim),
            NextVictim::Unknown => self.sketch.estimate(digest) > 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_frequent_wins_and_ties_stay() {
        let mut gate = TinyLfu::new(16, Geometry::new(1024, 4).unwrap(), 1);
        [1, 2, 2, 3].into_iter().for_each(|digest| gate.see(digest));
        assert!(gate.admits(9, NextVictim::Vacant));
        assert!(gate.admits(2, NextVictim::Known(1)));
        assert!(!gate.admits(3, NextVictim::Known(1)));
        assert!(gate.admits(2, NextVictim::Unknown) && !gate.admits(1, NextVictim::Unknown));
    }
}
