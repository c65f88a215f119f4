//! The memory of a digest cache: equation 5.2 of the thesis.

use crate::geometry::Geometry;
use crate::{FlowCacheError, Policy};
use linecard_words::Mismatch;
use serde::Serialize;

/// Bits of a cache. The bits of a digest that select the set need not be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CacheCost {
    /// Number of entries in the cache.
    pub entries: u32,
    /// Entries in a set.
    pub ways: u32,
    /// Bits of a digest that are stored.
    pub tag_bits: u32,
    /// Bits of a result: a class, a port, …
    pub result_bits: u32,
    /// Bits of an entry.
    pub entry_bits: u32,
    /// Bits of all entries.
    pub bits: u64,
    /// The same in bytes, rounded up.
    pub bytes: u64,
    /// Bits of the policy's state, which the thesis does not count; `None` for an oracle.
    pub policy_state_bits: Option<u64>,
}

impl CacheCost {
    /// Returns the cost of a cache of digests of `digest_bits` bits that stores results of `result_bits` bits.
    ///
    /// If the number of sets is no power of two, the stored part is the quotient of a division, rounded up.
    ///
    /// # Errors
    ///
    /// If the digest is too narrow to select a set, or wider than 32 bits.
    pub fn new(
        geometry: Geometry,
        policy: Policy,
        digest_bits: u32,
        result_bits: u32,
    ) -> Result<Self, FlowCacheError> {
        let set_bits = geometry.sets().ilog2();
        let least = geometry.sets().next_power_of_two().ilog2().max(1);
        if !(least..=32).contains(&digest_bits) {
            return Err(Mismatch::new(
                "digest width",
                format!("{digest_bits} bits"),
                format!("{least} to 32 bits for {} sets", geometry.sets()),
            )
            .into());
        }
        let tag_bits = digest_bits - set_bits;
        let entry_bits = tag_bits + result_bits;
        let bits = u64::from(entry_bits) * u64::from(geometry.entries());
        Ok(Self {
            entries: geometry.entries(),
            ways: geometry.ways(),
            tag_bits,
            result_bits,
            entry_bits,
            bits,
            bytes: bits.div_ceil(8),
            policy_state_bits: policy.state_bits(geometry),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(entries: u32, ways: u32, digest_bits: u32) -> Result<CacheCost, FlowCacheError> {
        CacheCost::new(Geometry::new(entries, ways).unwrap(), Policy::parse("SP").unwrap(), digest_bits, 8)
    }

    #[test]
    fn table_5_1() {
        let table = [
            (512, 4, 2112),
            (512, 8, 2176),
            (1024, 4, 4096),
            (1024, 8, 4224),
            (2048, 4, 7936),
            (2048, 8, 8192),
        ];
        for (entries, ways, bytes) in table {
            assert_eq!(cost(entries, ways, 32).unwrap().bytes, bytes, "{entries} entries, {ways}-way");
        }
    }

    #[test]
    fn narrow_digests_must_still_choose_a_set() {
        assert_eq!(cost(1024, 4, 8).unwrap().entry_bits, 8);
        let error = cost(1024, 4, 7).unwrap_err().to_string();
        assert!(error.contains("expected 8 to 32 bits for 256 sets"), "{error}");
        assert_eq!(cost(1020, 4, 32).unwrap().tag_bits, 25);
        assert_eq!(cost(1024, 4, 32).unwrap().policy_state_bits, Some(2048));
    }
}
