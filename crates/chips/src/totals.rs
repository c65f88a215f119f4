//! Totals that every machine reports: packets received, sent and lost, their rates and latencies.

use crate::report::{LatencyNs, Metric, Summary};
use crate::summary::{latency_ns, share};
use linecard_sim::{Histogram, Ticks, Timebase};
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::Value;

/// The counts of packets while statistics were on.
pub(crate) struct PacketCounts<'a> {
    pub packets_in: u64,
    pub packets_out: u64,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub packets_dropped: u64,
    pub latency: &'a Histogram,
    pub duration: Ticks,
}

impl PacketCounts<'_> {
    /// Returns the numbers that a user reads first; numbers that are not judged for every machine are left out.
    pub fn summary(&self, base: &Timebase) -> Summary {
        let seconds = base.seconds(self.duration);
        let per_second = |n: u64| if seconds > 0.0 { n as f64 / seconds } else { 0.0 };
        let dropped = self.packets_dropped;
        Summary {
            throughput_gbps: per_second(self.bytes_out) * 8.0 / 1e9,
            throughput_mpps: per_second(self.packets_out) / 1e6,
            offered_gbps: per_second(self.bytes_in) * 8.0 / 1e9,
            packets_in: self.packets_in,
            packets_out: self.packets_out,
            packets_dropped: dropped,
            loss_fraction: share(dropped as f64, (self.packets_out + dropped) as f64),
            latency_ns: latency_ns(self.latency, base),
            simulated_seconds: seconds,
            ..Summary::default()
        }
    }
}

/// Returns the rows of the numbers of a report that have a unit (`x-unit`).
pub(crate) fn rows_of<T: JsonSchema + Serialize>(component: &str, report: &T) -> Vec<Metric> {
    let (schema, values) = (schema_for!(T), serde_json::to_value(report).unwrap_or_default());
    let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let row = |(name, of): (&String, &Value)| {
        Some(Metric {
            component: component.to_owned(),
            metric: of.get("x-metric").and_then(Value::as_str).unwrap_or(name).to_owned(),
            unit: of.get("x-unit")?.as_str()?.to_owned().into(),
            value: values.get(name)?.as_f64()?,
        })
    };
    fields.filter_map(row).collect()
}

/// Adds the rows of the latency of sent packets: of all of them, or of a part.
pub(crate) fn add_latency(
    component: &str,
    l: &LatencyNs,
    add: &mut impl FnMut(&str, &str, &'static str, f64),
) {
    for (name, value) in
        [("mean", l.mean), ("p50", l.p50), ("p90", l.p90), ("p99", l.p99), ("p999", l.p999), ("max", l.max)]
    {
        add(component, &format!("latency_{name}"), "ns", value);
    }
}
