//! Converts the counts of a chip to a report.

use super::breakdown::{add_classes, breakdown};
use super::design::Design;
use super::memory_use::{dram, of_packet_buffer, parallel_dram};
use super::not_ip;
use crate::arrivals::Notes;
use crate::report::{
    Bottleneck, DropCount, Interval, Intervals, Metric, PacketTime, PartReport, ResourceUse, RunReport,
    Summary, ValueRange,
};
use crate::request::RunRequest;
use crate::summary::{TrafficFacts, share, traffic_warnings};
use crate::totals::{PacketCounts, add_latency, rows_of};
use linecard_chip::{Chip, ClusterCounts, Counts, Loss, Outcome, PacketBufferCounts};
use linecard_config::Row;
use linecard_dram::packet_buffer::Statistics;
use linecard_program::DropReason;
use linecard_sim::{batch_means, grows, ratio_of_batches};
use std::path::Path;

/// The subject of the report.
pub(super) struct Told<'a> {
    pub design: &'a Design,
    pub request: &'a RunRequest,
    pub chip: &'a Chip,
    pub counts: &'a Counts,
    pub outcome: &'a Outcome,
    pub notes: &'a Notes,
}

/// Packets that stay inside have accumulated if they exceed this share of the packets that left, and this number.
const MOST_LEFT_INSIDE: f64 = 0.03;
const FEW_INSIDE: u64 = 100;

/// Returns whether packets accumulate, so that the throughput says little about the long run.
pub(super) fn piles_up(chip: &Chip, counts: &Counts) -> bool {
    piled_up(chip, counts).is_some()
}

/// Returns where packets accumulate, and their number at the start and at the end: the number grows to the end, many
/// arrived packets stay, or packets arrive faster than they leave beyond noise. If the traffic ended, the end is the
/// last arrival: what accumulated until then leaves afterwards.
fn piled_up(chip: &Chip, counts: &Counts) -> Option<(&'static str, [u64; 2])> {
    let mut slices = chip.series().slices();
    let mut inside = [counts.inside_at_start, counts.inside_at_end];
    let mut before = [counts.before_lines_at_start, counts.before_lines_at_end];
    if let Some(last) = counts.last_arrival {
        let until = (last.after / chip.series().slice_ticks()) as usize;
        slices = &slices[..until.min(slices.len())];
        (inside[1], before[1]) = (last.inside, last.before_lines);
    }
    let accumulate = |[start, end]: [u64; 2], levels: Vec<f64>| {
        let stayed = end.saturating_sub(start);
        let much = stayed as f64 > MOST_LEFT_INSIDE * counts.packets_out as f64;
        stayed > FEW_INSIDE && (much || rises(start as f64, &levels)) || grows(&levels).is_some()
    };
    if accumulate(inside, slices.iter().map(|slice| slice.inside as f64).collect()) {
        return Some(("the number of packets inside the chip", inside));
    }
    let accumulate_before =
        accumulate(before, slices.iter().map(|slice| slice.before_lines as f64).collect());
    accumulate_before
        .then_some(("the number of frames that wait for the line of their receiving port", before))
}

/// Returns whether the mean change of a number per slice is positive with 95 % confidence. If the number only
/// fluctuates, its changes cancel, and their mean is far within its interval.
fn rises(start: f64, levels: &[f64]) -> bool {
    let before = std::iter::once(&start).chain(levels);
    let changes: Vec<f64> = levels.iter().zip(before).map(|(level, before)| level - before).collect();
    batch_means(&changes).is_some_and(|change| change.mean > change.half_width)
}

/// A run with fewer slices cannot be judged.
const FEWEST_SLICES: usize = 20;

