//! Flows of an even hash go to the first cluster, the others to the last.

use super::lists::Lists;
use crate::group::Group;

pub(super) const LISTS: Lists = Lists::PerCluster;

#[inline]
pub(super) fn choose(flow_hash: u32, groups: &[Group]) -> usize {
    if flow_hash.is_multiple_of(2) { 0 } else { groups.len() - 1 }
}
