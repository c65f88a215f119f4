//! SIEVE: a FIFO whose hand walks from the oldest entry to the newest and evicts the first one not visited.
//! Source: Zhang et al., NSDI 2024.
//!
//! Unlike CLOCK, a survivor stays where it is, so that new entries behind the hand are sifted quickly.

use super::build::{Build, log2_ceil, with_lists};
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, Replay};
use crate::geometry::Geometry;
use crate::lists::Lists;

pub(super) const INFO: Info = Info {
    name: "SIEVE",
    aliases: &[],
    parameter: None,
    // An order by age, a bit per entry, a hand per set.
    cost: Cost::Bits(|geometry, _| {
        super::build::ordered_bits(geometry)
            + u64::from(geometry.entries())
            + u64::from(geometry.sets()) * log2_ceil(geometry.ways())
    }),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    with_lists!(build, Sieve, build.geometry.ways())
}

/// The note of an entry that was hit since the hand passed.
const VISITED: u32 = 1;

/// The one list of a set.
const QUEUE: u32 = 0;

struct Sieve<L: Lists> {
    lists: L,
    hands: Vec<Option<L::Node>>,
    ways: u32,
}

impl<L: Lists> Sieve<L> {
    fn new(geometry: Geometry) -> Self {
        Self {
            lists: L::new(geometry.sets(), 1, geometry.ways()),
            hands: vec![None; geometry.sets() as usize],
            ways: geometry.ways(),
        }
    }

    fn evict(&mut self, set: u32) {
        let mut hand = self.hands[set as usize];
        loop {
            // At the newest entry the hand returns to the oldest.
            let node = hand.or(self.lists.back(set, QUEUE)).expect("a full set has entries");
            hand = self.lists.before(set, node);
            if self.lists.note(set, node) != VISITED {
                self.lists.remove(set, node);
                break;
            }
            self.lists.set_note(set, node, 0);
        }
        self.hands[set as usize] = hand;
    }
}

impl<L: Lists> Cache for Sieve<L> {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        let found = self.lists.find(access.set, access.digest);
        if let Some(node) = found {
            self.lists.set_note(access.set, node, VISITED);
        }
        found.is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        if self.lists.len(access.set, QUEUE) == self.ways {
            self.evict(access.set);
        }
        self.lists.add_front(access.set, QUEUE, access.digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed_lists::PackedLists;
    use crate::policy::hand::{lists, replay};

    /// a survives the hand, which works on through c, d and e to the front and starts again at a.
    #[test]
    fn by_hand() {
        let mut sieve = Sieve::<PackedLists<8>>::new(Geometry::new(3, 3).unwrap());
        let steps = "a:a b:ba c:cba a+cba d:dca e:eda d+eda f:fda g:gfd h:hgf";
        replay(&mut sieve, steps, |cache| lists(&cache.lists, 0..1));
    }
}
