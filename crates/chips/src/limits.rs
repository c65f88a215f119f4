//! The bottleneck of a run. It is measured: for each part that may be the limit, a shorter run is repeated with only
//! that part improved, and the gain decides.

use super::design::Design;
use super::executed::Shared;
use super::lifts::{
    BUFFERS, ENGINES, INBOX_WINDOW, LINK, Limit, MEMORY, ORDER, PACKET_MEMORY, PORTS_IN, PORTS_OUT, QUEUES,
    RINGS, SHAPERS, THREADS, TRANSMIT_BUFFER, TRANSMIT_SLOTS,
};
use super::memory_use::{taken_up, utilization};
use crate::pace::significant;
use crate::report::{Bottleneck, WhatIf};
use crate::request::RunRequest;
use crate::summary::share;
use linecard_chip::config::{ClusterConfig, WhenFull};
use linecard_chip::{ChipConfig, Counts, DispatchRule, Loss, Outcome, RunLimit};
use linecard_files::Error;
use linecard_program::DropReason;
use std::ops::ControlFlow;
use std::ptr;

/// The components for a run without a bottleneck, and for a run that was not judged.
const OFFERED_LOAD: &str = "offered load";
const NOT_JUDGED: &str = "not judged";

impl Bottleneck {
    /// Returns whether some part limits the run.
    pub(super) fn decides(&self) -> bool {
        self.component != OFFERED_LOAD && self.component != NOT_JUDGED
    }
}

/// Packets of the shortest re-run, in its warm-up and again after it. Other re-runs are [`LONGER`] times as long, and
/// the longest equals the run.
const RERUN_PACKETS: u64 = 4_000;
const LONGER: u64 = 4;
/// A re-run of the unchanged chip may differ from the run by this share, and this many packets must leave.
const MOST_OFF: f64 = 0.02;
const LEAST_OUT: u64 = 1_000;
/// Gains below this are noise.
const LEAST_GAIN: f64 = 0.03;
/// From this share of the time of threads on, locks are the limit.
const LOCKED: f64 = 0.5;
/// Parts less busy than this are not tried.
const BUSY: f64 = 0.4;
/// The most parts that are tried.
const MOST_TRIED: usize = 8;

/// A part that may be the limit.
struct Candidate {
    limit: &'static Limit,
    name: String,
    /// How likely it is the limit: how busy it is, or how much it loses or delays.
    level: f64,
    /// The fraction of the time for which it was busy, if it has one.
    utilization: Option<f64>,
}

impl Candidate {
    fn lifted(&self) -> String {
        self.limit.change(&self.name)
    }
}

