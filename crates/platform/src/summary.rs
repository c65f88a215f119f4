//! From what a machine counted to what the user reads: summary, shares, bottleneck, tidy metrics.

use crate::build::Configuration;
use crate::report::{
    Bottleneck, DramTime, DropCount, LatencyNs, Metric, PacketTime, ResourceUse, RunReport, Summary,
};
use crate::request::RunRequest;
use crate::run::Notes;
use crate::totals::{PacketCounts, add_latency, add_totals};
use crate::traffic::TrafficNotes;
use linecard_np::{Counts, Machine, MachineConfig, Outcome, PartTime, Watch};
use linecard_program::{Application, DropReason, Unit};
use linecard_sim::{Histogram, Ticks, Timebase};
use std::path::Path;

/// What the report is about.
pub(crate) struct Described<'a> {
    pub request: &'a RunRequest,
    pub configuration: &'a Configuration,
    pub config: &'a MachineConfig,
    pub application: &'a dyn Application,
}

/// Report on a machine that has run.
pub(crate) fn report<W: Watch>(
    machine: &mut Machine<W>,
    described: &Described<'_>,
    outcome: &Outcome,
    notes: &Notes,
) -> RunReport {
    let counts = machine.counts();
    let base = machine.timebase();
    let summary = summary(&counts, &base);
    let dram = dram_time(&counts);
    let resources = resources(&counts, &dram);
    let packet_time = packet_time(&counts, &base);
    let paced = described.configuration.paced();
    let bottleneck = bottleneck(&counts, &dram, &resources, &packet_time, &summary, paced);
    let drops = DropReason::ALL
        .iter()
        .map(|&r| DropCount { reason: r.name().to_owned(), packets: counts.drops[r as usize] })
        .filter(|d| d.packets > 0)
        .collect();
    let metrics = metrics(&counts, &summary, &dram, &resources, &packet_time, described);
    let request = described.request;
    RunReport {
        preset: request.preset.clone(),
        app: described.configuration.app.clone(),
        traffic: traffic_name(request, described.configuration),
        seed: request.seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        config_hash: described.configuration.hash(),
        warnings: warnings(described, &counts, outcome, notes, machine.packets_inside()),
        capture_damage: notes.borrow().damage,
        summary,
        bottleneck,
        resources,
        dram,
        packet_time,
        drops,
        metrics,
    }
}

pub(crate) fn traffic_name(request: &RunRequest, configuration: &Configuration) -> String {
    match &request.trace {
        Some(trace) => {
            let name = Path::new(trace).file_name().map(|n| n.to_string_lossy().into_owned());
            name.unwrap_or_else(|| trace.clone())
        }
        None => format!("generator: {}", configuration.text("traffic.kind")),
    }
}

fn warnings(
    described: &Described<'_>,
    counts: &Counts,
    outcome: &Outcome,
    notes: &Notes,
    inside: usize,
) -> Vec<String> {
    let request = described.request;
    let notes = notes.borrow();
    let mut warnings = crate::ineffective::warnings(described.configuration, request);
    let dropped = |reason: DropReason| counts.drops[reason as usize];
    if dropped(DropReason::TooLarge) > 0 {
        let page = described.configuration.integer("buffer.page_bytes");
        let room =
            described.configuration.integer("receive.buffer_cells") * u64::from(linecard_program::CELL_BYTES);
        warnings.push(format!(
            "{} packets fit no buffer of this machine and were dropped: raise buffer.page_bytes ({page}) or, with paced \
             arrivals, receive.buffer_cells ({room} bytes), or choose another buffer.allocator",
            dropped(DropReason::TooLarge)
        ));
    }
    let facts = TrafficFacts {
        packets_in: counts.packets_in,
        no_route: dropped(DropReason::NoRoute),
        not_ipv4: dropped(DropReason::NotIpv4),
        inside,
    };
    warnings.extend(traffic_warnings(request, &notes, *outcome == Outcome::TrafficEnded, &facts));
    warnings
}

/// What a run learnt of its traffic.
pub(crate) struct TrafficFacts {
    pub packets_in: u64,
    /// Packets dropped for these reasons.
    pub no_route: u64,
    pub not_ipv4: u64,
    /// Packets inside at the end.
    pub inside: usize,
}

