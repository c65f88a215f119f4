//! The steady state of a chain by the elimination of Grassmann, Taksar and Heyman: states are removed one by one, and
//! their rates are added to those of the others. Without subtractions, each rate keeps its digits.

use super::chain::{Progress, Rates};
use super::wide::{Number, Wide};
use crate::PetriError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Elimination is given up if it would read more rates than this, which takes about ten seconds. A chain in which each of
/// 1500 states leads to all others is well below.
pub(super) const MOST_WORK: u64 = 1 << 31;
/// Elimination is given up if it has to keep more rates than this: a gigabyte.
const MOST_KEPT: u64 = 1 << 26;
/// Rates that are read between two calls of the progress function: a fraction of a second.
const PROGRESS_WORK: u64 = 1 << 24;

/// Why elimination ended without a result.
enum Ended {
    TooMuchWork,
    /// A rate is not in the range of the numbers.
    OutOfRange,
    Interrupted,
}

/// Returns shares of time, up to a common factor; `None` if that takes more than this work.
pub(super) fn eliminate(
    rates: &Rates,
    most_work: u64,
    progress: Progress<'_>,
) -> Result<Option<Vec<Wide>>, PetriError> {
    let mut ended = Shrinking::<f64>::new(rates).solve(most_work, progress);
    if matches!(ended, Err(Ended::OutOfRange)) {
        ended = Shrinking::<Wide>::new(rates).solve(most_work, progress);
    }
    match ended {
        Ok(shares) => Ok(Some(shares)),
        Err(Ended::Interrupted) => Err(PetriError::Interrupted),
        Err(_) => Ok(None),
    }
}

type Row<N> = Vec<(u32, N)>;

/// A chain from which states are removed.
struct Shrinking<N> {
    /// Rates by state, in any order.
    rows: Vec<Row<N>>,
    /// The states that lead to a state; also states that were removed.
    from: Vec<Vec<u32>>,
    /// How many of these remain.
    degree: Vec<u32>,
    gone: Vec<bool>,
    /// Rates in all rows.
    held: u64,
    /// Rates out of the state that is being removed, by the state they lead to; zero at all other times.
    further: Vec<N>,
    /// The last state whose row was found to lead to a state.
    leads: Vec<u32>,
    /// Whether all rates are in the range of the numbers.
    in_range: bool,
    /// For each state removed, in order: the ratios of the rates into it to the rate at which it is left.
    removed: Vec<(u32, Row<N>)>,
    /// Rates read, those read when `progress` was called, and ratios in `removed`.
    work: u64,
    told: u64,
    kept: u64,
}

impl<N: Number> Shrinking<N> {
    fn new(rates: &Rates) -> Self {
        let count = rates.len();
        let mut from = vec![Vec::new(); count];
        let mut in_range = true;
        for (state, row) in (0u32..).zip(rates) {
            row.iter().for_each(|&(to, _)| from[to as usize].push(state));
            // The rates out of a state have a sum that never grows, and so all later sums are in range too.
            let sum: Wide = row.iter().map(|&(_, rate)| rate).sum();
            in_range &= row.iter().all(|&(_, rate)| N::of(rate).in_range());
            in_range &= row.is_empty() || N::of(sum).in_range();
        }
        Self {
            rows: rates.iter().map(|row| row.iter().map(|&(to, rate)| (to, N::of(rate))).collect()).collect(),
            degree: from.iter().map(|from| from.len() as u32).collect(),
            from,
            gone: vec![false; count],
            held: rates.iter().map(|row| row.len() as u64).sum(),
            further: vec![N::ZERO; count],
            leads: vec![u32::MAX; count],
            in_range,
            removed: Vec::with_capacity(count),
            work: 0,
            told: 0,
            kept: 0,
        }
    }

    /// Returns the rates that removing a state adds at most.
    fn cost(&self, state: u32) -> u64 {
        u64::from(self.degree[state as usize]) * self.rows[state as usize].len() as u64
    }

    /// Ends elimination if all work so far and `coming` is too much, or `progress` ends it.
    fn check(&mut self, coming: u64, most_work: u64, progress: Progress<'_>) -> Result<(), Ended> {
        if !self.in_range {
            return Err(Ended::OutOfRange);
        }
        if self.work.saturating_add(coming) > most_work || self.kept + self.held > MOST_KEPT {
            return Err(Ended::TooMuchWork);
        }
        if self.work - self.told > PROGRESS_WORK {
            self.told = self.work;
            if progress(self.rows.len() as u64).is_break() {
                return Err(Ended::Interrupted);
            }
        }
        Ok(())
    }

