//! The steady state of a net with exponential and immediate transitions: exact, from its tangible markings.
//!
//! Markings that enable an immediate transition are left at once (they *vanish*): one of the highest priority
//! fires, by weight (`vanishing.rs`). The remaining markings form a Markov chain. Its steady state is found by the
//! elimination of Grassmann, Taksar and Heyman (1985), which has no subtractions (`eliminate.rs`), or for chains in which that
//! takes too much work by Gauss-Seidel iteration (`iterate.rs`).

mod chain;
mod eliminate;
mod iterate;
mod vanishing;
mod wide;

use crate::PetriError;
use crate::compiled::Compiled;
use crate::net::{Net, Timing};
use chain::{Progress, Rates, recurrent};
use eliminate::{MOST_WORK, eliminate};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::ops::ControlFlow;
use vanishing::{Marking, Resolved, Step, Vanishing, add_to, leave};
use wide::Wide;

/// A steady state.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Solved {
    /// Markings in which time passes.
    pub tangible_markings: u64,
    /// Markings in which no time passes.
    pub vanishing_markings: u64,
    /// Firings per time unit, by transition.
    pub throughput: Vec<f64>,
    /// Mean tokens over time, by place.
    pub mean_tokens: Vec<f64>,
}

/// Returns shares of time, up to a common factor.
///
/// Elimination is exact even if some rates are far below others, because it has no subtractions. Where it takes too much
/// work, iteration starts from two different states at once: what it has not yet forgotten of its start shows as a
/// difference between the two, however slowly it forgets.
fn steady(rates: &Rates, progress: Progress<'_>) -> Result<Vec<Wide>, PetriError> {
    match eliminate(rates, MOST_WORK, progress)? {
        Some(shares) => Ok(shares),
        None => iterate::iterate(rates, progress),
    }
}

/// Solves a net with at most `most_markings` markings.
///
/// # Errors
///
/// If a transition has another time, the net is unbounded beyond the limit, a marking is absorbing, immediate
/// transitions fire forever, or the chain is reducible.
pub fn solve(net: &Net, most_markings: u64) -> Result<Solved, PetriError> {
    solve_until(net, most_markings, &mut |_| ControlFlow::Continue(()))
}

/// As `solve`; `progress` is called with the number of tangible markings visited and may end it.
///
/// # Errors
///
/// As [`solve`], and if `progress` ended it.
pub fn solve_until(
    net: &Net,
    most_markings: u64,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Solved, PetriError> {
    for transition in &net.transitions {
        let found = match transition.timing {
            Timing::Immediate { .. } | Timing::Exponential { .. } => continue,
            Timing::Deterministic { .. } => "a deterministic time",
            Timing::Uniform { .. } => "a uniform time",
            Timing::Erlang { .. } => "an Erlang time",
            Timing::Empirical { .. } => "an empirical time",
            Timing::Untimed => "no time",
        };
        let expected = "an exponential or immediate time, because an exact solution requires memoryless times; \
                        simulate the net instead";
        return Err(PetriError::part("transition", &transition.name, found, expected));
    }
    let mut graph = Graph::new(net, most_markings);
    graph.build(progress)?;
    graph.steady_state(progress)
}

/// What is known of a marking.
enum Found {
    Outcome(Resolved),
    /// It is vanishing, and its outcome is not known yet.
    Step(u32),
}

struct Graph<'a> {
    net: &'a Net,
    compiled: Compiled,
    most: usize,
    tangible: FxHashMap<Marking, u32>,
    markings: Vec<Marking>,
    vanishing: FxHashMap<Marking, Vanishing>,
    /// For each tangible marking: its enabled transitions with their rates and outcomes.
    leaves: Vec<Vec<(u32, Wide, Resolved)>>,
}

impl<'a> Graph<'a> {
    fn new(net: &'a Net, most: u64) -> Self {
        Self {
            net,
            compiled: Compiled::new(net),
            most: most.clamp(1, 1 << 31) as usize,
            tangible: FxHashMap::default(),
            markings: Vec::new(),
            vanishing: FxHashMap::default(),
            leaves: Vec::new(),
        }
    }

