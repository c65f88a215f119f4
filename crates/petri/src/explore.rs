//! Explores every reachable marking, breadth first; times, weights and priorities are ignored.
//!
//! A marking is a row of words in which each place has as many bits as it needs (`packed.rs`, `dense.rs`). A
//! wide net in which few places hold tokens has rows of those places alone (`sparse.rs`). The result is the
//! same, and independent of the number of workers (`search.rs`).

mod crew;
mod dense;
mod firing;
mod found;
mod packed;
mod search;
mod slots;
mod space;
mod sparse;

pub use found::Explored;

use crate::PetriError;
use crate::compiled::Compiled;
use crate::net::{ArcKind, Net};
use crew::Progress;
use dense::Dense;
use search::{BATCHES, search};
use sparse::Sparse;
use std::ops::ControlFlow;

/// Explores a net on one thread until it is complete, or has `most_markings` markings.
#[must_use]
pub fn explore(net: &Net, most_markings: u64) -> Explored {
    // No progress function stops it.
    explore_until(net, most_markings, 1, &mut |_| ControlFlow::Continue(())).unwrap_or_default()
}

/// As `explore`, with `workers` workers (0: one per core); `progress` is called with the number of markings and
/// may end it. The result does not depend on the number of workers.
///
/// # Errors
///
/// If a place gets too many tokens for a number, or `progress` ended it.
pub fn explore_until(
    net: &Net,
    most_markings: u64,
    threads: usize,
    progress: Progress<'_>,
) -> Result<Explored, PetriError> {
    let compiled = Compiled::new(net);
    let limit = most_markings.clamp(1, u64::from(u32::MAX) - 1) as usize;
    let mut found = if sparse::suits(net) {
        let mut space = Sparse::new(net, &compiled, limit);
        search(&mut space, threads, BATCHES, progress)?;
        space.explored()
    } else {
        let looks = Compiled::looks(net);
        let mut space = Dense::new(net, &compiled, &looks, limit);
        search(&mut space, threads, BATCHES, progress)?;
        space.explored()
    };
    // A place that grows once grows again only if no arc depends on an upper bound.
    if net.arcs.iter().any(|arc| matches!(arc.kind, ArcKind::Inhibitor | ArcKind::Reset)) {
        found.unbounded.clear();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NetBuilder, Servers, Timing};
    use search::Batches;
    use space::Space;

    fn untimed(net: &mut NetBuilder, name: &str) -> u32 {
        net.transition(name, Timing::Untimed, Servers::Count(1)).unwrap()
    }

    /// Two tokens move from a to b one by one; b never returns them.
    #[test]
    fn by_hand() {
        let mut net = NetBuilder::new("two");
        let (a, b) = (net.place("a", 2).unwrap(), net.place("b", 0).unwrap());
        let go = untimed(&mut net, "go");
        let never = untimed(&mut net, "never");
        net.input(a, go, 1).unwrap();
        net.output(go, b, 3).unwrap();
        net.input(a, never, 3).unwrap();
        let found = explore(&net.build().unwrap(), 100);
        let expected = Explored {
            reachable_markings: 3,
            edges: 2,
            dead_markings: 1,
            max_tokens_in_place: 6,
            max_tokens_in_marking: 6,
            never_enabled_transitions: 1,
            bounds: vec![2, 6],
            complete: true,
            unbounded: vec![],
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn an_unbounded_net_stops_at_the_limit_with_what_was_found() {
        let mut net = NetBuilder::new("endless");
        let a = net.place("a", 0).unwrap();
        let make = untimed(&mut net, "make");
        net.output(make, a, 1).unwrap();
        let found = explore(&net.build().unwrap(), 1000);
        assert_eq!((found.reachable_markings, found.complete), (1000, false));
        assert_eq!(found.unbounded, [a]);
        // A byte does not hold this number: rows grew wider during the search.
        assert!(found.max_tokens_in_place >= 998);
    }

    #[test]
    fn inhibitors_disable_and_resets_empty() {
        let mut net = NetBuilder::new("reset");
        let (a, b) = (net.place("a", 3).unwrap(), net.place("b", 0).unwrap());
        let clear = untimed(&mut net, "clear");
        net.input(a, clear, 1).unwrap();
        net.reset(a, clear).unwrap();
        net.output(clear, b, 1).unwrap();
        net.inhibitor(b, clear, 1).unwrap();
        net.output(clear, a, 2).unwrap();
        let found = explore(&net.build().unwrap(), 100);
        // 3,0 becomes 2,1, where b disables it.
        assert_eq!((found.reachable_markings, found.edges, found.dead_markings), (2, 1, 1));
        assert_eq!(found.bounds, [3, 1]);
    }

    /// A net of few places, whose arcs of all kinds a seed draws; some move more tokens than a number holds.
    fn drawn(seed: u64) -> Net {
        let mut random = linecard_sim::stream(seed, "net");
        let mut net = NetBuilder::new("drawn");
        let places: Vec<u32> =
            (0..6).map(|n| net.place(&format!("p{n}"), random.below(3)).unwrap()).collect();
        let most = if random.below(12) == 0 { 1 << 30 } else { 2 };
        for n in 0..6 {
            let transition = net.transition(&format!("t{n}"), Timing::Untimed, Servers::Count(1)).unwrap();
            for &place in &places {
                let weight = 1 + random.below(2);
                match random.below(10) {
                    0 | 1 => net.input(place, transition, weight).unwrap(),
                    2 | 3 => net.output(transition, place, 1 + random.below(most)).unwrap(),
                    4 => net.inhibitor(place, transition, weight).unwrap(),
                    5 if random.below(3) == 0 => net.reset(place, transition).unwrap(),
                    _ => {}
                }
            }
        }
        net.build().unwrap()
    }

    /// The result of a search: counts, and every marking with the one from which it was found, in the order of their
    /// numbers.
    type Found = Result<(Explored, Vec<(u32, Vec<u32>)>), PetriError>;

    fn dense(net: &Net, limit: usize, threads: usize, batches: Batches) -> Found {
        let (compiled, looks) = (Compiled::new(net), Compiled::looks(net));
        let mut space = Dense::new(net, &compiled, &looks, limit);
        search(&mut space, threads, batches, &mut |_| ControlFlow::Continue(()))?;
        let markings = space.markings();
        Ok((space.explored(), markings))
    }

    fn sparse(net: &Net, limit: usize, threads: usize, batches: Batches) -> Found {
        let compiled = Compiled::new(net);
        let mut space = Sparse::new(net, &compiled, limit);
        search(&mut space, threads, batches, &mut |_| ControlFlow::Continue(()))?;
        let markings = space.markings();
        Ok((space.explored(), markings))
    }

    #[test]
    fn rows_of_few_places_and_any_number_of_workers_find_the_same_with_the_same_numbers() {
        let mut ends = [0; 4];
        for seed in 0..250 {
            let net = drawn(seed);
            assert!(!sparse::suits(&net), "small nets have rows of all places");
            for limit in [1, 37, 700] {
                let alone = dense(&net, limit, 1, BATCHES);
                ends[match &alone {
                    Err(_) => 0,
                    Ok((found, _)) if !found.complete => 1,
                    Ok((found, _)) if found.reachable_markings > 8 => 2,
                    Ok(_) => 3,
                }] += 1;
                assert_eq!(sparse(&net, limit, 1, BATCHES), alone, "seed {seed}");
                for (threads, least, most) in [(2, 1, 1), (2, 2, 16), (3, 1, 100), (4, 5, 7)] {
                    let batches = Batches { least, most };
                    assert_eq!(dense(&net, limit, threads, batches), alone, "seed {seed}, {batches:?}");
                    assert_eq!(sparse(&net, limit, threads, batches), alone, "seed {seed}, {batches:?}");
                }
            }
        }
        assert!(ends.iter().all(|&nets| nets >= 10), "nets of all kinds: {ends:?}");
    }

    /// Tokens on a ring, beside places that no transition uses.
    fn ring(places: u32, tokens: u32, beside: u32) -> Net {
        let mut net = NetBuilder::new("ring");
        for n in 0..places {
            net.place(&format!("p{n}"), if n == 0 { tokens } else { 0 }).unwrap();
            untimed(&mut net, &format!("t{n}"));
        }
        for n in 0..places {
            net.input(n, n, 1).unwrap();
            net.output(n, (n + 1) % places, 1).unwrap();
        }
        for n in 0..beside {
            net.place(&format!("beside{n}"), 0).unwrap();
        }
        net.build().unwrap()
    }

    #[test]
    fn many_markings_are_found_in_batches_as_they_are_one_by_one() {
        // Rows of all places, which grow wider on the way, and rows of few.
        const MARKINGS: u64 = 100_947;
        for (net, wide) in [(ring(7, 17, 10), false), (ring(7, 17, 300), true)] {
            assert_eq!(sparse::suits(&net), wide);
            let run = |limit, threads| {
                explore_until(&net, limit, threads, &mut |_| ControlFlow::Continue(())).unwrap()
            };
            let alone = run(1_000_000, 1);
            assert_eq!((alone.reachable_markings, alone.complete), (MARKINGS, true));
            for limit in [MARKINGS, MARKINGS - 1, 60_000, 9_999] {
                let alone = run(limit, 1);
                assert_eq!((alone.reachable_markings, alone.complete), (limit, limit == MARKINGS));
                for threads in [0, 2, 4] {
                    assert_eq!(run(limit, threads), alone, "limit {limit}, {threads} threads");
                }
            }
        }
    }

    #[test]
    fn whoever_looks_ends_a_search_in_batches() {
        // The 2,000 places beside the ring are tested for each marking, so that the progress function is called soon.
        let net = ring(7, 17, 2_000);
        let (compiled, looks) = (Compiled::new(&net), Compiled::looks(&net));
        for threads in [1, 2, 4] {
            let mut told = Vec::new();
            let mut space = Dense::new(&net, &compiled, &looks, 1_000_000);
            let ended = search(&mut space, threads, BATCHES, &mut |markings| {
                told.push(markings);
                if told.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert_eq!((ended, told.len()), (Err(PetriError::Interrupted), 3));
            assert!(told.is_sorted() && space.count() < 100_947);
        }
    }
}
