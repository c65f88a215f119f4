//! OPT: the entry whose next use is furthest is evicted. No policy that always inserts misses less (Belady).
//! Source: Belady, IBM Systems Journal 5 (1966).

use super::foresight::Foresight;
use super::build::Build;
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, Replay};
use crate::geometry::Geometry;
use crate::ways::Ways;

pub(super) const INFO: Info = Info {
    name: "OPT",
    aliases: &["BELADY", "MIN"],
    parameter: None,
    cost: Cost::Oracle,
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(Opt::new(build.geometry, Foresight::new(build.future()), false))
}

/// Entries with the position of their next use.
pub(super) struct Opt {
    ways: Ways,
    next_use: Vec<u32>,
    foresight: Foresight,
    bypass: bool,
}

impl Opt {
    /// With `bypass`, a digest that is needed later than all entries is not inserted.
    pub fn new(geometry: Geometry, foresight: Foresight, bypass: bool) -> Self {
        Self { ways: Ways::new(geometry), next_use: vec![0; geometry.entries() as usize], foresight, bypass }
    }

    /// Returns the first of the entries that are needed last.
    fn furthest(&self, set: u32) -> usize {
        let ways = self.ways.filled(set);
        let next_use = &self.next_use[ways.clone()];
        let furthest = next_use.iter().max().expect("a full set has entries");
        ways.start + next_use.iter().position(|at| at == furthest).expect("it was just found")
    }
}

impl Cache for Opt {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        let found = self.ways.find(access);
        if let Some(way) = found {
            self.next_use[way] = self.foresight.next(access.at);
        }
        found.is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let next_use = self.foresight.next(access.at);
        let way = self.ways.vacancy(access.set).unwrap_or_else(|| self.furthest(access.set));
        let full = way < self.ways.filled(access.set).end;
        if self.bypass && full && next_use >= self.next_use[way] {
            return;
        }
        self.ways.put(way, access);
        self.next_use[way] = next_use;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Future;
    use crate::policy::hand::{letters, replay};
    use crate::trace::NEVER;

    /// The trace a b c a b a c in 2 ways; c comes when a is needed at 3 and b at 4.
    fn opt(bypass: bool) -> Opt {
        let next = [3, 4, 6, 5, NEVER, NEVER, NEVER].into();
        Opt::new(Geometry::new(2, 2).unwrap(), Foresight::new(Future { next, window: 0 }), bypass)
    }

    fn show(opt: &Opt) -> String {
        letters(opt.ways.filled(0).map(|way| Some(opt.ways.digest(way))))
    }

    #[test]
    fn by_hand() {
        replay(&mut opt(false), "a:a b:ab c:ac a+ac b:ab a+ab c:cb", show);
    }

    #[test]
    fn by_hand_with_bypass() {
        replay(&mut opt(true), "a:a b:ab c:ab a+ab b+ab a+ab c:ab", show);
    }
}
