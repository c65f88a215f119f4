//! From what a machine of parallel threads counted to what the user reads.

use crate::build::Configuration;
use crate::report::{Bottleneck, DramTime, DropCount, Metric, ResourceUse, RunReport, Summary};
use crate::request::RunRequest;
use crate::run::Notes;
use crate::summary::{SATURATED, TrafficFacts, mean, part_times, share, traffic_name, traffic_warnings};
use crate::totals::{PacketCounts, add_latency};
use linecard_np::Outcome;
use linecard_np::parallel::{ParallelConfig, ParallelCounts, ParallelMachine};
use linecard_program::{Application, DropReason};
use linecard_sim::Timebase;

/// What has run.
pub(super) struct Ran<'a> {
    pub request: &'a RunRequest,
    pub configuration: &'a Configuration,
    pub config: &'a ParallelConfig,
    pub application: &'a dyn Application,
    pub outcome: &'a Outcome,
}

/// Report on a machine that has run.
pub(super) fn report(machine: &mut ParallelMachine, ran: &Ran<'_>, notes: &Notes) -> RunReport {
    let counts = machine.counts();
    let base = machine.timebase();
    let summary = summary(&counts, &base);
    let dram = dram_time(&counts, ran.config);
    let resources = resources(&counts);
    let packet_time = part_times(&counts.packet_time, counts.packets_out, &base);
    let paced = ran.configuration.paced();
    let drops = DropReason::ALL
        .iter()
        .map(|&r| DropCount { reason: r.name().to_owned(), packets: counts.drops[r as usize] })
        .filter(|d| d.packets > 0)
        .collect();
    let mut metrics = metrics(&counts, &summary, &dram, &resources, ran);
    for p in &packet_time {
        metrics.push(metric("packet", &format!("time_{}", p.part.replace(' ', "_")), "ns", p.mean_ns));
    }
    let facts = TrafficFacts {
        packets_in: counts.packets_in,
        no_route: counts.drops[DropReason::NoRoute as usize],
        not_ipv4: counts.drops[DropReason::NotIpv4 as usize],
        inside: machine.packets_inside(),
    };
    RunReport {
        preset: ran.request.preset.clone(),
        app: ran.configuration.app.clone(),
        traffic: traffic_name(ran.request, ran.configuration),
        seed: ran.request.seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        config_hash: ran.configuration.hash(),
        warnings: warnings(ran, notes, &counts, &facts),
        capture_damage: notes.borrow().damage,
        summary,
        bottleneck: bottleneck(&counts, &resources, &summary, paced),
        resources,
        dram,
        packet_time,
        drops,
        metrics,
    }
}

fn warnings(ran: &Ran<'_>, notes: &Notes, counts: &ParallelCounts, facts: &TrafficFacts) -> Vec<String> {
    let mut warnings = ineffective(ran);
    let too_large = counts.drops[DropReason::TooLarge as usize];
    if too_large > 0 {
        warnings.push(format!(
            "{too_large} packets are larger than the receive buffer and were dropped: raise receive.buffer_bytes ({})",
            ran.configuration.integer("receive.buffer_bytes")
        ));
    }
    warnings.extend(traffic_warnings(
        ran.request,
        &notes.borrow(),
        *ran.outcome == Outcome::TrafficEnded,
        facts,
    ));
    warnings
}

/// A warning for each `--set` that has no effect in this run.
fn ineffective(ran: &Ran<'_>) -> Vec<String> {
    let c = ran.configuration;
    let is = |key: &str, value: &str| c.text(key) == value;
    let (ready, dynamic) = (!c.paced(), is("app.scheme", "DYNAMIC"));
    let because = |key: &str| match key {
        "receive.buffer_bytes"
        | "receive.wire_gbps"
        | "receive.speedup"
        | "output.buffer_bytes"
        | "output.total_mbps"
        | "traffic.rate_gbps"
        | "traffic.arrivals"
            if ready =>
        {
            Some("receive.mode is ready: a packet always waits, and ports are never busy")
        }
        _ if (key.starts_with("dynamic.") || key.starts_with("direct.")) && !dynamic => {
            Some("app.scheme is not DYNAMIC")
        }
        _ if key.starts_with("traffic.") && ran.request.trace.is_some() => Some("a capture is given"),
        "traffic.packet_bytes" if !is("traffic.kind", "fixed") => Some("traffic.kind is not fixed"),
        "traffic.sizes" if !is("traffic.kind", "sizes") => Some("traffic.kind is not sizes"),
        _ if key.starts_with("shots.") && !is("traffic.arrivals", "shot_noise") => {
            Some("traffic.arrivals is not shot_noise")
        }
        "traffic.flows" | "traffic.zipf" if is("traffic.arrivals", "shot_noise") => {
            Some("shot noise has flows of its own: shots.*")
        }
        "engine.local_memory_bytes" | "engine.cam_entries" => Some("ipv4_forward uses neither"),
        _ => None,
    };
    let keys = ran.request.overrides.iter().filter_map(|o| o.split_once('=')).map(|(key, _)| key.trim());
    keys.filter_map(|key| because(key).map(|why| format!("--set {key} has no effect here: {why}"))).collect()
}

