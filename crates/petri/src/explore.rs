//! Every marking that can be reached, breadth first; time, weights and priorities play no part.
//!
//! A marking is a row of bytes in one array; a table of open addressing holds the numbers of rows. Rows are made wider when
//! a place holds more than a byte can tell. A wide net in which few places hold tokens has rows of those places alone
//! (`sparse.rs`); what is found is the same.

mod found;
mod sparse;

pub use found::Explored;

use crate::PetriError;
use crate::compiled::Compiled;
use crate::net::ArcKind;
use crate::net::Net;
use found::{PARTS_PER_LOOK, Progress, too_many_tokens};
use std::hash::Hasher;
use std::ops::ControlFlow;

/// Nothing when a row is too narrow.
type Found = Result<Option<Explored>, PetriError>;

/// A search with rows of one width.
type Search = fn(&Compiled, &[u64], u64, Progress<'_>) -> Found;

/// Explores a net until everything is found, or `most_markings` are.
#[must_use]
pub fn explore(net: &Net, most_markings: u64) -> Explored {
    // Nobody stops it.
    explore_until(net, most_markings, &mut |_| ControlFlow::Continue(())).unwrap_or_default()
}

/// The same, telling how many markings there are; `progress` may end it.
///
/// # Errors
/// When `progress` ended it.
pub fn explore_until(net: &Net, most_markings: u64, progress: Progress<'_>) -> Result<Explored, PetriError> {
    let compiled = Compiled::new(net);
    if sparse::suits(net) {
        return sparse::search(net, &compiled, most_markings, progress)
            .map(|found| without_doubt(net, found));
    }
    let first: Vec<u64> = net.places.iter().map(|place| u64::from(place.tokens)).collect();
    let widest = first.iter().copied().max().unwrap_or(0);
    let tries: [Search; 3] = [search::<u8>, search::<u16>, search::<u32>];
    let skip = usize::from(widest > 0xff) + usize::from(widest > 0xffff);
    for search in &tries[skip..] {
        if let Some(found) = search(&compiled, &first, most_markings, progress)? {
            return Ok(without_doubt(net, found));
        }
    }
    Err(too_many_tokens(net))
}

/// What grows once grows again only where no arc minds that there is more.
fn without_doubt(net: &Net, mut found: Explored) -> Explored {
    if net.arcs.iter().any(|arc| matches!(arc.kind, ArcKind::Inhibitor | ArcKind::Reset)) {
        found.unbounded.clear();
    }
    found
}

/// A number of tokens in a row.
trait Count: Copy + Eq {
    fn get(self) -> u32;
    /// Nothing where it does not fit.
    fn of(tokens: u64) -> Option<Self>;
    fn bytes(row: &[Self]) -> u64;
}

macro_rules! count {
    ($type:ty) => {
        impl Count for $type {
            #[inline]
            fn get(self) -> u32 {
                u32::from(self)
            }
            #[inline]
            fn of(tokens: u64) -> Option<Self> {
                <$type>::try_from(tokens).ok()
            }
            #[inline]
            fn bytes(row: &[Self]) -> u64 {
                const PER_WORD: usize = 8 / size_of::<$type>();
                let mut hasher = rustc_hash::FxHasher::default();
                for part in row.chunks(PER_WORD) {
                    let mut word = 0u64;
                    for (place, &tokens) in part.iter().enumerate() {
                        word |= u64::from(tokens) << (place * 8 * size_of::<$type>());
                    }
                    hasher.write_u64(word);
                }
                // The upper half is used, which a multiplication fills best.
                hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15)
            }
        }
    };
}

count!(u8);
count!(u16);
count!(u32);

/// Rows that are all different, with their numbers.
struct Rows<C> {
    width: usize,
    rows: Vec<C>,
    /// The hash of a row above, one more than its number below; 0 is empty. Most rows that are not the one looked for
    /// are told apart by the hash, without a look at the row.
    slots: Vec<u64>,
    count: usize,
}

