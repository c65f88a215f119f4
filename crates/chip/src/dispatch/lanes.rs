//! Flows are spread over threads, as over the lanes of a bridge: packets of a flow are never side by side.

use super::lists::Lists;
use crate::group::Group;
use crate::spread::group_of_flow;

pub(super) const LISTS: Lists = Lists::PerThread;

#[inline]
pub(super) fn choose(flow_hash: u32, groups: &[Group]) -> usize {
    group_of_flow(flow_hash, groups.len())
}
