//! Simulates one configuration over one trace: hits, misses and their classes.

use crate::FlowCacheError;
use crate::cache::Replay;
use crate::geometry::Geometry;
use crate::policy::{self, Future, Policy};
use crate::trace::{NEVER, Trace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Packets per block, before their hits are evaluated: the results must still be in the first-level cache.
const BLOCK: usize = 4096;

/// A cache to simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Entries, ways and sets.
    pub geometry: Geometry,
    /// The replacement policy, with its filter.
    pub policy: Policy,
}

impl Configuration {
    /// Returns a cache of a shape under a policy.
    #[must_use]
    pub const fn new(geometry: Geometry, policy: Policy) -> Self {
        Self { geometry, policy }
    }
}

/// The common options of all configurations of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// A miss is cold if the digest does not occur in this many packets before it (thesis, section 5.4).
    pub cold_window_packets: u32,
    /// The window of `PRED` (thesis, section 5.4).
    pub foresight_packets: u32,
    /// Seed of the policies that draw random numbers.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { cold_window_packets: 10_000, foresight_packets: 10_000, seed: 1 }
    }
}

/// The result of one configuration for a trace. Counts are numbers of packets.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Serialize)]
pub struct Row {
    /// Number of entries in the cache.
    pub entries: u32,
    /// Number of entries per set.
    pub ways: u32,
    /// Number of sets; a cache with one set is fully associative.
    pub sets: u32,
    /// Name of the policy, including its parameter and filter, such as `SECOND16+SP`.
    pub policy: String,
    /// Number of packets that were looked up.
    pub packets: u64,
    /// Packets whose digest was in the cache.
    pub hits: u64,
    /// Packets that miss: the sum of `cold`, `capacity` and `conflict`.
    pub misses: u64,
    /// Number of misses, divided by the number of packets.
    pub miss_ratio: f64,
    /// Misses of packets whose digest is not among the digests of the preceding packets in the window.
    pub cold: u64,
    /// Misses that are not cold, and that a fully associative LRU cache of the same size would also have.
    pub capacity: u64,
    /// Misses that are neither cold nor capacity misses.
    pub conflict: u64,
    /// Packets whose digest occurs for the first time.
    pub first_ref_misses: u64,
    /// Packets that count as cold misses, although a fully associative LRU cache of the same size would still
    /// contain their digest.
    pub cold_but_fa_hit: u64,
    /// Hits of packets that would miss in a fully associative LRU cache of the same size.
    pub hit_but_fa_miss: u64,
    /// Number of bits of policy state, excluding tags and results; `None` for an oracle.
    pub policy_state_bits: Option<u64>,
}

/// A cache that processes packets one by one or in blocks, for a machine or a separate program.
pub struct FlowCache {
    cache: Box<dyn Replay>,
    next: u32,
}

impl FlowCache {
    /// Returns an empty cache.
    ///
    /// # Errors
    ///
    /// If the policy does not fit the shape, or is an oracle: those need a [`Trace`].
    pub fn new(configuration: &Configuration, seed: u64) -> Result<Self, FlowCacheError> {
        let cache = policy::make(configuration.policy, configuration.geometry, seed, None)?;
        Ok(Self { cache, next: 0 })
    }

    /// Looks a digest up; on a miss the policy may insert it. Returns whether it hit.
    pub fn access(&mut self, digest: u32) -> bool {
        let mut hit = [false];
        self.replay(&[digest], &mut hit);
        hit[0]
    }

    /// Looks up `digests` in order and stores whether each hit.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    pub fn replay(&mut self, digests: &[u32], hits: &mut [bool]) {
        assert_eq!(digests.len(), hits.len(), "one result per digest");
        self.cache.replay(self.next, digests, hits);
        self.next = self.next.wrapping_add(digests.len() as u32);
    }
}

/// Simulates one configuration over a trace.
///
/// # Errors
///
/// If the policy does not fit the shape.
pub fn simulate(
    trace: &Trace,
    configuration: &Configuration,
    options: &Options,
) -> Result<Row, FlowCacheError> {
    simulate_with(trace, configuration, options, |_| ())
}

/// As [`simulate`]; calls `see` with the hits and misses of the packets in order, block by block.
///
/// # Errors
///
/// If the policy does not fit the shape.
pub fn simulate_with(
    trace: &Trace,
    configuration: &Configuration,
    options: &Options,
    mut see: impl FnMut(&[bool]),
) -> Result<Row, FlowCacheError> {
    let row = simulate_until(trace, configuration, options, |hits| {
        see(hits);
        ControlFlow::Continue(())
    });
    row.map(|row| row.expect("nobody ends it"))
}

