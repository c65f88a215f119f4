//! DRRIP, dynamic: SRRIP or BRRIP, whichever misses less in a few sets that always follow one of them.

use super::bip::Throttle;
use super::brrip::EVERY;
use super::duel::{COUNTER_BITS, Duel, Side};
use super::rrip::{self, Rrip};
use super::build::Build;
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, NextVictim, Replay};
use crate::geometry::Geometry;

pub(super) const INFO: Info = Info {
    name: "DRRIP",
    aliases: &[],
    parameter: Some(rrip::BITS),
    cost: Cost::Bits(|geometry, bits| {
        u64::from(geometry.entries()) * u64::from(bits) + COUNTER_BITS + u64::from(EVERY.ilog2())
    }),
    least_sets: 2,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(Drrip::new(build.geometry, build.parameter))
}

struct Drrip {
    rrip: Rrip,
    duel: Duel,
    throttle: Throttle,
}

impl Drrip {
    fn new(geometry: Geometry, bits: u32) -> Self {
        let rrip = Rrip::new(geometry, bits);
        Self { rrip, duel: Duel::new(geometry), throttle: Throttle::new(EVERY) }
    }
}

impl Cache for Drrip {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        self.rrip.hit(access).is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let way = self.rrip.way_for(access.set);
        let distant = self.duel.missed(access.set) == Side::Bimodal && !self.throttle.opens();
        self.rrip.put(way, access, distant);
    }

    fn next_victim(&self, set: u32) -> NextVictim {
        self.rrip.next_victim(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::replay;

    /// Set 0 of 2 leads for SRRIP.
    #[test]
    fn a_leader_of_srrip_by_hand() {
        let mut drrip = Drrip::new(Geometry::new(4, 2).unwrap(), 2);
        replay(&mut drrip, "a:a2 b:a2b2 a+a0b2 c:a1c2 d:a2d2 a+a0d2 e:a1e2", |cache| cache.rrip.show());
    }

    /// Set 1 of 2 leads for BRRIP: its entries are the next victims until they are hit.
    #[test]
    fn a_leader_of_brrip_by_hand() {
        let mut drrip = Drrip::new(Geometry::new(4, 2).unwrap(), 2);
        let mut hits = [1, 3, 1, 5, 7, 1].iter().map(|&digest| drrip.access(Access { at: 0, set: 1, digest }));
        assert!(hits.by_ref().eq([false, false, true, false, false, true]));
    }
}
