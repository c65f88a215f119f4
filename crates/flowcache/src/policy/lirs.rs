//! LIRS: keeps the entries whose last two uses were close together (LIR), and a few others (HIR) on trial.
//! Source: Jiang and Zhang, SIGMETRICS 2002.
//!
//! A stack orders digests by last use; its bottom is always LIR. An entry on trial that is hit while still in
//! the stack has the shorter interval and swaps roles with the bottom one. The stack also records evicted
//! digests, at most twice as many as the set has ways, the oldest discarded first. The paper leaves this limit
//! open.

use super::build::{Build, with_lists};
use super::info::{Cost, Info};
use crate::cache::{Access, Replay, SearchesOnce};
use crate::geometry::Geometry;
use crate::lists::Lists;

pub(super) const INFO: Info = Info {
    name: "LIRS",
    aliases: &[],
    parameter: None,
    cost: Cost::Bits(|geometry, _| {
        3 * super::build::ordered_bits(geometry) + u64::from(geometry.entries()) * 2 + super::build::ghost_bits(geometry, 2, 1)
    }),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    with_lists!(build, Lirs, nodes(build.geometry))
}

/// Evicted digests recorded per way.
const GHOSTS_PER_WAY: u32 = 2;

/// The one list of a stack.
const ALL: u32 = 0;

/// The queues.
const ON_TRIAL: u32 = 0;
const GHOSTS: u32 = 1;

/// Notes in the stack: entries that are not LIR are in a queue.
const LIR: u32 = 0;
const QUEUED: u32 = 1;

/// Note of an entry on trial that is also in the stack; ghosts always are.
const STACKED: u32 = 1;

/// Returns the digests of a set's stack, while one is inserted.
fn nodes(geometry: Geometry) -> u32 {
    geometry.ways() + GHOSTS_PER_WAY * geometry.ways() + 2
}

struct Lirs<L> {
    /// Digests by last use, with a note; one list per set.
    stack: L,
    /// Entries on trial, the next victim at the back; and evicted digests in the stack, the oldest at the back.
    queues: L,
    /// LIR entries of each set.
    lir: Vec<u32>,
    lir_most: u32,
    ways: u32,
}

impl<L: Lists> Lirs<L> {
    fn new(geometry: Geometry) -> Self {
        let (sets, ways) = (geometry.sets(), geometry.ways());
        Self {
            stack: L::new(sets, 1, nodes(geometry)),
            queues: L::new(sets, 2, nodes(geometry)),
            lir: vec![0; sets as usize],
            lir_most: ways - (ways / 100).max(1),
            ways,
        }
    }

    /// Removes everything that is not LIR from the bottom of the stack.
    #[inline(always)]
    fn prune(&mut self, set: u32) {
        while self.stack.back(set, ALL).is_some_and(|bottom| self.stack.note(set, bottom) != LIR) {
            self.forget_bottom(set);
        }
    }

    /// Removes the bottom of the stack, which is not LIR.
    fn forget_bottom(&mut self, set: u32) {
        let digest = self.stack.remove_back(set, ALL);
        let place = self.queues.find(set, digest).expect("what is not LIR stands in a queue");
        if self.queues.list_of(set, place) == GHOSTS {
            self.queues.remove(set, place);
        } else {
            self.queues.set_note(set, place, 0);
        }
    }

    /// Makes the top of the stack LIR, and the LIR entry at the bottom one on trial if there are too many.
    fn settle(&mut self, set: u32, node: L::Node) {
        self.stack.set_note(set, node, LIR);
        self.lir[set as usize] += 1;
        if self.lir[set as usize] <= self.lir_most {
            return;
        }
        self.prune(set);
        let digest = self.stack.remove_back(set, ALL);
        self.lir[set as usize] -= 1;
        self.queues.add_front(set, ON_TRIAL, digest);
        self.prune(set);
    }

    /// Evicts the entry longest on trial; the stack may record it.
    fn evict(&mut self, set: u32) {
        let Some(victim) = self.queues.back(set, ON_TRIAL) else {
            return self.evict_settled(set);
        };
        if self.queues.note(set, victim) != STACKED {
            self.queues.remove_back(set, ON_TRIAL);
            return;
        }
        self.queues.move_back(set, ON_TRIAL, GHOSTS);
        if self.queues.len(set, GHOSTS) > GHOSTS_PER_WAY * self.ways {
            let forgotten = self.queues.remove_back(set, GHOSTS);
            let node = self.stack.find(set, forgotten).expect("ghosts stand in the stack");
            self.stack.remove(set, node);
        }
    }

