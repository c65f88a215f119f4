//! SRRIP, static re-reference interval prediction: new entries are expected late, but not last of all.

use super::rrip::{self, Rrip};
use super::build::Build;
use super::info::Info;
use crate::cache::{Access, Cache, NextVictim, Replay};

pub(super) const INFO: Info = rrip::info("SRRIP");

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(Srrip(Rrip::new(build.geometry, build.parameter)))
}

struct Srrip(Rrip);

impl Cache for Srrip {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        self.0.hit(access).is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let way = self.0.way_for(access.set);
        self.0.put(way, access, false);
    }

    fn next_victim(&self, set: u32) -> NextVictim {
        self.0.next_victim(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Geometry;
    use crate::policy::hand::replay;

    /// The paper's example (Figure 4): a1 and a2, hit once, survive the scan b1 to b4.
    #[test]
    fn a_scan_passes_by_what_was_hit() {
        let mut srrip = Srrip(Rrip::new(Geometry::new(4, 4).unwrap(), 2));
        let steps = "m:m2 n:m2n2 n+m2n0 m+m0n0 a:m0n0a2 b:m0n0a2b2 c:m1n1c2b3 d:m1n1c2d2 m+m0n1c2d2 n+m0n0c2d2";
        replay(&mut srrip, steps, |cache| cache.0.show());
    }
}
