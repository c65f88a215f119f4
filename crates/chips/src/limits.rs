//! What limits a run. The verdict is measured: for each part that may be the limit the run is repeated, shorter, with
//! that part alone made better, and the gain is what counts.

use super::design::Design;
use super::executed::Shared;
use super::from_counts::dram_shares;
use super::lifts::{
    BUFFERS, ENGINES, LINK, Limit, ORDER, PACKET_MEMORY, PLACE, PORTS_IN, PORTS_OUT, QUEUES, RINGS, SHAPERS,
    THREADS, TRANSMIT_BUFFER, TRANSMIT_SLOTS,
};
use crate::report::{Bottleneck, WhatIf};
use crate::request::RunRequest;
use linecard_chip::config::{ClusterConfig, WhenFull};
use linecard_chip::{ChipConfig, Counts, DispatchRule, Loss, Outcome, PlaceCounts, RunLimit};
use linecard_files::Error;
use linecard_program::DropReason;
use std::ops::ControlFlow;
use std::ptr;

/// What stands where nothing limits a run, and where that is not known.
const OFFERED_LOAD: &str = "offered load";
const NOT_JUDGED: &str = "not judged";

impl Bottleneck {
    /// Whether something limits the run.
    pub(super) fn decides(&self) -> bool {
        self.component != OFFERED_LOAD && self.component != NOT_JUDGED
    }
}

/// Packets of the shortest re-run, in its warm-up and behind it; others are [`LONGER`] times as long, and the longest is
/// the run itself again.
const RERUN_PACKETS: u64 = 4_000;
const LONGER: u64 = 4;
/// A re-run of the chip as it is comes this near to the run, and this many packets leave in it.
const MOST_OFF: f64 = 0.02;
const LEAST_OUT: u64 = 1_000;
/// Gains below this are noise.
const LEAST_GAIN: f64 = 0.03;
/// Share of the time of threads from which locks are named as what limits.
const LOCKED: f64 = 0.5;
/// Parts less busy than this are not tried.
const BUSY: f64 = 0.4;
/// Parts that are tried at most.
const MOST_TRIED: usize = 8;

/// A part that may be the limit.
struct Candidate {
    limit: &'static Limit,
    name: String,
    /// How busy or how full it is.
    level: f64,
}

impl Candidate {
    fn lifted(&self) -> String {
        self.limit.change(&self.name)
    }
}

/// Parts that may be the limit, the likeliest first, each with how busy or how full it is.
fn candidates(config: &ChipConfig, counts: &Counts) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut add = |limit: &'static Limit, name: &str, level: f64| match found
        .iter_mut()
        .find(|other| ptr::eq(other.limit, limit) && other.name == name)
    {
        Some(known) => known.level = known.level.max(level),
        None => found.push(Candidate { limit, name: name.to_owned(), level }),
    };
    for cluster in &counts.clusters {
        add(&ENGINES, &cluster.group, cluster.busiest);
        // Threads are the limit if all of them are in use and their engines are not busy.
        add(&THREADS, &cluster.group, cluster.threads_held * (1.0 - 0.5 * cluster.busy));
    }
    for place in &counts.places {
        add(&PLACE, &place.group, taken_up(place));
    }
    for link in &counts.links {
        let group = link.name.split('.').next().unwrap_or(&link.name);
        add(&LINK, group, link.utilization);
    }
    for port in &counts.ports {
        add(&PORTS_OUT, &port.group, port.transmit.unwrap_or(0.0));
        add(&PORTS_IN, &port.group, port.receive.unwrap_or(0.0));
        add(&SHAPERS, &port.group, port.shaper.unwrap_or(0.0));
        add(&TRANSMIT_SLOTS, "", port.slots.unwrap_or(0.0));
    }
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

