//! Numbers derived from the hash of a flow.

/// Returns another hash, so that the choice of a port does not correlate with the choice of a group.
#[inline]
pub(crate) fn spread(hash: u32, salt: u32) -> u32 {
    let mut h = (hash ^ salt).wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// Returns a number below `bound` from a hash.
#[inline]
pub(crate) fn choose(hash: u32, salt: u32, bound: usize) -> usize {
    ((u64::from(spread(hash, salt)) * bound as u64) >> 32) as usize
}

/// Returns the group of a flow, out of `groups`.
#[inline]
pub(crate) fn group_of_flow(hash: u32, groups: usize) -> usize {
    const SALT: u32 = 0x5bd1_e995;
    choose(hash, SALT, groups)
}
