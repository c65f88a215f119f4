//! Content that all reports share: latencies, shares, and warnings about the traffic.

use crate::arrivals::TrafficNotes;
use crate::report::LatencyNs;
use crate::request::RunRequest;
use linecard_sim::{Histogram, Ticks, Timebase};

/// Facts that a run collected about its traffic.
pub(crate) struct TrafficFacts {
    pub packets_in: u64,
    /// Packets dropped for these reasons.
    pub no_route: u64,
    pub not_ipv4: u64,
    /// Packets inside at the end.
    pub inside: usize,
}

/// Returns warnings about the traffic that apply to every machine.
pub(crate) fn traffic_warnings(
    request: &RunRequest,
    notes: &TrafficNotes,
    ended: bool,
    facts: &TrafficFacts,
) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(map) = notes.map.as_ref().filter(|_| request.map_addresses) {
        warnings.push(format!(
            "{} of {} packets had a destination without a route. The option --map-addresses moved the source \
             and destination addresses of these packets: {map}",
            notes.mapped, notes.packets
        ));
    }
    if facts.no_route * 10 > facts.packets_in {
        warnings.push(format!(
            "{} of {} packets match no route. If the capture is anonymised, --map-addresses moves its IPv4 addresses into \
             routed space",
            facts.no_route,
            facts.packets_in
        ));
    }
    if facts.not_ipv4 * 10 > facts.packets_in {
        warnings.push(format!(
            "{} of {} packets are dropped as not_ipv4: they are IPv6 packets in an IPv4-only program, or have \
             unreadable headers",
            facts.not_ipv4, facts.packets_in
        ));
    }
    if notes.repeats > 0 {
        warnings
            .push(format!("the capture is shorter than the run and was repeated {} times", notes.repeats));
    }
    if notes.damage > 0 {
        let first = notes.first_damage.as_deref().unwrap_or("");
        warnings
            .push(format!("{} damaged parts of the capture were skipped; the first: {first}", notes.damage));
    }
    if let Some(error) = &notes.error {
        warnings.push(format!("the capture ended early: {error}"));
    }
    if ended && request.packets > 0 {
        let seen = notes.packets;
        let wanted = request.packets + request.warmup();
        warnings.push(format!(
            "the capture contains {seen} packets, fewer than the {wanted} requested packets (warm-up included); \
             the run covers the whole capture"
        ));
    }
    if ended && facts.inside > 0 {
        warnings.push(format!("{} packets were still inside the chip at the end of the run", facts.inside));
    }
    warnings
}

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

pub(crate) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