/// Returns the parts that may be the limit, the likeliest first, each with its utilisation or occupancy.
fn candidates(config: &ChipConfig, counts: &Counts) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut add = |limit: &'static Limit, name: &str, level: f64, utilization: Option<f64>| {
        let same = |other: &&mut Candidate| ptr::eq(other.limit, limit) && other.name == name;
        match found.iter_mut().find(same) {
            Some(known) if known.level >= level => {}
            Some(known) => (known.level, known.utilization) = (level, utilization),
            None => found.push(Candidate { limit, name: name.to_owned(), level, utilization }),
        }
    };
    for cluster in &counts.clusters {
        add(&ENGINES, &cluster.group, cluster.busiest, Some(cluster.busiest));
        // Threads are the limit if all of them are in use and their engines are not busy.
        let level = cluster.threads_held * (1.0 - 0.5 * cluster.busy);
        add(&THREADS, &cluster.group, level, Some(cluster.threads_held));
    }
    for place in &counts.places {
        // Operations on one queue exclude each other, so a queue manager may be the limit although each of its ports
        // and engines is idle most of the time. Then threads wait for it.
        let waits = place.queue_manager.map_or(0.0, |_| waits_most(counts, &format!("wait {}", place.group)));
        add(&MEMORY, &place.group, taken_up(place).max(waits), Some(utilization(place)));
    }
    let mut add_busy = |limit: &'static Limit, name: &str, busy: f64| add(limit, name, busy, Some(busy));
    for link in &counts.links {
        let group = link.name.split('.').next().unwrap_or(&link.name);
        add_busy(&LINK, group, link.utilization);
    }
    for port in &counts.ports {
        add_busy(&PORTS_OUT, &port.group, port.transmit.unwrap_or(0.0));
        add_busy(&PORTS_IN, &port.group, port.receive.unwrap_or(0.0));
        add_busy(&SHAPERS, &port.group, port.shaper.unwrap_or(0.0));
        add_busy(&TRANSMIT_SLOTS, "", port.slots.unwrap_or(0.0));
    }
    let mut add = |limit: &'static Limit, name: &str, level: f64| add(limit, name, level, None);
    let lost = |number: usize| counts.drops[number] as f64 / counts.packets_in.max(1) as f64;
    let evidence = |share: f64| if share > 0.0 { 0.5 + share.min(0.5) } else { 0.0 };
    add(&BUFFERS, "", evidence(lost(Loss::Program(DropReason::ReceiveBufferFull).number())));
    add(&QUEUES, "", evidence(lost(Loss::OutputQueueFull.number())));
    add(&PACKET_MEMORY, "", evidence(lost(Loss::PacketMemoryFull.number())));
    let waited = |part: &str| {
        let spent = |list: &[linecard_chip::Spent]| {
            list.iter().filter(|s| s.part == part).map(|s| s.ticks).sum::<u128>()
        };
        let all: u128 = counts.packet_time.iter().map(|s| s.ticks).sum();
        spent(&counts.packet_time) as f64 / all.max(1) as f64
    };
    add(&ORDER, "", evidence(waited("wait order")));
    add(&RINGS, "", evidence(waited("wait inbox room")));
    for inbox in config.inboxes.iter().filter(|inbox| inbox.window.is_some()) {
        add(&INBOX_WINDOW, &inbox.name, evidence(waited("in inbox")));
    }
    if config.transmit.is_some() {
        add(&TRANSMIT_BUFFER, "", evidence(waited("wait queue room")));
    }
    let waits_for_queue = config
        .ports
        .iter()
        .filter_map(|port| port.transmit.as_ref())
        .any(|transmit| transmit.when_full == WhenFull::Wait);
    if waits_for_queue {
        add(&QUEUES, "", evidence(waited("wait queue room")));
    }
    found.retain(|candidate| candidate.level >= BUSY);
    found.sort_by(|a, b| b.level.total_cmp(&a.level));
    found.truncate(MOST_TRIED);
    found
}

/// The result of a re-run.
struct Rerun {
    packets_out: u64,
    /// Packets per second that leave.
    rate: f64,
}

impl Rerun {
    fn of(chip: &linecard_chip::Chip) -> Self {
        let counts = chip.counts();
        let seconds = chip.timebase().seconds(counts.duration);
        let rate = if seconds > 0.0 { counts.packets_out as f64 / seconds } else { 0.0 };
        Self { packets_out: counts.packets_out, rate }
    }
}

