//! TWOQ (2Q, full version): new entries pass through a FIFO; those missed again soon after it enter the main
//! LRU.
//! Source: Johnson and Shasha, VLDB 1994: Kin 25 %, Kout 50 %.
//!
//! The FIFO has a quarter of the entries, and behind it digests are recorded, up to half the number of entries.

use super::build::{Build, with_lists};
use super::info::{Cost, Info};
use crate::cache::{Access, Replay, SearchesOnce};
use crate::geometry::Geometry;
use crate::lists::Lists;

pub(super) const INFO: Info = Info {
    name: "TWOQ",
    aliases: &["2Q"],
    parameter: None,
    cost: Cost::Bits(|geometry, _| super::build::ordered_bits(geometry) + super::build::ghost_bits(geometry, 1, 2)),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    with_lists!(build, TwoQ, nodes(build.geometry))
}

/// Lists of a set: the FIFO (A1in), its ghosts (A1out), the LRU (Am).
const LISTS: u32 = 3;
const FIFO: u32 = 0;
const GHOSTS: u32 = 1;
const MAIN: u32 = 2;

/// Returns the most digests recorded behind the FIFO.
fn ghosts_most(ways: u32) -> u32 {
    (ways / 2).max(1)
}

/// Returns the digests of a set, while one is inserted.
fn nodes(geometry: Geometry) -> u32 {
    geometry.ways() + ghosts_most(geometry.ways()) + 1
}

struct TwoQ<L> {
    lists: L,
    ways: u32,
    fifo_most: u32,
    ghosts_most: u32,
}

impl<L: Lists> TwoQ<L> {
    fn new(geometry: Geometry) -> Self {
        let ways = geometry.ways();
        let lists = L::new(geometry.sets(), LISTS, nodes(geometry));
        Self { lists, ways, fifo_most: (ways / 4).max(1), ghosts_most: ghosts_most(ways) }
    }

    /// Makes room for one entry ("reclaim for").
    fn reclaim(&mut self, set: u32) {
        let (fifo, main) = (self.lists.len(set, FIFO), self.lists.len(set, MAIN));
        if fifo + main < self.ways {
            return;
        }
        if fifo <= self.fifo_most && main > 0 {
            self.lists.remove_back(set, MAIN);
            return;
        }
        self.lists.move_back(set, FIFO, GHOSTS);
        if self.lists.len(set, GHOSTS) > self.ghosts_most {
            self.lists.remove_back(set, GHOSTS);
        }
    }
}

impl<L: Lists> SearchesOnce for TwoQ<L> {
    type Found = Option<L::Node>;

    #[inline(always)]
    fn find(&self, access: Access) -> Self::Found {
        self.lists.find(access.set, access.digest)
    }

    #[inline]
    fn hit(&mut self, access: Access, found: Self::Found) -> bool {
        let set = access.set;
        let found = found.filter(|&node| self.lists.list_of(set, node) != GHOSTS);
        if let Some(node) = found
            && self.lists.list_of(set, node) == MAIN
        {
            self.lists.move_front(set, MAIN, node);
        }
        found.is_some()
    }

    #[inline]
    fn miss(&mut self, access: Access, ghost: Self::Found) {
        let set = access.set;
        if let Some(ghost) = ghost {
            self.lists.remove(set, ghost);
        }
        self.reclaim(set);
        let list = if ghost.is_some() { MAIN } else { FIFO };
        self.lists.add_front(set, list, access.digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed_lists::PackedLists;
    use crate::policy::hand::{lists, replay};

    #[test]
    fn by_hand() {
        let mut two_q = TwoQ::<PackedLists<8>>::new(Geometry::new(4, 4).unwrap());
        // FIFO of 1, two ghosts. a and b are ghosts when b comes back, and c is evicted for it.
        let steps = "a:a|| b:ba|| c:cba|| d:dcba|| a+dcba|| e:edcb|a| f:fedc|ba| b:fed|ca|b g:gfe|dc|b b+gfe|dc|b";
        replay(&mut two_q, steps, |cache| lists(&cache.lists, 0..3));
    }
}