/// What a re-run gives.
struct Rerun {
    packets_out: u64,
    /// Packets a second that leave.
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

/// Runs a changed chip again; `packets` in the warm-up and behind it, or as many as the run itself.
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

/// Packets of the shortest re-run of the chip as it is that gives what the run gave, and its rate; those of the run where
/// no shorter one does. A buffer that takes the whole warm-up to fill is not full in a short one.
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

/// Losses that more of some part would have prevented.
fn overloaded(counts: &Counts) -> u64 {
    let program = [DropReason::ReceiveBufferFull, DropReason::TooLarge];
    let causes = program.map(Loss::Program).into_iter();
    let causes = causes.chain([Loss::LineFull, Loss::PacketMemoryFull, Loss::OutputQueueFull]);
    causes.map(|loss| counts.dropped(loss)).sum()
}

/// More packets end by what programs decide than are forwarded: that, and no part of the chip, limits the run.
fn lost_otherwise(counts: &Counts) -> Option<Bottleneck> {
    let decided = [
        (DropReason::NoRoute, "match no route of the forwarding table"),
        (DropReason::TtlExpired, "have no hops left"),
        (DropReason::FirewallRule, "are dropped by a rule of the program"),
        (
            DropReason::NotIpv4,
            "are not IPv4, which is all that the program handles, or have a damaged header",
        ),
        (DropReason::NatTableFull, "find the translation table full (nat.entries)"),
        (DropReason::NotIp, "are not IP and are dropped by choice (program.not_ip)"),
        (DropReason::Punted, "are not IP and go to the host (program.not_ip)"),
    ];
    let lost = |reason: DropReason| counts.dropped(Loss::Program(reason));
    let &(reason, what) = decided.iter().max_by_key(|(reason, _)| lost(*reason))?;
    let count = lost(reason);
    if count <= counts.packets_out {
        return None;
    }
    let gone = counts.packets_out + counts.drops.iter().sum::<u64>();
    Some(Bottleneck {
        component: reason.name().replace('_', " "),
        utilization: count as f64 / gone as f64,
        why: format!(
            "{count} packets {what}; {} are forwarded. No part of the chip decides this run.",
            counts.packets_out
        ),
    })
}

/// What limits the run. `tell` is called from time to time during re-runs and may stop them.
///
/// # Errors
/// Of the capture, where a re-run reads it again; [`Error::Interrupted`] where `tell` stops one.
pub(super) fn judge(
    design: &Design,
    request: &RunRequest,
    chip: &linecard_chip::Chip,
    counts: &Counts,
    tell: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(Bottleneck, Vec<WhatIf>), Error> {
    let config = ChipConfig { seed: request.seed, ..design.config.clone() };
    if let Some(lost) = lost_otherwise(counts) {
        return Ok((lost, Vec::new()));
    }
    let found = candidates(&config, counts);
    let lost = overloaded(counts);
    let first = found.first().map_or(0.0, |candidate| candidate.level);
    let grows = super::from_counts::piles_up(chip, counts);
    if !config.saturated && lost == 0 && !grows && super::from_counts::is_too_short(chip) {
        let busiest = busiest(&config, counts);
        let limit = Bottleneck {
            component: NOT_JUDGED.to_owned(),
            utilization: busiest.1,
            why: format!(
                "The run is too short to tell a limit from its beginning; the busiest part, {}, is at {:.0} %. Give more with \
                 --packets.",
                busiest.0,
                busiest.1 * 100.0
            ),
        };
        return Ok((limit, Vec::new()));
    }
    if !config.saturated && lost == 0 && !grows {
        let seconds = chip.timebase().seconds(counts.duration).max(f64::MIN_POSITIVE);
        let gbps = counts.bytes_in as f64 * 8.0 / seconds / 1e9;
        let busiest = busiest(&config, counts);
        let limit = Bottleneck {
            component: OFFERED_LOAD.to_owned(),
            utilization: busiest.1,
            why: format!(
                "{gbps:.2} Gbit/s arrive, nothing is lost for want of room and nothing piles up; the busiest part, {}, \
                 is at {:.0} %.",
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
        Some(packets) => format!("measured by re-runs of {packets} packets"),
        None => "measured by re-runs as long as the run".to_owned(),
    };
    let said = |gains: &[(&Candidate, f64)]| -> String {
        let each = gains.iter().map(|(part, gain)| format!("{} {:+.0} %", part.lifted(), gain * 100.0));
        each.collect::<Vec<_>>().join(", ")
    };
    let what_if = gains.iter().map(|(part, gain)| WhatIf { change: part.lifted(), gain: *gain }).collect();
    let limit = match gains.split_first() {
        Some(((part, gain), others)) if *gain >= LEAST_GAIN => Bottleneck {
            component: part.limit.component(&part.name),
            utilization: part.level,
            why: format!(
                "With {}, {:.0} % more leaves ({measured}){}.",
                part.lifted(),
                gain * 100.0,
                if others.is_empty() { String::new() } else { format!("; with {}", said(others)) }
            ),
        },
        // If threads wait for each other, no part is the limit.
        _ if locked(counts) >= LOCKED => Bottleneck {
            component: "locks".to_owned(),
            utilization: locked(counts),
            why: format!(
                "Threads with a packet wait for a lock of their program {:.0} % of the time: what one holds, others want; making \
                 a part better gains less than {:.0} % ({measured}).",
                locked(counts) * 100.0,
                LEAST_GAIN * 100.0,
            ),
        },
        _ => Bottleneck {
            component: if lost > 0 {
                "bursts and several parts".to_owned()
            } else {
                "several parts".to_owned()
            },
            utilization: first,
            why: format!(
                "No part alone is the limit: making one of them better gains less than {:.0} % ({measured}){}.",
                LEAST_GAIN * 100.0,
                if gains.is_empty() { String::new() } else { format!(": {}", said(&gains)) }
            ),
        },
    };
    Ok((limit, what_if))
}

/// What stands where nobody asked what limits a run.
pub(super) fn left_out(config: &ChipConfig, counts: &Counts) -> Bottleneck {
    let (part, utilization) = busiest(config, counts);
    Bottleneck {
        component: NOT_JUDGED.to_owned(),
        utilization,
        why: format!(
            "Nobody asked what limits the run; the busiest part, {part}, is at {:.0} %.",
            utilization * 100.0
        ),
    }
}

/// Share of the time of threads with work that they wait for locks.
fn locked(counts: &Counts) -> f64 {
    let of = |part: &str| -> u128 {
        let spent = counts.clusters.iter().flat_map(|cluster| &cluster.threads);
        spent.filter(|spent| spent.part == part).map(|spent| spent.ticks).sum()
    };
    let all: u128 = counts.clusters.iter().flat_map(|c| &c.threads).map(|spent| spent.ticks).sum();
    let held = all - of("wait packet") - of("wait block");
    if held > 0 { of("wait lock") as f64 / held as f64 } else { 0.0 }
}

/// Share of the time for which a place can take up nothing else: of DRAM all that is not idle, as opening rows and turning the
/// bus keep it from moving data.
fn taken_up(place: &PlaceCounts) -> f64 {
    place.utilization_most.unwrap_or(0.0).max(dram_shares(place).map_or(0.0, |shares| shares.busy()))
}

/// The busiest part and its level. Engines that take packets from one list have the mean of all of them: the next packet would go
/// to one that is free.
fn busiest(config: &ChipConfig, counts: &Counts) -> (String, f64) {
    let shares_list = |cluster: &ClusterConfig| {
        let any = |rule: DispatchRule| matches!(rule, DispatchRule::FreeList | DispatchRule::LeastLoaded);
        !cluster.takes.is_empty() && cluster.takes.iter().all(|&inbox| any(config.inboxes[inbox].rule))
    };
    let mean = |group: &str| {
        let alike: Vec<f64> = counts.clusters.iter().filter(|c| c.group == group).map(|c| c.busy).collect();
        alike.iter().sum::<f64>() / alike.len() as f64
    };
    let clusters = counts.clusters.iter().zip(&config.clusters).map(|(c, cluster)| {
        (format!("engines of {}", c.group), if shares_list(cluster) { mean(&c.group) } else { c.busiest })
    });
    let places = counts.places.iter().map(|p| (p.group.clone(), taken_up(p)));
    let links = counts.links.iter().map(|l| (l.name.clone(), l.utilization));
    let ports = counts.ports.iter().flat_map(|p| {
        [
            (format!("{}, inward", p.name), p.receive.unwrap_or(0.0)),
            (format!("{}, outward", p.name), p.transmit.unwrap_or(0.0)),
        ]
    });
    clusters
        .chain(places)
        .chain(links)
        .chain(ports)
        .fold((String::new(), 0.0), |most, one| if one.1 > most.1 { one } else { most })
}
