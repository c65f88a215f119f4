//! WTINYLFU: a small LRU window for new entries; what leaves it enters the main cache only if it was seen more
//! often than the entry it would evict. The main cache is an LRU of two segments, 80 % protected.
//!
//! The window is 1 % of the entries and does not adapt.

use super::build::Build;
use super::info::{Cost, Info};
use crate::admission::sketch::{SAMPLE_PER_ENTRY, Sketch};
use crate::cache::{Access, Cache, Replay};
use crate::geometry::Geometry;
use crate::list_pool::{Node, ListPool};

pub(super) const INFO: Info = Info {
    name: "WTINYLFU",
    aliases: &[],
    parameter: None,
    summary: "a window, and a main cache that admits by counted frequency",
    source: "Einziger, Friedman and Manes, ACM Transactions on Storage 2017",
    cost: Cost::Bits(|geometry, _| {
        super::build::ordered_bits(geometry) + u64::from(geometry.entries()) * 2 + Sketch::bits(geometry.entries())
    }),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(WTinyLfu::new(build.geometry))
}

const LISTS: u32 = 3;
const WINDOW: u32 = 0;
const PROBATION: u32 = 1;
const PROTECTED: u32 = 2;

struct WTinyLfu {
    pool: ListPool,
    sketch: Sketch,
    window: u32,
    main: u32,
    protected: u32,
}

impl WTinyLfu {
    fn new(geometry: Geometry) -> Self {
        let window = (geometry.ways() / 100).max(1);
        let main = geometry.ways() - window;
        Self {
            pool: ListPool::new(geometry.sets() * LISTS, geometry.entries() + geometry.sets()),
            sketch: Sketch::new(geometry.entries(), SAMPLE_PER_ENTRY),
            window,
            main,
            protected: main * 4 / 5,
        }
    }

    /// Lets what leaves the window into the main cache, or not.
    fn admit(&mut self, first: u32, candidate: Node) {
        if self.pool.len(first + PROBATION) + self.pool.len(first + PROTECTED) >= self.main {
            let victim = self.pool.back(first + PROBATION).or(self.pool.back(first + PROTECTED));
            let estimate = |node| self.sketch.estimate(self.pool.digest(node));
            match victim {
                Some(victim) if estimate(candidate) > estimate(victim) => self.pool.remove(victim),
                _ => {
                    self.pool.remove(candidate);
                    return;
                }
            };
        }
        self.pool.move_front(first + PROBATION, candidate);
    }

    fn protect(&mut self, first: u32, node: Node) {
        self.pool.move_front(first + PROTECTED, node);
        if self.pool.len(first + PROTECTED) > self.protected {
            let last = self.pool.back(first + PROTECTED).expect("it holds too many");
            self.pool.move_front(first + PROBATION, last);
        }
    }
}

impl Cache for WTinyLfu {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        self.sketch.count(access.digest);
        let first = access.set * LISTS;
        let found = self.pool.find(access.digest);
        match found {
            Some(node) if self.pool.list_of(node) == first + WINDOW => {
                self.pool.move_front(first + WINDOW, node);
            }
            Some(node) => self.protect(first, node),
            None => (),
        }
        found.is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let first = access.set * LISTS;
        self.pool.add_front(first + WINDOW, access.digest);
        if self.pool.len(first + WINDOW) > self.window {
            let candidate = self.pool.back(first + WINDOW).expect("it holds too many");
            self.admit(first, candidate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::{lists, replay};

    #[test]
    fn by_hand() {
        let mut cache = WTinyLfu::new(Geometry::new(3, 3).unwrap());
        cache.sketch = Sketch::new(1 << 16, SAMPLE_PER_ENTRY);
        // A window of 1, a main cache of 2, of which 1 protected. c, seen once, does not displace b; seen twice, it
        // does. A hit of c sends a back on probation.
        let steps = "a:a|| b:b|a| a+b||a c:c|b|a d:d|b|a c:c|b|a d:d|c|a e:e|c|a f:f|c|a c+f|a|c";
        replay(&mut cache, steps, |cache| lists(&cache.pool, 0..3));
    }
}
