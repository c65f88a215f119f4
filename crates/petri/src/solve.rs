//! The steady state of a net with exponential and immediate transitions: exact, from its tangible markings.
//!
//! Markings that enable an immediate transition are left at once (they *vanish*): one of the highest priority
//! fires, by weight. The remaining markings form a Markov chain. Its steady state is found by the elimination
//! of Grassmann, Taksar and Heyman (1985), which has no subtractions, or for large chains by Gauss-Seidel
//! iteration.

use crate::PetriError;
use crate::compiled::Compiled;
use crate::net::{Net, Timing};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::ops::ControlFlow;

/// Chains up to this size are solved by elimination, larger ones by iteration.
const MOST_ELIMINATED: usize = 1500;
/// Iteration ends when no probability changes by more than this fraction.
const CLOSE: f64 = 1e-13;
const MOST_ITERATIONS: u32 = 200_000;

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

type Marking = Box<[u32]>;

/// The outcome of a vanishing marking: tangible markings with probabilities, and the mean firings of immediate
/// transitions.
#[derive(Clone, Debug, Default)]
struct Resolved {
    to: Vec<(u32, f64)>,
    firings: Vec<(u32, f64)>,
}

impl Resolved {
    /// Returns the outcome of a tangible marking: itself.
    fn of(number: u32) -> Self {
        Self { to: vec![(number, 1.0)], firings: Vec::new() }
    }

    /// Adds a firing with a probability, and its outcome. Each marking and transition has one entry.
    fn add(&mut self, transition: u32, share: f64, further: &Resolved) {
        add_to(&mut self.firings, transition, share);
        further.firings.iter().for_each(|&(t, count)| add_to(&mut self.firings, t, count * share));
        further.to.iter().for_each(|&(m, p)| add_to(&mut self.to, m, p * share));
    }
}

/// Adds to the value of a number on a list.
fn add_to(list: &mut Vec<(u32, f64)>, number: u32, value: f64) {
    match list.iter_mut().find(|(other, _)| *other == number) {
        Some((_, sum)) => *sum += value,
        None => list.push((number, value)),
    }
}

