//! TWOQ (2Q, full version): new entries pass through a FIFO; those missed again soon after it enter the main LRU.
//!
//! The FIFO takes a quarter of the entries, and as many digests as half of the entries are remembered behind it.

use super::build::Build;
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, Replay};
use crate::geometry::Geometry;
use crate::list_pool::ListPool;

pub(super) const INFO: Info = Info {
    name: "TWOQ",
    aliases: &["2Q"],
    parameter: None,
    summary: "a FIFO for new entries, its ghosts, and an LRU for what came back",
    source: "Johnson and Shasha, VLDB 1994: Kin 25 %, Kout 50 %",
    cost: Cost::Bits(|geometry, _| super::build::ordered_bits(geometry) + super::build::ghost_bits(geometry, 1, 2)),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(TwoQ::new(build.geometry))
}

/// ListPool of a set: the FIFO (A1in), its ghosts (A1out), the LRU (Am).
const LISTS: u32 = 3;
const FIFO: u32 = 0;
const GHOSTS: u32 = 1;
const MAIN: u32 = 2;

struct TwoQ {
    pool: ListPool,
    ways: u32,
    fifo_most: u32,
    ghosts_most: u32,
}

impl TwoQ {
    fn new(geometry: Geometry) -> Self {
        let ways = geometry.ways();
        let ghosts_most = (ways / 2).max(1);
        let nodes = geometry.entries() + geometry.sets() * (ghosts_most + 1);
        Self { pool: ListPool::new(geometry.sets() * LISTS, nodes), ways, fifo_most: (ways / 4).max(1), ghosts_most }
    }

    /// Makes room for one entry ("reclaim for").
    fn reclaim(&mut self, first: u32) {
        let (fifo, main) = (self.pool.len(first + FIFO), self.pool.len(first + MAIN));
        if fifo + main < self.ways {
            return;
        }
        if fifo <= self.fifo_most && main > 0 {
            let last = self.pool.back(first + MAIN).expect("it is not empty");
            self.pool.remove(last);
            return;
        }
        let last = self.pool.back(first + FIFO).expect("a full set has entries");
        self.pool.move_front(first + GHOSTS, last);
        if self.pool.len(first + GHOSTS) > self.ghosts_most {
            let oldest = self.pool.back(first + GHOSTS).expect("it holds too many");
            self.pool.remove(oldest);
        }
    }
}

impl Cache for TwoQ {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        let first = access.set * LISTS;
        let found = self.pool.find(access.digest).filter(|&node| self.pool.list_of(node) != first + GHOSTS);
        if let Some(node) = found
            && self.pool.list_of(node) == first + MAIN
        {
            self.pool.move_front(first + MAIN, node);
        }
        found.is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let first = access.set * LISTS;
        let ghost = self.pool.find(access.digest);
        if let Some(ghost) = ghost {
            self.pool.remove(ghost);
        }
        self.reclaim(first);
        let list = if ghost.is_some() { MAIN } else { FIFO };
        self.pool.add_front(first + list, access.digest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::{lists, replay};

    #[test]
    fn by_hand() {
        let mut two_q = TwoQ::new(Geometry::new(4, 4).unwrap());
        // FIFO of 1, two ghosts. a and b are ghosts when b comes back, and c leaves for it.
        let steps = "a:a|| b:ba|| c:cba|| d:dcba|| a+dcba|| e:edcb|a| f:fedc|ba| b:fed|ca|b g:gfe|dc|b b+gfe|dc|b";
        replay(&mut two_q, steps, |cache| lists(&cache.pool, 0..3));
    }
}