impl<C: Count> Rows<C> {
    fn new(width: usize) -> Self {
        Self { width, rows: Vec::new(), slots: vec![0; 1 << 12], count: 0 }
    }

    fn row(&self, number: usize) -> &[C] {
        &self.rows[number * self.width..(number + 1) * self.width]
    }

    /// Adds a row if it is new; whether it was.
    fn insert(&mut self, row: &[C]) -> bool {
        let mask = self.slots.len() - 1;
        let hash = C::bytes(row) >> 32;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 {
            let held = self.slots[slot];
            if held >> 32 == hash && self.row((held as u32 - 1) as usize) == row {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        self.rows.extend_from_slice(row);
        self.count += 1;
        self.slots[slot] = hash << 32 | self.count as u64;
        if self.count * 2 > self.slots.len() {
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

/// Nothing when a place holds more than a row can tell.
fn search<C: Count>(compiled: &Compiled, first: &[u64], most_markings: u64, progress: Progress<'_>) -> Found {
    let width = first.len();
    let mut rows = Rows::<C>::new(width);
    let start: Option<Vec<C>> = first.iter().map(|&tokens| C::of(tokens)).collect();
    let Some(start) = start else { return Ok(None) };
    // From which marking each was found first.
    let mut parents: Vec<u32> = vec![0];
    rows.insert(&start);
    let mut here = start.clone();
    let mut next = start;
    let mut bounds = first.to_vec();
    let mut enabled_ever = vec![false; compiled.changes.len()];
    let mut found = Explored { complete: true, ..Explored::default() };
    let mut number = 0;
    let (mut parts, parts_per_marking) = (0, width + compiled.changes.len() + 1);
    let limit = most_markings.clamp(1, u64::from(u32::MAX) - 1) as usize;
    while number < rows.count {
        here.copy_from_slice(rows.row(number));
        let sum: u64 = here.iter().map(|tokens| u64::from(tokens.get())).sum();
        found.max_tokens_in_marking = found.max_tokens_in_marking.max(sum);
        for (bound, tokens) in bounds.iter_mut().zip(&here) {
            *bound = (*bound).max(u64::from(tokens.get()));
        }
        let mut dead = true;
        for (transition, ever) in enabled_ever.iter_mut().enumerate() {
            if compiled.degree(transition, |place| here[place as usize].get()) == 0 {
                continue;
            }
            dead = false;
            *ever = true;
            found.edges += 1;
            next.copy_from_slice(&here);
            if !fire(compiled, transition, &here, &mut next) {
                return Ok(None);
            }
            if rows.count < limit {
                if rows.insert(&next) {
                    parents.push(number as u32);
                }
            } else if found.complete {
                found.complete = !rows.insert(&next);
            }
        }
        found.dead_markings += u64::from(dead);
        number += 1;
        parts += parts_per_marking;
        if parts >= PARTS_PER_LOOK {
            parts = 0;
            if progress(rows.count as u64).is_break() {
                return Err(PetriError::Interrupted);
            }
        }
        if !found.complete {
            found.unbounded = growing(&rows, &parents);
            // What was found but not looked at has no edges yet.
            break;
        }
    }
    found.reachable_markings = rows.count.min(limit) as u64;
    found.never_enabled_transitions = enabled_ever.iter().filter(|&&ever| !ever).count() as u64;
    found.max_tokens_in_place = bounds.iter().copied().max().unwrap_or(0);
    found.bounds = bounds;
    Ok(Some(found))
}

/// Places that grow from a marking to one that is reached from it and has nowhere less: the way there can be gone again.
fn growing<C: Count>(rows: &Rows<C>, parents: &[u32]) -> Vec<u32> {
    let sum = |number: usize| rows.row(number).iter().map(|tokens| u64::from(tokens.get())).sum::<u64>();
    let Some(fullest) = (0..parents.len()).rev().max_by_key(|&number| sum(number)) else { return Vec::new() };
    let last = rows.row(fullest);
    let mut at = fullest;
    while at != 0 {
        at = parents[at] as usize;
        let before = rows.row(at);
        let covers = before.iter().zip(last).all(|(before, last)| before.get() <= last.get());
        if covers && before != last {
            let more =
                before.iter().zip(last).zip(0u32..).filter(|((before, last), _)| before.get() < last.get());
            return more.map(|(_, place)| place).collect();
        }
    }
    Vec::new()
}

/// Fires a transition; `false` when a place then holds more than a row can tell.
#[inline]
fn fire<C: Count>(compiled: &Compiled, transition: usize, here: &[C], next: &mut [C]) -> bool {
    let resets = compiled.resets.of_transition(transition);
    if !resets.is_empty() {
        return fire_with_resets(compiled, transition, here, next);
    }
    for &(place, by) in &compiled.changes[transition] {
        let tokens = i64::from(here[place as usize].get()) + by;
        match C::of(tokens as u64) {
            Some(tokens) => next[place as usize] = tokens,
            None => return false,
        }
    }
    true
}

#[cold]
fn fire_with_resets<C: Count>(compiled: &Compiled, transition: usize, here: &[C], next: &mut [C]) -> bool {
    let mut tokens: Vec<i64> = here.iter().map(|tokens| i64::from(tokens.get())).collect();
    for &(place, weight) in compiled.inputs.of_transition(transition) {
        tokens[place as usize] -= i64::from(weight);
    }
    for &(place, _) in compiled.resets.of_transition(transition) {
        tokens[place as usize] = 0;
    }
    for &(place, weight) in compiled.outputs.of_transition(transition) {
        tokens[place as usize] += i64::from(weight);
    }
    for (next, &tokens) in next.iter_mut().zip(&tokens) {
        match C::of(tokens as u64) {
            Some(tokens) => *next = tokens,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NetBuilder, Servers, Timing};

    fn untimed(net: &mut NetBuilder, name: &str) -> u32 {
        net.transition(name, Timing::Untimed, Servers::Count(1)).unwrap()
    }

    /// Two tokens move from a to b one by one; b never gives back.
    #[test]
    fn by_hand() {
        let mut net = NetBuilder::new("two");
        let (a, b) = (net.place("a", 2).unwrap(), net.place("b", 0).unwrap());
        let go = untimed(&mut net, "go");
        let never = untimed(&mut net, "never");
        net.input(a, go, 1).unwrap();
        net.output(go, b, 3).unwrap();
        net.input(a, never, 3).unwrap();
        let found = explore(&net.build().unwrap(), 100);
        let expected = Explored {
            reachable_markings: 3,
            edges: 2,
            dead_markings: 1,
            max_tokens_in_place: 6,
            max_tokens_in_marking: 6,
            never_enabled_transitions: 1,
            bounds: vec![2, 6],
            complete: true,
            unbounded: vec![],
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn an_unbounded_net_stops_at_the_limit_with_what_was_found() {
        let mut net = NetBuilder::new("endless");
        let a = net.place("a", 0).unwrap();
        let make = untimed(&mut net, "make");
        net.output(make, a, 1).unwrap();
        let found = explore(&net.build().unwrap(), 1000);
        assert_eq!((found.reachable_markings, found.complete), (1000, false));
        assert_eq!(found.unbounded, [a]);
        // More than a byte holds: rows grew wider on the way.
        assert!(found.max_tokens_in_place >= 998);
    }

    #[test]
    fn inhibitors_disable_and_resets_empty() {
        let mut net = NetBuilder::new("reset");
        let (a, b) = (net.place("a", 3).unwrap(), net.place("b", 0).unwrap());
        let clear = untimed(&mut net, "clear");
        net.input(a, clear, 1).unwrap();
        net.reset(a, clear).unwrap();
        net.output(clear, b, 1).unwrap();
        net.inhibitor(b, clear, 1).unwrap();
        net.output(clear, a, 2).unwrap();
        let found = explore(&net.build().unwrap(), 100);
        // 3,0 becomes 2,1, where b disables it.
        assert_eq!((found.reachable_markings, found.edges, found.dead_markings), (2, 1, 1));
        assert_eq!(found.bounds, [3, 1]);
    }
}
