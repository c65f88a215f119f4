//! Laws of every chip: no packet is lost or duplicated, order is kept, times add up, and equal runs have equal
//! results.

use crate::kit;

use kit::random::{RandomChip, chip};
use linecard_buffers::AllocatorKind;

use linecard_chip::config::{NextThread, OrderKept, PlaceKind, PlacementRule, WhenFull};
use linecard_chip::{
    Breakdown, Chip, Counts, Departure, Loss, Lost, NotIpCounts, Outcome, Part, RunLimit, Window,
};
use linecard_program::NetworkKind;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::rc::Rc;

struct Ran {
    outcome: Outcome,
    counts: Counts,
    departures: Vec<Departure>,
    losses: Vec<Lost>,
    leftovers: Vec<String>,
    /// Waits by operation of the first program.
    stalls: Vec<f64>,
}

fn run(random: &RandomChip, limit: RunLimit) -> Ran {
    run_as(random, limit, None)
}

fn run_as(random: &RandomChip, limit: RunLimit, recorded: Option<Window>) -> Ran {
    let mut packets = random.packets.clone().into_iter().enumerate().map(|(number, mut arrival)| {
        if number % 3 == 0 {
            arrival.head.network = NetworkKind::NotIp;
        }
        arrival
    });
    let traffic = Box::new(move || packets.next());
    let mut chip = Chip::new(random.config.clone(), random.programs(), traffic).expect("it fits together");
    if let Some(window) = recorded {
        chip.record(window);
    }
    let departures = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&departures);
    chip.on_departure(Box::new(move |departure| sink.borrow_mut().push(*departure)));
    let losses = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&losses);
    chip.on_loss(Box::new(move |lost| sink.borrow_mut().push(*lost)));
    let outcome = chip.run(limit, &mut |_| ControlFlow::Continue(()));
    let (counts, mut leftovers) = (chip.counts(), chip.leftovers());
    if let Some(memory) = &random.config.packets
        && let PlacementRule::Allocator(allocator) = &memory.placement
        && allocator.kind == AllocatorKind::Piecewise
    {
        // The page under the allocator's frontier stays allocated.
        leftovers.retain(|left| *left != format!("{} cells of packet memories", allocator.page_cells));
    }
    let (departures, losses) = (departures.borrow().clone(), losses.borrow().clone());
    Ran { outcome, counts, departures, losses, leftovers, stalls: chip.stalls(0) }
}

const ALL: RunLimit = RunLimit { warmup_packets: Some(0), packets: u64::MAX / 2 };

fn shares_and_times(config: &linecard_chip::ChipConfig, counts: &Counts) -> Result<(), TestCaseError> {
    let share = |what: &str, value: f64| {
        prop_assert!((0.0..=1.0).contains(&value), "{}: {}", what, value);
        Ok(())
    };
    for (cluster, config) in counts.clusters.iter().zip(&config.clusters) {
        for value in [cluster.busy, cluster.busiest, cluster.threads_held] {
            share(&cluster.name, value)?;
        }
        let ticks: u128 = cluster.threads.iter().map(|spent| spent.ticks).sum();
        let threads = u128::from(config.all_threads());
        prop_assert_eq!(ticks, threads * u128::from(counts.duration), "threads of {}", &cluster.name);
    }
    for place in &counts.places {
        for value in [place.utilization, place.utilization_most, place.hit_rate].into_iter().flatten() {
            share(&place.name, value)?;
        }
    }
    for link in &counts.links {
        share(&link.name, link.utilization)?;
    }
    for port in &counts.ports {
        for value in [port.receive, port.transmit].into_iter().flatten() {
            share(&port.name, value)?;
        }
    }
    for (pool, config) in counts.pools.iter().zip(&config.pools) {
        prop_assert!(pool.most <= u64::from(config.cells) && pool.mean <= pool.most as f64);
    }
    Ok(())
}

/// Counts by part are conserved, each separately, and sum to the totals.
fn broken_down(counts: &Counts) -> Result<(), TestCaseError> {
    let Some(Breakdown { inputs, queues }) = &counts.breakdown else { return Ok(()) };
    for part in inputs.iter().chain(queues) {
        let gone = part.delivered + part.lost + part.by_choice + part.inside;
        prop_assert_eq!(part.offered + part.inside_at_start, gone, "{:?}", part);
        prop_assert_eq!(part.latency.count(), part.delivered);
    }
    let sum = |parts: &[Part], of: fn(&Part) -> u64| parts.iter().map(of).sum::<u64>();
    let lost = counts.lost();
    prop_assert_eq!(sum(inputs, |part| part.offered), counts.packets_in);
    prop_assert_eq!(sum(inputs, |part| part.bytes_offered), counts.bytes_in);
    prop_assert_eq!(sum(inputs, |part| part.delivered), counts.packets_out);
    prop_assert_eq!(sum(inputs, |part| part.bytes_delivered), counts.bytes_out);
    prop_assert_eq!(sum(inputs, |part| part.lost), lost);
    prop_assert_eq!(sum(inputs, |part| part.by_choice), counts.by_choice());
    prop_assert_eq!(sum(inputs, |part| part.inside), counts.inside_at_end);
    // Packets that have no queue yet, or never get one, count in the first part only.
    prop_assert_eq!(sum(queues, |part| part.delivered), counts.packets_out - counts.packets_finished);
    prop_assert!(sum(queues, |part| part.lost) >= counts.drops[Loss::OutputQueueFull.number()]);
    prop_assert!(sum(queues, |part| part.lost) <= lost);
    prop_assert!(sum(queues, |part| part.inside) <= counts.inside_at_end);
    Ok(())
}