    fn degree(&self, transition: usize, marking: &[u32]) -> u32 {
        self.compiled.degree(transition, |place| marking[place as usize])
    }

    fn fired(&self, transition: usize, marking: &[u32]) -> Marking {
        let mut next: Vec<u32> = marking.to_vec();
        for &(place, weight) in self.compiled.inputs.of_transition(transition) {
            next[place as usize] -= weight;
        }
        for &(place, _) in self.compiled.resets.of_transition(transition) {
            next[place as usize] = 0;
        }
        for &(place, weight) in self.compiled.outputs.of_transition(transition) {
            next[place as usize] = next[place as usize].saturating_add(weight);
        }
        next.into_boxed_slice()
    }

    /// Returns the immediate transitions that compete in a marking, with their probabilities.
    fn competing(&self, marking: &[u32]) -> Vec<(u32, f64)> {
        let mut best = 0;
        let mut found: Vec<(u32, f64)> = Vec::new();
        for (number, transition) in self.net.transitions.iter().enumerate() {
            let Timing::Immediate { weight, priority } = transition.timing else { continue };
            if self.degree(number, marking) == 0 {
                continue;
            }
            if found.is_empty() || priority > best {
                (best, found) = (priority, vec![(number as u32, weight)]);
            } else if priority == best {
                found.push((number as u32, weight));
            }
        }
        // Weights near the largest number have no sum, but their ratios have one.
        let largest = found.iter().map(|&(_, weight)| weight).fold(0.0, f64::max);
        let sum: f64 = found.iter().map(|(_, weight)| weight / largest).sum();
        found.iter_mut().for_each(|(_, weight)| *weight = *weight / largest / sum);
        found
    }

    /// Returns the outcome of a marking: itself if it is tangible. Follows vanishing markings depth first (Tarjan's
    /// search), with an explicit stack, so that a long sequence of them cannot overflow the call stack.
    fn resolve(&mut self, marking: Marking) -> Result<Resolved, PetriError> {
        // Markings without an outcome yet, and the numbers of the markings on the present path.
        let mut steps: Vec<Step> = Vec::new();
        let mut way: Vec<usize> = Vec::new();
        match self.look_up(marking, &mut steps)? {
            Found::Outcome(known) => return Ok(known),
            Found::Step(number) => way.push(number as usize),
        }
        loop {
            let Some(&number) = way.last() else { return Ok(Resolved::default()) };
            let step = &mut steps[number];
            if let Some(&(transition, share)) = step.competing.get(step.at) {
                step.at += 1;
                add_to(&mut step.resolved.firings, transition, share);
                let next = self.fired(transition as usize, &step.marking);
                let known = steps.len();
                match self.look_up(next, &mut steps)? {
                    Found::Outcome(outcome) => steps[number].ends_in(&outcome),
                    Found::Step(to) if (to as usize) < known => steps[number].leads_to(to, to),
                    Found::Step(to) => way.push(to as usize),
                }
                continue;
            }
            way.pop();
            let low = step.low;
            if (low as usize) < number {
                if let Some(&before) = way.last() {
                    steps[before].leads_to(number as u32, low);
                }
                continue;
            }
            let mut members = steps.split_off(number);
            let Some(outcomes) = leave(&mut members, low) else {
                return Err(self.trapped(&members[0].marking));
            };
            let first = outcomes[0].clone();
            for (member, outcome) in members.into_iter().zip(outcomes) {
                self.vanishing.insert(member.marking, Vanishing::Done(outcome));
            }
            match way.last() {
                Some(&before) => steps[before].ends_in(&first),
                None => return Ok(first),
            }
        }
    }

    fn trapped(&self, marking: &[u32]) -> PetriError {
        let place = self.words(marking);
        let text =
            format!("from {place}, immediate transitions fire forever, so simulated time does not advance");
        PetriError::Unsolvable(text)
    }