/// As [`simulate_with`]; `see` may stop the run, and then there is no row.
///
/// # Errors
///
/// If the policy does not fit the shape.
pub fn simulate_until(
    trace: &Trace,
    configuration: &Configuration,
    options: &Options,
    mut see: impl FnMut(&[bool]) -> ControlFlow<()>,
) -> Result<Option<Row>, FlowCacheError> {
    let Configuration { geometry, policy } = *configuration;
    let future =
        policy.is_oracle().then(|| Future { next: trace.next().clone(), window: options.foresight_packets });
    let mut cache = policy::make(policy, geometry, options.seed, future)?;
    let mut counts = Row::default();
    let mut block = [false; BLOCK];
    for (number, digests) in trace.digests().chunks(BLOCK).enumerate() {
        let first = number * BLOCK;
        let hits = &mut block[..digests.len()];
        cache.replay(first as u32, digests, hits);
        classify(&mut counts, trace, first, hits, geometry.entries(), options.cold_window_packets);
        if see(hits).is_break() {
            return Ok(None);
        }
    }
    let packets = trace.digests().len() as u64;
    counts.hits = packets - counts.misses;
    Ok(Some(Row {
        entries: geometry.entries(),
        ways: geometry.ways(),
        sets: geometry.sets(),
        policy: policy.to_string(),
        packets,
        miss_ratio: counts.misses as f64 / packets as f64,
        policy_state_bits: policy.state_bits(geometry),
        ..counts
    }))
}

/// Adds the misses of the packets from `first` on to their classes.
fn classify(counts: &mut Row, trace: &Trace, first: usize, hits: &[bool], entries: u32, window: u32) {
    let packets = first..first + hits.len();
    let reuse = trace.previous()[packets.clone()].iter().zip(&trace.distances()[packets]);
    for ((at, &hit), (&previous, &distance)) in (first as u32..).zip(hits).zip(reuse) {
        let full_hit = distance < entries;
        // A packet without a predecessor is cold, for any window.
        let cold = previous == NEVER || at - previous > window;
        counts.first_ref_misses += u64::from(previous == NEVER);
        counts.hit_but_fa_miss += u64::from(hit & !full_hit);
        counts.misses += u64::from(!hit);
        counts.cold += u64::from(!hit & cold);
        counts.cold_but_fa_hit += u64::from(!hit & cold & full_hit);
        counts.capacity += u64::from(!hit & !cold & !full_hit);
        counts.conflict += u64::from(!hit & !cold & full_hit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration(entries: u32, ways: u32, policy: &str) -> Configuration {
        Configuration::new(Geometry::new(entries, ways).unwrap(), Policy::parse(policy).unwrap())
    }

    /// Two sets of one way and a window of 3 packets.
    #[test]
    fn classes_by_hand() {
        // 2 and 4 share set 0 and evict each other: twice a conflict, for two entries in all would keep both. Then
        // 1 takes set 1, and 2 misses for want of capacity: two entries would hold 4 and 1. 1 hits. The last 4 is
        // cold: it lies outside of the window.
        let digests = [2, 4, 2, 4, 1, 2, 1, 4];
        let trace = Trace::new(&digests).unwrap();
        let options = Options { cold_window_packets: 3, ..Options::default() };
        let row = simulate(&trace, &configuration(2, 1, "LRU"), &options).unwrap();
        assert_eq!((row.hits, row.misses, row.miss_ratio), (1, 7, 7.0 / 8.0));
        assert_eq!((row.cold, row.capacity, row.conflict), (4, 1, 2));
        assert_eq!((row.first_ref_misses, row.cold_but_fa_hit, row.hit_but_fa_miss), (3, 0, 0));
    }

    #[test]
    fn one_by_one_in_blocks_and_over_a_trace_is_the_same() {
        let mut draws = linecard_sim::stream(8, "simulate");
        let digests: Vec<u32> = (0..10_000).map(|_| draws.below(300) * draws.below(300)).collect();
        let configuration = configuration(128, 4, "DRRIP");
        let mut seen = Vec::new();
        let trace = Trace::new(&digests).unwrap();
        let see = |hits: &[bool]| seen.extend_from_slice(hits);
        let row = simulate_with(&trace, &configuration, &Options::default(), see).unwrap();
        assert_eq!(row.cold + row.capacity + row.conflict, row.misses);
        let mut cache = FlowCache::new(&configuration, 1).unwrap();
        assert_eq!(digests.iter().map(|&digest| cache.access(digest)).collect::<Vec<_>>(), seen);
        let mut cache = FlowCache::new(&configuration, 1).unwrap();
        let mut hits = vec![false; digests.len()];
        cache.replay(&digests, &mut hits);
        assert_eq!(hits, seen);
    }

    #[test]
    fn oracles_need_a_trace() {
        let error = FlowCache::new(&configuration(8, 4, "OPT"), 1).err().unwrap().to_string();
        assert!(error.starts_with("OPT: the policy uses future packets"), "{error}");
    }

    #[test]
    fn rows_serialize_under_their_golden_names() {
        let row = simulate(&Trace::new(&[1, 1]).unwrap(), &configuration(4, 2, "bip"), &Options::default())
            .unwrap();
        let json = serde_json::to_value(row).unwrap();
        assert_eq!(json["policy"], "BIP32");
        assert_eq!((&json["entries"], &json["hits"], &json["cold"]), (&4.into(), &1.into(), &1.into()));
    }
}
