//! Markings of wide nets: only places with tokens are stored, and only transitions that could be enabled are
//! tested.
//!
//! A transition that takes tokens is tested if the first place from which it takes holds some; one that takes
//! none is always tested. Transitions are in the order of their numbers, so that markings are found in the same
//! order as in rows of all places.

use super::firing::touched;
use super::found::{Explored, Tally, too_many_tokens};
use super::slots::Slots;
use super::space::Space;
use crate::PetriError;
use crate::compiled::Compiled;
use crate::net::Net;
use std::hash::Hasher;
use std::ops::Range;

/// Fewer places than this make rows that are short anyway.
const LEAST_PLACES: usize = 256;
/// The net must have at least this many places per marked place of the first marking: a marked place takes as
/// many bits here as this many empty places in rows of all.
const LEAST_EMPTY: usize = 64;

/// Returns whether a net's markings are stored in this form.
pub(super) fn suits(net: &Net) -> bool {
    let held = net.places.iter().filter(|place| place.tokens > 0).count();
    net.places.len() >= LEAST_PLACES && held * LEAST_EMPTY <= net.places.len()
}

/// Places that hold tokens, in their order, with how many.
type Row = [(u32, u32)];

/// Rows that are all different, with their numbers.
struct Rows {
    parts: Vec<(u32, u32)>,
    ends: Vec<usize>,
    slots: Slots,
}

impl Rows {
    fn new() -> Self {
        Self { parts: Vec::new(), ends: Vec::new(), slots: Slots::new() }
    }

    fn count(&self) -> usize {
        self.ends.len()
    }

    fn row(&self, number: usize) -> &Row {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.parts[start..self.ends[number]]
    }

    /// Returns the free slot of a row that is not in the set.
    fn vacant(&self, hash: u64, row: &Row) -> Option<usize> {
        self.slots.vacant(hash, |number| self.row(number) == row)
    }

    /// Adds a row in a vacant slot.
    fn add(&mut self, slot: usize, hash: u64, row: &Row) {
        self.parts.extend_from_slice(row);
        self.ends.push(self.parts.len());
        self.slots.add(slot, hash);
    }

    /// Adds a row if it is new. Returns whether it was.
    fn insert(&mut self, hash: u64, row: &Row) -> bool {
        let Some(slot) = self.vacant(hash, row) else { return false };
        self.add(slot, hash, row);
        true
    }

    fn clear(&mut self) {
        self.parts.clear();
        self.ends.clear();
        self.slots.clear();
    }
}

fn hash_of(row: &Row) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    for &(place, tokens) in row {
        hasher.write_u64(u64::from(place) << 32 | u64::from(tokens));
    }
    // The upper half is used, which a multiplication fills best.
    hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The transitions to test.
struct Triggers {
    /// For each place, the transitions that take from it come first.
    by_place: Vec<Vec<u32>>,
    /// Transitions that take from no place.
    always: Vec<u32>,
}

impl Triggers {
    fn new(net: &Net, compiled: &Compiled) -> Self {
        let (mut by_place, mut always) = (vec![Vec::new(); net.places.len()], Vec::new());
        for transition in 0..net.transitions.len() {
            match compiled.inputs.of_transition(transition).first() {
                Some(&(place, _)) => by_place[place as usize].push(transition as u32),
                None => always.push(transition as u32),
            }
        }
        Self { by_place, always }
    }
}

/// Returns the row after a firing: the changed places are merged into it.
fn merge(row: &Row, touched: &Row, next: &mut Vec<(u32, u32)>) {
    next.clear();
    let mut rest = row;
    for &(place, tokens) in touched {
        let before = rest.partition_point(|&(other, _)| other < place);
        next.extend_from_slice(&rest[..before]);
        rest = &rest[before..];
        if rest.first().is_some_and(|&(other, _)| other == place) {
            rest = &rest[1..];
        }
        if tokens > 0 {
            next.push((place, tokens));
        }
    }
    next.extend_from_slice(rest);
}

/// Visits markings and fires the enabled transitions.
#[derive(Clone)]
struct Walker {
    /// Tokens of all places; zero between two visits.
    here: Vec<u32>,
    row: Vec<(u32, u32)>,
    next: Vec<(u32, u32)>,
    changed: Vec<(u32, u32)>,
    candidates: Vec<u32>,
}

