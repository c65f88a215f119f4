//! A net as flat arrays: the places that a firing tests and changes, and the transitions that it affects.

use crate::net::{ArcKind, Net};

/// Arcs of one kind, by transition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arcs {
    start: Vec<u32>,
    arcs: Vec<(u32, u32)>,
}

impl Arcs {
    fn new(net: &Net, kind: ArcKind) -> Self {
        let mut lists = vec![Vec::new(); net.transitions.len()];
        for arc in net.arcs.iter().filter(|arc| arc.kind == kind) {
            lists[arc.transition as usize].push((arc.place, arc.weight));
        }
        Self::of(lists)
    }

    fn of(lists: Vec<Vec<(u32, u32)>>) -> Self {
        let mut arcs = Self { start: vec![0], arcs: Vec::new() };
        for list in lists {
            arcs.arcs.extend(list);
            arcs.start.push(arcs.arcs.len() as u32);
        }
        arcs
    }

    /// Places and weights of a transition.
    #[inline]
    pub fn of_transition(&self, transition: usize) -> &[(u32, u32)] {
        &self.arcs[self.start[transition] as usize..self.start[transition + 1] as usize]
    }
}

/// Flat arrays of a net.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub inputs: Arcs,
    pub outputs: Arcs,
    pub inhibitors: Arcs,
    pub resets: Arcs,
    /// For each transition, place and change of its tokens; without resets.
    pub changes: Vec<Vec<(u32, i64)>>,
}

impl Compiled {
    pub fn new(net: &Net) -> Self {
        let inputs = Arcs::new(net, ArcKind::Input);
        let outputs = Arcs::new(net, ArcKind::Output);
        let inhibitors = Arcs::new(net, ArcKind::Inhibitor);
        let resets = Arcs::new(net, ArcKind::Reset);
        let count = net.transitions.len();
        let mut changes = Vec::with_capacity(count);
        for transition in 0..count {
            let mut change: Vec<(u32, i64)> = Vec::new();
            let taken = inputs.of_transition(transition).iter().map(|&(p, w)| (p, -i64::from(w)));
            let put = outputs.of_transition(transition).iter().map(|&(p, w)| (p, i64::from(w)));
            for (place, by) in taken.chain(put) {
                match change.iter_mut().find(|(other, _)| *other == place) {
                    Some((_, sum)) => *sum += by,
                    None => change.push((place, by)),
                }
            }
            change.retain(|&(_, by)| by != 0);
            changes.push(change);
        }
        Self { inputs, outputs, inhibitors, resets, changes }
    }

    /// Returns for each place the transitions whose enabling it may change: transitions that take from it or are
    /// disabled by it.
    pub fn looks(net: &Net) -> Vec<Vec<u32>> {
        let mut looks = vec![Vec::new(); net.places.len()];
        for arc in net.arcs.iter().filter(|arc| matches!(arc.kind, ArcKind::Input | ArcKind::Inhibitor)) {
            looks[arc.place as usize].push(arc.transition);
        }
        looks
    }

    /// Returns for each transition those whose enabling its firing may change. For a place with many
    /// transitions the lists grow with the square of their number; only a simulation pays for them.
    pub fn concerned(&self, net: &Net) -> Vec<Vec<u32>> {
        let looks = Self::looks(net);
        let whom = |transition: usize| {
            let reset = self.resets.of_transition(transition).iter().map(|&(place, _)| place);
            let touched = self.changes[transition].iter().map(|&(place, _)| place).chain(reset);
            let mut whom: Vec<u32> =
                touched.flat_map(|place| looks[place as usize].iter().copied()).collect();
            whom.push(transition as u32);
            whom.sort_unstable();
            whom.dedup();
            whom
        };
        (0..net.transitions.len()).map(whom).collect()
    }

    /// Returns how often a transition could fire at once in a marking.
    #[inline]
    pub fn degree(&self, transition: usize, tokens: impl Fn(u32) -> u32) -> u32 {
        for &(place, weight) in self.inhibitors.of_transition(transition) {
            if tokens(place) >= weight {
                return 0;
            }
        }
        let mut degree = u32::MAX;
        for &(place, weight) in self.inputs.of_transition(transition) {
            let held = tokens(place);
            degree = degree.min(if weight == 1 { held } else { held / weight });
        }
        // A transition without inputs is enabled once.
        if degree == u32::MAX { 1 } else { degree }
    }
}