pub(super) fn report(told: &Told<'_>, bottleneck: Bottleneck) -> RunReport {
    let Told { design, request, chip, counts, .. } = told;
    let summary = summary(told);
    let resources = resources(counts);
    let packet_time = packet_time(told);
    let breakdown = breakdown(chip, counts);
    let drops = not_ip::losses()
        .map(|number| DropCount { reason: Loss::name(number).to_owned(), packets: counts.drops[number] })
        .filter(|drop| drop.packets > 0)
        .collect();
    let traffic = match &request.trace {
        Some(trace) => {
            let name = Path::new(trace).file_name().map(|name| name.to_string_lossy().into_owned());
            name.unwrap_or_else(|| trace.clone())
        }
        None => format!("generator: {}", design.traffic.name),
    };
    RunReport {
        chip: request.chip.clone(),
        program: design.app.clone(),
        traffic,
        seed: request.seed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        config_hash: design.hash.clone(),
        warnings: warnings(told, &summary),
        unwritten: Vec::new(),
        capture_damage: told.notes.borrow().damage,
        bottleneck,
        dram: dram(counts),
        metrics: metrics(told, &summary, &resources, &packet_time, &breakdown),
        resources,
        packet_time,
        drops,
        breakdown,
        ranges: ranges(design),
        programs: Vec::new(),
        what_if: Vec::new(),
        latency_bins: counts.latency.bins().map(|(t, n)| (chip.timebase().nanoseconds(t), n)).collect(),
        summary: Summary { steady: chip.was_warm() && is_steady(chip, counts), ..summary },
    }
}

fn ranges(design: &Design) -> Vec<ValueRange> {
    let range = |row: &Row| row.interval.map(|[low, high]| ValueRange { key: row.key.clone(), low, high });
    design.rows.iter().filter_map(range).collect()
}

/// Returns whether the run is too short to be judged.
pub(super) fn is_too_short(chip: &Chip) -> bool {
    chip.series().slices().len() < FEWEST_SLICES
}

fn is_steady(chip: &Chip, counts: &Counts) -> bool {
    !is_too_short(chip) && !piles_up(chip, counts)
}

fn summary(told: &Told<'_>) -> Summary {
    let Told { chip, counts, .. } = told;
    let of = PacketCounts {
        packets_in: counts.packets_in,
        packets_out: counts.packets_out,
        bytes_in: counts.bytes_in,
        bytes_out: counts.bytes_out,
        packets_dropped: counts.lost(),
        latency: &counts.latency,
        duration: counts.duration,
    };
    Summary {
        intervals: intervals(told),
        packets_inside: counts.inside_at_end,
        not_ip: not_ip::frames(counts),
        ..of.summary(&chip.timebase())
    }
}

fn intervals(told: &Told<'_>) -> Option<Intervals> {
    let series = told.chip.series();
    let base = told.chip.timebase();
    let slices = series.slices();
    let slice_seconds = base.seconds(series.slice_ticks());
    let of = |value: fn(&linecard_chip::Slice) -> f64| slices.iter().map(value).collect::<Vec<f64>>();
    let interval = |found: Option<linecard_sim::Interval>, scale: f64| {
        // Rates, fractions and latencies are not negative.
        let around = |mean: f64, half: f64| Interval { low: (mean - half).max(0.0), high: mean + half };
        found.map(|i| around(i.mean * scale, i.half_width * scale))
    };
    let (out, dropped) = (of(|s| s.packets_out as f64), of(|s| s.dropped as f64));
    let gone: Vec<f64> = out.iter().zip(&dropped).map(|(a, b)| a + b).collect();
    let gbps = interval(batch_means(&of(|s| s.bytes_out as f64)), 8.0 / slice_seconds / 1e9)?;
    let loss = interval(ratio_of_batches(&dropped, &gone), 1.0)?;
    let latency = interval(ratio_of_batches(&of(|s| s.latency as f64), &out), base.nanoseconds(1))?;
    Some(Intervals {
        throughput_gbps: gbps,
        loss_fraction: Interval { high: loss.high.min(1.0), ..loss },
        latency_mean_ns: latency,
    })
}

