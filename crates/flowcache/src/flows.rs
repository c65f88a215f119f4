//! Flow statistics for flow caches: flows end by silence, and the number of concurrent flows is counted.
//!
//! "A flow is said to be active when it sends the first packet and expires when it does not send a packet for 1
//! second since the last packet" (thesis, section 5.3.1). A key that returns later is a new flow.

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::hash::Hash;

/// Flows of one size: one point on each of the two curves in Girish 2008, Figure 5.3.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct FlowSizeRow {
    /// Flow size, as a number of packets.
    pub flow_packets: u64,
    /// Number of flows that have `flow_packets` packets.
    pub flows: u64,
    /// Percentage of flows that have at most `flow_packets` packets.
    pub flows_cumulative_percent: f64,
    /// Percentage of packets that belong to flows with at most `flow_packets` packets.
    pub packets_cumulative_percent: f64,
}

/// Flows from the viewpoint of a cache: after an idle time, the next packet with the same key starts a new
/// flow.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "TrafficViewReport")]
pub struct TrafficView {
    /// Total number of packets in all flows.
    pub packets: u64,
    /// Number of flows; two flows with the same key are separated by an idle time.
    pub flows: u64,
    /// Keys.
    pub keys: u64,
    /// Percentage of flows that have one packet.
    pub single_packet_flows_percent: f64,
    /// Percentage of packets that belong to flows with one packet.
    pub packets_in_single_packet_flows_percent: f64,
    /// Percentage of flows that have more than 1000 packets.
    pub large_flows_percent: f64,
    /// Percentage of packets that belong to flows with more than 1000 packets.
    pub packets_in_large_flows_percent: f64,
    /// Mean number of simultaneously active flows, averaged over the packets.
    pub mean_concurrent_flows: f64,
    /// Maximum number of simultaneously active flows.
    pub most_concurrent_flows: u64,
    /// Flow sizes in ascending order, with cumulative percentages of flows and packets.
    pub sizes: Vec<FlowSizeRow>,
}

/// A flow with more packets is large (thesis, section 5.3.1).
const LARGE_PACKETS: u64 = 1000;

/// Builds a [`TrafficView`] packet by packet; keys may be of any type that distinguishes flows.
#[derive(Clone, Debug)]
pub struct TrafficViewBuilder<K> {
    time_out_ns: u64,
    now_ns: u64,
    /// Packets and last packet of each active flow.
    active: FxHashMap<K, Active>,
    /// One entry per packet, oldest first: the possible ends of flows.
    ends: VecDeque<(u64, K)>,
    keys: FxHashMap<K, ()>,
    flows_of_size: BTreeMap<u64, u64>,
    packets: u64,
    concurrent_sum: u64,
    most_concurrent: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Active {
    packets: u64,
    last_ns: u64,
}

impl<K: Copy + Eq + Hash> TrafficViewBuilder<K> {
    /// Returns a builder; flows end after a silence of more than `time_out_ns` (a second in the thesis).
    #[must_use]
    pub fn new(time_out_ns: u64) -> Self {
        Self {
            time_out_ns,
            now_ns: 0,
            active: FxHashMap::default(),
            ends: VecDeque::new(),
            keys: FxHashMap::default(),
            flows_of_size: BTreeMap::new(),
            packets: 0,
            concurrent_sum: 0,
            most_concurrent: 0,
        }
    }

    /// Counts a packet. A packet that is out of order counts at the latest time so far.
    pub fn add(&mut self, time_ns: u64, key: K) {
        self.now_ns = self.now_ns.max(time_ns);
        self.expire();
        let flow = self.active.entry(key).or_default();
        flow.packets += 1;
        flow.last_ns = self.now_ns;
        self.ends.push_back((self.now_ns, key));
        self.keys.entry(key).or_default();
        self.packets += 1;
        let concurrent = self.active.len() as u64;
        self.concurrent_sum += concurrent;
        self.most_concurrent = self.most_concurrent.max(concurrent);
    }

    /// Ends the flows that have been silent for too long.
    fn expire(&mut self) {
        while let Some(&(time_ns, key)) = self.ends.front()
            && self.now_ns - time_ns > self.time_out_ns
        {
            self.ends.pop_front();
            // A later packet of the flow is further back in the queue and keeps it active.
            if self.active.get(&key).is_some_and(|flow| flow.last_ns == time_ns)
                && let Some(flow) = self.active.remove(&key)
            {
                *self.flows_of_size.entry(flow.packets).or_default() += 1;
            }
        }
    }

