//! What every machine reports of whole packets: how many came, left and were lost, how fast, and how late.

use crate::report::{LatencyNs, Summary};
use crate::summary::{latency_ns, share};
use linecard_sim::{Histogram, Ticks, Timebase};

/// What was counted of packets while statistics were on.
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
    /// The numbers a user looks at first; what is not judged for every machine is left out.
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

/// Rows of the totals: component, metric, unit, value.
pub(crate) fn add_totals(s: &Summary, add: &mut impl FnMut(&str, &str, &'static str, f64)) {
    add("total", "throughput_gbps", "Gbit/s", s.throughput_gbps);
    add("total", "throughput_mpps", "Mpackets/s", s.throughput_mpps);
    add("total", "offered_gbps", "Gbit/s", s.offered_gbps);
    add("total", "packets_in", "packets", s.packets_in as f64);
    add("total", "packets_out", "packets", s.packets_out as f64);
    add("total", "packets_dropped", "packets", s.packets_dropped as f64);
    add("total", "loss", "fraction", s.loss_fraction);
    add("total", "simulated_time", "s", s.simulated_seconds);
}

/// Rows of the latency of the packets that left: of all of them, or of a part.
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
