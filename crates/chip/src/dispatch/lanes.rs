//! Flows are distributed over threads: no two packets of a flow are processed in parallel.

use super::lists::Lists;
use crate::group::Group;
use crate::spread::group_of_flow;

pub(super) const LISTS: Lists = Lists::PerThread;

#[inline]
pub(super) fn choose(flow_hash: u32, groups: &[Group]) -> usize {
    group_of_flow(flow_hash, groups.len())
}