impl Walker {
    fn new(net: &Net) -> Self {
        let here = vec![0; net.places.len()];
        let (row, next, changed, candidates) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { here, row, next, changed, candidates }
    }

    /// Goes to a marking.
    #[inline]
    fn go_to(&mut self, rows: &Rows, number: usize) {
        self.row.clear();
        self.row.extend_from_slice(rows.row(number));
    }

    /// Fires the enabled transitions in order; calls `reach` with each resulting row. Returns the number of
    /// places and transitions tested; `None` if a place gets too many tokens for a number.
    #[inline]
    fn fire(
        &mut self,
        compiled: &Compiled,
        triggers: &Triggers,
        tally: &mut Tally,
        mut reach: impl FnMut(&Row),
    ) -> Option<usize> {
        let Self { here, row, next, changed, candidates } = self;
        candidates.clear();
        candidates.extend_from_slice(&triggers.always);
        let mut sum = 0;
        for &(place, tokens) in &*row {
            let at = place as usize;
            here[at] = tokens;
            sum += u64::from(tokens);
            tally.bounds[at] = tally.bounds[at].max(u64::from(tokens));
            candidates.extend_from_slice(&triggers.by_place[at]);
        }
        tally.fullest = tally.fullest.max(sum);
        candidates.sort_unstable();
        let (mut dead, mut fits) = (true, true);
        for &transition in &*candidates {
            let at = transition as usize;
            if compiled.degree(at, |place| here[place as usize]) == 0 {
                continue;
            }
            dead = false;
            tally.enabled[at / 64] |= 1 << (at % 64);
            tally.edges += 1;
            fits = touched(compiled, at, here, changed).is_some();
            if !fits {
                break;
            }
            changed.sort_unstable();
            merge(row, changed, next);
            reach(next);
        }
        tally.dead += u64::from(dead);
        for &(place, _) in &*row {
            here[place as usize] = 0;
        }
        fits.then_some(row.len() + candidates.len() + 1)
    }
}

/// Markings found so far.
pub(super) struct Sparse<'a> {
    net: &'a Net,
    compiled: &'a Compiled,
    triggers: Triggers,
    rows: Rows,
    /// From which marking each was found first.
    parents: Vec<u32>,
    walker: Walker,
    tally: Tally,
    limit: usize,
    complete: bool,
}

impl<'a> Sparse<'a> {
    /// Returns a space that holds the first marking of a net.
    pub fn new(net: &'a Net, compiled: &'a Compiled, limit: usize) -> Self {
        let held = (0u32..).zip(&net.places).filter(|(_, place)| place.tokens > 0);
        let first: Vec<(u32, u32)> = held.map(|(at, place)| (at, place.tokens)).collect();
        let mut rows = Rows::new();
        rows.insert(hash_of(&first), &first);
        Self {
            net,
            compiled,
            triggers: Triggers::new(net, compiled),
            rows,
            parents: vec![0],
            walker: Walker::new(net),
            tally: Tally::new(net),
            limit,
            complete: true,
        }
    }

    /// Every marking, with the number of the one from which it was found.
    #[cfg(test)]
    pub fn markings(&self) -> Vec<(u32, Vec<u32>)> {
        let row = |(number, &parent)| {
            let mut tokens = vec![0; self.net.places.len()];
            self.rows.row(number).iter().for_each(|&(place, held)| tokens[place as usize] = held);
            (parent, tokens)
        };
        self.parents.iter().enumerate().map(row).collect()
    }

    /// Returns the result of the search.
    pub fn explored(mut self) -> Explored {
        let unbounded = (!self.complete).then(|| growing(&self.rows, &self.parents, &mut self.walker.here));
        self.tally.explored(self.net, self.rows.count().min(self.limit), unbounded)
    }
}

/// A worker and its findings: rows, each with its hash and the number of the marking before it.
pub(super) struct Worker {
    walker: Walker,
    tally: Tally,
    fresh: Rows,
    origins: Vec<(u64, u32)>,
}

