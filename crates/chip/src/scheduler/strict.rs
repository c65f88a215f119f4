//! Strict priority: the first member that has a packet sends; the others wait while it has one.

use super::head::Head;

pub(super) const COUNTS_BYTES: bool = false;

#[derive(Debug)]
pub(super) struct Strict;

impl Strict {
    pub fn new(_: &[u32]) -> Self {
        Self
    }

    pub fn next(&mut self, heads: &[Head]) -> usize {
        heads.iter().position(|head| matches!(head, Head::Ready(_))).unwrap_or(0)
    }

    pub fn sent(&mut self, _: usize, _: u32, _: bool) {}
}