    /// Returns the view; active flows count with their packets so far.
    #[must_use]
    pub fn finish(mut self) -> TrafficView {
        for flow in self.active.values() {
            *self.flows_of_size.entry(flow.packets).or_default() += 1;
        }
        let flows = self.flows_of_size.values().sum::<u64>();
        let of_flows = |count: u64| percent(count, flows);
        let of_packets = |count: u64| percent(count, self.packets);
        let single = self.flows_of_size.get(&1).copied().unwrap_or(0);
        let large = self.flows_of_size.range(LARGE_PACKETS + 1..);
        let (large_flows, large_packets) =
            large.fold((0, 0), |(flows, packets), (&size, &count)| (flows + count, packets + size * count));
        TrafficView {
            packets: self.packets,
            flows,
            keys: self.keys.len() as u64,
            single_packet_flows_percent: of_flows(single),
            packets_in_single_packet_flows_percent: of_packets(single),
            large_flows_percent: of_flows(large_flows),
            packets_in_large_flows_percent: of_packets(large_packets),
            mean_concurrent_flows: self.concurrent_sum as f64 / self.packets.max(1) as f64,
            most_concurrent_flows: self.most_concurrent,
            sizes: self.size_rows(flows),
        }
    }

    fn size_rows(&self, flows: u64) -> Vec<FlowSizeRow> {
        let (mut flows_so_far, mut packets_so_far) = (0, 0);
        let row = |(&flow_packets, &count): (&u64, &u64)| {
            flows_so_far += count;
            packets_so_far += count * flow_packets;
            FlowSizeRow {
                flow_packets,
                flows: count,
                flows_cumulative_percent: percent(flows_so_far, flows),
                packets_cumulative_percent: percent(packets_so_far, self.packets),
            }
        };
        self.flows_of_size.iter().map(row).collect()
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;

    fn view(packets: &[(u64, u32)]) -> TrafficView {
        let mut builder = TrafficViewBuilder::new(1_000_000_000);
        packets.iter().for_each(|&(time_ms, key)| builder.add(time_ms * MS, key));
        builder.finish()
    }

    #[test]
    fn by_hand() {
        // Key 1 pauses for exactly the time-out and continues; then it pauses for longer and starts anew.
        let view = view(&[(0, 1), (500, 2), (1000, 1), (1200, 3), (2001, 1), (2100, 1)]);
        assert_eq!((view.packets, view.flows, view.keys), (6, 4, 3));
        let sizes: Vec<_> = view.sizes.iter().map(|row| (row.flow_packets, row.flows)).collect();
        assert_eq!(sizes, [(1, 2), (2, 2)]);
        assert_eq!(view.sizes[0].flows_cumulative_percent, 50.0);
        assert_eq!(view.sizes[0].packets_cumulative_percent, 100.0 / 3.0);
        // At the packets: {1}, {1,2}, {1,2}, {1,2,3}, {3,1}, {3,1}.
        assert_eq!((view.mean_concurrent_flows, view.most_concurrent_flows), (2.0, 3));
    }

    #[test]
    fn large_flows_have_more_than_1000_packets() {
        let packets: Vec<_> = (0..1001).map(|at| (at, 1)).chain((0..1000).map(|at| (at, 2))).collect();
        let view = view(&packets);
        assert_eq!(view.large_flows_percent, 50.0);
        assert_eq!(view.packets_in_large_flows_percent, 100.0 * 1001.0 / 2001.0);
        assert_eq!(TrafficViewBuilder::<u32>::new(1).finish().flows, 0);
    }

    proptest! {
        /// Against a list of flows searched from end to end.
        #[test]
        fn agrees_with_a_naive_count(packets in proptest::collection::vec((0u64..800, 0u32..6), 1..80)) {
            let mut now = 0;
            let packets: Vec<_> = packets.into_iter().map(|(gap, key)| { now += gap; (now, key) }).collect();
            let mut flows: Vec<(u32, u64, u64)> = Vec::new();
            let mut concurrent = 0;
            for &(time, key) in &packets {
                match flows.iter_mut().find(|flow| flow.0 == key && time - flow.1 <= 1000) {
                    Some(flow) => (flow.1, flow.2) = (time, flow.2 + 1),
                    None => flows.push((key, time, 1)),
                }
                concurrent += flows.iter().filter(|flow| time - flow.1 <= 1000).count();
            }
            let view = view(&packets);
            prop_assert_eq!(view.flows, flows.len() as u64);
            prop_assert_eq!(view.mean_concurrent_flows, concurrent as f64 / packets.len() as f64);
            let single = flows.iter().filter(|flow| flow.2 == 1).count() as u64;
            prop_assert_eq!(view.single_packet_flows_percent, percent(single, flows.len() as u64));
        }
    }
}
