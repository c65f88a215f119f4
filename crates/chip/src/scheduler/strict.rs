//! The lowest class that has a packet: the others wait for as long as it has one.

use linecard_program::PacketId;
use std::collections::VecDeque;

pub(super) const COUNTS_BYTES: bool = false;

#[derive(Debug)]
pub(crate) struct Strict;

impl Strict {
    pub fn new(_: &[u32]) -> Self {
        Self
    }

    pub fn next(&mut self, classes: &[VecDeque<PacketId>], _: impl Fn(PacketId) -> u32) -> Option<usize> {
        classes.iter().position(|queue| !queue.is_empty())
    }
}
