//! Markings of wide nets: only the places that hold tokens are kept, and only transitions that could be enabled are looked at.
//!
//! A transition that takes tokens is looked at when the first place it takes from holds some; one that takes none is always
//! looked at. Transitions come in the order of their numbers, so that markings are found in the same order as in rows of all
//! places.

use super::firing::touched;
use super::found::{Explored, PARTS_PER_LOOK, Progress, too_many_tokens};
use crate::PetriError;
use crate::compiled::Compiled;
use crate::net::Net;
use std::hash::Hasher;

/// Fewer places than this make rows that are short anyway.
const LEAST_PLACES: usize = 256;
/// At most one place in so many holds tokens in the first marking: each takes as many bits here as so many empty places take
/// in rows of all.
const LEAST_EMPTY: usize = 64;

/// Whether a net's markings are kept so.
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
    /// The hash of a row above, one more than its number below; 0 is empty.
    slots: Vec<u64>,
}

impl Rows {
    fn new() -> Self {
        Self { parts: Vec::new(), ends: Vec::new(), slots: vec![0; 1 << 12] }
    }

    fn count(&self) -> usize {
        self.ends.len()
    }

    fn row(&self, number: usize) -> &Row {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.parts[start..self.ends[number]]
    }

    /// Adds a row if it is new; whether it was.
    fn insert(&mut self, row: &Row) -> bool {
        let mut hasher = rustc_hash::FxHasher::default();
        for &(place, tokens) in row {
            hasher.write_u64(u64::from(place) << 32 | u64::from(tokens));
        }
        // The upper half is used, which a multiplication fills best.
        let hash = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 {
            let held = self.slots[slot];
            if held >> 32 == hash && self.row((held as u32 - 1) as usize) == row {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        self.parts.extend_from_slice(row);
        self.ends.push(self.parts.len());
        self.slots[slot] = hash << 32 | self.count() as u64;
        if self.count() * 2 > self.slots.len() {
            self.grow();
        }
        true
    }

    #[cold]
    fn grow(&mut self) {
        let mut slots = vec![0u64; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for held in std::mem::take(&mut self.slots).into_iter().filter(|&held| held != 0) {
            let mut slot = (held >> 32) as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = held;
        }
        self.slots = slots;
    }
}

/// For each place the transitions that take from it first, and those that take from none.
fn triggers(net: &Net, compiled: &Compiled) -> (Vec<Vec<u32>>, Vec<u32>) {
    let (mut by_place, mut always) = (vec![Vec::new(); net.places.len()], Vec::new());
    for transition in 0..net.transitions.len() {
        match compiled.inputs.of_transition(transition).first() {
            Some(&(place, _)) => by_place[place as usize].push(transition as u32),
            None => always.push(transition as u32),
        }
    }
    (by_place, always)
}

/// A row after a firing: what it touches put in its places.
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

/// As the search with rows of all places.
pub(super) fn search(
    net: &Net,
    compiled: &Compiled,
    most_markings: u64,
    progress: Progress<'_>,
) -> Result<Explored, PetriError> {
    let (by_place, always) = triggers(net, compiled);
    let mut rows = Rows::new();
    let first: Vec<(u32, u32)> = (0u32..)
        .zip(&net.places)
        .filter(|(_, place)| place.tokens > 0)
        .map(|(at, place)| (at, place.tokens))
        .collect();
    rows.insert(&first);
    // From which marking each was found first.
    let mut parents: Vec<u32> = vec![0];
    let mut here = vec![0u32; net.places.len()];
    let (mut row, mut next, mut changed, mut candidates) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut bounds = vec![0u64; net.places.len()];
    let mut enabled_ever = vec![false; net.transitions.len()];
    let mut found = Explored { complete: true, ..Explored::default() };
    let (mut number, mut parts) = (0, 0);
    let limit = most_markings.clamp(1, u64::from(u32::MAX) - 1) as usize;
    while number < rows.count() {
        row.clear();
        row.extend_from_slice(rows.row(number));
        candidates.clear();
        candidates.extend_from_slice(&always);
        let mut sum = 0;
        for &(place, tokens) in &row {
            let at = place as usize;
            here[at] = tokens;
            sum += u64::from(tokens);
            bounds[at] = bounds[at].max(u64::from(tokens));
            candidates.extend_from_slice(&by_place[at]);
        }
        found.max_tokens_in_marking = found.max_tokens_in_marking.max(sum);
        candidates.sort_unstable();
        let mut dead = true;
        for &transition in &candidates {
            let at = transition as usize;
            if compiled.degree(at, |place| here[place as usize]) == 0 {
                continue;
            }
            dead = false;
            enabled_ever[at] = true;
            found.edges += 1;
            if touched(compiled, at, &here, &mut changed).is_none() {
                return Err(too_many_tokens(net));
            }
            changed.sort_unstable();
            merge(&row, &changed, &mut next);
            if rows.count() < limit {
                if rows.insert(&next) {
                    parents.push(number as u32);
                }
            } else if found.complete {
                found.complete = !rows.insert(&next);
            }
        }
        found.dead_markings += u64::from(dead);
        number += 1;
        parts += row.len() + candidates.len() + 1;
        for &(place, _) in &row {
            here[place as usize] = 0;
        }
        if parts >= PARTS_PER_LOOK {
            parts = 0;
            if progress(rows.count() as u64).is_break() {
                return Err(PetriError::Interrupted);
            }
        }
        if !found.complete {
            found.unbounded = growing(&rows, &parents, &mut here);
            // What was found but not looked at has no edges yet.
            break;
        }
    }
    found.reachable_markings = rows.count().min(limit) as u64;
    found.never_enabled_transitions = enabled_ever.iter().filter(|&&ever| !ever).count() as u64;
    found.max_tokens_in_place = bounds.iter().copied().max().unwrap_or(0);
    found.bounds = bounds;
    Ok(found)
}

/// Places that grow from a marking to one that is reached from it and has nowhere less; `last` is a row of noughts.
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
    use crate::explore::explore;
    use crate::{NetBuilder, Servers, Timing};
    use std::ops::ControlFlow;

    fn sparse(net: &Net, most: u64) -> Explored {
        let go_on = &mut |_| ControlFlow::Continue(());
        let found = search(net, &Compiled::new(net), most, go_on).unwrap();
        super::super::without_doubt(net, found)
    }

    /// A net of few places, whose arcs of all kinds a seed draws.
    fn drawn(seed: u64) -> Net {
        let mut random = linecard_sim::stream(seed, "net");
        let mut net = NetBuilder::new("drawn");
        let places: Vec<u32> =
            (0..6).map(|n| net.place(&format!("p{n}"), random.below(3)).unwrap()).collect();
        for n in 0..6 {
            let transition = net.transition(&format!("t{n}"), Timing::Untimed, Servers::Count(1)).unwrap();
            for &place in &places {
                let weight = 1 + random.below(2);
                match random.below(10) {
                    0 | 1 => net.input(place, transition, weight).unwrap(),
                    2 | 3 => net.output(transition, place, weight).unwrap(),
                    4 => net.inhibitor(place, transition, weight).unwrap(),
                    5 if random.below(3) == 0 => net.reset(place, transition).unwrap(),
                    _ => {}
                }
            }
        }
        net.build().unwrap()
    }

    #[test]
    fn rows_of_few_places_find_what_rows_of_all_find() {
        for seed in 0..300 {
            let net = drawn(seed);
            assert!(!suits(&net), "small nets have rows of all places");
            assert_eq!(sparse(&net, 500), explore(&net, 500), "seed {seed}");
        }
    }

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
        // Rows of all places would be 900 MB here, and 900 million looks at transitions.
        let found = explore(&net, 1_000_000);
        assert_eq!((found.reachable_markings, found.edges, found.complete), (30_000, 30_000, true));
        assert_eq!(found.bounds, vec![1; PLACES as usize]);
        let mut rows = Rows::new();
        (0..PLACES).for_each(|place| assert!(rows.insert(&[(place, 1)])));
        assert_eq!(rows.parts.len(), PLACES as usize);
        // It is stopped on the way, too.
        let stopped = search(&net, &Compiled::new(&net), 1, &mut |_| ControlFlow::Break(()));
        assert!(stopped.is_ok_and(|found| !found.complete));
    }
}
