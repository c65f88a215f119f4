//! Markings as rows of all places. Between two markings, only places that differ are tested, and only the
//! transitions that depend on them.

use super::firing::touched;
use super::found::{Explored, Tally, too_many_tokens};
use super::packed::{Cursor, Fresh, Rows};
use super::space::Space;
use crate::PetriError;
use crate::compiled::Compiled;
use crate::net::Net;
use std::ops::Range;

/// The present marking: its tokens, and the transitions that they enable.
#[derive(Clone)]
struct Marking<'a> {
    /// For each place the transitions that it may enable or disable.
    looks: &'a [Vec<u32>],
    tokens: Vec<u32>,
    sum: u64,
    /// A bit for each transition that is enabled.
    enabled: Vec<u64>,
    /// Transitions that depend on places which have just changed.
    stale: Vec<u32>,
}

impl<'a> Marking<'a> {
    fn first(net: &Net, looks: &'a [Vec<u32>]) -> Self {
        let tokens: Vec<u32> = net.places.iter().map(|place| place.tokens).collect();
        let transitions = net.transitions.len();
        Self {
            looks,
            sum: tokens.iter().map(|&tokens| u64::from(tokens)).sum(),
            tokens,
            enabled: vec![0; transitions.div_ceil(64)],
            stale: (0..transitions as u32).collect(),
        }
    }

    /// Sets the number of tokens of a place.
    #[inline]
    fn set(&mut self, place: u32, tokens: u32) {
        let at = place as usize;
        self.sum = self.sum - u64::from(self.tokens[at]) + u64::from(tokens);
        self.tokens[at] = tokens;
        self.stale.extend_from_slice(&self.looks[at]);
    }

    /// Updates the enabled transitions.
    #[inline]
    fn settle(&mut self, compiled: &Compiled) {
        for &transition in &self.stale {
            let at = transition as usize;
            let degree = compiled.degree(at, |place| self.tokens[place as usize]);
            let bit = 1 << (at % 64);
            let word = &mut self.enabled[at / 64];
            *word = if degree > 0 { *word | bit } else { *word & !bit };
        }
        self.stale.clear();
    }
}

/// Moves from marking to marking and fires the enabled transitions.
#[derive(Clone)]
struct Walker<'a> {
    compiled: &'a Compiled,
    marking: Marking<'a>,
    cursor: Cursor,
    left: Vec<(u32, u32)>,
    by_reset: Vec<(u32, i64)>,
}

impl Walker<'_> {
    /// Goes to a marking.
    #[inline]
    fn go_to(&mut self, rows: &Rows, number: usize, tally: &mut Tally) {
        let Self { marking, cursor, .. } = self;
        rows.go_to(cursor, number, |place, tokens| {
            marking.set(place, tokens);
            let bound = &mut tally.bounds[place as usize];
            *bound = (*bound).max(u64::from(tokens));
        });
    }

    /// Fires the enabled transitions in order; calls `reach` with the cursor, the changes of places and the
    /// changed tokens. Returns `None` if `reach` does, or if a place gets too many tokens for a number.
    #[inline]
    fn fire(
        &mut self,
        tally: &mut Tally,
        mut reach: impl FnMut(&mut Cursor, &[(u32, i64)], &[u32]) -> Option<()>,
    ) -> Option<()> {
        let Self { compiled, marking, cursor, left, by_reset } = self;
        marking.settle(compiled);
        tally.fullest = tally.fullest.max(marking.sum);
        tally.dead += u64::from(marking.enabled.iter().all(|&word| word == 0));
        for (first, (&word, ever)) in marking.enabled.iter().zip(&mut tally.enabled).enumerate() {
            let mut word = word;
            *ever |= word;
            tally.edges += u64::from(word.count_ones());
            while word != 0 {
                let transition = first * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                let changes = match compiled.resets.of_transition(transition) {
                    [] => &compiled.changes[transition],
                    _ => {
                        touched(compiled, transition, &marking.tokens, left)?;
                        let by = |&(place, left): &(u32, u32)| {
                            (place, i64::from(left) - i64::from(marking.tokens[place as usize]))
                        };
                        by_reset.clear();
                        by_reset.extend(left.iter().map(by));
                        &*by_reset
                    }
                };
                reach(cursor, changes, &marking.tokens)?;
            }
        }
        Some(())
    }
}

