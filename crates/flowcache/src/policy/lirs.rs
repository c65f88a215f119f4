//! LIRS: keeps the entries whose last two uses lay close together (LIR), and a few others (HIR) on trial.
//!
//! A stack orders digests by last use; its bottom is always LIR. An entry on trial that is hit while still in the
//! stack has the shorter interval and changes places with the bottom one. The stack also remembers digests that
//! left; here at most twice as many as the set has ways, the oldest first forgotten, which the paper leaves open.

use super::build::Build;
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, Replay};
use crate::geometry::Geometry;
use crate::list_pool::{Node, ListPool};

pub(super) const INFO: Info = Info {
    name: "LIRS",
    aliases: &[],
    parameter: None,
    summary: "keeps what was last used at the shortest interval; 1 % of the entries on trial",
    source: "Jiang and Zhang, SIGMETRICS 2002",
    cost: Cost::Bits(|geometry, _| {
        3 * super::build::ordered_bits(geometry) + u64::from(geometry.entries()) * 2 + super::build::ghost_bits(geometry, 2, 1)
    }),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(Lirs::new(build.geometry))
}

/// Digests that left, remembered per way.
const GHOSTS_PER_WAY: u32 = 2;

/// Notes in the stack.
const LIR: u32 = 0;
const TRIAL: u32 = 1;
const GHOST: u32 = 2;

struct Lirs {
    /// Digests by last use, with a note; one list per set.
    stack: ListPool,
    /// Entries on trial, the next victim at the back; one list per set.
    trial: ListPool,
    /// Digests in the stack that left the cache, the oldest at the back; one list per set.
    ghosts: ListPool,
    /// LIR entries of each set.
    lir: Vec<u32>,
    lir_most: u32,
    ways: u32,
}

impl Lirs {
    fn new(geometry: Geometry) -> Self {
        let (sets, ways) = (geometry.sets(), geometry.ways());
        let ghosts = (GHOSTS_PER_WAY * ways + 1) * sets;
        Self {
            stack: ListPool::new(sets, geometry.entries() + ghosts + sets),
            trial: ListPool::new(sets, geometry.entries() + sets),
            ghosts: ListPool::new(sets, ghosts),
            lir: vec![0; sets as usize],
            lir_most: ways - (ways / 100).max(1),
            ways,
        }
    }

    /// Takes everything off the bottom of the stack that is not LIR.
    fn prune(&mut self, set: u32) {
        while let Some(bottom) = self.stack.back(set)
            && self.stack.note(bottom) != LIR
        {
            let digest = self.stack.remove(bottom);
            if let Some(ghost) = self.ghosts.find(digest) {
                self.ghosts.remove(ghost);
            }
        }
    }

    /// Makes the top of the stack LIR, and the LIR entry at the bottom one on trial if there are too many.
    fn settle(&mut self, set: u32, node: Node) {
        self.stack.set_note(node, LIR);
        self.lir[set as usize] += 1;
        if self.lir[set as usize] <= self.lir_most {
            return;
        }
        self.prune(set);
        let bottom = self.stack.back(set).expect("it holds too many");
        let digest = self.stack.remove(bottom);
        self.lir[set as usize] -= 1;
        self.trial.add_front(set, digest);
        self.prune(set);
    }

    /// Evicts the entry longest on trial; the stack may remember it.
    fn evict(&mut self, set: u32) {
        let Some(victim) = self.trial.back(set) else {
            return self.evict_settled(set);
        };
        let digest = self.trial.remove(victim);
        let Some(node) = self.stack.find(digest) else { return };
        self.stack.set_note(node, GHOST);
        self.ghosts.add_front(set, digest);
        if self.ghosts.len(set) > GHOSTS_PER_WAY * self.ways {
            let oldest = self.ghosts.back(set).expect("it holds too many");
            let forgotten = self.ghosts.remove(oldest);
            let node = self.stack.find(forgotten).expect("ghosts stand in the stack");
            self.stack.remove(node);
        }
    }

    /// Nothing is on trial: the LIR entry at the bottom leaves.
    fn evict_settled(&mut self, set: u32) {
        let bottom = self.stack.back(set).expect("a full set has entries");
        self.stack.remove(bottom);
        self.lir[set as usize] -= 1;
        self.prune(set);
    }

    fn hit_on_trial(&mut self, access: Access, place: Node) {
        let set = access.set;
        if let Some(node) = self.stack.find(access.digest) {
            self.trial.remove(place);
            self.stack.move_front(set, node);
            self.settle(set, node);
        } else {
            self.trial.move_front(set, place);
            let node = self.stack.add_front(set, access.digest);
            self.stack.set_note(node, TRIAL);
        }
    }
}

impl Cache for Lirs {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        if let Some(place) = self.trial.find(access.digest) {
            self.hit_on_trial(access, place);
            return true;
        }
        let Some(node) = self.stack.find(access.digest).filter(|&node| self.stack.note(node) == LIR) else {
            return false;
        };
        self.stack.move_front(access.set, node);
        self.prune(access.set);
        true
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let set = access.set;
        if self.lir[set as usize] + self.trial.len(set) == self.ways {
            self.evict(set);
        }
        let known = self.stack.find(access.digest);
        if let Some(node) = known {
            self.stack.move_front(set, node);
            let ghost = self.ghosts.find(access.digest).expect("what missed and is in the stack is a ghost");
            self.ghosts.remove(ghost);
        }
        let node = known.unwrap_or_else(|| self.stack.add_front(set, access.digest));
        if known.is_some() || self.lir[set as usize] < self.lir_most {
            self.settle(set, node);
        } else {
            self.stack.set_note(node, TRIAL);
            self.trial.add_front(set, access.digest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::{lists, replay};

    #[test]
    fn by_hand() {
        let mut lirs = Lirs::new(Geometry::new(3, 3).unwrap());
        let show = |lirs: &Lirs| format!("{}|{}", lists(&lirs.stack, 0..1), lists(&lirs.trial, 0..1));
        // Two LIR entries, one on trial. d evicts c, which comes back while the stack remembers it and becomes LIR
        // in the place of a.
        let steps = "a:a| b:ba| c:cba|c d:dcba|d c:cdb|a b+bc|a b+bc|a a+abc|a a+ab|c";
        replay(&mut lirs, steps, show);
    }
}
