//! False hits: a packet hits the entry of another flow with the same digest, and gets its result.

use crate::geometry::Geometry;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// False hits of a run, measured and expected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FalseHitRow {
    /// Packets that hit, correctly or falsely.
    pub hits: u64,
    /// Packets that got the result of another flow.
    pub false_hits: u64,
    /// Packets whose flow was not in the cache: misses and false hits.
    pub absent: u64,
    /// False hits divided by the packets whose flow was not in the cache.
    pub measured_probability: f64,
    /// d / 2^c, equation 5.1 of the thesis, where c is the width of the digest and d the number of ways.
    pub expected_probability: f64,
    /// d / 2^(c - s): the same for the c - s bits that are compared, if s bits select the set. All flows of a
    /// set share those s bits, so this is the expectation for a full cache; equation 5.1 ignores them.
    pub expected_probability_of_tags: f64,
}

/// Counts false hits along a run.
///
/// An entry holds the result of the flow that last missed with its digest: under every policy, a hit follows an
/// insertion, and an insertion follows a miss.
#[derive(Clone, Debug, Default)]
pub struct FalseHits {
    owners: FxHashMap<u32, u32>,
    hits: u64,
    false_hits: u64,
    misses: u64,
}

impl FalseHits {
    /// Counts the next packet: the number of its flow, its digest, and whether it hit.
    pub fn see(&mut self, flow: u32, digest: u32, hit: bool) {
        if hit {
            self.hits += 1;
            self.false_hits += u64::from(self.owners.get(&digest) != Some(&flow));
        } else {
            self.misses += 1;
            self.owners.insert(digest, flow);
        }
    }

    /// Returns the counts, with the expectation for digests of `digest_bits` bits.
    #[must_use]
    pub fn row(&self, geometry: Geometry, digest_bits: u32) -> FalseHitRow {
        let absent = self.misses + self.false_hits;
        let two_to = |bits: f64| bits.exp2();
        let (ways, sets) = (f64::from(geometry.ways()), f64::from(geometry.sets()));
        let expected = (ways / two_to(digest_bits.into())).min(1.0);
        FalseHitRow {
            hits: self.hits,
            false_hits: self.false_hits,
            absent,
            measured_probability: if absent == 0 { 0.0 } else { self.false_hits as f64 / absent as f64 },
            expected_probability: expected,
            expected_probability_of_tags: (expected * sets).min(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Configuration, FlowCache, Policy};

    #[test]
    fn by_hand() {
        let mut false_hits = FalseHits::default();
        // Flows 1 and 2 share digest 7; 2 gets the result of 1, until 2 itself inserts the digest.
        let packets = [(1, 7, false), (1, 7, true), (2, 7, true), (2, 7, false), (2, 7, true), (1, 7, true)];
        packets.into_iter().for_each(|(flow, digest, hit)| false_hits.see(flow, digest, hit));
        let row = false_hits.row(Geometry::new(4, 2).unwrap(), 4);
        assert_eq!((row.hits, row.false_hits, row.absent), (4, 2, 4));
        assert_eq!(row.measured_probability, 0.5);
        assert_eq!((row.expected_probability, row.expected_probability_of_tags), (2.0 / 16.0, 4.0 / 16.0));
    }

    /// Flows of one packet in a full cache meet a foreign digest as often as the compared bits say.
    #[test]
    fn measured_meets_expected() {
        let geometry = Geometry::new(256, 4).unwrap();
        let mut cache =
            FlowCache::new(&Configuration::new(geometry, Policy::parse("LRU").unwrap()), 1).unwrap();
        let mut draws = linecard_sim::stream(5, "false hits");
        let mut false_hits = FalseHits::default();
        for flow in 0..200_000 {
            let digest = draws.bits() as u32 & 0xfff;
            false_hits.see(flow, digest, cache.access(digest));
        }
        let row = false_hits.row(geometry, 12);
        let ratio = row.measured_probability / row.expected_probability_of_tags;
        assert!((0.95..1.05).contains(&ratio), "{row:?}");
    }
}
