//! Where markings lead in which no time passes, and what fires on the way.

use rustc_hash::FxHashMap;

/// Tokens by place.
pub(super) type Marking = Box<[u32]>;

/// The outcome of a vanishing marking: tangible markings with probabilities, and the mean firings of immediate
/// transitions.
#[derive(Clone, Debug, Default)]
pub(super) struct Resolved {
    pub to: Vec<(u32, f64)>,
    pub firings: Vec<(u32, f64)>,
}

impl Resolved {
    /// Returns the outcome of a tangible marking: itself.
    pub fn of(number: u32) -> Self {
        Self { to: vec![(number, 1.0)], firings: Vec::new() }
    }

    /// Adds an outcome with a probability. Each marking and transition has one entry.
    pub fn add(&mut self, share: f64, further: &Self) {
        further.firings.iter().for_each(|&(t, count)| add_to(&mut self.firings, t, count * share));
        further.to.iter().for_each(|&(m, p)| add_to(&mut self.to, m, p * share));
    }

    fn scale(&mut self, factor: f64) {
        self.to.iter_mut().chain(&mut self.firings).for_each(|(_, value)| *value *= factor);
    }
}

/// Adds to the value of a number on a list.
pub(super) fn add_to(list: &mut Vec<(u32, f64)>, number: u32, value: f64) {
    match list.iter_mut().find(|(other, _)| *other == number) {
        Some((_, sum)) => *sum += value,
        None => list.push((number, value)),
    }
}

/// A vanishing marking.
pub(super) enum Vanishing {
    /// Its transitions are being followed; the number of its step.
    Open(u32),
    Done(Resolved),
}

/// A vanishing marking whose transitions are followed one after another, in a search for strongly connected components.
pub(super) struct Step {
    pub marking: Marking,
    pub competing: Vec<(u32, f64)>,
    /// The transition followed next.
    pub at: usize,
    /// The first step that it is known to lead to.
    pub low: u32,
    /// Firings of its own transitions, and outcomes outside its component.
    pub resolved: Resolved,
    /// Steps of its component that its transitions lead to, with probabilities.
    pub inner: Vec<(u32, f64)>,
}

impl Step {
    pub fn new(marking: Marking, competing: Vec<(u32, f64)>, number: u32) -> Self {
        Self { marking, competing, at: 0, low: number, resolved: Resolved::default(), inner: Vec::new() }
    }

    /// The last transition followed led to the step `to` of the same component, or to one that leads to it.
    pub fn leads_to(&mut self, to: u32, low: u32) {
        let share = self.last_share();
        add_to(&mut self.inner, to, share);
        self.low = self.low.min(low);
    }

    /// The last transition followed has this outcome.
    pub fn ends_in(&mut self, outcome: &Resolved) {
        let share = self.last_share();
        self.resolved.add(share, outcome);
    }

    fn last_share(&self) -> f64 {
        self.competing[self.at - 1].1
    }
}

/// Solves a component of vanishing markings whose first step has the number `first`: firings go round until they leave
/// it. Returns an outcome for each, or `None` if they never leave it.
///
/// Steps are removed one by one. What returns to the step itself is repeated, so that its firings and its ways out are
/// divided by the probability of a way out; that is a sum, not 1 less the probability of a return, so that rare ways out
/// keep their digits.
pub(super) fn leave(steps: &mut [Step], first: u32) -> Option<Vec<Resolved>> {
    let count = steps.len();
    if let [Step { resolved, inner, .. }] = &mut *steps
        && inner.is_empty()
    {
        return Some(vec![std::mem::take(resolved)]);
    }
    let mut outcomes: Vec<Resolved> =
        steps.iter_mut().map(|step| std::mem::take(&mut step.resolved)).collect();
    let mut inner: Vec<FxHashMap<usize, f64>> = Vec::with_capacity(count);
    let mut from: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (step, to) in steps.iter().enumerate() {
        let others = to.inner.iter().map(|&(to, share)| ((to - first) as usize, share));
        let others: FxHashMap<usize, f64> = others.filter(|&(to, _)| to != step).collect();
        others.keys().for_each(|&to| from[to].push(step));
        inner.push(others);
    }
    for last in (0..count).rev() {
        // What is left of the row leads to steps before it.
        let mut row: Vec<(usize, f64)> = inner[last].iter().map(|(&to, &share)| (to, share)).collect();
        row.sort_unstable_by_key(|&(to, _)| to);
        let ways_out =
            row.iter().map(|&(_, share)| share).chain(outcomes[last].to.iter().map(|&(_, share)| share));
        let out: f64 = ways_out.sum();
        if out <= 0.0 {
            return None;
        }
        row.iter_mut().for_each(|(_, share)| *share /= out);
        outcomes[last].scale(1.0 / out);
        for before in std::mem::take(&mut from[last]).into_iter().filter(|&before| before < last) {
            let Some(share) = inner[before].remove(&last) else { continue };
            let (head, tail) = outcomes.split_at_mut(last);
            head[before].add(share, &tail[0]);
            for &(to, further) in row.iter().filter(|&&(to, _)| to != before) {
                let sum = inner[before].entry(to).or_insert_with(|| {
                    from[to].push(before);
                    0.0
                });
                *sum += share * further;
            }
        }
        inner[last] = row.into_iter().collect();
    }
    // Back: a step leads to steps before it, whose outcomes are complete.
    for (step, inner) in inner.iter().enumerate().skip(1) {
        let (head, tail) = outcomes.split_at_mut(step);
        let mut row: Vec<(usize, f64)> = inner.iter().map(|(&to, &share)| (to, share)).collect();
        row.sort_unstable_by_key(|&(to, _)| to);
        row.iter().for_each(|&(to, share)| tail[0].add(share, &head[to]));
    }
    Some(outcomes)
}
