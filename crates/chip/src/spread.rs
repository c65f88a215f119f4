//! Numbers drawn from the hash of a flow.

/// Spreads a hash anew, so that one that chose a port is no hint at the group.
#[inline]
pub(crate) fn spread(hash: u32, salt: u32) -> u32 {
    let mut h = (hash ^ salt).wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// A number below `bound` from a hash.
#[inline]
pub(crate) fn choose(hash: u32, salt: u32, bound: usize) -> usize {
    ((u64::from(spread(hash, salt)) * bound as u64) >> 32) as usize
}

/// The group, of so many, that a flow belongs to.
#[inline]
pub(crate) fn group_of_flow(hash: u32, groups: usize) -> usize {
    const SALT: u32 = 0x5bd1_e995;
    choose(hash, SALT, groups)
}
