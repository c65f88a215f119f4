//! Which immediate transitions are enabled, by priority.

use super::super::net::{Choice, ColouredNet, TimingCode};

pub(super) struct Immediates {
    /// Transitions by priority, the highest first.
    pub order: Vec<u32>,
    /// Start of the next priority, for each position in the order.
    pub class_end: Vec<u32>,
    pub rank: Vec<u32>,
    /// A bit for each enabled one, in that order.
    pub enabled: Vec<u64>,
    pub dirty: Vec<u32>,
    pub is_dirty: Vec<bool>,
    /// The first binding that was found.
    pub first: Vec<Vec<u32>>,
    /// Whether no other binding can exist: all arcs except queues are determined.
    pub decided: Vec<bool>,
    pub weights: Vec<(u32, f64)>,
}

impl Immediates {
    pub fn new(net: &ColouredNet) -> Self {
        let priority = |number: u32| match net.transitions[number as usize].timing {
            TimingCode::Immediate { priority, .. } => Some(priority),
            _ => None,
        };
        let mut order: Vec<u32> =
            (0..net.transitions.len() as u32).filter(|&t| priority(t).is_some()).collect();
        order.sort_by_key(|&number| (std::cmp::Reverse(priority(number)), number));
        let mut rank = vec![u32::MAX; net.transitions.len()];
        for (place, &number) in (0u32..).zip(&order) {
            rank[number as usize] = place;
        }
        let class_end = order
            .iter()
            .map(|&number| order.iter().filter(|&&other| priority(other) >= priority(number)).count() as u32);
        let decided = net.transitions.iter().map(|transition| {
            let mut known: Vec<u16> = Vec::new();
            let queue = |place: u32| net.places[place as usize].choice == Choice::Fifo;
            for take in transition.takes.iter().filter(|take| queue(take.place)) {
                known.extend(&take.slots);
            }
            let others = transition.takes.iter().filter(|take| !queue(take.place));
            others.flat_map(|take| &take.slots).all(|slot| known.contains(slot))
        });
        Self {
            class_end: class_end.collect(),
            enabled: vec![0; order.len().div_ceil(64)],
            rank,
            dirty: Vec::new(),
            is_dirty: vec![false; net.transitions.len()],
            first: net.transitions.iter().map(|transition| vec![0; transition.takes.len()]).collect(),
            decided: decided.collect(),
            weights: Vec::new(),
            order,
        }
    }

    /// Marks a transition whose enabling must be computed again.
    #[inline]
    pub fn concern(&mut self, transition: u32) {
        if !std::mem::replace(&mut self.is_dirty[transition as usize], true) {
            self.dirty.push(transition);
        }
    }

    /// A transition lost a token: it matters only if it was enabled.
    #[inline]
    pub fn lost(&mut self, transition: u32) {
        let rank = self.rank[transition as usize];
        if self.enabled[rank as usize / 64] >> (rank % 64) & 1 == 1 {
            self.concern(transition);
        }
    }

    #[inline]
    pub fn set(&mut self, transition: u32, enabled: bool) {
        let rank = self.rank[transition as usize];
        let bit = 1u64 << (rank % 64);
        let word = &mut self.enabled[rank as usize / 64];
        if enabled { *word |= bit } else { *word &= !bit }
    }

    /// Returns the next enabled transition from a position in the order.
    #[inline]
    pub fn next(&self, from: u32) -> Option<u32> {
        let mut at = from as usize / 64;
        let mut word = self.enabled.get(at)? & (u64::MAX << (from % 64));
        while word == 0 {
            at += 1;
            word = *self.enabled.get(at)?;
        }
        Some(at as u32 * 64 + word.trailing_zeros())
    }
}