/// Returns the mean of parts that are alike, and the busiest if they differ.
fn resources(counts: &Counts) -> Vec<ResourceUse> {
    let mut list: Vec<(String, Vec<f64>, f64)> = Vec::new();
    let mut add =
        |name: String, mean: f64, most: f64| match list.iter_mut().find(|(other, ..)| *other == name) {
            Some((_, all, highest)) => {
                all.push(mean);
                *highest = highest.max(most);
            }
            None => list.push((name, vec![mean], most)),
        };
    // Clusters without a thread in use have nothing to do.
    let in_use = || counts.clusters.iter().filter(|each| counts.duration == 0 || !each.threads.is_empty());
    for cluster in in_use() {
        add(format!("engines of {}", cluster.group), cluster.busy, cluster.busiest);
    }
    for cluster in in_use() {
        add(format!("threads of {}", cluster.group), cluster.threads_held, cluster.threads_held);
    }
    for place in &counts.places {
        if let (Some(mean), Some(most)) = (place.utilization, place.utilization_most) {
            add(place.group.clone(), mean, most);
        }
        if let Some(slots) = place.slots {
            add(format!("{} banks", place.group), slots.banks, slots.banks);
        }
    }
    for link in &counts.links {
        let group = link.name.split('.').next().unwrap_or(&link.name);
        add(group.to_owned(), link.utilization, link.utilization);
    }
    for port in &counts.ports {
        if let Some(used) = port.receive {
            add(format!("{}, inward", port.group), used, used);
        }
        if let Some(used) = port.transmit {
            add(format!("{}, outward", port.group), used, used);
        }
        if let Some(used) = port.shaper {
            add(format!("{}, shapers", port.group), used, used);
        }
    }
    for port in &counts.ports {
        if let Some(slots) = port.slots {
            add("transmit slots".to_owned(), slots, slots);
        }
    }
    for &held in &counts.locks {
        add("locks".to_owned(), held, held);
    }
    for pool in &counts.pools {
        let name = pool.name.split('.').next().unwrap_or(&pool.name);
        let full = |cells: f64| (cells / f64::from(pool.cells)).min(1.0);
        add(format!("buffer {name}"), full(pool.mean), full(pool.most as f64));
    }
    let mut uses = Vec::new();
    for (name, all, most) in list {
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let several = most > mean * 1.05 && !name.starts_with("buffer");
        uses.push(ResourceUse { component: name.clone(), utilization: mean });
        if several {
            uses.push(ResourceUse { component: format!("{name}, busiest"), utilization: most });
        }
    }
    uses
}

fn packet_time(told: &Told<'_>) -> Vec<PacketTime> {
    let base = told.chip.timebase();
    let parts = &told.counts.packet_time;
    let total: u128 = parts.iter().map(|part| part.ticks).sum();
    let packets = told.counts.packets_out.max(1) as f64;
    parts
        .iter()
        .filter(|part| part.ticks > 0)
        .map(|part| PacketTime {
            part: part.part.clone(),
            mean_ns: part.ticks as f64 * base.nanoseconds(1) / packets,
            share: share(part.ticks as f64, total as f64),
        })
        .collect()
}

fn warnings(told: &Told<'_>, summary: &Summary) -> Vec<String> {
    let Told { request, chip, counts, outcome, notes, .. } = told;
    let mut warnings = Vec::new();
    if is_too_short(chip) {
        warnings.push(format!(
            "the run is too short to judge: only {} packets departed in {:.3} us of measured time; run more \
             packets with --packets",
            counts.packets_out,
            summary.simulated_seconds * 1e6
        ));
    } else if let Some((what, [start, end])) = piled_up(chip, counts) {
        warnings.push(format!(
            "not steady: {what} grew from {start} to {end} {}. Loss and latency depend on the length of the run",
            if counts.last_arrival.is_some() { "until the traffic ended" } else { "during the measurement" }
        ));
    } else if !chip.was_warm() {
        warnings.push(match outcome {
            Outcome::TrafficEnded => "the traffic ended before the warm-up reached steady state, and the results \
                                      still drift; set the warm-up with --warmup"
                .to_owned(),
            _ => "the warm-up did not reach steady state, and the results still drift; set a longer warm-up with \
                  --warmup"
                .to_owned(),
        });
    }
    let too_large = counts.dropped(Loss::Program(DropReason::TooLarge));
    if too_large > 0 {
        warnings.push(format!(
            "{too_large} packets did not fit into a receive buffer or a page of the packet memory, and were \
             dropped; raise cells or page_bytes"
        ));
    }
    let line_full = counts.dropped(Loss::LineFull);
    if line_full > 0 {
        warnings.push(format!("{line_full} packets arrived faster than the line rate of their port"));
    }
    let facts = TrafficFacts {
        packets_in: counts.packets_in,
        no_route: counts.dropped(Loss::Program(DropReason::NoRoute)),
        not_ipv4: counts.dropped(Loss::Program(DropReason::NotIpv4)),
        inside: counts.inside_at_end as usize,
    };
    if told.design.traffic.ignores_times {
        warnings.push(
            "the chip's file sets traffic.arrivals to saturated: a frame always waits at each port, and the \
             timestamps of the capture are not used. Use them with --set traffic.arrivals=captured, or set \
             traffic.arrivals=saturated to confirm"
                .to_owned(),
        );
    }
    warnings.extend(traffic_warnings(request, &notes.borrow(), *outcome == &Outcome::TrafficEnded, &facts));
    warnings
}

