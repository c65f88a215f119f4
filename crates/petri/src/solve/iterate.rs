//! The steady state of a large chain by Gauss-Seidel iteration, from two different starts.

use super::chain::Rates;
use super::eliminate::eliminate;
use super::wide::Wide;
use crate::PetriError;
use std::ops::ControlFlow;

/// Iteration ends when no flow changes by more than this fraction in one sweep ...
const CLOSE: f64 = 1e-13;
/// ... and the flows found from the two starts differ by at most this fraction. A component of the flows that a sweep
/// hardly changes keeps the size it had at the start, so that small changes alone do not show that it is gone.
const AGREE: f64 = 1e-10;
/// Flows below this fraction of all flow may be rounded to no bits.
const LEAST_FLOW: f64 = 1e-280;
const MOST_SWEEPS: u32 = 200_000;
/// Sweeps in which the difference of the two starts has to halve once flows hardly change.
const PATIENCE: u32 = 1000;
/// Sweeps between two solutions for the flows between groups.
const GROUP_SWEEPS: u32 = 10;
/// Groups are ignored if solving for them takes more work than this: about a second each time.
const MOST_GROUP_WORK: u64 = 1 << 28;
/// Transitions with a lower probability do not join states into a group: sweeps alone converge within a group, and the
/// flow between groups is solved for.
const STRONG: f64 = 1e-3;

/// Flows through the states from two starts.
type Flows = Vec<[f64; 2]>;