/// What the user should know about the traffic, whatever the machine.
pub(crate) fn traffic_warnings(
    request: &RunRequest,
    notes: &TrafficNotes,
    ended: bool,
    facts: &TrafficFacts,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if request.map_addresses {
        warnings.push(format!(
            "{} of {} packets had a destination without a route and were moved into routed space (--map-addresses): both \
             addresses by a seeded permutation of /24 blocks",
            notes.mapped, notes.packets
        ));
    }
    if facts.no_route * 10 > facts.packets_in {
        warnings.push(format!(
            "{} of {} packets match no route: addresses of an anonymised capture? --map-addresses moves them into \
             routed space",
            facts.no_route,
            facts.packets_in
        ));
    }
    if facts.not_ipv4 * 10 > facts.packets_in {
        warnings.push(format!(
            "{} of {} packets are not IPv4, which is all that these applications handle",
            facts.not_ipv4, facts.packets_in
        ));
    }
    if notes.repeats > 0 {
        warnings
            .push(format!("the capture is shorter than the run and was begun again {} times", notes.repeats));
    }
    if notes.damage > 0 {
        let first = notes.first_damage.as_deref().unwrap_or("");
        warnings.push(format!(
            "{} damaged places in the capture were passed over; the first: {first}",
            notes.damage
        ));
    }
    if let Some(error) = &notes.error {
        warnings.push(format!("the capture ended early: {error}"));
    }
    if ended && request.packets > 0 {
        let seen = notes.packets;
        let wanted = request.packets + request.warmup();
        warnings.push(format!(
            "the capture holds {seen} packets, fewer than the {wanted} asked for (warm-up included): the run covers what there is"
        ));
    }
    if ended && facts.inside > 0 {
        warnings.push(format!("{} packets were still inside at the end", facts.inside));
    }
    warnings
}

fn summary(counts: &Counts, base: &Timebase) -> Summary {
    let of = PacketCounts {
        packets_in: counts.packets_in,
        packets_out: counts.packets_out,
        bytes_in: counts.bytes_in,
        bytes_out: counts.bytes_out,
        drops: &counts.drops,
        latency: &counts.latency,
        duration: counts.duration,
    };
    of.summary(base)
}

/// A histogram of ticks as latencies.
pub(crate) fn latency_ns(h: &Histogram, base: &Timebase) -> LatencyNs {
    let ns = |ticks: Ticks| base.nanoseconds(ticks);
    LatencyNs {
        mean: base.nanoseconds(1) * h.mean(),
        p50: ns(h.quantile(0.5)),
        p90: ns(h.quantile(0.9)),
        p99: ns(h.quantile(0.99)),
        p999: ns(h.quantile(0.999)),
        max: ns(h.max()),
    }
}

fn dram_time(counts: &Counts) -> DramTime {
    if counts.paths.accesses > 0 {
        return transfers_time(counts);
    }
    let d = &counts.dram;
    let cycles = counts.dram_cycles as f64;
    let data = share((d.data_cycles[0] + d.data_cycles[1]) as f64, cycles);
    let row_miss = share(d.row_wait_cycles as f64, cycles);
    let turnaround = share(d.turnaround_cycles as f64, cycles);
    // Whatever is left: no request was pending. (The access under way at either end of the measurement is counted
    // where it began, so idle time is not summed but is the rest.)
    let idle = (1.0 - data - row_miss - turnaround).max(0.0);
    DramTime { data, row_miss, turnaround, refresh: 0.0, spacing: None, idle, row_hit_rate: d.row_hit_rate() }
}

/// As [`dram_time`] where the DRAM serves transfers of single instructions.
fn transfers_time(counts: &Counts) -> DramTime {
    let duration = counts.duration as f64;
    let data = share(counts.paths.data as f64, duration).min(1.0);
    let row_miss = share(counts.paths.overhead as f64, duration).min(1.0 - data);
    let row_hit_rate = counts.paths.row_hits as f64 / counts.paths.accesses as f64;
    DramTime {
        data,
        row_miss,
        turnaround: 0.0,
        refresh: 0.0,
        spacing: None,
        idle: 1.0 - data - row_miss,
        row_hit_rate,
    }
}

fn resources(counts: &Counts, dram: &DramTime) -> Vec<ResourceUse> {
    let of = |component: String, utilization: f64| ResourceUse { component, utilization };
    let mut list = vec![
        of("dram".into(), 1.0 - dram.idle),
        of("engines.input".into(), engines(counts, true, 0)),
        of("engines.output".into(), engines(counts, false, 0)),
        of("transmit slots".into(), mean(&counts.transmit_use)),
        of("transmit slots, busiest port".into(), most(&counts.transmit_use)),
    ];
    if counts.bus > 0 {
        list.push(of("mac bus".into(), share(counts.bus as f64, counts.duration as f64).min(1.0)));
    }
    for (unit, &(busy, _)) in units(counts) {
        // An access counts when it is asked for: one that outlasts the run keeps its unit busy to the end.
        list.push(of(unit.name().into(), share(busy as f64, counts.duration as f64).min(1.0)));
    }
    if let Some(manager) = counts.queue_manager {
        list.push(of("queues".into(), manager.utilization));
    }
    list
}

