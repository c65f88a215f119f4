//! What holds of every result, whatever was asked for.

use linecard_platform::{Error, RunReport};
use serde::Serialize;
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};

static RESULTS: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Requests that gave a result, and that were refused, in this process so far.
pub fn tally() -> (u64, u64) {
    (RESULTS.load(Ordering::Relaxed), REFUSED.load(Ordering::Relaxed))
}

/// Every error says something, and nothing of it is the text of a panic.
pub fn error(error: &Error) {
    REFUSED.fetch_add(1, Ordering::Relaxed);
    let text = error.to_string();
    assert!(!text.trim().is_empty(), "an error without a word");
    assert!(!text.contains("panicked at"), "{text}");
}

/// All numbers are finite (others become `null` in JSON), but for those of which `may_lack` says that they may lack.
pub fn finite(report: &impl Serialize, may_lack: &[&str]) {
    RESULTS.fetch_add(1, Ordering::Relaxed);
    let value = serde_json::to_value(report).expect("a report becomes JSON");
    walk("", &value, may_lack);
}

fn walk(path: &str, value: &Value, may_lack: &[&str]) {
    match value {
        Value::Null => assert!(may_lack.iter().any(|part| path.ends_with(part)), "{path} is no number"),
        Value::Array(items) => items.iter().for_each(|item| walk(path, item, may_lack)),
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| walk(&format!("{path}.{name}"), field, may_lack));
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What a run may lack: intervals, if it is too short, frames that are not IP, and the utilisation of a limit that has
/// none. In the rows of a breakdown, an input has no
/// class, a class no port, and packets without a queue no rates.
pub const OF_PARTS: &[&str] = &[
    ".summary.intervals",
    ".bottleneck.utilization",
    ".summary.not_ip",
    ".breakdown.port",
    ".breakdown.traffic_class",
    ".breakdown.offered_gbps",
    ".breakdown.throughput_gbps",
    ".breakdown.latency_ns",
];

/// Packets are accounted for, and shares are shares.
pub fn run(report: &RunReport) {
    let summary = &report.summary;
    let gone = summary.packets_out + summary.packets_dropped;
    let loss = if gone == 0 { 0.0 } else { summary.packets_dropped as f64 / gone as f64 };
    assert!((summary.loss_fraction - loss).abs() < 1e-9, "loss {} of {loss}", summary.loss_fraction);
    let dropped: u64 = report.drops.iter().map(|drop| drop.packets).sum();
    assert_eq!(dropped, summary.packets_dropped, "packets dropped, and their reasons");
    for used in &report.resources {
        assert!((-1e-9..=1.0 + 1e-9).contains(&used.utilization), "{used:?}");
    }
    let time: f64 = report.packet_time.iter().map(|part| part.share).sum();
    assert!(time < 1.0 + 1e-6, "shares of packet time add up to {time}");
    for part in report.breakdown.iter().filter(|part| part.of != "no queue") {
        let rates = [part.offered_gbps, part.throughput_gbps];
        assert!(rates.iter().all(|rate| rate.is_some_and(f64::is_finite)), "{part:?}");
        assert_eq!(part.latency_ns.is_some(), part.packets_delivered > 0, "{part:?}");
    }
    from_rest(report);
}

/// What holds exactly of a run that began empty and was measured from its beginning: packets that came left, were dropped or
/// are inside, and Little's law. The time that packets spent inside is the time of packets that left, and for every
/// other packet at most the length of the run.
fn from_rest(report: &RunReport) {
    let total = |name: &str| {
        let found = report.metrics.iter().find(|metric| metric.component == "total" && metric.metric == name);
        found.map(|metric| metric.value)
    };
    let (Some(mean), Some(inside), Some(0.0)) =
        (total("packets_inside_mean"), total("packets_inside_at_end"), total("packets_inside_at_start"))
    else {
        return;
    };
    let summary = &report.summary;
    let aside = summary.not_ip.map_or(0, |frames| frames.punted + frames.dropped_by_choice);
    let gone = summary.packets_out + summary.packets_dropped + aside;
    assert_eq!(summary.packets_in, gone + inside as u64, "packets in, and out, dropped, set aside or inside");
    let lasted = summary.simulated_seconds * 1e9;
    let (spent, of_those_that_left) = (mean * lasted, summary.packets_out as f64 * summary.latency_ns.mean);
    let most_of_others = (inside + (summary.packets_dropped + aside) as f64) * lasted;
    // The machines of `np` note arrivals and departures at different ends of a cycle.
    let slack = 1e-3 * (spent + of_those_that_left) + 1.0;
    assert!(
        spent >= of_those_that_left - slack && spent <= of_those_that_left + most_of_others + slack,
        "Little's law: {spent} ns were spent inside, {of_those_that_left} by packets that left"
    );
}
