//! The flow table: packets and bytes of every flow seen.
//!
//! The hash has no random seed and no result depends on the order of the table. An attacker who knows the hash
//! can slow it down, not make it wrong.

use crate::FiveTuple;
use rustc_hash::FxHashMap;

/// Packets and bytes of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowCount {
    /// Packets.
    pub packets: u64,
    /// Bytes on the wire.
    pub bytes: u64,
}

/// Packets and bytes by flow.
#[derive(Clone, Debug, Default)]
pub struct FlowTable {
    flows: FxHashMap<FiveTuple, FlowCount>,
}

impl FlowTable {
    /// Counts one packet.
    #[inline]
    pub fn add(&mut self, flow: FiveTuple, bytes: u32) {
        let count = self.flows.entry(flow).or_default();
        count.packets += 1;
        count.bytes += u64::from(bytes);
    }

    /// Returns the number of flows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.flows.len()
    }

    /// Returns whether no flow was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// Returns the flows with exactly one packet.
    #[must_use]
    pub fn single_packet_flows(&self) -> u64 {
        self.flows.values().filter(|count| count.packets == 1).count() as u64
    }

    /// Returns the flows with the most packets, most first; ties in the order of the flows themselves.
    #[must_use]
    pub fn top(&self, count: usize) -> Vec<(FiveTuple, FlowCount)> {
        let mut flows: Vec<_> = self.flows.iter().map(|(&flow, &count)| (flow, count)).collect();
        let order = |a: &(FiveTuple, FlowCount), b: &(FiveTuple, FlowCount)| {
            b.1.packets.cmp(&a.1.packets).then(a.0.cmp(&b.0))
        };
        if flows.len() > count && count > 0 {
            flows.select_nth_unstable_by(count - 1, order);
        }
        flows.truncate(count);
        flows.sort_unstable_by(order);
        flows
    }
}