/// The units that the machine has: the result cache need not be there.
fn units(counts: &Counts) -> impl Iterator<Item = (Unit, &(Ticks, u64))> {
    let there = |unit: &Unit| *unit != Unit::ResultCache || counts.result_cache.is_some();
    Unit::ALL.into_iter().zip(&counts.units).filter(move |(unit, _)| there(unit))
}

/// Mean share of time that the engines of a side spent in an activity (0 busy, 1 polling, 2 idle).
fn engines(counts: &Counts, input: bool, activity: usize) -> f64 {
    let side = || counts.engines.iter().zip(&counts.engine_is_input).filter(move |&(_, &i)| i == input);
    let spent: f64 = side().map(|(e, _)| e[activity] as f64).sum();
    share(spent, side().count() as f64 * counts.duration as f64)
}

fn packet_time(counts: &Counts, base: &Timebase) -> Vec<PacketTime> {
    part_times(&counts.packet_time, counts.packets_out, base)
}

/// Mean times of `packets` packets.
pub(crate) fn part_times(parts: &[PartTime], packets: u64, base: &Timebase) -> Vec<PacketTime> {
    let total: u128 = parts.iter().map(|p| p.ticks).sum();
    let packets = packets.max(1) as f64;
    parts
        .iter()
        .filter(|p| p.ticks > 0)
        .map(|p| PacketTime {
            part: p.part.to_owned(),
            mean_ns: p.ticks as f64 * base.nanoseconds(1) / packets,
            share: share(p.ticks as f64, total as f64),
        })
        .collect()
}

/// From this share on a resource counts as the limit.
pub(crate) const SATURATED: f64 = 0.95;

/// More packets are lost to something other than load than are forwarded: that, and no resource, limits the run.
fn lost_otherwise(counts: &Counts) -> Option<Bottleneck> {
    let reasons = DropReason::ALL.into_iter().filter(|&r| r != DropReason::ReceiveBufferFull);
    let reason = reasons.max_by_key(|&r| counts.drops[r as usize])?;
    let lost = counts.drops[reason as usize];
    if lost <= counts.packets_out {
        return None;
    }
    let dropped: u64 = counts.drops.iter().sum();
    let what = match reason {
        DropReason::NoRoute => "match no route of the forwarding table",
        DropReason::TtlExpired => "have no hops left",
        DropReason::FirewallRule => "match a template that drops them",
        DropReason::NotIpv4 => "are not IPv4, which is all that these applications handle",
        DropReason::TooLarge => "fit no buffer of this machine",
        DropReason::NatTableFull => "find the translation table full (nat.entries)",
        DropReason::ReceiveBufferFull => "find the receive buffer full",
    };
    Some(Bottleneck {
        component: reason.name().replace('_', " "),
        utilization: share(lost as f64, (counts.packets_out + dropped) as f64),
        why: format!(
            "{lost} packets {what}; {} are forwarded. No resource decides this run.",
            counts.packets_out
        ),
    })
}

