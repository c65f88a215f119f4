//! S3FIFO: a small FIFO for new entries, a main FIFO for what was hit there, and a ghost FIFO of what was not.
//!
//! As published: the small queue takes a tenth of the entries, the main queue the rest and the ghosts as many. The
//! golden results come from a program whose current variant differs while the cache fills: once the small queue is
//! full, new entries go to the main queue. Here they queue up in the small one.

use super::build::Build;
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, Replay};
use crate::geometry::Geometry;
use crate::list_pool::ListPool;

/// Hits that are counted; a count has two bits.
const COUNT_MOST: u32 = 3;
/// Hits that carry an entry from the small to the main queue.
const COUNT_TO_MAIN: u32 = 2;

pub(super) const INFO: Info = Info {
    name: "S3FIFO",
    aliases: &[],
    parameter: None,
    summary: "a small FIFO filters what enters the main FIFO; ghosts get a second chance",
    source: "Yang et al., SOSP 2023",
    cost: Cost::Bits(|geometry, _| {
        super::build::ordered_bits(geometry) + u64::from(geometry.entries()) * 2 + super::build::ghost_bits(geometry, 9, 10)
    }),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(S3Fifo::new(build.geometry))
}

const LISTS: u32 = 3;
const SMALL: u32 = 0;
const MAIN: u32 = 1;
const GHOSTS: u32 = 2;

struct S3Fifo {
    pool: ListPool,
    ways: u32,
    small: u32,
}

impl S3Fifo {
    fn new(geometry: Geometry) -> Self {
        let ways = geometry.ways();
        let nodes = 2 * geometry.entries() + geometry.sets();
        Self { pool: ListPool::new(geometry.sets() * LISTS, nodes), ways, small: (ways / 10).max(1) }
    }

    /// Makes room for one entry.
    fn evict(&mut self, first: u32) {
        while self.pool.len(first + SMALL) + self.pool.len(first + MAIN) == self.ways {
            if self.pool.len(first + SMALL) >= self.small || self.pool.len(first + MAIN) == 0 {
                self.evict_small(first);
            } else {
                self.evict_main(first);
            }
        }
    }

    /// The oldest entry of the small queue goes to the main queue or to the ghosts.
    fn evict_small(&mut self, first: u32) {
        let oldest = self.pool.back(first + SMALL).expect("it is not empty");
        if self.pool.note(oldest) >= COUNT_TO_MAIN {
            self.pool.set_note(oldest, 0);
            self.pool.move_front(first + MAIN, oldest);
            if self.pool.len(first + MAIN) > self.ways - self.small {
                self.evict_main(first);
            }
            return;
        }
        self.pool.move_front(first + GHOSTS, oldest);
        if self.pool.len(first + GHOSTS) > self.ways - self.small {
            let forgotten = self.pool.back(first + GHOSTS).expect("it holds too many");
            self.pool.remove(forgotten);
        }
    }

    /// The oldest entry of the main queue without hits leaves; those with hits pay one and go round.
    fn evict_main(&mut self, first: u32) {
        loop {
            let oldest = self.pool.back(first + MAIN).expect("it is not empty");
            let count = self.pool.note(oldest);
            if count == 0 {
                self.pool.remove(oldest);
                return;
            }
            self.pool.set_note(oldest, count - 1);
            self.pool.move_front(first + MAIN, oldest);
        }
    }
}

impl Cache for S3Fifo {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        let ghosts = access.set * LISTS + GHOSTS;
        let found = self.pool.find(access.digest).filter(|&node| self.pool.list_of(node) != ghosts);
        if let Some(node) = found {
            self.pool.set_note(node, (self.pool.note(node) + 1).min(COUNT_MOST));
        }
        found.is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let first = access.set * LISTS;
        self.evict(first);
        // Only now: the eviction may just have pushed the digest out of the ghosts.
        let ghost = self.pool.find(access.digest);
        if let Some(ghost) = ghost {
            self.pool.remove(ghost);
        }
        let list = if ghost.is_some() { MAIN } else { SMALL };
        self.pool.add_front(first + list, access.digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::{lists, replay};

    #[test]
    fn by_hand() {
        let mut s3_fifo = S3Fifo::new(Geometry::new(3, 3).unwrap());
        // One place is small, two are main. a was hit twice and enters the main queue; b and d go to the ghosts
        // and come back into the main queue. The eviction for d pushes c out of the ghosts.
        let steps = "a:a|| b:ba|| c:cba|| a+cba|| a+cba|| d:dc|a|b b:d|ba|c e:e|ba|dc d:|dba|e";
        replay(&mut s3_fifo, steps, |cache| lists(&cache.pool, 0..3));
    }
}