    /// Nothing is on trial: evicts the LIR entry at the bottom.
    fn evict_settled(&mut self, set: u32) {
        self.stack.remove_back(set, ALL);
        self.lir[set as usize] -= 1;
        self.prune(set);
    }

    /// Handles a hit of an entry on trial; it is in the stack at `node`, or no longer.
    fn hit_on_trial(&mut self, access: Access, place: L::Node, node: Option<L::Node>) {
        let set = access.set;
        if let Some(node) = node {
            self.queues.remove(set, place);
            self.stack.move_front(set, ALL, node);
            self.settle(set, node);
        } else {
            self.queues.move_front(set, ON_TRIAL, place);
            let node = self.stack.add_front(set, ALL, access.digest);
            self.stack.set_note(set, node, QUEUED);
            self.queues.set_note(set, place, STACKED);
        }
    }

    /// Returns the node of an entry on trial that is not in the stack.
    #[inline]
    fn find_on_trial(&self, set: u32, digest: u32) -> Option<L::Node> {
        // Narrow sets have one entry on trial: a search would cost more.
        match self.queues.len(set, ON_TRIAL) {
            0 | 1 => self.queues.back(set, ON_TRIAL).filter(|&node| self.queues.digest(set, node) == digest),
            _ => self.queues.find(set, digest),
        }
    }
}

impl<L: Lists> SearchesOnce for Lirs<L> {
    type Found = Option<L::Node>;

    #[inline(always)]
    fn find(&self, access: Access) -> Self::Found {
        self.stack.find(access.set, access.digest)
    }

    /// Returns whether the digest, which is in the stack at `node` if it is in the stack, is an entry.
    #[inline(always)]
    fn hit(&mut self, access: Access, node: Self::Found) -> bool {
        let set = access.set;
        match node.map(|node| (node, self.stack.note(set, node))) {
            Some((node, LIR)) => {
                self.stack.move_front(set, ALL, node);
                self.prune(set);
                true
            }
            Some(_) => {
                let place = self.queues.find(set, access.digest);
                let place = place.filter(|&place| self.queues.list_of(set, place) == ON_TRIAL);
                if let Some(place) = place {
                    self.hit_on_trial(access, place, node);
                }
                place.is_some()
            }
            None => {
                let place = self.find_on_trial(set, access.digest);
                if let Some(place) = place {
                    self.hit_on_trial(access, place, None);
                }
                place.is_some()
            }
        }
    }

    /// Inserts the digest, which is a ghost if it was in the stack at `node`.
    #[inline]
    fn miss(&mut self, access: Access, node: Self::Found) {
        let set = access.set;
        if self.lir[set as usize] + self.queues.len(set, ON_TRIAL) == self.ways {
            self.evict(set);
        }
        // A second lookup: the eviction may have removed the digest from the stack.
        let known = node.and_then(|_| self.stack.find(set, access.digest));
        if let Some(node) = known {
            self.stack.move_front(set, ALL, node);
            let ghost = self.queues.find(set, access.digest).expect("what missed and is in the stack is a ghost");
            self.queues.remove(set, ghost);
        }
        let node = known.unwrap_or_else(|| self.stack.add_front(set, ALL, access.digest));
        if known.is_some() || self.lir[set as usize] < self.lir_most {
            self.settle(set, node);
        } else {
            self.stack.set_note(set, node, QUEUED);
            let place = self.queues.add_front(set, ON_TRIAL, access.digest);
            self.queues.set_note(set, place, STACKED);
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
        let mut lirs = Lirs::<PackedLists<16>>::new(Geometry::new(3, 3).unwrap());
        let show = |lirs: &Lirs<_>| format!("{}|{}", lists(&lirs.stack, 0..1), lists(&lirs.queues, 0..1));
        // Two LIR entries, one on trial. d evicts c, which comes back while the stack remembers it and becomes LIR
        // in the place of a.
        let steps = "a:a| b:ba| c:cba|c d:dcba|d c:cdb|a b+bc|a b+bc|a a+abc|a a+ab|c";
        replay(&mut lirs, steps, show);
    }
}