/// Returns shares of time, up to a common factor.
pub(super) fn iterate(
    rates: &Rates,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Vec<Wide>, PetriError> {
    let count = rates.len();
    // Probabilities, and flows instead of shares of time, are in the range of f64 whatever the rates are.
    let out: Vec<Wide> = rates.iter().map(|row| row.iter().map(|&(_, rate)| rate).sum()).collect();
    let mut into = vec![Vec::new(); count];
    for (from, row) in rates.iter().enumerate() {
        for &(to, rate) in row {
            into[to as usize].push((from as u32, (rate / out[from]).number()));
        }
    }
    let groups = groups(&into);
    let mut random = linecard_sim::stream(1, "start");
    // Weights of all magnitudes: no set of many states gets the same share in both starts.
    let mut flows: Flows = (0..count).map(|_| [1.0, (-20.0 * random.unit()).exp()]).collect();
    normalise(&mut flows);
    let mut before: Option<(u32, f64)> = None;
    for sweep in 1..=MOST_SWEEPS {
        if progress(count as u64).is_break() {
            return Err(PetriError::Interrupted);
        }
        if sweep % GROUP_SWEEPS == 0
            && let Some(groups) = &groups
        {
            balance(&into, groups, &mut flows, progress)?;
        }
        if sweep_once(&into, &mut flows) >= CLOSE {
            continue;
        }
        let difference = difference(&flows);
        if difference <= AGREE {
            let shares = flows.iter().zip(out).map(|(flow, out)| Wide::from(flow[0]) / out);
            return Ok(shares.collect());
        }
        match before {
            Some((then, _)) if sweep < then + PATIENCE => {}
            Some((_, larger)) if difference > larger / 2.0 => {
                return Err(PetriError::Unsolvable(format!(
                    "the steady state of {count} markings cannot be found. They are too many for an exact solution, and \
                     some groups of them are rarely left, so that iteration stays where it starts. Simulate the net \
                     instead"
                )));
            }
            _ => before = Some((sweep, difference)),
        }
    }
    Err(PetriError::Unsolvable(format!(
        "no steady state within {MOST_SWEEPS} iterations for {count} markings"
    )))
}

/// Replaces each flow by the sum of those into it. Returns the largest change, as a fraction.
fn sweep_once(into: &[Vec<(u32, f64)>], flows: &mut Flows) -> f64 {
    let mut change: f64 = 0.0;
    for (state, from) in into.iter().enumerate() {
        let mut sums = [0.0; 2];
        for &(from, probability) in from {
            let [first, second] = flows[from as usize];
            sums[0] += first * probability;
            sums[1] += second * probability;
        }
        for (sum, old) in sums.iter().zip(&flows[state]) {
            change = change.max((sum - old).abs() / sum.max(f64::MIN_POSITIVE));
        }
        flows[state] = sums;
    }
    normalise(flows);
    change
}

fn normalise(flows: &mut Flows) {
    let mut sums = [0.0; 2];
    flows.iter().for_each(|flow| sums = [sums[0] + flow[0], sums[1] + flow[1]]);
    flows.iter_mut().for_each(|flow| *flow = [flow[0] / sums[0], flow[1] / sums[1]]);
}

/// Returns the largest difference of a flow between the two starts, as a fraction.
fn difference(flows: &Flows) -> f64 {
    let of = |&[first, second]: &[f64; 2]| (first - second).abs() / first.max(second).max(LEAST_FLOW);
    flows.iter().map(of).fold(0.0, f64::max)
}

/// Groups of states, by number: within a group, likely transitions lead from every state to every other. Returns the
/// group of each state and the number of groups, or `None` if all states are one group or no two are.
fn groups(into: &[Vec<(u32, f64)>]) -> Option<(Vec<u32>, usize)> {
    const NONE: u32 = u32::MAX;
    let count = into.len();
    let strong = |state: u32, at: usize| {
        let rest = into[state as usize].get(at..).unwrap_or_default();
        let found = rest.iter().position(|&(_, probability)| probability >= STRONG);
        found.map(|skipped| (at + skipped + 1, rest[skipped].0))
    };
    // Tarjan's search for strongly connected components, with an explicit stack.
    let (mut number, mut low, mut group) = (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
    let (mut numbered, mut found) = (0, 0u32);
    let mut open: Vec<u32> = Vec::new();
    let mut way: Vec<(u32, usize)> = Vec::new();
    for start in 0..count as u32 {
        if number[start as usize] != NONE {
            continue;
        }
        way.push((start, 0));
        while let Some((state, at)) = way.pop() {
            let here = state as usize;
            if at == 0 {
                (number[here], low[here]) = (numbered, numbered);
                numbered += 1;
                open.push(state);
            }
            if let Some((next, other)) = strong(state, at) {
                way.push((state, next));
                if number[other as usize] == NONE {
                    way.push((other, 0));
                } else if group[other as usize] == NONE {
                    low[here] = low[here].min(number[other as usize]);
                }
                continue;
            }
            if low[here] == number[here] {
                while let Some(member) = open.pop() {
                    group[member as usize] = found;
                    if member == state {
                        break;
                    }
                }
                found += 1;
            }
            if let Some(&(parent, _)) = way.last() {
                low[parent as usize] = low[parent as usize].min(low[here]);
            }
        }
    }
    (found > 1 && (found as usize) < count).then_some((group, found as usize))
}

/// Aggregation and disaggregation (Koury, McAllister and Stewart): solves for the flows between groups exactly, from
/// the present flows within them, and scales the flows of each group.
fn balance(
    into: &[Vec<(u32, f64)>],
    (group, count): &(Vec<u32>, usize),
    flows: &mut Flows,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<(), PetriError> {
    for start in 0..2 {
        let mut within = vec![Wide::ZERO; *count];
        let mut between: Vec<(u32, u32, f64)> = Vec::new();
        for (state, from) in into.iter().enumerate() {
            let to = group[state];
            within[to as usize] = within[to as usize] + Wide::from(flows[state][start]);
            let others = from.iter().map(|&(from, probability)| (from as usize, probability));
            let others = others.filter(|&(from, _)| group[from] != to && flows[from][start] > 0.0);
            between.extend(
                others.map(|(from, probability)| (group[from], to, flows[from][start] * probability)),
            );
        }
        between.sort_unstable_by_key(|&(from, to, _)| (from, to));
        let mut rates: Rates = vec![Vec::new(); *count];
        for (from, to, flow) in between {
            let rate = Wide::from(flow) / within[from as usize];
            match rates[from as usize].last_mut() {
                Some((last, sum)) if *last == to => *sum = *sum + rate,
                _ => rates[from as usize].push((to, rate)),
            }
        }
        // A group may have run out of flow: then only sweeps can go on.
        if rates.iter().any(|row| row.is_empty() || row.iter().any(|(_, rate)| rate.is_zero())) {
            return Ok(());
        }
        let Some(shares) = eliminate(&rates, MOST_GROUP_WORK, progress)? else { return Ok(()) };
        let sum: Wide = shares.iter().copied().sum();
        let factors: Vec<f64> =
            shares.iter().zip(&within).map(|(&share, &within)| (share / sum / within).number()).collect();
        if factors.iter().all(|factor| factor.is_finite()) {
            for (flow, &group) in flows.iter_mut().zip(group) {
                flow[start] *= factors[group as usize];
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::eliminate::MOST_WORK;

    fn iterated(rates: &Rates) -> Result<Vec<f64>, PetriError> {
        let shares = iterate(rates, &mut |_| ControlFlow::Continue(()))?;
        let sum: Wide = shares.iter().copied().sum();
        Ok(shares.iter().map(|&share| (share / sum).number()).collect())
    }

    /// A chain in which each state leads to the one before and to the one after.
    fn row(up: impl Fn(usize) -> f64, down: impl Fn(usize) -> f64, count: usize) -> Rates {
        let mut rates = vec![Vec::new(); count];
        for state in 0..count - 1 {
            rates[state].push((state as u32 + 1, Wide::from(up(state))));
            rates[state + 1].push((state as u32, Wide::from(down(state + 1))));
        }
        rates
    }

    #[test]
    fn a_queue_has_its_closed_form() {
        let shares = iterated(&row(|_| 0.8, |_| 1.0, 60)).unwrap();
        for pair in shares.windows(2) {
            assert!((pair[1] / pair[0] - 0.8).abs() < 1e-9, "{pair:?}");
        }
    }

    /// Two queues of different load; a slow mode decides between them, in every state. Sweeps alone keep the split of
    /// the start to the last bit.
    #[test]
    fn slow_changes_between_groups_are_solved_for() {
        let size = 400;
        let queue = |rates: &mut Rates, load: f64| {
            let first = rates.len() as u32;
            for mut more in row(|_| load * 1e9, |_| 1e9, size) {
                more.iter_mut().for_each(|(to, _)| *to += first);
                rates.push(more);
            }
        };
        let mut rates = Rates::new();
        queue(&mut rates, 0.3);
        queue(&mut rates, 0.8);
        for state in 0..size {
            rates[state].push(((state + size) as u32, Wide::from(1.388_888_888_888_889e-5)));
            rates[state + size].push((state as u32, Wide::from(6.944_444_444_444_444e-5)));
        }
        let shares = iterated(&rates).unwrap();
        let second: f64 = shares[size..].iter().sum();
        assert!((second - 1.0 / 6.0).abs() < 1e-9, "{second}");
    }

    /// The path between two groups of likely states has no slow transition, but ever less likely states: no transition is
    /// below the limit of groups, each flow is balanced to the last bit with any split, and only the two starts show it.
    #[test]
    fn a_split_that_the_start_decides_is_refused() {
        let count = 201;
        let up = |state: usize| if state < count / 2 { 0.2 } else { 1.0 };
        let down = |state: usize| if state <= count / 2 { 1.0 } else { 0.2 };
        let rates = row(up, down, count);
        let error = iterated(&rates).unwrap_err().to_string();
        assert!(error.contains("some groups of them are rarely left"), "{error}");
        // Elimination finds it: both ends are equally likely.
        let shares = eliminate(&rates, MOST_WORK, &mut |_| ControlFlow::Continue(())).unwrap().unwrap();
        assert!(((shares[0] / shares[count - 1]).number() - 1.0).abs() < 1e-12);
    }
}
