//! Exact LRU results of all sizes from one pass, by stack distances (Mattson et al., 1970).
//!
//! In a stack of digests by last use, LRU of n entries hits the first n. One histogram of the depths is
//! therefore the miss count of every size: one stack for all fully associative caches, and one stack per set,
//! limited to the most ways requested, for all associativities of a number of sets.
//!
//! No other policy here has the property; for them simulate each configuration.

use crate::FlowCacheError;
use crate::geometry::{Geometry, Index};
use crate::slot_stacks;
use crate::trace::{NEVER, Trace};
use linecard_words::Mismatch;
use schemars::JsonSchema;
use serde::Serialize;

/// Most ways of one pass.
pub const MOST_ONE_PASS_WAYS: u32 = 32;

/// Exact number of LRU misses for one cache size.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct LruRow {
    /// Number of sets; a cache with one set is fully associative.
    pub sets: u32,
    /// Number of entries per set.
    pub ways: u32,
    /// Number of entries in the cache.
    pub entries: u32,
    /// Number of packets that were looked up.
    pub packets: u64,
    /// Packets whose digest was not in the cache.
    pub misses: u64,
    /// Number of misses, divided by the number of packets.
    pub miss_ratio: f64,
}

impl LruRow {
    fn new(sets: u32, ways: u32, packets: u64, misses: u64) -> Self {
        Self { sets, ways, entries: sets * ways, packets, misses, miss_ratio: misses as f64 / packets as f64 }
    }
}

/// Misses of fully associative LRU caches of every size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissRatioCurve {
    /// Misses by number of entries, from 0 up to the size beyond which the number of misses is constant.
    misses: Vec<u64>,
}

impl MissRatioCurve {
    /// Returns the curve of a trace.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        let mut at_distance = Vec::new();
        let mut misses = 0;
        for &distance in trace.distances() {
            misses += 1;
            if distance != NEVER {
                let distance = distance as usize;
                if distance >= at_distance.len() {
                    at_distance.resize(distance + 1, 0u64);
                }
                at_distance[distance] += 1;
            }
        }
        let hit_more = |misses: &mut u64, &hits: &u64| {
            *misses -= hits;
            Some(*misses)
        };
        let larger = at_distance.iter().scan(misses, hit_more);
        Self { misses: std::iter::once(misses).chain(larger).collect() }
    }

    /// Returns the misses with `entries` entries.
    #[must_use]
    pub fn misses(&self, entries: u32) -> u64 {
        self.misses[(entries as usize).min(self.misses.len() - 1)]
    }

    /// Returns the packets of the trace.
    #[must_use]
    pub fn packets(&self) -> u64 {
        self.misses[0]
    }

    /// Returns the smallest size with the fewest misses.
    #[must_use]
    pub fn entries_for_all_hits(&self) -> u32 {
        self.misses.len() as u32 - 1
    }

    /// Returns the curve as rows: sizes increase by a factor of 2^(1/8), up to the size of
    /// `entries_for_all_hits`.
    #[must_use]
    pub fn rows(&self) -> Vec<LruRow> {
        let last = self.entries_for_all_hits().max(1);
        let sizes = (0..).map(|step| (f64::from(step) / 8.0).exp2() as u32).take_while(|&size| size < last);
        let mut sizes: Vec<u32> = sizes.chain([last]).collect();
        sizes.dedup();
        sizes.into_iter().map(|entries| self.row(entries)).collect()
    }

    /// Returns one size as a row.
    #[must_use]
    pub fn row(&self, entries: u32) -> LruRow {
        LruRow::new(1, entries, self.packets(), self.misses(entries))
    }
}

/// Returns LRU misses for every number of sets in `set_counts` with 1 to `most_ways` ways, ordered by sets,
/// then ways.
///
/// # Errors
///
/// If a number of sets is 0 or too large, or the ways are not 1 to [`MOST_ONE_PASS_WAYS`].
pub fn lru_all_ways(
    trace: &Trace,
    set_counts: &[u32],
    most_ways: u32,
) -> Result<Vec<LruRow>, FlowCacheError> {
    let set_counts = checked(set_counts, most_ways)?;
    let narrow = |depths: fn(&Trace, u32, Index) -> Vec<u64>| {
        set_counts.iter().map(|&sets| depths(trace, sets, index(sets))).collect()
    };
    let histograms: Vec<Vec<u64>> = match most_ways {
        1..=4 => narrow(slot_stacks::depths::<4>),
        5..=8 => narrow(slot_stacks::depths::<8>),
        9..=16 => narrow(slot_stacks::depths::<16>),
        _ => depths::<32>(trace, &set_counts),
    };
    let packets = trace.digests().len() as u64;
    let rows = |(&sets, histogram): (&u32, &Vec<u64>)| {
        let mut misses = packets;
        let rows = (1..=most_ways).zip(histogram).map(|(ways, hits)| {
            misses -= hits;
            LruRow::new(sets, ways, packets, misses)
        });
        rows.collect::<Vec<_>>()
    };
    Ok(set_counts.iter().zip(&histograms).flat_map(rows).collect())
}

/// The numbers of sets in rising order, each once.
fn checked(set_counts: &[u32], most_ways: u32) -> Result<Vec<u32>, FlowCacheError> {
    if !(1..=MOST_ONE_PASS_WAYS).contains(&most_ways) {
        return Err(Mismatch::new(
            "most ways",
            most_ways,
            format!(
                "1 to {MOST_ONE_PASS_WAYS}; for sets with more ways, simulate each configuration separately"
            ),
        )
        .into());
    }
    let mut set_counts = set_counts.to_vec();
    set_counts.sort_unstable();
    set_counts.dedup();
    for &sets in &set_counts {
        Geometry::new(sets, 1)?;
    }
    Ok(set_counts)
}