fn conserved(counts: &Counts) -> Result<(), TestCaseError> {
    broken_down(counts)?;
    let left = counts.packets_out + counts.lost() + counts.by_choice() + counts.inside_at_end;
    prop_assert_eq!(counts.packets_in + counts.inside_at_start, left);
    Ok(())
}

/// Drops by choice are not counted as losses, and frames that are not IP are counted by their fate.
fn told_apart(ran: &Ran) -> Result<(), TestCaseError> {
    let counts = &ran.counts;
    let lost: Vec<&Lost> = ran.losses.iter().filter(|lost| !lost.loss.is_by_choice()).collect();
    prop_assert_eq!(counts.lost(), lost.len() as u64);
    prop_assert_eq!(counts.by_choice(), (ran.losses.len() - lost.len()) as u64);
    prop_assert_eq!(counts.bytes_dropped, lost.iter().map(|lost| u64::from(lost.head.bytes)).sum::<u64>());
    let is_not_ip = |network| network == NetworkKind::NotIp;
    let left = ran.departures.iter().filter(|left| is_not_ip(left.head.network));
    let (forwarded, finished): (Vec<&Departure>, _) = left.partition(|left| left.by_port);
    let expected = NotIpCounts {
        packets_in: counts.packets_in.div_ceil(3),
        forwarded: forwarded.len() as u64,
        finished: finished.len() as u64,
        lost: lost.iter().filter(|lost| is_not_ip(lost.head.network)).count() as u64,
    };
    prop_assert_eq!(counts.not_ip, expected);
    Ok(())
}

fn in_order(random: &RandomChip, departures: &[Departure]) -> Result<(), TestCaseError> {
    let key = |d: &Departure| match random.config.order.kept {
        OrderKept::Flow if random.output_by_flow => Some(d.flow_hash),
        OrderKept::Port if !random.output_by_flow => Some(u32::from(d.input_port)),
        _ => None,
    };
    let mut last: HashMap<u32, u64> = HashMap::new();
    for departure in departures {
        if let Some(key) = key(departure)
            && let Some(before) = last.insert(key, departure.number)
        {
            prop_assert!(before < departure.number, "{} before {}", before, departure.number);
        }
    }
    Ok(())
}

/// The same chip without the features that the fast event loop does not support.
fn plain(mut random: RandomChip) -> RandomChip {
    for cluster in &mut random.config.clusters {
        (cluster.issue_cycles, cluster.post_cycles, cluster.branch_share) = (0, 0, 0.0);
        (cluster.next_thread, cluster.data_cache) = (NextThread::RoundRobin, None);
    }
    random
}

