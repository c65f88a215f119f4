//! Every marking that can be reached, breadth first; time, weights and priorities play no part.
//!
//! A marking is a row of words in which each place has as many bits as it needs (`packed.rs`). From marking to marking only
//! places that differ are looked at, and only transitions that look at those. A wide net in which few places hold tokens
//! has rows of those places alone (`sparse.rs`); what is found is the same.

mod firing;
mod found;
mod packed;
mod sparse;

pub use found::Explored;

use crate::PetriError;
use crate::compiled::Compiled;
use crate::net::{ArcKind, Net};
use firing::touched;
use found::{PARTS_PER_LOOK, Progress, too_many_tokens};
use packed::Rows;
use std::ops::ControlFlow;

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
    let found = if sparse::suits(net) {
        sparse::search(net, &compiled, most_markings, progress)
    } else {
        search(net, &compiled, most_markings, progress)
    };
    found.map(|found| without_doubt(net, found))
}

/// What grows once grows again only where no arc minds that there is more.
fn without_doubt(net: &Net, mut found: Explored) -> Explored {
    if net.arcs.iter().any(|arc| matches!(arc.kind, ArcKind::Inhibitor | ArcKind::Reset)) {
        found.unbounded.clear();
    }
    found
}

/// A marking that is looked at: its tokens, and what they enable.
struct Marking<'a> {
    compiled: &'a Compiled,
    /// For each place the transitions that it may enable or disable.
    looks: Vec<Vec<u32>>,
    tokens: Vec<u32>,
    sum: u64,
    /// A bit for each transition that is enabled.
    enabled: Vec<u64>,
    /// Transitions that look at places which have just changed.
    stale: Vec<u32>,
    /// Most tokens seen of each place.
    bounds: Vec<u64>,
}

impl<'a> Marking<'a> {
    fn new(net: &Net, compiled: &'a Compiled) -> Self {
        let tokens: Vec<u32> = net.places.iter().map(|place| place.tokens).collect();
        let transitions = net.transitions.len();
        Self {
            compiled,
            looks: Compiled::looks(net),
            sum: tokens.iter().map(|&tokens| u64::from(tokens)).sum(),
            bounds: tokens.iter().map(|&tokens| u64::from(tokens)).collect(),
            tokens,
            enabled: vec![0; transitions.div_ceil(64)],
            stale: (0..transitions as u32).collect(),
        }
    }

    /// A place holds other tokens than before.
    #[inline]
    fn set(&mut self, place: u32, tokens: u32) {
        let at = place as usize;
        self.sum = self.sum - u64::from(self.tokens[at]) + u64::from(tokens);
        self.tokens[at] = tokens;
        self.bounds[at] = self.bounds[at].max(u64::from(tokens));
        self.stale.extend_from_slice(&self.looks[at]);
    }

    /// Finds out what is enabled now.
    fn settle(&mut self) {
        for &transition in &self.stale {
            let at = transition as usize;
            let degree = self.compiled.degree(at, |place| self.tokens[place as usize]);
            let bit = 1 << (at % 64);
            let word = &mut self.enabled[at / 64];
            *word = if degree > 0 { *word | bit } else { *word & !bit };
        }
        self.stale.clear();
    }
}

fn search(
    net: &Net,
    compiled: &Compiled,
    most_markings: u64,
    progress: Progress<'_>,
) -> Result<Explored, PetriError> {
    let mut here = Marking::new(net, compiled);
    let mut rows = Rows::new(&here.tokens);
    // From which marking each was found first.
    let mut parents: Vec<u32> = vec![0];
    let (mut left, mut by_reset) = (Vec::new(), Vec::new());
    let mut enabled_ever = vec![0; here.enabled.len()];
    let mut found = Explored { complete: true, ..Explored::default() };
    let mut number = 0;
    let (mut parts, parts_per_marking) = (0, net.places.len() + net.transitions.len() + 1);
    let limit = most_markings.clamp(1, u64::from(u32::MAX) - 1) as usize;
    while number < rows.count() {
        rows.go_to(number, |place, tokens| here.set(place, tokens));
        here.settle();
        found.max_tokens_in_marking = found.max_tokens_in_marking.max(here.sum);
        found.dead_markings += u64::from(here.enabled.iter().all(|&word| word == 0));
        for (first, (&word, ever)) in here.enabled.iter().zip(&mut enabled_ever).enumerate() {
            let mut word = word;
            *ever |= word;
            found.edges += u64::from(word.count_ones());
            while word != 0 {
                let transition = first * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                let changes = match compiled.resets.of_transition(transition) {
                    [] => &compiled.changes[transition],
                    _ => {
                        if touched(compiled, transition, &here.tokens, &mut left).is_none() {
                            return Err(too_many_tokens(net));
                        }
                        let by = |&(place, left): &(u32, u32)| {
                            (place, i64::from(left) - i64::from(here.tokens[place as usize]))
                        };
                        by_reset.clear();
                        by_reset.extend(left.iter().map(by));
                        &by_reset
                    }
                };
                if !found.complete {
                    continue;
                }
                match rows.insert_beside(changes, &here.tokens) {
                    None => return Err(too_many_tokens(net)),
                    Some(false) => (),
                    Some(true) if rows.count() <= limit => parents.push(number as u32),
                    Some(true) => found.complete = false,
                }
            }
        }
        number += 1;
        parts += parts_per_marking;
        if parts >= PARTS_PER_LOOK {
            parts = 0;
            if progress(rows.count() as u64).is_break() {
                return Err(PetriError::Interrupted);
            }
        }
        if !found.complete {
            found.unbounded = growing(&rows, &parents);
            // What was found but not looked at has no edges yet.
            break;
        }
    }
    found.reachable_markings = rows.count().min(limit) as u64;
    let enabled = enabled_ever.iter().map(|word: &u64| u64::from(word.count_ones())).sum::<u64>();
    found.never_enabled_transitions = net.transitions.len() as u64 - enabled;
    found.max_tokens_in_place = here.bounds.iter().copied().max().unwrap_or(0);
    found.bounds = here.bounds;
    Ok(found)
}

/// Places that grow from a marking to one that is reached from it and has nowhere less: the way there can be gone again.
fn growing(rows: &Rows, parents: &[u32]) -> Vec<u32> {
    let sum = |number: usize| rows.tokens(number).map(u64::from).sum::<u64>();
    let Some(fullest) = (0..parents.len()).rev().max_by_key(|&number| sum(number)) else { return Vec::new() };
    let last: Vec<u32> = rows.tokens(fullest).collect();
    let mut at = fullest;
    while at != 0 {
        at = parents[at] as usize;
        let before: Vec<u32> = rows.tokens(at).collect();
        let covers = before.iter().zip(&last).all(|(before, last)| before <= last);
        if covers && before != last {
            let more = before.iter().zip(&last).zip(0u32..).filter(|((before, last), _)| before < last);
            return more.map(|(_, place)| place).collect();
        }
    }
    Vec::new()
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
