//! SHIP, signature-based hit prediction: a table records whether digests of a signature were used again.
//! Source: Wu et al., MICRO 2011; the signature is a hash of the digest.
//!
//! The papers use the program counter as signature. A flow cache has none, so the signature is a hash of the
//! digest: the table is a history of evicted flows, shared by flows with equal hashes. A first hit increments
//! the signature's counter, an eviction without a hit decrements it; at 0 a new entry is the next victim unless
//! hit.

use super::rrip::{self, Rrip};
use super::build::Build;
use super::info::{Cost, Info};
use crate::cache::{Access, Cache, NextVictim, Replay};
use crate::geometry::Geometry;

/// Counters for each entry of the cache.
const COUNTERS_PER_ENTRY: u32 = 4;
/// Counters have 2 bits and start at 1: the first flows of a signature get their chance.
const COUNTER_MOST: u8 = 3;
const COUNTER_START: u8 = 1;

pub(super) const INFO: Info = Info {
    name: "SHIP",
    aliases: &[],
    parameter: Some(rrip::BITS),
    // The intervals, one bit "hit" per entry, and the table.
    cost: Cost::Bits(|geometry, bits| {
        u64::from(geometry.entries()) * u64::from(bits + 1) + u64::from(counters(geometry)) * 2
    }),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.boxed(Ship::new(build.geometry, build.parameter))
}

const fn counters(geometry: Geometry) -> u32 {
    (geometry.entries() * COUNTERS_PER_ENTRY).next_power_of_two()
}

struct Ship {
    rrip: Rrip,
    used_again: Vec<bool>,
    counters: Vec<u8>,
}

impl Ship {
    fn new(geometry: Geometry, bits: u32) -> Self {
        Self {
            rrip: Rrip::new(geometry, bits),
            used_again: vec![false; geometry.entries() as usize],
            counters: vec![COUNTER_START; counters(geometry) as usize],
        }
    }

    /// The counter of a digest's signature: the upper bits of a product, which depend on all bits of the digest.
    #[inline]
    fn counter(&mut self, digest: u32) -> &mut u8 {
        let bits = self.counters.len().ilog2();
        let signature = u64::from(digest.wrapping_mul(0x9e37_79b1)) >> (32 - bits);
        &mut self.counters[signature as usize]
    }

    /// Learns from the entry that a way evicts.
    fn learn(&mut self, way: usize) {
        if !self.used_again[way] {
            let digest = self.rrip.ways.digest(way);
            let counter = self.counter(digest);
            *counter = counter.saturating_sub(1);
        }
    }
}

impl Cache for Ship {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        let found = self.rrip.hit(access);
        if let Some(way) = found
            && !std::mem::replace(&mut self.used_again[way], true)
        {
            let counter = self.counter(access.digest);
            *counter = (*counter + 1).min(COUNTER_MOST);
        }
        found.is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        let way = self.rrip.way_for(access.set);
        if way < self.rrip.ways.filled(access.set).end {
            self.learn(way);
        }
        let distant = *self.counter(access.digest) == 0;
        self.rrip.put(way, access, distant);
        self.used_again[way] = false;
    }

    fn next_victim(&self, set: u32) -> NextVictim {
        self.rrip.next_victim(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::replay;

    /// b leaves unused and comes back as the next victim; a was used again and comes back as usual.
    #[test]
    fn by_hand() {
        let mut ship = Ship::new(Geometry::new(2, 2).unwrap(), 2);
        ship.counters = vec![COUNTER_START; 1 << 16];
        let steps = "a:a2 b:a2b2 a+a0b2 c:a1c2 b:a2b3 d:a2d2 e:e2d3 a:e2a2";
        replay(&mut ship, steps, |cache| cache.rrip.show());
    }
}
