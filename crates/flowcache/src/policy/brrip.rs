//! BRRIP, bimodal: new entries are expected last of all, but for every 32nd, which is expected late.

use super::bip::Throttle;
use super::rrip::{self, Rrip};
use super::build::Build;
use super::info::Info;
use crate::cache::{Access, Cache, NextVictim, Replay};

pub(super) const INFO: Info = rrip::info("BRRIP");

/// One insertion in this number is expected late; the paper's probability is 1/32.
pub(super) const EVERY: u32 = 32;

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    let throttle = Throttle::new(EVERY);
    build.boxed(Brrip { rrip: Rrip::new(build.geometry, build.parameter), throttle })
}

struct Brrip {
    rrip: Rrip,
    throttle: Throttle,
}

impl Cache for Brrip {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        self.rrip.hit(access).is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let way = self.rrip.way_for(access.set);
        let distant = !self.throttle.opens();
        self.rrip.put(way, access, distant);
    }

    fn next_victim(&self, set: u32) -> NextVictim {
        self.rrip.next_victim(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Geometry;
    use crate::policy::hand::replay;

    #[test]
    fn every_third_is_expected_late() {
        let rrip = Rrip::new(Geometry::new(3, 3).unwrap(), 2);
        let mut brrip = Brrip { rrip, throttle: Throttle::new(3) };
        let steps = "a:a3 b:a3b3 c:a3b3c2 d:d3b3c2 d+d0b3c2 e:d0e3c2 f:d0f2c2 g:d1g3c3";
        replay(&mut brrip, steps, |cache| cache.rrip.show());
    }
}