/// Adds metrics of engines and threads: the use of the time of all engines, and the throughput of each thread of a
/// kind.
fn engine_metrics(told: &Told<'_>, summary: &Summary, add: &mut impl FnMut(&str, &str, &'static str, f64)) {
    let config = &told.design.config;
    let clusters = || told.counts.clusters.iter().zip(&config.clusters);
    let engines: f64 = config.clusters.iter().map(|c| f64::from(c.engines)).sum();
    let mean = |of: fn(&ClusterCounts) -> f64| {
        share(clusters().map(|(counts, c)| of(counts) * f64::from(c.engines)).sum(), engines) * 100.0
    };
    let (busy, polling) = (mean(|c| c.busy), mean(|c| c.polling));
    add("engines", "busy_percent", "percent", busy);
    add("engines", "polling_percent", "percent", polling);
    add("engines", "idle_percent", "percent", (100.0 - busy - polling).max(0.0));
    let mut groups: Vec<&str> = Vec::new();
    for (counts, cluster) in clusters().filter(|(counts, _)| !counts.sends_blocks) {
        if groups.contains(&counts.group.as_str()) {
            continue;
        }
        groups.push(&counts.group);
        let alike = config.clusters.iter().filter(|c| c.group == counts.group);
        let threads: f64 = alike.map(|c| f64::from(c.all_threads())).sum();
        let each = share(summary.throughput_mpps * 1e3, threads);
        add(&counts.group, "rate_each", "kpps", each);
        let cycles = share(cluster.clock_hz as f64 / 1e3, each);
        add(&counts.group, "engine_cycles_per_packet", "engine cycles", cycles);
    }
}