/// From digest to set.
fn index(sets: u32) -> Index {
    Geometry::new(sets, 1).expect("checked before").index()
}

/// Returns, for each number of sets, the number of packets found at each depth of their set's stack: sets of
/// any width, searched.
fn depths<const W: usize>(trace: &Trace, set_counts: &[u32]) -> Vec<Vec<u64>> {
    let mut levels: Vec<Level<W>> = Vec::new();
    for &sets in set_counts {
        let nested = levels.last().is_some_and(|level| sets.is_multiple_of(level.sets));
        levels.push(Level::new(sets, nested));
    }
    for &digest in trace.digests() {
        let mut depth = W;
        for level in &mut levels {
            depth = level.access(digest, depth);
        }
    }
    levels.into_iter().map(|level| level.histogram.to_vec()).collect()
}

/// The stacks of all sets of one number of sets, limited to `W`.
struct Level<const W: usize> {
    sets: u32,
    index: Index,
    /// Each set of the previous level is divided into whole sets here.
    nested: bool,
    /// A stack, the last use first, and its used length.
    stacks: Vec<([u32; W], u32)>,
    histogram: Vec<u64>,
}

impl<const W: usize> Level<W> {
    fn new(sets: u32, nested: bool) -> Self {
        let index = index(sets);
        // One more position for misses.
        Self { sets, index, nested, stacks: vec![([0; W], 0); sets as usize], histogram: vec![0; W + 1] }
    }

    /// Moves a digest to the top of its set's stack. Returns its previous depth, `W` for a miss.
    ///
    /// `before` is the depth on the previous level. In a subset of that set the digest is not deeper; at the
    /// top it stays there, and nothing moves.
    #[inline]
    fn access(&mut self, digest: u32, before: usize) -> usize {
        if before == 0 && self.nested {
            self.histogram[0] += 1;
            return 0;
        }
        let (stack, used) = &mut self.stacks[self.index.set_of(digest) as usize];
        let mut depth = 0;
        let mut carried = digest;
        while depth < *used as usize {
            std::mem::swap(&mut carried, &mut stack[depth]);
            if carried == digest {
                self.histogram[depth] += 1;
                return depth;
            }
            depth += 1;
        }
        if depth < W {
            stack[depth] = carried;
            *used += 1;
        }
        self.histogram[W] += 1;
        W
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Configuration, Options, Policy, simulate};
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // Even and odd digests in two sets: depths in set 0 are -, -, 1, 0, 1; in set 1 -, 0.
        let digests = [2, 4, 2, 1, 2, 1, 4];
        let trace = Trace::new(&digests).unwrap();
        let rows = lru_all_ways(&trace, &[2], 2).unwrap();
        let misses: Vec<_> = rows.iter().map(|row| (row.sets, row.ways, row.entries, row.misses)).collect();
        assert_eq!(misses, [(2, 1, 2, 5), (2, 2, 4, 3)]);
        let curve = MissRatioCurve::of(&trace);
        assert_eq!((0..5).map(|entries| curve.misses(entries)).collect::<Vec<_>>(), [7, 7, 4, 3, 3]);
        assert_eq!((curve.entries_for_all_hits(), curve.row(2).miss_ratio), (3, 4.0 / 7.0));
        assert_eq!(curve.rows().iter().map(|row| row.entries).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn too_many_ways_and_no_sets_are_refused() {
        let trace = Trace::new(&[1]).unwrap();
        assert!(lru_all_ways(&trace, &[4], 33).is_err());
        assert!(lru_all_ways(&trace, &[0], 4).is_err());
        assert_eq!(MissRatioCurve::of(&trace).rows().len(), 1);
    }

    proptest! {
        /// One pass and one simulation per size agree, also where the numbers of sets are not nested.
        #[test]
        fn agrees_with_simulation(
            digests in proptest::collection::vec(0u32..200, 1..600),
            set_counts in proptest::collection::vec(1u32..9, 1..4),
            most_ways in prop_oneof![1u32..18, Just(32)],
        ) {
            let trace = Trace::new(&digests).unwrap();
            let curve = MissRatioCurve::of(&trace);
            let lru = |geometry| {
                let configuration = Configuration::new(geometry, Policy::parse("LRU").unwrap());
                simulate(&trace, &configuration, &Options::default()).unwrap().misses
            };
            for row in lru_all_ways(&trace, &set_counts, most_ways).unwrap() {
                prop_assert_eq!(row.misses, lru(Geometry::new(row.entries, row.ways).unwrap()), "{:?}", row);
                let full = Geometry::new(row.entries, row.entries).unwrap();
                prop_assert_eq!(curve.misses(row.entries), lru(full));
            }
        }

        /// Slots that are remembered and stacks that are searched give the same depths.
        #[test]
        fn slots_are_stacks(
            digests in proptest::collection::vec(0u32..200, 1..600),
            sets in 1u32..9,
        ) {
            let trace = Trace::new(&digests).unwrap();
            prop_assert_eq!(&slot_stacks::depths::<4>(&trace, sets, index(sets)), &depths::<4>(&trace, &[sets])[0]);
            prop_assert_eq!(&slot_stacks::depths::<8>(&trace, sets, index(sets)), &depths::<8>(&trace, &[sets])[0]);
            prop_assert_eq!(&slot_stacks::depths::<16>(&trace, sets, index(sets)), &depths::<16>(&trace, &[sets])[0]);
        }
    }
}
