//! Does every policy decide as a naive model of it? Models are plain lists, written from the papers and searched
//! from end to end; random traces in random shapes run through both.

mod ghosts;
mod order;
mod ways;

use linecard_flowcache::{Configuration, Geometry, Options, Policy, PolicyKind, Trace, simulate_with};
use proptest::prelude::*;

/// The foresight of `PRED` in these tests: short, so that short traces extend beyond it.
const FORESIGHT_PACKETS: u32 = 30;
const SEED: u64 = 9;

/// The shape of the cache, and the trace for models that look ahead.
#[derive(Clone)]
struct Shape {
    sets: u32,
    ways: usize,
    digests: Vec<u32>,
}

impl Shape {
    /// Returns the position of the next packet after `at` with its digest; the largest number if there is none.
    fn next_use(&self, at: usize) -> usize {
        (at + 1..self.digests.len())
            .find(|&later| self.digests[later] == self.digests[at])
            .unwrap_or(usize::MAX)
    }

    fn entries(&self) -> u32 {
        self.sets * self.ways as u32
    }
}

/// A naive cache; returns whether the packet at `at`, of `set`, hits.
trait Model {
    fn access(&mut self, at: usize, set: usize, digest: u32) -> bool;
}

impl<F: FnMut(usize, usize, u32) -> bool> Model for F {
    fn access(&mut self, at: usize, set: usize, digest: u32) -> bool {
        self(at, set, digest)
    }
}

fn model(kind: PolicyKind, shape: &Shape) -> Box<dyn Model> {
    use PolicyKind::*;
    match kind {
        Lru | Fifo | Sp | Lip | Bip | Dip | Prob | Pred => order::model(kind, shape),
        Random | Lfu | Clock | Srrip | Brrip | Drrip | Ship | Zsp | Opt | OptBypass => {
            ways::model(kind, shape)
        }
        Slru | TwoQ | Arc | Lirs | Sieve | S3Fifo | WTinyLfu => ghosts::model(kind, shape),
    }
}

fn hits_of_model(mut model: Box<dyn Model>, shape: &Shape) -> Vec<bool> {
    let access = |(at, &digest): (usize, &u32)| model.access(at, (digest % shape.sets) as usize, digest);
    shape.digests.iter().enumerate().map(access).collect()
}

/// Returns the hits of the crate; `None` if the policy does not support the shape.
fn hits_of_cache(policy: Policy, shape: &Shape) -> Option<Vec<bool>> {
    let trace = Trace::new(&shape.digests).unwrap();
    let geometry = Geometry::new(shape.entries(), shape.ways as u32).unwrap();
    let options = Options { foresight_packets: FORESIGHT_PACKETS, seed: SEED, ..Options::default() };
    let mut all = Vec::new();
    let configuration = Configuration::new(geometry, policy);
    simulate_with(&trace, &configuration, &options, |hits| all.extend_from_slice(hits)).ok()?;
    Some(all)
}

/// Traces with popular and rare digests, and runs of one digest, as in packet traffic.
fn digests() -> impl Strategy<Value = Vec<u32>> {
    let digest = prop_oneof![4 => 0u32..12, 3 => 0u32..60, 1 => any::<u32>()];
    let run = (digest, prop_oneof![3 => Just(1usize), 1 => 2usize..5]);
    proptest::collection::vec(run, 1..500).prop_map(|runs| {
        runs.into_iter().flat_map(|(digest, times)| std::iter::repeat_n(digest, times)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn every_policy_decides_as_its_model(
        digests in digests(),
        sets in prop_oneof![Just(1u32), Just(2), Just(3), Just(4), Just(40)],
        ways in prop_oneof![1usize..10, Just(16), Just(40)],
    ) {
        let shape = Shape { sets, ways, digests };
        for &kind in PolicyKind::ALL {
            let Some(found) = hits_of_cache(Policy::new(kind), &shape) else {
                prop_assert!(sets == 1, "{kind:?} was refused");
                continue;
            };
            let expected = hits_of_model(model(kind, &shape), &shape);
            let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
            prop_assert_eq!(differs, None, "{:?}, {} sets, {} ways", kind, sets, ways);
        }
    }

    /// The second interpretation of SP, and of PRED.
    #[test]
    fn second_readings_decide_as_their_models(digests in digests(), sets in 1u32..5, ways in 1usize..9) {
        let shape = Shape { sets, ways, digests };
        let found = hits_of_cache(Policy::parse("SP2").unwrap(), &shape).unwrap();
        prop_assert_eq!(found, hits_of_model(order::saturating_priority_from_empty(&shape), &shape));
        let found = hits_of_cache(Policy::parse("PRED2").unwrap(), &shape).unwrap();
        prop_assert_eq!(found, hits_of_model(order::pred(&shape, 2), &shape));
    }

    /// No policy misses less than OPT_BYPASS, and none that always inserts less than OPT. One that has no fixed sets
    /// is bounded by the oracle of a fully associative cache.
    #[test]
    fn oracles_bound_every_policy(digests in digests(), sets in 2u32..5, ways in 1usize..9) {
        let shape = Shape { sets, ways, digests };
        let hits = |policy| hits_of_cache(policy, &shape).unwrap().iter().filter(|&&hit| hit).count();
        let best = hits(Policy::new(PolicyKind::OptBypass));
        for &kind in PolicyKind::ALL.iter().filter(|&&kind| kind != PolicyKind::Zsp) {
            prop_assert!(hits(Policy::new(kind)) <= best, "{:?}", kind);
        }
        let full = Shape { sets: 1, ways: shape.entries() as usize, digests: shape.digests.clone() };
        let best = hits_of_cache(Policy::new(PolicyKind::OptBypass), &full).unwrap();
        prop_assert!(hits(Policy::new(PolicyKind::Zsp)) <= best.iter().filter(|&&hit| hit).count());
        prop_assert!(hits(Policy::new(PolicyKind::Lru)) <= hits(Policy::new(PolicyKind::Opt)));
    }

    /// LRU behind a random filter is probabilistic insertion, however it is specified.
    #[test]
    fn chance_in_front_of_lru_is_prob(digests in digests(), sets in 1u32..5, ways in 1usize..9) {
        let shape = Shape { sets, ways, digests };
        let hits = |name| hits_of_cache(Policy::parse(name).unwrap(), &shape);
        prop_assert_eq!(hits("CHANCE4+LRU"), hits("PROB4"));
        prop_assert_eq!(hits("CHANCE1+ARC"), hits("ARC"));
    }
}