/// A vanishing marking whose transitions are followed one after another.
struct Step {
    marking: Marking,
    competing: Vec<(u32, f64)>,
    at: usize,
    resolved: Resolved,
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

struct Graph<'a> {
    net: &'a Net,
    compiled: Compiled,
    most: usize,
    tangible: FxHashMap<Marking, u32>,
    markings: Vec<Marking>,
    vanishing: FxHashMap<Marking, Option<Resolved>>,
    /// For each tangible marking: its enabled transitions with their rates and outcomes.
    leaves: Vec<Vec<(u32, f64, Resolved)>>,
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
        let sum: f64 = found.iter().map(|(_, weight)| weight).sum();
        found.iter_mut().for_each(|(_, weight)| *weight /= sum);
        found
    }

    /// Returns the outcome of a marking: itself if it is tangible. Uses an explicit stack, so that a long sequence of
    /// vanishing markings cannot overflow the call stack.
    fn resolve(&mut self, marking: Marking) -> Result<Resolved, PetriError> {
        let mut way: Vec<Step> = Vec::new();
        let mut next = Some(marking);
        let mut known = Resolved::default();
        loop {
            if let Some(marking) = next.take() {
                match self.look_up(&marking)? {
                    Some(resolved) => known = resolved,
                    None => {
                        let competing = self.competing(&marking);
                        if competing.is_empty() {
                            known = self.add_tangible(marking);
                        } else {
                            self.vanishing.insert(marking.clone(), None);
                            way.push(Step { marking, competing, at: 0, resolved: Resolved::default() });
                            known = Resolved::default();
                        }
                    }
                }
            }
            let Some(step) = way.last_mut() else { return Ok(known) };
            if !known.to.is_empty() {
                let (transition, share) = step.competing[step.at];
                step.resolved.add(transition, share, &std::mem::take(&mut known));
                step.at += 1;
            }
            if let Some(&(transition, _)) = step.competing.get(step.at) {
                let from = step.marking.clone();
                next = Some(self.fired(transition as usize, &from));
            } else if let Some(step) = way.pop() {
                self.vanishing.insert(step.marking, Some(step.resolved.clone()));
                known = step.resolved;
            }
        }
    }

    /// Returns the outcome of a marking, if it is known.
    fn look_up(&self, marking: &Marking) -> Result<Option<Resolved>, PetriError> {
        if let Some(&number) = self.tangible.get(marking) {
            return Ok(Some(Resolved::of(number)));
        }
        match self.vanishing.get(marking) {
            Some(Some(resolved)) => Ok(Some(resolved.clone())),
            Some(None) => {
                let place = self.words(marking);
                let text = format!(
                    "from {place}, immediate transitions fire forever, so simulated time does not advance"
                );
                Err(PetriError::Unsolvable(text))
            }
            None if self.tangible.len() + self.vanishing.len() >= self.most => {
                let most = self.most;
                let text = format!(
                    "more than {most} markings: the net may be unbounded; if it is bounded, raise the limit"
                );
                Err(PetriError::Unsolvable(text))
            }
            None => Ok(None),
        }
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
                    let rate = rate * f64::from(kind.servers.busy(degree));
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
    fn rates(&self) -> Vec<Vec<(u32, f64)>> {
        let rows = self.leaves.iter().enumerate().map(|(from, leaves)| {
            let mut row: Vec<(u32, f64)> = Vec::new();
            for (_, rate, resolved) in leaves {
                for &(to, share) in resolved.to.iter().filter(|&&(to, _)| to as usize != from) {
                    add_to(&mut row, to, rate * share);
                }
            }
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
        let inner: Vec<Vec<(u32, f64)>> = members
            .iter()
            .map(|&m| rates[m as usize].iter().map(|&(to, rate)| (place_of[to as usize], rate)).collect())
            .collect();
        let shares =
            if inner.len() <= MOST_ELIMINATED { eliminate(&inner) } else { iterate(&inner, progress)? };
        let mut solved = Solved {
            tangible_markings: self.markings.len() as u64,
            vanishing_markings: self.vanishing.len() as u64,
            throughput: vec![0.0; self.net.transitions.len()],
            mean_tokens: vec![0.0; self.net.places.len()],
        };
        for (&member, share) in members.iter().zip(shares) {
            for (mean, &tokens) in solved.mean_tokens.iter_mut().zip(&self.markings[member as usize]) {
                *mean += share * f64::from(tokens);
            }
            for (transition, rate, resolved) in &self.leaves[member as usize] {
                solved.throughput[*transition as usize] += share * rate;
                for &(immediate, count) in &resolved.firings {
                    solved.throughput[immediate as usize] += share * rate * count;
                }
            }
        }
        Ok(solved)
    }
}

/// Returns the recurrent markings if they are one class, which every marking can reach; `None` if there are several
/// classes.
fn recurrent(rates: &[Vec<(u32, f64)>]) -> Option<Vec<u32>> {
    let count = rates.len();
    let mut back = vec![Vec::new(); count];
    for (from, row) in rates.iter().enumerate() {
        for &(to, _) in row {
            back[to as usize].push(from as u32);
        }
    }
    // Searches go backwards, each from the first marking that no search has found. If every marking leads to one class, the
    // last search starts in it: a search that finds a member of the class finds it from the class, and finds every marking.
    let mut seen = vec![false; count];
    let mut candidate = 0;
    for start in 0..count as u32 {
        if !seen[start as usize] {
            reach(&back, start, &mut seen);
            candidate = start;
        }
    }
    let all_reach_it = reach(&back, candidate, &mut vec![false; count]).len() == count;
    all_reach_it.then(|| {
        let forward: Vec<Vec<u32>> =
            rates.iter().map(|row| row.iter().map(|&(to, _)| to).collect()).collect();
        let mut members = reach(&forward, candidate, &mut vec![false; count]);
        members.sort_unstable();
        members
    })
}

/// Marks all markings that `start` leads to and that are not marked yet. Returns them, `start` included.
fn reach(edges: &[Vec<u32>], start: u32, seen: &mut [bool]) -> Vec<u32> {
    seen[start as usize] = true;
    let mut reached = vec![start];
    let mut next = 0;
    while let Some(&at) = reached.get(next) {
        next += 1;
        for &to in &edges[at as usize] {
            if !std::mem::replace(&mut seen[to as usize], true) {
                reached.push(to);
            }
        }
    }
    reached
}

/// Solves for the steady state by the elimination of Grassmann, Taksar and Heyman: states are removed one by one, and
/// their rates are added to those of the others.
fn eliminate(rates: &[Vec<(u32, f64)>]) -> Vec<f64> {
    let count = rates.len();
    let mut dense = vec![0.0; count * count];
    for (from, row) in rates.iter().enumerate() {
        for &(to, rate) in row {
            dense[from * count + to as usize] += rate;
        }
    }
    for last in (1..count).rev() {
        let out: f64 = dense[last * count..last * count + last].iter().sum();
        for from in 0..last {
            let share = dense[from * count + last] / out;
            dense[from * count + last] = share;
            if share > 0.0 {
                for to in 0..last {
                    dense[from * count + to] += share * dense[last * count + to];
                }
            }
        }
    }
    let mut shares = vec![1.0; count];
    for state in 1..count {
        shares[state] = (0..state).map(|from| shares[from] * dense[from * count + state]).sum();
    }
    normalised(shares)
}

fn normalised(mut shares: Vec<f64>) -> Vec<f64> {
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

fn iterate(
    rates: &[Vec<(u32, f64)>],
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Vec<f64>, PetriError> {
    let count = rates.len();
    let out: Vec<f64> = rates.iter().map(|row| row.iter().map(|(_, rate)| rate).sum()).collect();
    let mut into = vec![Vec::new(); count];
    for (from, row) in rates.iter().enumerate() {
        for &(to, rate) in row {
            into[to as usize].push((from as u32, rate));
        }
    }
    let mut shares = vec![1.0 / count as f64; count];
    for _ in 0..MOST_ITERATIONS {
        if progress(count as u64).is_break() {
            return Err(PetriError::Interrupted);
        }
        let mut change: f64 = 0.0;
        for state in 0..count {
            let flow: f64 = into[state].iter().map(|&(from, rate)| shares[from as usize] * rate).sum();
            let share = flow / out[state];
            change = change.max((share - shares[state]).abs() / share.max(f64::MIN_POSITIVE));
            shares[state] = share;
        }
        shares = normalised(shares);
        if change < CLOSE {
            return Ok(shares);
        }
    }
    Err(PetriError::Unsolvable(format!(
        "no steady state within {MOST_ITERATIONS} iterations for {count} markings"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NetBuilder, Servers};

    #[test]
    fn recurrent_markings_are_those_that_every_marking_can_reach() {
        // All graphs of four markings.
        for edges in 0u32..1 << 12 {
            let pairs =
                (0..4u32).flat_map(|from| (0..4).filter(move |&to| to != from).map(move |to| (from, to)));
            let mut rates = vec![Vec::new(); 4];
            let mut reaches: [[bool; 4]; 4] =
                std::array::from_fn(|from| std::array::from_fn(|to| from == to));
            for (_, (from, to)) in (0..).zip(pairs).filter(|(bit, _)| edges >> bit & 1 == 1) {
                rates[from as usize].push((to, 1.0));
                reaches[from as usize][to as usize] = true;
            }
            for through in 0..4 {
                for from in 0..4 {
                    for to in 0..4 {
                        reaches[from][to] |= reaches[from][through] && reaches[through][to];
                    }
                }
            }
            let members: Vec<u32> = (0..4).filter(|&to| reaches.iter().all(|row| row[to as usize])).collect();
            assert_eq!(recurrent(&rates), Some(members).filter(|members| !members.is_empty()), "{rates:?}");
        }
    }

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