/// Runs a changed chip again, with `packets` in the warm-up and again after it, or with the length of the run itself.
fn rerun(
    design: &Design,
    request: &RunRequest,
    config: &ChipConfig,
    packets: Option<u64>,
    tell: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Rerun, Error> {
    let whole = if request.packets == 0 { u64::MAX / 4 } else { request.packets };
    let limit = match packets {
        Some(packets) => RunLimit { warmup_packets: Some(packets), packets },
        None => RunLimit { warmup_packets: request.warmup_packets, packets: whole },
    };
    // A capture that ends within the warm-up leaves nothing to measure: then the whole capture counts.
    for warmup_packets in [limit.warmup_packets, Some(0)] {
        let (mut chip, _) = design.chip(request, config.clone(), &Shared::default())?;
        if chip.run(RunLimit { warmup_packets, ..limit }, &mut |_| tell()) == Outcome::Interrupted {
            return Err(Error::Interrupted);
        }
        let found = Rerun::of(&chip);
        if found.rate > 0.0 {
            return Ok(found);
        }
    }
    Ok(Rerun { packets_out: 0, rate: 0.0 })
}

/// Returns the packets and the rate of the shortest re-run of the unchanged chip that repeats the run's rate; those
/// of the run if no shorter one does. A buffer that fills during the whole warm-up is not full in a short one.
fn long_enough(
    design: &Design,
    request: &RunRequest,
    config: &ChipConfig,
    run: &Rerun,
    tell: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(Option<u64>, f64), Error> {
    let most = if request.packets == 0 { u64::MAX } else { request.packets };
    let mut packets = RERUN_PACKETS;
    while packets < most {
        let found = rerun(design, request, config, Some(packets), tell)?;
        let near = (found.rate - run.rate).abs() <= MOST_OFF * run.rate;
        if near && found.packets_out >= LEAST_OUT {
            return Ok((Some(packets), found.rate));
        }
        // The capture has ended.
        if found.packets_out + LEAST_OUT > run.packets_out {
            break;
        }
        packets *= LONGER;
    }
    Ok((None, run.rate))
}

/// Returns the losses that a larger part would have prevented.
fn overloaded(counts: &Counts) -> u64 {
    let program = [DropReason::ReceiveBufferFull, DropReason::TooLarge];
    let causes = program.map(Loss::Program).into_iter();
    let causes = causes.chain([Loss::LineFull, Loss::PacketMemoryFull, Loss::OutputQueueFull]);
    causes.map(|loss| counts.dropped(loss)).sum()
}

/// The decision of programs that ends more packets than are forwarded.
struct Decided {
    reason: DropReason,
    /// The packets that end by it and those that are forwarded, as a sentence.
    sentence: String,
}

/// Returns the decision of programs that ends more packets than are forwarded, if there is one.
fn decided(counts: &Counts) -> Option<Decided> {
    let decisions = [
        (DropReason::NoRoute, "match no route of the forwarding table"),
        (DropReason::TtlExpired, "have an expired TTL"),
        (DropReason::FirewallRule, "are dropped by a rule of the program"),
        (
            DropReason::NotIpv4,
            "are not IPv4 (the program handles no other protocol) or have a damaged header",
        ),
        (DropReason::NatTableFull, "arrive while the translation table is full (nat.entries)"),
        (DropReason::NotIp, "are not IP and are dropped, as program.not_ip specifies"),
        (DropReason::Punted, "are not IP and go to the host, as program.not_ip specifies"),
    ];
    let lost = |reason: DropReason| counts.dropped(Loss::Program(reason));
    let &(reason, what) = decisions.iter().max_by_key(|(reason, _)| lost(*reason))?;
    let count = lost(reason);
    if count <= counts.packets_out {
        return None;
    }
    let sentence = format!("{count} packets {what}; {} are forwarded.", counts.packets_out);
    Some(Decided { reason, sentence })
}

/// Returns the bottleneck of the run. `tell` is called periodically during re-runs and may stop them.
///
/// # Errors
/// Errors of the capture, which a re-run reads again; [`Error::Interrupted`] if `tell` stops a re-run.
pub(super) fn judge(
    design: &Design,
    request: &RunRequest,
    chip: &linecard_chip::Chip,
    counts: &Counts,
    tell: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(Bottleneck, Vec<WhatIf>), Error> {
    let config = ChipConfig { seed: request.seed, ..design.config.clone() };
    let found = candidates(&config, counts);
    let lost = overloaded(counts);
    let carries = !config.saturated && lost == 0 && !super::from_counts::piles_up(chip, counts);
    let decided = decided(counts);
    if let Some(Decided { reason, sentence }) = &decided
        && (carries || counts.packets_out == 0)
    {
        let so = match carries {
            true => "No part of the chip limits this run.",
            false => "No packet leaves, so that no re-run can show a gain.",
        };
        let (component, why) = (reason.name().replace('_', " "), format!("{sentence} {so}"));
        return Ok((Bottleneck { component, utilization: None, why }, Vec::new()));
    }
    let is_too_short = carries && super::from_counts::is_too_short(chip);
    if is_too_short || counts.packets_out == 0 {
        let busiest = busiest(&config, counts);
        let limit = Bottleneck {
            component: NOT_JUDGED.to_owned(),
            utilization: Some(busiest.1),
            why: format!(
                "The run is too short to identify a limit; the busiest part, {}, is {:.0} % utilised. Run more packets with --packets.",
                busiest.0,
                busiest.1 * 100.0
            ),
        };
        return Ok((limit, Vec::new()));
    }
    if carries {
        let seconds = chip.timebase().seconds(counts.duration).max(f64::MIN_POSITIVE);
        let gbps = counts.bytes_in as f64 * 8.0 / seconds / 1e9;
        let busiest = busiest(&config, counts);
        let limit = Bottleneck {
            component: OFFERED_LOAD.to_owned(),
            utilization: Some(busiest.1),
            why: format!(
                "The chip carries the offered load of {} Gbit/s: no buffer overflows and no queue grows. The busiest part, \
                 {}, is {:.0} % utilised.",
                significant(gbps),
                busiest.0,
                busiest.1 * 100.0
            ),
        };
        return Ok((limit, Vec::new()));
    }
    let (packets, base) = long_enough(design, request, &config, &Rerun::of(chip), tell)?;
    let mut gains: Vec<(&Candidate, f64)> = Vec::new();
    for candidate in &found {
        let lifted = candidate.limit.lift(&config, &candidate.name);
        let lifted = match rerun(design, request, &lifted, packets, tell) {
            // Some parts cannot be doubled.
            Err(Error::Config { .. }) => continue,
            lifted => lifted?.rate,
        };
        gains.push((candidate, if base > 0.0 { lifted / base - 1.0 } else { 0.0 }));
    }
    gains.sort_by(|a, b| b.1.total_cmp(&a.1));
    let measured = match packets {
        Some(packets) => format!("in packets per second, measured by re-runs of {packets} packets"),
        None => "in packets per second, measured by re-runs of equal length".to_owned(),
    };
    let said = |gains: &[(&Candidate, f64)], digits: usize| -> String {
        let each = gains.iter().map(|(part, gain)| format!("{} {:+.digits$} %", part.lifted(), gain * 100.0));
        each.collect::<Vec<_>>().join(", ")
    };
    let none_helps = |gains: &[(&Candidate, f64)]| match gains {
        [] => "No part is busy enough to be tried.".to_owned(),
        gains => format!(
            "None of the changes tried raises the throughput by {:.0} % ({measured}): {}.",
            LEAST_GAIN * 100.0,
            // A gain of 2.6 % is not 3 %.
            said(gains, 1)
        ),
    };
    let what_if = gains.iter().map(|(part, gain)| WhatIf { change: part.lifted(), gain: *gain }).collect();
    let mut limit = match gains.split_first() {
        Some(((part, gain), others)) if *gain >= LEAST_GAIN => Bottleneck {
            component: part.limit.component(&part.name),
            utilization: part.utilization,
            why: format!(
                "Throughput rises by {:.0} % with {} ({measured}){}.",
                gain * 100.0,
                part.lifted(),
                if others.is_empty() {
                    String::new()
                } else {
                    format!("; other changes: {}", said(others, 0))
                }
            ),
        },
        // If threads wait for each other, no part is the limit.
        _ if locked(counts) >= LOCKED => Bottleneck {
            component: "locks".to_owned(),
            utilization: Some(counts.locks.iter().copied().fold(0.0, f64::max)),
            why: format!(
                "Threads that hold a packet spend {:.0} % of their time waiting for a lock of their program. {} \
                 `linecard why` also tries shorter latencies and less work under the locks.",
                locked(counts) * 100.0,
                none_helps(&gains),
            ),
        },
        _ => Bottleneck {
            component: if lost > 0 {
                "bursts and several parts".to_owned()
            } else {
                "several parts".to_owned()
            },
            utilization: Some(busiest(&config, counts).1),
            why: format!("No single part is the limit. {}", none_helps(&gains)),
        },
    };
    if let Some(Decided { sentence, .. }) = decided {
        limit.why = format!("{} {sentence}", limit.why);
    }
    Ok((limit, what_if))
}

/// Returns the result for a run whose bottleneck was not requested.
pub(super) fn left_out(config: &ChipConfig, counts: &Counts) -> Bottleneck {
    let (part, utilization) = busiest(config, counts);
    Bottleneck {
        component: NOT_JUDGED.to_owned(),
        utilization: Some(utilization),
        why: format!(
            "No bottleneck search was requested; the busiest part, {part}, is {:.0} % utilised.",
            utilization * 100.0
        ),
    }
}

/// Returns the share of the time of threads with work in which they wait for locks.
fn locked(counts: &Counts) -> f64 {
    let of = |part: &str| -> u128 {
        let spent = counts.clusters.iter().flat_map(|cluster| &cluster.threads);
        spent.filter(|spent| spent.part == part).map(|spent| spent.ticks).sum()
    };
    let all: u128 = counts.clusters.iter().flat_map(|c| &c.threads).map(|spent| spent.ticks).sum();
    let held = all - of("wait packet") - of("wait block");
    if held > 0 { of("wait lock") as f64 / held as f64 } else { 0.0 }
}

/// Returns the share of the time of threads that a part of it takes, of the clusters that have the largest share.
fn waits_most(counts: &Counts, part: &str) -> f64 {
    let of = |cluster: &linecard_chip::ClusterCounts| {
        let all: u128 = cluster.threads.iter().map(|spent| spent.ticks).sum();
        let waited: u128 =
            cluster.threads.iter().filter(|spent| spent.part == part).map(|spent| spent.ticks).sum();
        waited as f64 / all.max(1) as f64
    };
    counts.clusters.iter().map(of).fold(0.0, f64::max)
}

/// Returns the busiest part and its utilisation. Engines that take packets from one list have the mean of all of
/// them, because the next packet would go to a free one.
fn busiest(config: &ChipConfig, counts: &Counts) -> (String, f64) {
    let shares_list = |cluster: &ClusterConfig| {
        let any = |rule: DispatchRule| matches!(rule, DispatchRule::FreeList | DispatchRule::LeastLoaded);
        !cluster.takes.is_empty() && cluster.takes.iter().all(|&inbox| any(config.inboxes[inbox].rule))
    };
    let mean = |group: &str| {
        // Clusters without a thread in use have nothing to do.
        let alike = counts.clusters.iter().filter(|c| c.group == group && !c.threads.is_empty());
        let alike: Vec<f64> = alike.map(|c| c.busy).collect();
        share(alike.iter().sum(), alike.len() as f64)
    };
    let clusters = counts.clusters.iter().zip(&config.clusters).map(|(c, cluster)| {
        (format!("engines of {}", c.group), if shares_list(cluster) { mean(&c.group) } else { c.busiest })
    });
    let threads = counts.clusters.iter().map(|c| (format!("threads of {}", c.group), c.threads_held));
    let places = counts.places.iter().map(|p| (p.group.clone(), utilization(p)));
    let links = counts.links.iter().map(|l| (l.name.clone(), l.utilization));
    let ports = counts.ports.iter().flat_map(|p| {
        [
            (format!("{}, inward", p.name), p.receive.unwrap_or(0.0)),
            (format!("{}, outward", p.name), p.transmit.unwrap_or(0.0)),
            (format!("{}, shapers", p.name), p.shaper.unwrap_or(0.0)),
        ]
    });
    let locks = counts.locks.iter().map(|&held| ("locks".to_owned(), held));
    clusters
        .chain(threads)
        .chain(places)
        .chain(links)
        .chain(ports)
        .chain(locks)
        .fold((String::new(), 0.0), |most, one| if one.1 > most.1 { one } else { most })
}
