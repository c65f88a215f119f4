//! CHANCE: a missing digest is admitted with probability 1/n. In front of LRU it is the policy PROB.
//! Source: Li et al. 2003 (thesis, section 5.5); Open vSwitch with n = 100.

use super::info::{AdmissionInfo, Admit};
use crate::cache::NextVictim;
use crate::geometry::Geometry;
use crate::policy::info::Parameter;
use linecard_sim::{Stream, stream};

pub(super) const INFO: AdmissionInfo = AdmissionInfo {
    name: "CHANCE",
    parameter: Parameter { meaning: "misses per insertion", default: 4, least: 1, most: 1 << 20 },
    cost_bits: |_, _| 0,
};

pub(crate) struct Chance {
    every: u32,
    draws: Stream,
}

impl Admit for Chance {
    fn new(every: u32, _geometry: Geometry, seed: u64) -> Self {
        Self { every, draws: stream(seed, "cache insertions") }
    }

    #[inline]
    fn see(&mut self, _digest: u32) {}

    #[inline]
    fn admits(&mut self, _digest: u32, _victim: NextVictim) -> bool {
        self.draws.below(self.every) == 0
    }
}