    /// Removes all states, and returns their shares. The state removed next is the one that adds the fewest rates at most
    /// (Markowitz), so that chains in which each state has few neighbours stay sparse.
    fn solve(mut self, most_work: u64, progress: Progress<'_>) -> Result<Vec<Wide>, Ended> {
        let count = self.rows.len();
        // A state is queued again whenever its cost changes; what was queued before is then out of date.
        let mut queue: BinaryHeap<Reverse<(u64, u32)>> =
            (0..count as u32).map(|state| Reverse((self.cost(state), state))).collect();
        while let Some(Reverse((cost, state))) = queue.pop() {
            if self.gone[state as usize] || cost != self.cost(state) {
                continue;
            }
            // Later states cost more, except the last ones: n states that lead to each other take n^3 / 3.
            let left = (count - self.removed.len()) as u64;
            self.check(cost.saturating_mul(left) / 3, most_work, progress)?;
            // A matrix is faster once even this state has about half of the others as neighbours.
            if cost * 4 > left * left {
                self.remove_all(most_work, progress)?;
                break;
            }
            for near in self.remove(state) {
                queue.push(Reverse((self.cost(near), near)));
            }
        }
        Ok(self.shares())
    }

    /// Removes a state: each rate into it is shared among the rates out of it. Returns its neighbours.
    fn remove(&mut self, state: u32) -> Vec<u32> {
        let row = std::mem::take(&mut self.rows[state as usize]);
        self.gone[state as usize] = true;
        self.held -= row.len() as u64;
        let mut out = N::ZERO;
        for &(to, rate) in &row {
            self.degree[to as usize] -= 1;
            self.further[to as usize] = rate;
            out = out + rate;
        }
        let mut near: Vec<u32> = row.iter().map(|&(to, _)| to).collect();
        let mut ratios = Vec::with_capacity(self.degree[state as usize] as usize);
        for from in std::mem::take(&mut self.from[state as usize]) {
            if !self.gone[from as usize] {
                ratios.push((from, self.redirect(from, state, &row, out)));
                near.push(from);
            }
        }
        row.iter().for_each(|&(to, _)| self.further[to as usize] = N::ZERO);
        self.kept += ratios.len() as u64;
        self.removed.push((state, ratios));
        near
    }

    /// Replaces the rate of a state to a removed state by rates to where that one leads. Returns the ratio of the rate
    /// to the rate at which the removed state is left.
    fn redirect(&mut self, from: u32, removed: u32, further: &[(u32, N)], out: N) -> N {
        let mut row = std::mem::take(&mut self.rows[from as usize]);
        self.work += (row.len() + further.len()) as u64;
        self.held -= row.len() as u64;
        let at = row.iter().position(|&(to, _)| to == removed).unwrap_or_default();
        let ratio = row.swap_remove(at).1 / out;
        let mut in_range = ratio.in_range();
        for (to, rate) in &mut row {
            let rest = self.further[*to as usize];
            if !rest.is_zero() {
                let added = ratio * rest;
                in_range &= added.in_range();
                *rate = *rate + added;
                self.leads[*to as usize] = from;
            }
        }
        for &(to, rate) in further {
            // What leads back to the state itself does not leave it.
            if self.leads[to as usize] != from && to != from {
                let added = ratio * rate;
                in_range &= added.in_range();
                row.push((to, added));
                self.from[to as usize].push(from);
                self.degree[to as usize] += 1;
            }
            self.leads[to as usize] = u32::MAX;
        }
        self.in_range &= in_range;
        self.held += row.len() as u64;
        self.rows[from as usize] = row;
        ratio
    }

    /// Removes all remaining states, as rows of a matrix.
    fn remove_all(&mut self, most_work: u64, progress: Progress<'_>) -> Result<(), Ended> {
        let states: Vec<u32> =
            (0..self.rows.len() as u32).filter(|&state| !self.gone[state as usize]).collect();
        let count = states.len();
        let mut column = vec![0; self.rows.len()];
        states.iter().enumerate().for_each(|(at, &state)| column[state as usize] = at);
        let mut matrix = vec![N::ZERO; count * count];
        for (line, &state) in matrix.chunks_exact_mut(count).zip(&states) {
            self.rows[state as usize].iter().for_each(|&(to, rate)| line[column[to as usize]] = rate);
        }
        for last in (0..count).rev() {
            let (before, row) = matrix.split_at_mut(last * count);
            let row = &row[..last];
            let out = row.iter().fold(N::ZERO, |sum, &rate| sum + rate);
            let mut ratios = Vec::new();
            for (from, line) in before.chunks_exact_mut(count).enumerate() {
                if line[last].is_zero() {
                    continue;
                }
                let ratio = line[last] / out;
                let mut in_range = ratio.in_range();
                for (rate, &further) in line.iter_mut().zip(row) {
                    let added = ratio * further;
                    in_range &= added.in_range() || further.is_zero();
                    *rate = *rate + added;
                }
                // What leads back to the state itself does not leave it.
                line[from] = N::ZERO;
                self.in_range &= in_range;
                ratios.push((states[from], ratio));
            }
            self.work += (ratios.len() * last) as u64;
            self.kept += ratios.len() as u64;
            self.removed.push((states[last], ratios));
            self.check(0, most_work, progress)?;
        }
        Ok(())
    }

