//! Throughput, loss and latency of the packets of each port, each class and each queue.

use crate::report::PartReport;
use crate::summary::{latency_ns, share};
use crate::totals::add_latency;
use linecard_chip::config::{PortConfig, SchedulerConfig};
use linecard_chip::{Chip, Counts, Part};

/// Returns the rows of separate counts: a row for each part of a kind with several parts.
pub(super) fn breakdown(chip: &Chip, counts: &Counts) -> Vec<PartReport> {
    let Some(found) = &counts.breakdown else { return Vec::new() };
    let config = chip.config();
    let seconds = chip.timebase().seconds(counts.duration);
    let row = |of: &'static str, port: Option<&str>, class: Option<&str>, part: &Part| {
        let gbps = |bytes: u64| share(bytes as f64 * 8.0 / 1e9, seconds);
        PartReport {
            of,
            port: port.map(str::to_owned),
            traffic_class: class.map(str::to_owned),
            offered_gbps: Some(gbps(part.bytes_offered)),
            throughput_gbps: Some(gbps(part.bytes_delivered)),
            packets_inside_at_start: part.inside_at_start,
            packets_offered: part.offered,
            packets_delivered: part.delivered,
            packets_lost: part.lost,
            packets_by_choice: part.by_choice,
            packets_inside: part.inside,
            loss_fraction: share(part.lost as f64, (part.delivered + part.lost) as f64),
            latency_ns: (part.delivered > 0).then(|| latency_ns(&part.latency, &chip.timebase())),
        }
    };
    let mut rows = Vec::new();
    let receiving = config.ports.iter().zip(&found.inputs).filter(|(port, _)| port.receive.is_some());
    if receiving.clone().count() > 1 {
        rows.extend(receiving.map(|(port, part)| row("input", Some(&port.name), None, part)));
    }
    let sending: Vec<(&PortConfig, &SchedulerConfig)> = config
        .ports
        .iter()
        .filter_map(|port| port.transmit.as_ref().map(|transmit| (port, &transmit.scheduler)))
        .collect();
    let mut queues = found.queues.iter();
    let mut outputs: Vec<(&str, Part)> = Vec::new();
    let mut classes: Vec<(&str, Part)> = Vec::new();
    let mut each: Vec<PartReport> = Vec::new();
    for (port, scheduler) in &sending {
        let mut sum = Part::default();
        for (class, part) in scheduler.classes.iter().zip(&mut queues) {
            sum += part;
            match classes.iter_mut().find(|(name, _)| *name == class.name) {
                Some((_, all)) => *all += part,
                None => classes.push((&class.name, part.clone())),
            }
            each.push(row("queue", Some(&port.name), Some(&class.name), part));
        }
        outputs.push((&port.name, sum));
    }
    let (several_ports, several_classes) = (outputs.len() > 1, classes.len() > 1);
    if several_ports {
        rows.extend(outputs.iter().map(|(port, part)| row("output", Some(port), None, part)));
    }
    if several_classes {
        rows.extend(classes.iter().map(|(class, part)| row("class", None, Some(class), part)));
    }
    if several_ports && several_classes {
        rows.append(&mut each);
    }
    if several_ports || several_classes {
        let rest = row("no queue", None, None, &without_queue(counts, &found.queues));
        // Their bytes and their latency are not counted separately.
        rows.push(PartReport { offered_gbps: None, throughput_gbps: None, latency_ns: None, ..rest });
    }
    rows
}

/// Returns the packets that no program had sent to a queue when they were lost, ended, or at the end of the run.
fn without_queue(counts: &Counts, queues: &[Part]) -> Part {
    let in_queues = |of: fn(&Part) -> u64| queues.iter().map(of).sum::<u64>();
    let delivered = counts.packets_finished;
    let lost = counts.lost() - in_queues(|part| part.lost);
    let by_choice = counts.by_choice() - in_queues(|part| part.by_choice);
    let inside = counts.inside_at_end - in_queues(|part| part.inside);
    Part {
        offered: delivered + lost + by_choice + inside,
        delivered,
        lost,
        by_choice,
        inside,
        ..Part::default()
    }
}

/// Adds the rows of the classes, and of their queues at each port: component, metric, unit, value.
pub(super) fn add_classes(rows: &[PartReport], add: &mut impl FnMut(&str, &str, &'static str, f64)) {
    for row in rows {
        let component = match (&row.port, &row.traffic_class) {
            (Some(port), Some(class)) => format!("{port}.class.{class}"),
            (None, Some(class)) => format!("class.{class}"),
            _ => continue,
        };
        if let Some(latency) = &row.latency_ns {
            add_latency(&component, latency, add);
        }
        let mut add = |metric: &str, unit, value| add(&component, metric, unit, value);
        add("offered_gbps", "Gbit/s", row.offered_gbps.unwrap_or_default());
        add("throughput_gbps", "Gbit/s", row.throughput_gbps.unwrap_or_default());
        add("packets_in", "packets", row.packets_offered as f64);
        add("packets_out", "packets", row.packets_delivered as f64);
        add("packets_dropped", "packets", row.packets_lost as f64);
        add("packets_inside_at_start", "packets", row.packets_inside_at_start as f64);
        add("packets_inside_at_end", "packets", row.packets_inside as f64);
        add("loss", "fraction", row.loss_fraction);
    }
}