fn summary(counts: &ParallelCounts, base: &Timebase) -> Summary {
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

/// The bus's time: data, turnarounds, and the rest, in which no burst was ready (no access was pending, or banks were
/// busy with others).
fn dram_time(counts: &ParallelCounts, config: &ParallelConfig) -> DramTime {
    let cycles = counts.dram_cycles as f64;
    let data = share(counts.dram.data_cycles as f64, cycles).min(1.0);
    let turnaround = share(counts.dram.turnaround_cycles as f64, cycles).min(1.0 - data);
    let s = &config.dram.slots;
    let refresh = if s.refresh_every == 0 { 0.0 } else { share(s.refresh as f64, s.refresh_every as f64) };
    let refresh = refresh.min(1.0 - data - turnaround);
    let idle = (1.0 - data - turnaround - refresh).max(0.0);
    DramTime { data, row_miss: 0.0, turnaround, refresh, spacing: None, idle, row_hit_rate: 0.0 }
}

fn resources(counts: &ParallelCounts) -> Vec<ResourceUse> {
    let of = |component: &str, utilization: f64| ResourceUse {
        component: component.to_owned(),
        // What is under way at either end of the measurement is counted where it began.
        utilization: utilization.clamp(0.0, 1.0),
    };
    let duration = counts.duration as f64;
    let cycles = counts.dram_cycles as f64;
    let unit = |(busy, _): (u64, u64)| share(busy as f64, duration);
    let engines: Vec<f64> = counts.engines.iter().map(|&busy| share(busy as f64, duration)).collect();
    let sram: Vec<f64> = counts.sram.iter().map(|&channel| unit(channel)).collect();
    let mut list = vec![
        of("dram.bus", share((counts.dram.data_cycles + counts.dram.turnaround_cycles) as f64, cycles)),
        of("dram.banks", share(counts.dram.bank_cycles as f64, cycles * counts.dram.banks as f64)),
        of("hash", unit(counts.hash)),
        of("engines", mean(&engines)),
        of("sram", mean(&sram)),
        of("scratch", unit(counts.scratch)),
    ];
    if counts.direct.1 > 0 {
        list.push(of("direct path", unit(counts.direct)));
    }
    list.push(of("threads", mean(&counts.threads)));
    list
}

/// A unit that is busy for so much of the time limits a machine whose threads never wait for packets.
const BUSY: f64 = 0.85;

/// The busiest unit; where none is busy, threads that all wait; under paced traffic without loss, the offered load.
fn bottleneck(
    counts: &ParallelCounts,
    resources: &[ResourceUse],
    summary: &Summary,
    paced: bool,
) -> Bottleneck {
    let percent = |x: f64| format!("{:.0} %", x * 100.0);
    let units = resources.iter().filter(|r| r.component != "threads");
    // Of equals the first.
    let busiest = units.rev().max_by(|a, b| a.utilization.total_cmp(&b.utilization));
    let (component, utilization) = busiest.map_or(("", 0.0), |r| (r.component.as_str(), r.utilization));
    let named = |component: &str, utilization: f64, why: String| Bottleneck {
        component: component.to_owned(),
        utilization,
        why,
    };
    let full = counts.drops[DropReason::ReceiveBufferFull as usize];
    let threads = mean(&counts.threads);
    if paced && full == 0 && utilization < SATURATED {
        let why = format!(
            "{:.2} Gbit/s arrive and the receive buffer never overflows; the busiest unit, {component}, is at {}.",
            summary.offered_gbps,
            percent(utilization)
        );
        return named("offered load", utilization, why);
    }
    if paced && full > 0 && utilization < BUSY && threads < BUSY {
        let why = format!(
            "{full} packets came in bursts larger than what the receive buffer had free (receive.buffer_bytes), while the \
             busiest unit, {component}, is at {} and threads hold packets {} of the time.",
            percent(utilization),
            percent(threads)
        );
        return named("receive buffer", utilization, why);
    }
    if utilization < BUSY && threads >= BUSY {
        let why = format!(
            "Threads hold packets {} of the time, and the busiest unit, {component}, is at {}: more threads would forward \
             more.",
            percent(threads),
            percent(utilization)
        );
        return named("threads", threads, why);
    }
    let cycles = counts.dram_cycles as f64;
    let why = match component {
        "dram.bus" => format!(
            "The data bus of the DRAM moves data {} of the time and stands still {} of the time to turn between reads and \
             writes.",
            percent(share(counts.dram.data_cycles as f64, cycles)),
            percent(share(counts.dram.turnaround_cycles as f64, cycles))
        ),
        "dram.banks" => format!("The banks of the DRAM are held {} of the time.", percent(utilization)),
        "hash" => format!("The hash unit is busy {} of the time.", percent(utilization)),
        "engines" => format!("The engines execute instructions {} of the time.", percent(utilization)),
        other => format!("{other} is busy {} of the time.", percent(utilization)),
    };
    named(component, utilization, why)
}

fn metric(component: &str, metric: &str, unit: &str, value: f64) -> Metric {
    Metric { component: component.to_owned(), metric: metric.to_owned(), unit: unit.to_owned(), value }
}

fn metrics(
    counts: &ParallelCounts,
    summary: &Summary,
    dram: &DramTime,
    resources: &[ResourceUse],
    ran: &Ran<'_>,
) -> Vec<Metric> {
    let mut rows = Vec::new();
    let mut add = |component: &str, name: &str, unit: &str, value: f64| {
        rows.push(metric(component, name, unit, value));
    };
    let s = summary;
    add("total", "throughput_mbps", "Mbit/s", s.throughput_gbps * 1e3);
    add("total", "throughput_gbps", "Gbit/s", s.throughput_gbps);
    add("total", "throughput_mpps", "Mpackets/s", s.throughput_mpps);
    add("total", "offered_mbps", "Mbit/s", s.offered_gbps * 1e3);
    add("total", "packets_in", "packets", s.packets_in as f64);
    add("total", "packets_out", "packets", s.packets_out as f64);
    add("total", "packets_dropped", "packets", s.packets_dropped as f64);
    add("total", "loss", "fraction", s.loss_fraction);
    add("total", "loss_percent", "percent", s.loss_fraction * 100.0);
    let bytes_lost = share(counts.dropped_bytes as f64, (counts.bytes_out + counts.dropped_bytes) as f64);
    add("total", "bytes_lost_percent", "percent", bytes_lost * 100.0);
    add("total", "mean_packet_bytes", "bytes", share(counts.bytes_in as f64, counts.packets_in as f64));
    add("total", "simulated_time", "s", s.simulated_seconds);
    add("total", "packets_inside_at_start", "packets", counts.inside_at_start as f64);
    add("total", "packets_inside_at_end", "packets", counts.inside_at_end as f64);
    add_latency(s, &mut add);
    for reason in DropReason::ALL {
        add("drops", reason.name(), "packets", counts.drops[reason as usize] as f64);
    }
    for r in resources {
        add(&r.component, "utilization", "fraction", r.utilization);
        add(&r.component, "utilization_percent", "percent", r.utilization * 100.0);
    }
    for (number, &busy) in counts.engines.iter().enumerate() {
        add(&format!("engine.{number}"), "busy", "fraction", share(busy as f64, counts.duration as f64));
    }
    for (number, &held) in counts.threads.iter().enumerate() {
        add(&format!("thread.{number}"), "holds_packet", "fraction", held);
    }
    for (number, &(_, accesses)) in counts.sram.iter().enumerate() {
        add(&format!("sram.{number}"), "accesses", "accesses", accesses as f64);
    }
    add("scratch", "accesses", "accesses", counts.scratch.1 as f64);
    add("hash", "accesses", "accesses", counts.hash.1 as f64);
    add("dram", "data_percent", "percent", dram.data * 100.0);
    add("dram", "turnaround_percent", "percent", dram.turnaround * 100.0);
    let d = &counts.dram;
    add("dram", "accesses", "accesses", d.accesses as f64);
    add("dram", "narrow_percent", "percent", share(d.narrow_accesses as f64, d.accesses as f64) * 100.0);
    let bits = d.bytes as f64 * 8.0;
    add("dram", "bandwidth_gbps", "Gbit/s", share(bits, s.simulated_seconds * 1e9));
    add("dram", "bytes_per_packet", "bytes", share(d.bytes as f64, counts.packets_out as f64));
    add("rbuf", "mean_bytes", "bytes", counts.rbuf_bytes);
    add("tbuf", "mean_bytes", "bytes", counts.tbuf_bytes);
    add("dynamic", "stored_packets", "packets", counts.stored_packets as f64);
    add(
        "dynamic",
        "stored_percent",
        "percent",
        share(counts.stored_bytes as f64, counts.bytes_in as f64) * 100.0,
    );
    let b = &counts.buffer;
    add("buffer", "mean_bytes", "bytes", b.mean);
    add("buffer", "max_bytes", "bytes", b.max as f64);
    add("buffer", "max_kib", "KiB", b.max as f64 / 1024.0);
    for (kib, (time, events)) in b.time_below_kib.iter().zip(&b.events_below_kib).enumerate() {
        add("buffer", &format!("time_below_{}_kib_percent", kib + 1), "percent", time * 100.0);
        add("buffer", &format!("events_below_{}_kib_percent", kib + 1), "percent", events * 100.0);
    }
    for (name, unit, value) in ran.application.counters() {
        add(ran.application.name(), name, unit, value);
    }
    rows
}
