//! S3FIFO: a small FIFO for new entries, a main FIFO for entries that were hit there, and a ghost FIFO for
//! entries without a hit.
//! Source: Yang et al., SOSP 2023.
//!
//! As published: the small queue has a tenth of the entries, the main queue the rest, and the ghosts as many as
//! the main queue. The golden results come from a program whose current variant differs while the cache fills:
//! once the small queue is full, it inserts new entries in the main queue. Here they join the small one.

use super::build::{Build, with_lists};
use super::info::{Cost, Info};
use crate::cache::{Access, Replay, SearchesOnce};
use crate::geometry::Geometry;
use crate::lists::Lists;

/// Most hits that are counted; a count has two bits.
const COUNT_MOST: u32 = 3;
/// Hits that move an entry from the small to the main queue.
const COUNT_TO_MAIN: u32 = 2;

pub(super) const INFO: Info = Info {
    name: "S3FIFO",
    aliases: &[],
    parameter: None,
    cost: Cost::Bits(|geometry, _| {
        super::build::ordered_bits(geometry) + u64::from(geometry.entries()) * 2 + super::build::ghost_bits(geometry, 9, 10)
    }),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    with_lists!(build, S3Fifo, 2 * build.geometry.ways())
}

const LISTS: u32 = 3;
const SMALL: u32 = 0;
const MAIN: u32 = 1;
const GHOSTS: u32 = 2;

struct S3Fifo<L> {
    lists: L,
    ways: u32,
    small: u32,
}

impl<L: Lists> S3Fifo<L> {
    fn new(geometry: Geometry) -> Self {
        let ways = geometry.ways();
        Self { lists: L::new(geometry.sets(), LISTS, 2 * ways), ways, small: (ways / 10).max(1) }
    }

    /// Makes room for one entry.
    fn evict(&mut self, set: u32) {
        while self.lists.len(set, SMALL) + self.lists.len(set, MAIN) == self.ways {
            if self.lists.len(set, SMALL) >= self.small || self.lists.len(set, MAIN) == 0 {
                self.evict_small(set);
            } else {
                self.evict_main(set);
            }
        }
    }

    /// Moves the oldest entry of the small queue to the main queue or to the ghosts.
    fn evict_small(&mut self, set: u32) {
        let oldest = self.lists.back(set, SMALL).expect("it is not empty");
        if self.lists.note(set, oldest) >= COUNT_TO_MAIN {
            self.lists.set_note(set, oldest, 0);
            self.lists.move_back(set, SMALL, MAIN);
            if self.lists.len(set, MAIN) > self.ways - self.small {
                self.evict_main(set);
            }
            return;
        }
        self.lists.move_back(set, SMALL, GHOSTS);
        if self.lists.len(set, GHOSTS) > self.ways - self.small {
            self.lists.remove_back(set, GHOSTS);
        }
    }

    /// Evicts the oldest entry of the main queue without hits; entries with hits lose one and go round again.
    fn evict_main(&mut self, set: u32) {
        loop {
            let oldest = self.lists.back(set, MAIN).expect("it is not empty");
            let count = self.lists.note(set, oldest);
            if count == 0 {
                self.lists.remove_back(set, MAIN);
                return;
            }
            self.lists.set_note(set, oldest, count - 1);
            self.lists.move_back(set, MAIN, MAIN);
        }
    }
}

impl<L: Lists> SearchesOnce for S3Fifo<L> {
    type Found = Option<L::Node>;

    #[inline(always)]
    fn find(&self, access: Access) -> Self::Found {
        self.lists.find(access.set, access.digest)
    }

    #[inline(always)]
    fn hit(&mut self, access: Access, found: Self::Found) -> bool {
        let set = access.set;
        let found = found.filter(|&node| self.lists.list_of(set, node) != GHOSTS);
        if let Some(node) = found {
            self.lists.set_note(set, node, (self.lists.note(set, node) + 1).min(COUNT_MOST));
        }
        found.is_some()
    }

    #[inline(always)]
    fn miss(&mut self, access: Access, found: Self::Found) {
        let set = access.set;
        self.evict(set);
        // A second lookup: the eviction may have removed the digest from the ghosts.
        match found.and_then(|_| self.lists.find(set, access.digest)) {
            Some(ghost) => {
                self.lists.set_note(set, ghost, 0);
                self.lists.move_front(set, MAIN, ghost);
            }
            None => {
                self.lists.add_front(set, SMALL, access.digest);
            }
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
        let mut s3_fifo = S3Fifo::<PackedLists<8>>::new(Geometry::new(3, 3).unwrap());
        // The small queue has one entry, the main queue two. a was hit twice and enters the main queue; b and d go to
        // the ghosts and come back into the main queue. The eviction for d pushes c out of the ghosts.
        let steps = "a:a|| b:ba|| c:cba|| a+cba|| a+cba|| d:dc|a|b b:d|ba|c e:e|ba|dc d:|dba|e";
        replay(&mut s3_fifo, steps, |cache| lists(&cache.lists, 0..3));
    }
}