    /// Returns the outcome of a marking, or the number of its step; a vanishing marking seen for the first time becomes
    /// the last step.
    fn look_up(&mut self, marking: Marking, steps: &mut Vec<Step>) -> Result<Found, PetriError> {
        if let Some(&number) = self.tangible.get(&marking) {
            return Ok(Found::Outcome(Resolved::of(number)));
        }
        match self.vanishing.get(&marking) {
            Some(Vanishing::Done(resolved)) => return Ok(Found::Outcome(resolved.clone())),
            Some(&Vanishing::Open(number)) => return Ok(Found::Step(number)),
            None => {}
        }
        if self.tangible.len() + self.vanishing.len() >= self.most {
            let most = self.most;
            let text = format!(
                "more than {most} markings: the net may be unbounded; if it is bounded, raise the limit"
            );
            return Err(PetriError::Unsolvable(text));
        }
        let competing = self.competing(&marking);
        if competing.is_empty() {
            return Ok(Found::Outcome(self.add_tangible(marking)));
        }
        let number = steps.len() as u32;
        self.vanishing.insert(marking.clone(), Vanishing::Open(number));
        steps.push(Step::new(marking, competing, number));
        Ok(Found::Step(number))
    }

    fn add_tangible(&mut self, marking: Marking) -> Resolved {
        let number = self.markings.len() as u32;
        self.tangible.insert(marking.clone(), number);
        self.markings.push(marking);
        Resolved::of(number)
    }

