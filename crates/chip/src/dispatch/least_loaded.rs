//! Packets join the cluster with the fewest packets, whatever their flow.

use super::lists::Lists;
use crate::group::Group;

pub(super) const LISTS: Lists = Lists::PerCluster;

#[inline]
pub(super) fn choose(_: u32, groups: &[Group]) -> usize {
    let loads = groups.iter().enumerate();
    loads.min_by_key(|(_, group)| group.load).map_or(0, |(number, _)| number)
}
