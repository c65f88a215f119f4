//! SLRU, segmented LRU: four LRU lists of equal size; a hit moves one list up, overflow moves one down.
//!
//! A new entry goes into the lowest list that has room, as in libCacheSim, whose results are the golden ones.

use super::build::Build;
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, Replay};
use crate::geometry::Geometry;
use crate::list_pool::{Node, ListPool};

/// ListPool of a set; 0 is the lowest.
const SEGMENTS: u32 = 4;

pub(super) const INFO: Info = Info {
    name: "SLRU",
    aliases: &["SEGMENTEDLRU"],
    parameter: None,
    summary: "four LRU lists; hits climb, overflow sinks",
    source: "Karedla et al., IEEE Computer 1994; four lists as in libCacheSim",
    cost: Cost::Bits(|geometry, _| super::build::ordered_bits(geometry) + u64::from(geometry.entries()) * 2),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(Slru::new(build.geometry))
}

struct Slru {
    pool: ListPool,
    ways: u32,
}

impl Slru {
    fn new(geometry: Geometry) -> Self {
        Self { pool: ListPool::new(geometry.sets() * SEGMENTS, geometry.entries()), ways: geometry.ways() }
    }

    /// Entries a list may hold; what does not divide belongs to the lowest.
    fn room(&self, segment: u32) -> u32 {
        self.ways / SEGMENTS + if segment == 0 { self.ways % SEGMENTS } else { 0 }
    }

    /// Moves a node into a list, and what overflows one list down, as far as needed.
    fn promote(&mut self, set: u32, node: Node, segment: u32) {
        self.pool.move_front(set * SEGMENTS + segment, node);
        for upper in (1..=segment).rev() {
            let list = set * SEGMENTS + upper;
            if self.pool.len(list) <= self.room(upper) {
                break;
            }
            let last = self.pool.back(list).expect("it holds too many");
            self.pool.move_front(list - 1, last);
        }
    }

    /// Evicts from the lowest list that holds anything.
    fn evict(&mut self, set: u32) {
        let mut lists = set * SEGMENTS..(set + 1) * SEGMENTS;
        let victim = lists.find_map(|list| self.pool.back(list)).expect("a full set has entries");
        self.pool.remove(victim);
    }
}

impl Cache for Slru {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        let found = self.pool.find(access.digest);
        if let Some(node) = found {
            let segment = self.pool.list_of(node) - access.set * SEGMENTS;
            // Fewer ways than lists leave the upper lists without room.
            let upper = (segment + 1).min(if self.ways < SEGMENTS { 0 } else { SEGMENTS - 1 });
            self.promote(access.set, node, upper);
        }
        found.is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let first = access.set * SEGMENTS;
        let free = (0..SEGMENTS).find(|&segment| self.pool.len(first + segment) < self.room(segment));
        if free.is_none() {
            self.evict(access.set);
        }
        self.pool.add_front(first + free.unwrap_or(0), access.digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::{lists, replay};

    #[test]
    fn by_hand() {
        let mut slru = Slru::new(Geometry::new(5, 5).unwrap());
        // List 0 has two places. c and e go further up for want of room; each hit pushes another one down.
        let steps = "a:a||| b:ba||| c:ba|c|| a+cb|a|| a+cb||a| d:cb|d|a| d+cb|a|d| \
            e:cb|a|d|e f:fc|a|d|e a+fc|d|a|e c+df|c|a|e";
        replay(&mut slru, steps, |cache| lists(&cache.pool, 0..4));
    }
}