    fn build(&mut self, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<(), PetriError> {
        let first: Marking = self.net.places.iter().map(|place| place.tokens).collect();
        self.resolve(first)?;
        let mut number = 0;
        while number < self.markings.len() {
            let marking = self.markings[number].clone();
            let mut leaves = Vec::new();
            for (transition, kind) in self.net.transitions.iter().enumerate() {
                let Timing::Exponential { rate } = kind.timing else { continue };
                let degree = self.degree(transition, &marking);
                if degree > 0 {
                    let rate = Wide::from(rate) * Wide::from(f64::from(kind.servers.busy(degree)));
                    let next = self.fired(transition, &marking);
                    leaves.push((transition as u32, rate, self.resolve(next)?));
                }
            }
            if leaves.is_empty() {
                let place = self.words(&marking);
                let text =
                    format!("{place} is absorbing: it enables no transition, so the net has no steady state");
                return Err(PetriError::Unsolvable(text));
            }
            self.leaves.push(leaves);
            number += 1;
            if number.is_multiple_of(1 << 12) && progress(number as u64).is_break() {
                return Err(PetriError::Interrupted);
            }
        }
        Ok(())
    }

    fn words(&self, marking: &[u32]) -> String {
        let held = self.net.places.iter().zip(marking).filter(|(_, tokens)| **tokens > 0);
        let held: Vec<String> =
            held.take(12).map(|(place, tokens)| format!("{} {tokens}", place.name)).collect();
        format!("the marking {{{}}}", held.join(", "))
    }

    /// Returns the rates between markings; transitions of a marking to itself are omitted.
    fn rates(&self) -> Rates {
        let rows = self.leaves.iter().enumerate().map(|(from, leaves)| {
            let mut row: Vec<(u32, Wide)> = Vec::new();
            for (_, rate, resolved) in leaves {
                // A long way of immediate transitions may be too improbable for a number.
                let others = resolved.to.iter().filter(|&&(to, share)| to as usize != from && share > 0.0);
                row.extend(others.map(|&(to, share)| (to, *rate * Wide::from(share))));
            }
            row.sort_by_key(|&(to, _)| to);
            row.dedup_by(|next, sum| {
                let same = next.0 == sum.0;
                if same {
                    sum.1 = sum.1 + next.1;
                }
                same
            });
            row
        });
        rows.collect()
    }

    fn steady_state(&self, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<Solved, PetriError> {
        let rates = self.rates();
        let members = recurrent(&rates)
            .ok_or_else(|| PetriError::Unsolvable("the net has several recurrent classes: chance decides which class the net enters, so it has no unique steady state".to_owned()))?;
        let mut place_of = vec![u32::MAX; rates.len()];
        for (place, &member) in members.iter().enumerate() {
            place_of[member as usize] = place as u32;
        }
        let inner: Rates = members
            .iter()
            .map(|&m| rates[m as usize].iter().map(|&(to, rate)| (place_of[to as usize], rate)).collect())
            .collect();
        let shares = steady(&inner, progress)?;
        let sum: Wide = shares.iter().copied().sum();
        let mut throughput = vec![Wide::ZERO; self.net.transitions.len()];
        let mut mean_tokens = vec![0.0; self.net.places.len()];
        for (&member, share) in members.iter().zip(shares) {
            let share = share / sum;
            for (mean, &tokens) in mean_tokens.iter_mut().zip(&self.markings[member as usize]) {
                *mean += share.number() * f64::from(tokens);
            }
            for &(transition, rate, ref resolved) in &self.leaves[member as usize] {
                let flow = share * rate;
                let mut add = |transition: u32, flow: Wide| {
                    throughput[transition as usize] = throughput[transition as usize] + flow;
                };
                add(transition, flow);
                resolved.firings.iter().for_each(|&(t, count)| add(t, flow * Wide::from(count)));
            }
        }
        let throughput: Vec<f64> = throughput.into_iter().map(Wide::number).collect();
        // A mean is a number: shares of time are at most 1.
        for (transition, throughput) in self.net.transitions.iter().zip(&throughput) {
            if !throughput.is_finite() {
                let text =
                    format!("the throughput of transition {:?} is too large for a number", transition.name);
                return Err(PetriError::Unsolvable(text));
            }
        }
        Ok(Solved {
            tangible_markings: self.markings.len() as u64,
            vanishing_markings: self.vanishing.len() as u64,
            throughput,
            mean_tokens,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NetBuilder, Servers};

    /// Immediate transitions move tokens one by one, in one or two ways: the vanishing markings in sequence are as
    /// many as the tokens, with two ways in too many orders to list. A timed transition returns the tokens.
    #[test]
    fn long_rows_of_immediate_firings_are_followed_to_their_end() {
        for (tokens, ways) in [(20_000, 1), (60, 2)] {
            let mut net = NetBuilder::new("row");
            let from = net.place("from", tokens).unwrap();
            let to: Vec<u32> = (0..ways).map(|way| net.place(&format!("to{way}"), 0).unwrap()).collect();
            let timing = Timing::Immediate { weight: 1.0, priority: 0 };
            for (way, &to) in to.iter().enumerate() {
                let go = net.transition(&format!("go{way}"), timing.clone(), Servers::Count(1)).unwrap();
                net.input(from, go, 1).unwrap();
                net.output(go, to, 1).unwrap();
                let back = Timing::Exponential { rate: 1.0 };
                let back = net.transition(&format!("back{way}"), back, Servers::Count(1)).unwrap();
                net.input(to, back, 1).unwrap();
                net.output(back, from, 1).unwrap();
            }
            let solved = solve(&net.build().unwrap(), 1_000_000).unwrap();
            // By symmetry the tokens are shared evenly.
            for &place in &to {
                let mean = solved.mean_tokens[place as usize];
                assert!((mean - f64::from(tokens) / to.len() as f64).abs() < 1e-6, "{mean}");
            }
            assert!((solved.throughput[0] - solved.throughput[1]).abs() < 1e-9);
        }
    }

    #[test]
    fn immediate_transitions_that_go_round_are_refused() {
        let mut net = NetBuilder::new("round");
        let (a, b) = (net.place("a", 1).unwrap(), net.place("b", 0).unwrap());
        for (name, from, to) in [("there", a, b), ("back", b, a)] {
            let timing = Timing::Immediate { weight: 1.0, priority: 0 };
            let go = net.transition(name, timing, Servers::Count(1)).unwrap();
            net.input(from, go, 1).unwrap();
            net.output(go, to, 1).unwrap();
        }
        let error = solve(&net.build().unwrap(), 100).unwrap_err().to_string();
        assert!(error.contains("fire forever, so simulated time does not advance"), "{error}");
    }
}