fn hold_to_the_laws(seed: u64) -> Result<(), TestCaseError> {
    let random = if seed.is_multiple_of(2) { plain(chip(seed)) } else { chip(seed) };
    let ran = run(&random, ALL);
    let counts = &ran.counts;
    prop_assert_eq!(&ran.outcome, &Outcome::TrafficEnded);
    prop_assert_eq!(&ran.leftovers, &Vec::<String>::new());
    prop_assert_eq!(counts.packets_in, random.packets.len() as u64);
    prop_assert_eq!(counts.inside_at_end, 0);
    conserved(counts)?;
    told_apart(&ran)?;
    shares_and_times(&random.config, counts)?;
    in_order(&random, &ran.departures)?;

    let mut numbers: Vec<u64> = ran.departures.iter().map(|d| d.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    prop_assert_eq!(numbers.len() as u64, counts.packets_out, "no packet leaves twice");
    prop_assert!(ran.departures.windows(2).all(|pair| pair[0].at <= pair[1].at));
    let bytes: u64 = ran.departures.iter().map(|d| u64::from(d.head.bytes)).sum();
    prop_assert_eq!(bytes, counts.bytes_out);
    for (port, config) in counts.ports.iter().zip(&random.config.ports) {
        if let Some(transmit) = &config.transmit {
            prop_assert!(
                port.most_queued <= transmit.scheduler.classes.len() as u32 * transmit.queue_packets
            );
            if transmit.when_full == WhenFull::Wait {
                prop_assert_eq!(counts.drops.last(), Some(&0), "no queue drops");
            }
        }
    }
    // Little's law is exact from the first packet to the last if every packet leaves.
    let inside = counts.inside_mean * counts.duration as f64;
    let stayed = counts.latency.mean() * counts.latency.count() as f64;
    if counts.drops.iter().sum::<u64>() == 0 {
        prop_assert!((inside - stayed).abs() <= 1e-9 * stayed, "{} and {}", inside, stayed);
        let parts = counts.packet_time.iter().map(|part| part.ticks).sum::<u128>() as f64;
        // Where two threads work on one packet, each of them counts.
        prop_assert!(
            random.shares_packets() || (parts - stayed).abs() <= 1e-9 * stayed,
            "{} and {}: {:?}",
            parts,
            stayed,
            counts.packet_time
        );
    } else {
        prop_assert!(inside >= stayed * (1.0 - 1e-9));
    }

    let again = run(&random, ALL);
    prop_assert_eq!(format!("{:?}", &ran.departures), format!("{:?}", again.departures));
    prop_assert_eq!(format!("{counts:?}"), format!("{:?}", again.counts));

    // The same laws hold if only a part of the run is measured.
    let piece = run(&random, RunLimit { warmup_packets: Some(seed % 100), packets: 50 });
    prop_assert!(matches!(piece.outcome, Outcome::Completed | Outcome::TrafficEnded));
    conserved(&piece.counts)?;
    shares_and_times(&random.config, &piece.counts)?;

    // A recorded run uses the event loop with all features, also on a chip that needs none of them.
    for (limit, plain) in [(ALL, &ran), (RunLimit { warmup_packets: Some(seed % 100), packets: 50 }, &piece)]
    {
        let full = run_as(&random, limit, Some(Window { from_ns: 0, for_ns: 1, most_events: 1 }));
        prop_assert_eq!(format!("{:?}", &plain.departures), format!("{:?}", full.departures));
        prop_assert_eq!(format!("{:?}", &plain.counts), format!("{:?}", full.counts));
        let longest = plain.stalls.len().max(full.stalls.len());
        let to_longest = |ran: &Ran| [&ran.stalls[..], &vec![0.0; longest - ran.stalls.len()]].concat();
        prop_assert_eq!(to_longest(plain), to_longest(&full));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_chip_keeps_the_laws(seed in any::<u64>()) {
        hold_to_the_laws(seed)?;
    }
}

/// The same chip with its places listed in reverse order.
fn reversed(random: &RandomChip) -> RandomChip {
    let mut reversed = random.clone();
    let last = reversed.config.places.len() - 1;
    reversed.config.places.reverse();
    for place in &mut reversed.config.places {
        if let PlaceKind::Cached(cache) = &mut place.kind {
            cache.behind = last - cache.behind;
        }
    }
    for target in reversed.config.targets.iter_mut().flatten().flatten() {
        target.place = last - target.place;
    }
    reversed
}

#[test]
fn the_order_in_which_places_are_listed_changes_nothing() {
    for seed in 0..500 {
        let random = chip(seed);
        let (one, mut other) = (run(&random, ALL), run(&reversed(&random), ALL));
        other.counts.places.reverse();
        assert_eq!(format!("{:?}", one.departures), format!("{:?}", other.departures), "seed {seed}");
        assert_eq!(format!("{:?}", one.counts.places), format!("{:?}", other.counts.places), "seed {seed}");
        assert_eq!(format!("{:?}", one.counts.latency), format!("{:?}", other.counts.latency));
    }
}

#[test]
fn the_random_chips_come_into_every_state_and_lose_packets_in_every_way() {
    let (mut states, mut losses) = (BTreeSet::new(), BTreeSet::new());
    let (mut hits, mut misses, mut utilized) = (false, false, false);
    for seed in 0..400 {
        let counts = run(&chip(seed), ALL).counts;
        states.extend(counts.clusters.iter().flat_map(|c| &c.threads).map(|spent| spent.part.clone()));
        let lost = counts.drops.iter().enumerate().filter(|&(_, &count)| count > 0);
        losses.extend(lost.map(|(number, _)| Loss::name(number)));
        for place in counts.places.iter().filter(|place| place.dram.is_none()) {
            hits |= place.hit_rate.is_some_and(|rate| rate > 0.2);
            misses |= place.hit_rate.is_some_and(|rate| rate > 0.0 && rate < 0.9);
        }
        utilized |= counts.places.iter().any(|place| place.utilization.is_some_and(|u| u > 0.95));
    }
    for state in [
        "compute",
        "wait thread slot",
        "wait packet",
        "wait lock",
        "wait inbox room",
        "wait queue room",
        "wait order",
        "wait posted",
        "wait group.0",
        "wait group.1",
        "wait group.2",
    ] {
        assert!(states.contains(state), "{state} is not among {states:?}");
    }
    for loss in
        ["line_full", "packet_memory_full", "output_queue_full", "receive_buffer_full", "punted", "not_ip"]
    {
        assert!(losses.contains(loss), "{loss} is not among {losses:?}");
    }
    assert!(hits && misses && utilized);
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200)
}
