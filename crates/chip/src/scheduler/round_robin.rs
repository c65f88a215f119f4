//! One packet of each member in turn.

use super::head::Head;

pub(super) const COUNTS_BYTES: bool = false;

#[derive(Debug)]
pub(super) struct RoundRobin {
    /// The first member to be tested.
    turn: usize,
}

impl RoundRobin {
    pub fn new(_: &[u32]) -> Self {
        Self { turn: 0 }
    }

    pub fn next(&mut self, heads: &[Head]) -> usize {
        let mut members = (self.turn..heads.len()).chain(0..self.turn);
        members.find(|&member| matches!(heads[member], Head::Ready(_))).unwrap_or(self.turn)
    }

    pub fn sent(&mut self, member: usize, _: u32, _: bool) {
        self.turn = member + 1;
    }
}