impl Space for Sparse<'_> {
    type Worker = Worker;

    fn count(&self) -> usize {
        self.rows.count()
    }

    fn limit(&self) -> usize {
        self.limit
    }

    fn complete(&self) -> bool {
        self.complete
    }

    fn expand(&mut self, number: usize) -> Result<usize, PetriError> {
        let Self { net, compiled, triggers, rows, parents, walker, tally, limit, complete } = self;
        walker.go_to(rows, number);
        let fired = walker.fire(compiled, triggers, tally, |next| {
            if *complete && rows.insert(hash_of(next), next) {
                if rows.count() <= *limit {
                    parents.push(number as u32);
                } else {
                    *complete = false;
                }
            }
        });
        fired.ok_or_else(|| too_many_tokens(net))
    }

    fn worker(&self) -> Worker {
        let walker = Walker::new(self.net);
        Worker { walker, tally: Tally::new(self.net), fresh: Rows::new(), origins: Vec::new() }
    }

    fn begin(&self, worker: &mut Worker) {
        worker.tally.clear();
        worker.fresh.clear();
        worker.origins.clear();
    }

    fn look(&self, worker: &mut Worker, number: usize) -> Option<usize> {
        let Worker { walker, tally, fresh, origins } = worker;
        walker.go_to(&self.rows, number);
        walker.fire(self.compiled, &self.triggers, tally, |next| {
            let hash = hash_of(next);
            if let Some(slot) = fresh.vacant(hash, next)
                && self.rows.vacant(hash, next).is_some()
            {
                fresh.add(slot, hash, next);
                origins.push((hash, number as u32));
            }
        })
    }

    fn noted(worker: &Worker) -> (usize, usize) {
        (worker.fresh.count(), worker.fresh.parts.len())
    }

    fn take(&mut self, worker: &Worker, noted: Range<usize>) {
        for number in noted {
            let (hash, from) = worker.origins[number];
            if self.rows.insert(hash, worker.fresh.row(number)) {
                self.parents.push(from);
            }
        }
    }

    fn tally(&mut self, worker: &Worker) {
        self.tally.add(&worker.tally);
    }
}

/// Returns places that grow between a marking and one that is reached from it and has no fewer tokens in any place;
/// `last` is a row of zeros.
fn growing(rows: &Rows, parents: &[u32], last: &mut [u32]) -> Vec<u32> {
    let sum = |number: usize| rows.row(number).iter().map(|&(_, tokens)| u64::from(tokens)).sum::<u64>();
    let Some(fullest) = (0..parents.len()).rev().max_by_key(|&number| sum(number)) else { return Vec::new() };
    for &(place, tokens) in rows.row(fullest) {
        last[place as usize] = tokens;
    }
    let mut at = fullest;
    while at != 0 {
        at = parents[at] as usize;
        let before = rows.row(at);
        let covers = before.iter().all(|&(place, tokens)| tokens <= last[place as usize]);
        if covers && before != rows.row(fullest) {
            for &(place, tokens) in before {
                last[place as usize] -= tokens;
            }
            return (0u32..).zip(&*last).filter(|&(_, &more)| more > 0).map(|(place, _)| place).collect();
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{explore, explore_until};
    use crate::{NetBuilder, Servers, Timing};
    use std::ops::ControlFlow;

    #[test]
    fn a_wide_ring_takes_memory_in_proportion_to_its_tokens() {
        const PLACES: u32 = 30_000;
        let mut net = NetBuilder::new("ring");
        for n in 0..PLACES {
            net.place(&format!("p{n}"), u32::from(n == 0)).unwrap();
            net.transition(&format!("t{n}"), Timing::Untimed, Servers::Count(1)).unwrap();
        }
        for n in 0..PLACES {
            net.input(n, n, 1).unwrap();
            net.output(n, (n + 1) % PLACES, 1).unwrap();
        }
        let net = net.build().unwrap();
        assert!(suits(&net));
        // Rows of all places would be 900 MB here, and 900 million tests of transitions.
        let found = explore(&net, 1_000_000);
        assert_eq!((found.reachable_markings, found.edges, found.complete), (30_000, 30_000, true));
        assert_eq!(found.bounds, vec![1; PLACES as usize]);
        let mut rows = Rows::new();
        for place in 0..PLACES {
            let row = [(place, 1)];
            assert!(rows.insert(hash_of(&row), &row));
        }
        assert_eq!(rows.parts.len(), PLACES as usize);
        // The search can also be stopped on the way.
        let stopped = explore_until(&net, 1, 1, &mut |_| ControlFlow::Break(()));
        assert!(stopped.is_ok_and(|found| !found.complete));
    }
}
