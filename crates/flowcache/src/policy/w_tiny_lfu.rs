//! WTINYLFU: a small LRU window for new entries; an entry that leaves it enters the main cache only if it
//! occurred more often than the entry that it would evict. The main cache is an LRU of two segments, 80 %
//! protected.
//! Source: Einziger, Friedman and Manes, ACM Transactions on Storage 2017.
//!
//! The window is 1 % of the entries and does not adapt.

use super::build::{Build, with_lists};
use super::info::{Cost, Info};
use crate::admission::sketch::{SAMPLE_PER_ENTRY, Sketch};
use crate::cache::{Access, Cache, Replay};
use crate::geometry::Geometry;
use crate::lists::Lists;

pub(super) const INFO: Info = Info {
    name: "WTINYLFU",
    aliases: &[],
    parameter: None,
    cost: Cost::Bits(|geometry, _| {
        super::build::ordered_bits(geometry) + u64::from(geometry.entries()) * 2 + Sketch::bits(geometry.entries())
    }),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    with_lists!(build, WTinyLfu, build.geometry.ways() + 1)
}

const LISTS: u32 = 3;
const WINDOW: u32 = 0;
const PROBATION: u32 = 1;
const PROTECTED: u32 = 2;

struct WTinyLfu<L> {
    lists: L,
    sketch: Sketch,
    window: u32,
    main: u32,
    protected: u32,
}

impl<L: Lists> WTinyLfu<L> {
    fn new(geometry: Geometry) -> Self {
        let window = (geometry.ways() / 100).max(1);
        let main = geometry.ways() - window;
        Self {
            lists: L::new(geometry.sets(), LISTS, geometry.ways() + 1),
            sketch: Sketch::new(geometry.entries(), SAMPLE_PER_ENTRY),
            window,
            main,
            protected: main * 4 / 5,
        }
    }

    /// Admits an entry that leaves the window to the main cache, or discards it.
    fn admit(&mut self, set: u32, candidate: L::Node) {
        let probation = self.lists.len(set, PROBATION);
        if probation + self.lists.len(set, PROTECTED) >= self.main {
            let victims = if probation > 0 { PROBATION } else { PROTECTED };
            let estimate = |node| self.sketch.estimate(self.lists.digest(set, node));
            match self.lists.back(set, victims) {
                Some(victim) if estimate(candidate) > estimate(victim) => {
                    self.lists.remove_back(set, victims);
                }
                _ => {
                    self.lists.remove_back(set, WINDOW);
                    return;
                }
            }
        }
        self.lists.move_back(set, WINDOW, PROBATION);
    }

}

impl<L: Lists> Cache for WTinyLfu<L> {
    #[inline(always)]
    fn lookup(&mut self, access: Access) -> bool {
        self.sketch.count(access.digest);
        let set = access.set;
        let found = self.lists.find(set, access.digest);
        if let Some(node) = found {
            let windowed = self.lists.list_of(set, node) == WINDOW;
            self.lists.move_front(set, if windowed { WINDOW } else { PROTECTED }, node);
            if self.lists.len(set, PROTECTED) > self.protected {
                self.lists.move_back(set, PROTECTED, PROBATION);
            }
        }
        found.is_some()
    }

    #[inline(always)]
    fn insert(&mut self, access: Access) {
        let set = access.set;
        self.lists.add_front(set, WINDOW, access.digest);
        if self.lists.len(set, WINDOW) > self.window {
            let candidate = self.lists.back(set, WINDOW).expect("it holds too many");
            self.admit(set, candidate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed_lists::PackedLists;
    use crate::policy::hand::{lists, replay};

    #[test]
    fn by_hand() {
        let mut cache = WTinyLfu::<PackedLists<8>>::new(Geometry::new(3, 3).unwrap());
        cache.sketch = Sketch::new(1 << 16, SAMPLE_PER_ENTRY);
        // A window of 1, a main cache of 2, of which 1 protected. c, seen once, does not displace b; seen twice, it
        // does. A hit of c sends a back on probation.
        let steps = "a:a|| b:b|a| a+b||a c:c|b|a d:d|b|a c:c|b|a d:d|c|a e:e|c|a f:f|c|a c+f|a|c";
        replay(&mut cache, steps, |cache| lists(&cache.lists, 0..3));
    }
}
