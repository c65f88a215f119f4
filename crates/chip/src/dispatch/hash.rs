//! Flows are distributed over clusters, each of which keeps state in its own memories.

use super::lists::Lists;
use crate::group::Group;
use crate::spread::group_of_flow;

pub(super) const LISTS: Lists = Lists::PerCluster;

#[inline]
pub(super) fn choose(flow_hash: u32, groups: &[Group]) -> usize {
    group_of_flow(flow_hash, groups.len())
}
