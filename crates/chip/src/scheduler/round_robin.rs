//! One packet of each class in turn.

use linecard_program::PacketId;
use std::collections::VecDeque;

pub(super) const COUNTS_BYTES: bool = false;

#[derive(Debug)]
pub(crate) struct RoundRobin {
    /// The class that is looked at first.
    turn: usize,
}

impl RoundRobin {
    pub fn new(_: &[u32]) -> Self {
        Self { turn: 0 }
    }

    pub fn next(&mut self, classes: &[VecDeque<PacketId>], _: impl Fn(PacketId) -> u32) -> Option<usize> {
        let count = classes.len();
        let class = (0..count).map(|i| (self.turn + i) % count).find(|&c| !classes[c].is_empty())?;
        self.turn = (class + 1) % count;
        Some(class)
    }
}
