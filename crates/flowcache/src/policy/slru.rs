//! SLRU, segmented LRU: four LRU lists of equal size; a hit moves an entry one list up, overflow moves one
//! down.
//! Source: Karedla et al., IEEE Computer 1994; four lists as in libCacheSim.
//!
//! A new entry joins the lowest list that has room, as in libCacheSim, the source of the golden results.

use super::build::{Build, with_lists};
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, Replay};
use crate::geometry::Geometry;
use crate::lists::Lists;

/// Lists of a set; 0 is the lowest.
const SEGMENTS: u32 = 4;

pub(super) const INFO: Info = Info {
    name: "SLRU",
    aliases: &["SEGMENTEDLRU"],
    parameter: None,
    cost: Cost::Bits(|geometry, _| super::build::ordered_bits(geometry) + u64::from(geometry.entries()) * 2),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    with_lists!(build, Slru, build.geometry.ways())
}

struct Slru<L> {
    lists: L,
    ways: u32,
}

impl<L: Lists> Slru<L> {
    fn new(geometry: Geometry) -> Self {
        Self { lists: L::new(geometry.sets(), SEGMENTS, geometry.ways()), ways: geometry.ways() }
    }

    /// Returns the capacity of a list; the remainder of the division belongs to the lowest.
    fn room(&self, segment: u32) -> u32 {
        self.ways / SEGMENTS + if segment == 0 { self.ways % SEGMENTS } else { 0 }
    }

    /// Moves a node into a list, and overflowing nodes one list down each, as far as needed.
    fn promote(&mut self, set: u32, node: L::Node, segment: u32) {
        self.lists.move_front(set, segment, node);
        for upper in (1..=segment).rev() {
            if self.lists.len(set, upper) <= self.room(upper) {
                break;
            }
            self.lists.move_back(set, upper, upper - 1);
        }
    }

    /// Evicts from the lowest list that is not empty.
    fn evict(&mut self, set: u32) {
        let lowest = (0..SEGMENTS).find(|&list| self.lists.len(set, list) > 0);
        self.lists.remove_back(set, lowest.expect("a full set has entries"));
    }
}

impl<L: Lists> Cache for Slru<L> {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        let found = self.lists.find(access.set, access.digest);
        if let Some(node) = found {
            let segment = self.lists.list_of(access.set, node);
            // Fewer ways than lists leave the upper lists without room.
            let upper = (segment + 1).min(if self.ways < SEGMENTS { 0 } else { SEGMENTS - 1 });
            self.promote(access.set, node, upper);
        }
        found.is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let free = (0..SEGMENTS).find(|&segment| self.lists.len(access.set, segment) < self.room(segment));
        if free.is_none() {
            self.evict(access.set);
        }
        self.lists.add_front(access.set, free.unwrap_or(0), access.digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed_lists::PackedLists;
    use crate::policy::hand::{lists, replay};

    #[test]
    fn by_hand() {
        let mut slru = Slru::<PackedLists<8>>::new(Geometry::new(5, 5).unwrap());
        // List 0 holds two entries. For want of room, c and e go further up; each hit pushes another one down.
        let steps = "a:a||| b:ba||| c:ba|c|| a+cb|a|| a+cb||a| d:cb|d|a| d+cb|a|d| \
            e:cb|a|d|e f:fc|a|d|e a+fc|d|a|e c+df|c|a|e";
        replay(&mut slru, steps, |cache| lists(&cache.lists, 0..4));
    }
}