/// Markings found so far.
pub(super) struct Dense<'a> {
    net: &'a Net,
    rows: Rows,
    /// From which marking each was found first.
    parents: Vec<u32>,
    walker: Walker<'a>,
    tally: Tally,
    limit: usize,
    complete: bool,
}

impl<'a> Dense<'a> {
    /// Returns the set with the first marking of a net; `looks` is the result of [`Compiled::looks`].
    pub fn new(net: &'a Net, compiled: &'a Compiled, looks: &'a [Vec<u32>], limit: usize) -> Self {
        let marking = Marking::first(net, looks);
        let (rows, cursor) = Rows::new(&marking.tokens);
        let mut tally = Tally::new(net);
        tally.bounds = marking.tokens.iter().map(|&tokens| u64::from(tokens)).collect();
        let walker = Walker { compiled, marking, cursor, left: Vec::new(), by_reset: Vec::new() };
        Self { net, rows, parents: vec![0], walker, tally, limit, complete: true }
    }

    /// Every marking, with the number of the one from which it was found.
    #[cfg(test)]
    pub fn markings(&self) -> Vec<(u32, Vec<u32>)> {
        let row = |(number, &parent)| (parent, self.rows.tokens(number).collect());
        self.parents.iter().enumerate().map(row).collect()
    }

    /// Returns the result of the search.
    pub fn explored(self) -> Explored {
        let unbounded = (!self.complete).then(|| growing(&self.rows, &self.parents));
        self.tally.explored(self.net, self.rows.count().min(self.limit), unbounded)
    }
}

/// The state of a worker and its findings.
pub(super) struct Worker<'a> {
    walker: Walker<'a>,
    tally: Tally,
    fresh: Fresh,
}

impl<'a> Space for Dense<'a> {
    type Worker = Worker<'a>;

    fn count(&self) -> usize {
        self.rows.count()
    }

    fn limit(&self) -> usize {
        self.limit
    }

    fn complete(&self) -> bool {
        self.complete
    }

    #[inline]
    fn expand(&mut self, number: usize) -> Result<usize, PetriError> {
        let Self { net, rows, parents, walker, tally, limit, complete } = self;
        walker.go_to(rows, number, tally);
        let fired = walker.fire(tally, |cursor, changes, tokens| {
            if *complete && rows.insert_beside(cursor, changes, tokens)? {
                if rows.count() <= *limit {
                    parents.push(number as u32);
                } else {
                    *complete = false;
                }
            }
            Some(())
        });
        fired.map(|()| parts(net)).ok_or_else(|| too_many_tokens(net))
    }

    fn worker(&self) -> Worker<'a> {
        Worker { walker: self.walker.clone(), tally: Tally::new(self.net), fresh: Fresh::new() }
    }

    fn begin(&self, worker: &mut Worker<'a>) {
        self.rows.begin(&mut worker.walker.cursor, &mut worker.fresh);
        worker.tally.clear();
    }

    fn look(&self, worker: &mut Worker<'a>, number: usize) -> Option<usize> {
        let Worker { walker, tally, fresh } = worker;
        walker.go_to(&self.rows, number, tally);
        let note = |cursor: &mut Cursor, changes: &[(u32, i64)], tokens: &[u32]| {
            self.rows.note_beside(cursor, changes, tokens, fresh)
        };
        walker.fire(tally, note).map(|()| parts(self.net))
    }

    fn noted(worker: &Worker<'a>) -> (usize, usize) {
        (worker.fresh.count(), worker.fresh.words())
    }

    fn take(&mut self, worker: &Worker<'a>, noted: Range<usize>) {
        self.parents.extend(noted.filter_map(|number| self.rows.take(&worker.fresh, number)));
    }

    fn tally(&mut self, worker: &Worker<'a>) {
        self.tally.add(&worker.tally);
    }
}

/// Returns the most places and transitions that one marking may need to test.
fn parts(net: &Net) -> usize {
    net.places.len() + net.transitions.len() + 1
}

/// Returns places that grow between a marking and one that is reached from it and has no fewer tokens in any place:
/// the firings between them can be repeated.
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
