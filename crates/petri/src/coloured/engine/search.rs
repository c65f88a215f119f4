//! Enumerates the bindings of a transition, and stops on request.

use super::super::fault::Fault;
use super::plan::{Plans, Step};
use super::store::Store;
use linecard_sim::Stream;

/// The state of a search.
#[derive(Default)]
pub(super) struct Scratch {
    pub frame: Vec<i64>,
    /// The entry of each arc.
    pub entries: Vec<u32>,
}

/// The parameters of a search.
pub(super) struct Search<'a> {
    pub stores: &'a [Store],
    pub plans: &'a Plans,
    /// Of an arc, the entry that it must take.
    pub fixed: Option<(usize, u32)>,
    /// Whether the number of tokens must cover all arcs.
    pub counted: bool,
    /// Returns whether an arc's entry is excluded.
    pub is_out: &'a dyn Fn(usize, u32) -> bool,
}

impl Search<'_> {
    /// Calls `visit` with each binding until it returns `true`. Returns whether it did.
    pub fn run(
        &self,
        scratch: &mut Scratch,
        random: &mut Stream,
        visit: &mut dyn FnMut(&mut Scratch, &mut Stream) -> Result<bool, Fault>,
    ) -> Result<bool, Fault> {
        let steps = match self.fixed {
            Some((arc, _)) => &self.plans.from[arc],
            None => &self.plans.full,
        };
        for code in &self.plans.always {
            if code.run(&scratch.frame, random)? == 0 {
                return Ok(false);
            }
        }
        self.step(steps, 0, scratch, random, visit)
    }

    fn step(
        &self,
        steps: &[Step],
        depth: usize,
        scratch: &mut Scratch,
        random: &mut Stream,
        visit: &mut dyn FnMut(&mut Scratch, &mut Stream) -> Result<bool, Fault>,
    ) -> Result<bool, Fault> {
        let Some(step) = steps.get(depth) else { return visit(scratch, random) };
        let offer = &self.plans.offers[step.take];
        let store = &self.stores[offer.place as usize];
        if let Some((_, entry)) = self.fixed.filter(|_| depth == 0) {
            return self.candidate(steps, depth, entry, scratch, random, visit);
        }
        let index = &offer.indices[step.index];
        let mut walk = index.walk(step.key.iter().map(|&slot| scratch.frame[slot as usize]));
        while let Some(entry) = index.next(&mut walk) {
            let words = store.words(entry);
            let fits =
                step.tests.iter().all(|&(word, slot)| words[word as usize] == scratch.frame[slot as usize]);
            if fits && self.candidate(steps, depth, entry, scratch, random, visit)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn candidate(
        &self,
        steps: &[Step],
        depth: usize,
        entry: u32,
        scratch: &mut Scratch,
        random: &mut Stream,
        visit: &mut dyn FnMut(&mut Scratch, &mut Stream) -> Result<bool, Fault>,
    ) -> Result<bool, Fault> {
        let step = &steps[depth];
        let offer = &self.plans.offers[step.take];
        if (self.is_out)(step.take, entry) {
            return Ok(false);
        }
        // Tokens of this entry that arcs before this one take.
        let mut needed = offer.weight;
        for earlier in &steps[..depth] {
            let other = &self.plans.offers[earlier.take];
            if other.place == offer.place && scratch.entries[earlier.take] == entry {
                // Searches begin with this entry at each arc in turn, and find a binding that has it twice only once.
                let seen = self.fixed.is_some_and(|(arc, fixed)| {
                    fixed == entry && self.plans.offers[arc].place == offer.place && step.take < arc
                });
                if seen || offer.queue {
                    return Ok(false);
                }
                needed += other.weight;
            }
        }
        if self.counted && self.stores[offer.place as usize].count[entry as usize] < needed {
            return Ok(false);
        }
        scratch.entries[step.take] = entry;
        let words = self.stores[offer.place as usize].words(entry);
        for &(word, slot) in &step.binds {
            scratch.frame[slot as usize] = words[word as usize];
        }
        for code in &step.conditions {
            if code.run(&scratch.frame, random)? == 0 {
                return Ok(false);
            }
        }
        self.step(steps, depth + 1, scratch, random, visit)
    }
}