/// Packets are lost, and no shared resource is as busy as the threads of an input port are with holding packets.
fn held_packets(
    counts: &Counts,
    packet_time: &[PacketTime],
    lost: u64,
    busiest: &str,
    utilization: f64,
) -> Bottleneck {
    let threads = &counts.input_thread_use;
    let (mean, most) = (mean(threads), most(threads));
    // Where an input thread's packet spends its time: what comes before the output queue.
    let longest = packet_time
        .iter()
        .filter(|p| p.part.starts_with("wait") && p.part != "wait transmit slot" || p.part == "compute")
        .max_by(|a, b| a.mean_ns.total_cmp(&b.mean_ns));
    let longest = longest
        .map_or(String::new(), |p| format!(", longest for `{}`, {:.0} ns a packet", p.part, p.mean_ns));
    Bottleneck {
        component: "input threads".to_owned(),
        utilization: most,
        why: format!(
            "{lost} packets found the receive buffer of their port full while its thread held another packet: the busiest \
             input thread holds one {:.0} % of the time (all together {:.0} %){longest}. No shared resource is as busy \
             ({busiest} is at {:.0} %).",
            most * 100.0,
            mean * 100.0,
            utilization * 100.0
        ),
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    share(values.iter().sum(), values.len() as f64)
}

pub(crate) fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// The busiest resource; under paced traffic without loss, the offered load.
fn bottleneck(
    counts: &Counts,
    dram: &DramTime,
    resources: &[ResourceUse],
    packet_time: &[PacketTime],
    summary: &Summary,
    paced: bool,
) -> Bottleneck {
    // Of equals the first, which is the most usual one.
    let busiest = resources.iter().rev().max_by(|a, b| a.utilization.total_cmp(&b.utilization));
    let (component, utilization) = busiest.map_or(("", 0.0), |r| (r.component.as_str(), r.utilization));
    let percent = |x: f64| format!("{:.0} %", x * 100.0);
    let full = counts.drops[DropReason::ReceiveBufferFull as usize];
    if let Some(lost) = lost_otherwise(counts) {
        return lost;
    }
    if paced && full > 0 && utilization.max(most(&counts.input_thread_use)) < 0.5 {
        return Bottleneck {
            component: "receive buffer".to_owned(),
            utilization,
            why: format!(
                "{full} packets came in bursts larger than the receive buffer of their port (receive.buffer_cells), while \
                 no resource is busy half of the time ({component} is at {}).",
                percent(utilization)
            ),
        };
    }
    if paced && full > 0 && utilization < SATURATED.min(most(&counts.input_thread_use)) {
        return held_packets(counts, packet_time, full, component, utilization);
    }
    if paced && full == 0 && utilization < SATURATED {
        return Bottleneck {
            component: "offered load".to_owned(),
            utilization,
            why: format!(
                "{:.2} Gbit/s arrive and no receive buffer overflows; the busiest resource, {component}, is at {}.",
                summary.offered_gbps,
                percent(utilization)
            ),
        };
    }
    let why = match component {
        "dram" if counts.paths.accesses > 0 => format!(
            "The DRAM serves transfers {} of the time: {} moves data, {} is what accesses cost beside their bytes.",
            percent(utilization),
            percent(dram.data),
            percent(dram.row_miss)
        ),
        "dram" => format!(
            "The DRAM has a request pending {} of the time: {} moves data, {} is lost to row misses and {} to turnarounds \
             ({} of the accesses find their row open).",
            percent(utilization),
            percent(dram.data),
            percent(dram.row_miss),
            percent(dram.turnaround),
            percent(dram.row_hit_rate)
        ),
        "engines.input" | "engines.output" => format!(
            "The {} engines execute instructions {} of the time, while the DRAM is at {}.",
            component.trim_start_matches("engines."),
            percent(utilization),
            percent(1.0 - dram.idle)
        ),
        "transmit slots" | "transmit slots, busiest port" => format!(
            "Transmit slots are taken {} of the time, waiting for their handshake and for cells to leave, while the DRAM \
             is at {}.",
            percent(utilization),
            percent(1.0 - dram.idle)
        ),
        "queues" => format!(
            "The busiest part of the queue manager (a memory port, a path of its interconnect, or its engines) is busy {} \
             of the time.",
            percent(utilization)
        ),
        other => format!("{other} is busy {} of the time.", percent(utilization)),
    };
    Bottleneck { component: component.to_owned(), utilization, why }
}

fn metrics(
    counts: &Counts,
    summary: &Summary,
    dram: &DramTime,
    resources: &[ResourceUse],
    packet_time: &[PacketTime],
    described: &Described<'_>,
) -> Vec<Metric> {
    let mut rows = Vec::new();
    let mut add = |component: &str, metric: &str, unit: &str, value: f64| {
        let (component, metric, unit) = (component.to_owned(), metric.to_owned(), unit.to_owned());
        rows.push(Metric { component, metric, unit, value });
    };
    add_totals(summary, &mut add);
    add("total", "packets_inside_at_start", "packets", counts.inside_at_start as f64);
    add("total", "packets_inside_at_end", "packets", counts.inside_at_end as f64);
    add("total", "packets_inside_mean", "packets", counts.packets_inside);
    add_latency(summary, &mut add);
    for reason in DropReason::ALL {
        add("drops", reason.name(), "packets", counts.drops[reason as usize] as f64);
    }
    for r in resources {
        add(&r.component, "utilization", "fraction", r.utilization);
    }
    let all = |activity| {
        let spent: f64 = counts.engines.iter().map(|e| e[activity] as f64).sum();
        share(spent, counts.engines.len() as f64 * counts.duration as f64) * 100.0
    };
    for (port, &taken) in counts.transmit_use.iter().enumerate() {
        add(&format!("output_port.{port}"), "transmit_slots", "fraction", taken);
    }
    for (thread, &held) in counts.input_thread_use.iter().enumerate() {
        add(&format!("input_thread.{thread}"), "holds_packet", "fraction", held);
    }
    let input_threads = counts.input_thread_use.len() as f64;
    let each = share(summary.throughput_mpps * 1e3, input_threads);
    add("input_threads", "rate_each", "kpps", each);
    let clock_mhz = described.config.engine.clock_hz as f64 / 1e6;
    add("input_threads", "engine_cycles_per_packet", "engine cycles", share(clock_mhz * 1e3, each));
    add("engines", "busy_percent", "percent", all(0));
    add("engines", "polling_percent", "percent", all(1));
    add("engines", "idle_percent", "percent", all(2));
    for (number, e) in counts.engines.iter().enumerate() {
        let component = format!("engine.{number}");
        for (name, &spent) in ["busy", "polling", "idle"].iter().zip(e) {
            add(&component, name, "fraction", share(spent as f64, counts.duration as f64));
        }
    }
    for (unit, &(_, accesses)) in units(counts) {
        add(unit.name(), "accesses", "accesses", accesses as f64);
    }
    if let Some((hits, lookups)) = counts.result_cache {
        add("result_cache", "hits", "packets", hits as f64);
        add("result_cache", "lookups", "packets", lookups as f64);
        add("result_cache", "hit_rate", "fraction", share(hits as f64, lookups as f64));
    }
    if let Some(manager) = counts.queue_manager {
        add("queues", "operations", "operations", manager.operations as f64);
        add("queues", "lookups", "operations", manager.lookups as f64);
        add("queues", "hits", "operations", manager.hits as f64);
        add("queues", "hit_rate", "fraction", share(manager.hits as f64, manager.lookups as f64));
    }
    dram_metrics(counts, dram, described, &mut add);
    add("buffer", "cells_in_use", "cells", counts.cells_in_use);
    if let Some((bypassed, written)) = counts.wide_blocks {
        let total = (bypassed + written) as f64;
        add("wide", "blocks_handed_over_inside", "fraction", share(bypassed as f64, total));
    }
    for p in packet_time {
        add("packet", &format!("time_{}", p.part.replace(' ', "_")), "ns", p.mean_ns);
    }
    for (metric, unit, value) in described.application.counters() {
        add(described.application.name(), metric, unit, value);
    }
    rows
}

fn dram_metrics(
    counts: &Counts,
    dram: &DramTime,
    described: &Described<'_>,
    add: &mut impl FnMut(&str, &str, &str, f64),
) {
    let d = &counts.dram;
    add("dram", "data_utilization_percent", "percent", dram.data * 100.0);
    add("dram", "row_miss_percent", "percent", dram.row_miss * 100.0);
    add("dram", "turnaround_percent", "percent", dram.turnaround * 100.0);
    add("dram", "idle_percent", "percent", dram.idle * 100.0);
    add("dram", "row_hit_rate", "fraction", dram.row_hit_rate);
    add("dram", "activates", "commands", d.activates as f64);
    add("dram", "precharges", "commands", d.precharges as f64);
    for (side, name) in [(0, "read"), (1, "write")] {
        add("dram", &format!("{name}s"), "accesses", d.accesses[side] as f64);
        add("dram", &format!("{name}_bytes"), "bytes", d.bytes[side] as f64);
        let mean = share(d.bytes[side] as f64, d.accesses[side] as f64);
        add("dram", &format!("mean_{name}_bytes"), "bytes", mean);
    }
    // The observed batch is counted in mean transfers (Hasan 2003, section 6.4).
    let mean_bytes = share((d.bytes[0] + d.bytes[1]) as f64, (d.accesses[0] + d.accesses[1]) as f64);
    let batch = |side: usize| share(share(d.bytes[side] as f64, d.batches[side] as f64), mean_bytes);
    add("dram", "observed_batch_read", "mean transfers", batch(0));
    add("dram", "observed_batch_write", "mean transfers", batch(1));
    add("dram", "rows_touched_per_16_input", "rows", d.rows_touched(true));
    add("dram", "rows_touched_per_16_output", "rows", d.rows_touched(false));
    for (bank, &cycles) in d.bank_data_cycles.iter().enumerate() {
        add(
            &format!("dram.bank.{bank}"),
            "data",
            "fraction",
            share(cycles as f64, counts.dram_cycles as f64),
        );
    }
    let peak = {
        let o = &described.config.memory.organization;
        f64::from(o.beat_bytes * o.beats_per_cycle * 8) * described.config.memory.clock_hz as f64 / 1e9
    };
    add("dram", "data_gbps", "Gbit/s", dram.data * peak);
}

pub(crate) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