fn packet_buffer_metrics(
    name: &str,
    buffer: &PacketBufferCounts,
    add: &mut impl FnMut(&str, &str, &'static str, f64),
) {
    let shares = of_packet_buffer(buffer);
    add(name, "data_utilization_percent", "percent", shares.data * 100.0);
    add(name, "row_miss_percent", "percent", shares.row_miss * 100.0);
    add(name, "turnaround_percent", "percent", shares.turnaround * 100.0);
    let idle = (1.0 - shares.data - shares.row_miss - shares.turnaround).max(0.0);
    add(name, "idle_percent", "percent", idle * 100.0);
    let sum = |of: &dyn Fn(&Statistics) -> u64| buffer.channels.iter().map(of).sum::<u64>() as f64;
    add(name, "activates", "commands", sum(&|s| s.activates));
    add(name, "precharges", "commands", sum(&|s| s.precharges));
    for (side, way) in [(0, "read"), (1, "write")] {
        let (accesses, bytes) = (sum(&|s| s.accesses[side]), sum(&|s| s.bytes[side]));
        add(name, &format!("{way}s"), "accesses", accesses);
        add(name, &format!("{way}_bytes"), "bytes", bytes);
        add(name, &format!("mean_{way}_bytes"), "bytes", share(bytes, accesses));
    }
    // The observed batch is counted in mean transfers (Hasan 2003, section 6.4).
    let mean_bytes = share(sum(&|s| s.bytes[0] + s.bytes[1]), sum(&|s| s.accesses[0] + s.accesses[1]));
    for (side, way) in [(0, "read"), (1, "write")] {
        let batch = share(sum(&|s| s.bytes[side]), sum(&|s| s.batches[side]));
        add(name, &format!("observed_batch_{way}"), "mean transfers", share(batch, mean_bytes));
    }
    let rows = |write: bool| {
        share(buffer.channels.iter().map(|s| s.rows_touched(write)).sum(), buffer.channels.len() as f64)
    };
    add(name, "rows_touched_per_16_input", "rows", rows(true));
    add(name, "rows_touched_per_16_output", "rows", rows(false));
    for (channel, statistics) in buffer.channels.iter().enumerate() {
        for (bank, &cycles) in statistics.bank_data_cycles.iter().enumerate() {
            let part = match buffer.channels.len() {
                1 => format!("{name}.bank.{bank}"),
                _ => format!("{name}.channel.{channel}.bank.{bank}"),
            };
            add(&part, "data", "fraction", share(cycles as f64, buffer.cycles as f64));
        }
    }
}

fn metrics(
    told: &Told<'_>,
    summary: &Summary,
    resources: &[ResourceUse],
    packet_time: &[PacketTime],
    breakdown: &[PartReport],
) -> Vec<Metric> {
    let Told { counts, chip, .. } = told;
    let base = chip.timebase();
    let mut rows = rows_of("total", summary);
    let mut add = |component: &str, metric: &str, unit: &'static str, value: f64| {
        let (component, metric) = (component.to_owned(), metric.to_owned());
        rows.push(Metric { component, metric, unit: unit.into(), value });
    };
    add("total", "throughput_mbps", "Mbit/s", summary.throughput_gbps * 1e3);
    add("total", "loss_percent", "percent", summary.loss_fraction * 100.0);
    let bytes_lost = share(counts.bytes_dropped as f64, (counts.bytes_out + counts.bytes_dropped) as f64);
    add("total", "bytes_lost_percent", "percent", bytes_lost * 100.0);
    add("total", "mean_packet_bytes", "bytes", share(counts.bytes_in as f64, counts.packets_in as f64));
    add("total", "packets_inside_at_start", "packets", counts.inside_at_start as f64);
    add("total", "packets_inside_at_end", "packets", counts.inside_at_end as f64);
    add("total", "packets_inside_mean", "packets", counts.inside_mean);
    add("total", "packets_inside_most", "packets", counts.inside_most as f64);
    let before_lines_at_last = counts.last_arrival.map_or(0, |last| last.before_lines);
    if counts.before_lines_at_start + counts.before_lines_at_end + before_lines_at_last > 0 {
        add("total", "packets_before_lines_at_start", "packets", counts.before_lines_at_start as f64);
        add("total", "packets_before_lines_at_end", "packets", counts.before_lines_at_end as f64);
        add("total", "packets_before_lines_mean", "packets", counts.before_lines_mean);
    }
    add_latency("total", &summary.latency_ns, &mut add);
    add_classes(breakdown, &mut add);
    for number in not_ip::losses() {
        add("drops", Loss::name(number), "packets", counts.drops[number] as f64);
    }
    not_ip::add_metrics(summary, &mut add);
    for r in resources {
        add(&r.component, "utilization", "fraction", r.utilization);
        add(&r.component, "utilization_percent", "percent", r.utilization * 100.0);
    }
    for (name, activates, whole) in parallel_dram(counts) {
        add(&format!("{name}, activates"), "utilization", "fraction", activates);
        add(name, "occupancy", "fraction", whole);
    }
    engine_metrics(told, summary, &mut add);
    for cluster in &counts.clusters {
        add(&cluster.name, "engines_busy", "fraction", cluster.busy);
        add(&cluster.name, "threads_held", "fraction", cluster.threads_held);
        if let Some(cache) = cluster.data_cache {
            add(&cluster.name, "cache_hits", "accesses", cache.hits as f64);
            add(&cluster.name, "cache_misses", "lines", cache.misses as f64);
            add(&cluster.name, "cache_merged", "accesses", cache.merged as f64);
            add(&cluster.name, "cache_written_back", "lines", cache.written_back as f64);
        }
    }
    for place in &counts.places {
        if let Some(used) = place.utilization {
            add(&place.name, "busy", "fraction", used);
        }
        add(&place.name, "accesses", "accesses", place.accesses as f64);
        add(&place.name, "time_mean", "ns", place.time_mean * base.nanoseconds(1));
        if let Some(slots) = place.slots {
            add(&place.name, "data_percent", "percent", slots.data * 100.0);
            add(&place.name, "turnaround_percent", "percent", slots.turnaround * 100.0);
            let narrow = share(slots.narrow_accesses as f64, slots.accesses as f64);
            add(&place.name, "narrow_percent", "percent", narrow * 100.0);
            let bits = slots.bytes as f64 * 8.0;
            add(&place.name, "bandwidth_gbps", "Gbit/s", share(bits, summary.simulated_seconds * 1e9));
            let each = share(slots.bytes as f64, counts.packets_out as f64);
            add(&place.name, "bytes_per_packet", "bytes", each);
        }
        if let Some(rate) = place.hit_rate {
            add(&place.name, "hit_rate", "fraction", rate);
        }
        if let Some((hits, misses)) = place.reads {
            add(&place.name, "read_hits", "lines", hits as f64);
            add(&place.name, "read_misses", "lines", misses as f64);
        }
        if place.slots.is_none() {
            let bits = place.bytes as f64 * 8.0;
            add(&place.name, "bandwidth_gbps", "Gbit/s", share(bits, summary.simulated_seconds * 1e9));
        }
        if let Some(buffer) = &place.packet_buffer {
            packet_buffer_metrics(&place.name, buffer, &mut add);
        }
        if let Some((hits, lookups)) = place.results {
            add(&place.name, "lookups", "packets", lookups as f64);
            add(&place.name, "hits", "packets", hits as f64);
        }
        if let Some(manager) = place.queue_manager {
            add(&place.name, "lookups", "operations", manager.lookups as f64);
            add(&place.name, "hits", "operations", manager.hits as f64);
        }
    }
    if let Some(cells) = counts.cells_in_use {
        add("packet memory", "cells_in_use", "cells", cells);
    }
    if let Some((inside, written)) = counts.wide_blocks {
        let all = (inside + written) as f64;
        add("queue caches", "blocks_handed_over_inside", "fraction", share(inside as f64, all));
    }
    for link in &counts.links {
        add(&link.name, "busy", "fraction", link.utilization);
        add(&link.name, "bytes", "bytes", link.bytes as f64);
    }
    for pool in &counts.pools {
        add(&pool.name, "cells_mean", "cells", pool.mean);
        add(&pool.name, "cells_most", "cells", pool.most as f64);
    }
    for port in &counts.ports {
        for (side, used) in [("in", port.receive), ("out", port.transmit)] {
            if let Some(used) = used {
                add(&port.name, &format!("wire_{side}"), "fraction", used);
            }
        }
        for (side, number) in [("in", 0), ("out", 1)] {
            add(&port.name, &format!("packets_{side}"), "packets", port.packets[number] as f64);
            add(&port.name, &format!("bytes_{side}"), "bytes", port.bytes[number] as f64);
        }
        add(&port.name, "queue_most", "packets", f64::from(port.most_queued));
        if let Some(slots) = port.slots {
            add(&port.name, "transmit_slots", "fraction", slots);
        }
    }
    for inbox in &counts.inboxes {
        add(&inbox.name, "waiting_most", "packets", f64::from(inbox.most));
        if inbox.offered > 0 {
            add(&inbox.name, "offered", "packets", inbox.offered as f64);
            add(&inbox.name, "refused", "packets", inbox.refused as f64);
        }
    }
    add("order", "waiting_most", "packets", f64::from(counts.order_most));
    add("receive buffers", "bytes_mean", "bytes", counts.receive_bytes_mean);
    if told.design.config.transmit.is_some() {
        add("transmit buffer", "bytes_mean", "bytes", counts.transmit_bytes_mean);
        add("kept in memory", "packets", "packets", counts.kept_packets as f64);
        let kept = share(counts.kept_bytes as f64, counts.bytes_in as f64);
        add("kept in memory", "bytes_percent", "percent", kept * 100.0);
        let inside = &counts.bytes_inside;
        add("inside", "bytes_mean", "bytes", inside.mean);
        add("inside", "bytes_most", "bytes", inside.most as f64);
        add("inside", "kib_most", "KiB", inside.most as f64 / 1024.0);
        for (kib, (time, events)) in inside.time_below_kib.iter().zip(&inside.events_below_kib).enumerate() {
            add("inside", &format!("time_below_{}_kib_percent", kib + 1), "percent", time * 100.0);
            add("inside", &format!("events_below_{}_kib_percent", kib + 1), "percent", events * 100.0);
        }
    }
    for program in chip.programs() {
        for (name, unit, value) in program.counters() {
            add("program", name, unit, value);
        }
    }
    for p in packet_time {
        add("packet", &format!("time_{}", p.part.replace(' ', "_")), "ns", p.mean_ns);
    }
    rows
}