    /// Returns the shares of time: back from the last state removed, the flow into each state from the states that
    /// remained when it was removed.
    fn shares(&self) -> Vec<Wide> {
        let mut shares = vec![Wide::ONE; self.rows.len()];
        for (state, ratios) in self.removed.iter().rev().skip(1) {
            let flows = ratios.iter().map(|&(from, ratio)| shares[from as usize] * ratio.into());
            shares[*state as usize] = flows.sum();
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    fn eliminated(rates: &Rates) -> Vec<Wide> {
        eliminate(rates, MOST_WORK, &mut |_| ControlFlow::Continue(())).unwrap().unwrap()
    }

    fn close(a: Wide, b: Wide) -> bool {
        ((a / b).number() - 1.0).abs() < 1e-12
    }

    /// A rate of any magnitude that `f64` has.
    fn any(random: &mut linecard_sim::Stream) -> Wide {
        Wide::from(10f64.powf(600.0 * random.unit() - 300.0))
    }

    #[test]
    fn rates_of_all_magnitudes_are_balanced_in_every_state() {
        let mut random = linecard_sim::stream(1, "chains");
        // Shuffled rows of states: the flows up and down each pair are equal.
        let count = 300u32;
        let mut names: Vec<u32> = (0..count).collect();
        (1..count).rev().for_each(|at| names.swap(at as usize, random.below(at + 1) as usize));
        let mut rates: Rates = vec![Vec::new(); count as usize];
        for pair in names.windows(2) {
            rates[pair[0] as usize].push((pair[1], any(&mut random)));
            rates[pair[1] as usize].push((pair[0], any(&mut random)));
        }
        let shares = eliminated(&rates);
        let flow = |from: u32, to: u32| {
            let rate = rates[from as usize].iter().find(|&&(other, _)| other == to).unwrap().1;
            shares[from as usize] * rate
        };
        for pair in names.windows(2) {
            assert!(close(flow(pair[0], pair[1]), flow(pair[1], pair[0])));
        }
        // Drawn chains: the flows into and out of every state are equal, and no other order of removal finds other
        // shares.
        for seed in 0..20 {
            let mut random = linecard_sim::stream(seed, "chain");
            let count = 2 + random.below(40);
            let mut rates: Rates = vec![Vec::new(); count as usize];
            for from in 0..count {
                let next = (from + 1) % count;
                rates[from as usize].push((next, any(&mut random)));
                let others = (0..count).filter(|&to| to != from && to != next);
                others.for_each(|to| {
                    if random.below(4) == 0 {
                        rates[from as usize].push((to, any(&mut random)));
                    }
                });
            }
            let shares = eliminated(&rates);
            let mut into = vec![Wide::ZERO; count as usize];
            for (from, row) in rates.iter().enumerate() {
                row.iter()
                    .for_each(|&(to, rate)| into[to as usize] = into[to as usize] + shares[from] * rate);
            }
            for ((row, &share), &into) in rates.iter().zip(&shares).zip(&into) {
                assert!(close(row.iter().map(|&(_, rate)| share * rate).sum(), into));
            }
            let backwards = |state: u32| count - 1 - state;
            let reversed: Rates = rates
                .iter()
                .rev()
                .map(|row| row.iter().map(|&(to, rate)| (backwards(to), rate)).collect())
                .collect();
            let other = eliminated(&reversed);
            let ratio = |state: u32| other[backwards(state) as usize] / shares[state as usize];
            assert!((1..count).all(|state| close(ratio(state), ratio(0))));
        }
    }

    #[test]
    fn too_much_work_is_given_up_before_it_is_done() {
        // Each state leads to three far away: removals soon make a full matrix, of some hundred states.
        let count = 2000;
        let far =
            |state: u32| [1, 19 * (state % 97 + 1), 37 * (state % 89 + 3)].map(|by| (state + by) % count);
        let others = |state: u32| {
            let mut others: Vec<u32> = far(state).into_iter().filter(|&to| to != state).collect();
            others.sort_unstable();
            others.dedup();
            others
        };
        let rates: Rates =
            (0..count).map(|state| others(state).into_iter().map(|to| (to, Wide::ONE)).collect()).collect();
        let within = |work| eliminate(&rates, work, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(within(1 << 20), None);
        assert!(within(MOST_WORK).is_some());
    }
}
