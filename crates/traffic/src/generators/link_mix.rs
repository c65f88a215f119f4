//! Traffic of a link by its flow statistics: flows of a [`FlowMix`] with addresses, ports and packet sizes.
//!
//! It replaces captures that are not available, for studies in which the time between packets of a flow, or of
//! a host, matters.

use super::random::{Random, below};
use super::{FlowMix, MixedPacket, Sizes, TTL, WeightedChoice};
use crate::{Decoded, FiveTuple, LinkType, Network, Packet, PacketSource, TrafficError, frame, ip};
use rand_xoshiro::rand_core::SeedableRng;

/// Arrivals that are sorted at first.
const FIRST_ORDERED: usize = 1 << 12;
const SYN: u8 = 2;
const ACK: u8 = 16;
const FIRST_EPHEMERAL_PORT: u64 = 32_768;
const SERVER_PORTS: [u16; 8] = [80, 443, 53, 25, 22, 110, 119, 6881];

/// The properties of the link.
#[derive(Clone, Debug)]
pub struct LinkMix {
    /// Flows.
    pub mix: FlowMix,
    /// Sizes of packets.
    pub sizes: Sizes,
    /// Hosts on each side; the k-th most popular has a fraction of flows proportional to 1/k.
    pub hosts: u32,
    /// Fraction of flows that are TCP; the others are UDP.
    pub tcp_share: f64,
}

/// Packets of a link.
#[derive(Debug)]
pub struct LinkPackets {
    arrivals: Arrivals,
    flows: Vec<(FiveTuple, bool)>,
    sizes: Sizes,
    random: Random,
}

/// Arrivals that are sorted on demand: most runs use a few of many.
#[derive(Debug)]
struct Arrivals {
    all: Vec<MixedPacket>,
    first: usize,
    next: usize,
    /// Arrivals up to this index are sorted, and none behind is earlier.
    ordered: usize,
}

impl Arrivals {
    /// Returns all but the first `skipped`.
    fn behind(mut all: Vec<MixedPacket>, skipped: usize) -> Self {
        if skipped < all.len() {
            all.select_nth_unstable(skipped);
        }
        Self { all, first: skipped, next: skipped, ordered: skipped }
    }

    fn next(&mut self) -> Option<MixedPacket> {
        if self.next == self.ordered {
            // Each step orders as many again, so that all steps cost little more than one sort.
            let more = (self.ordered - self.first).max(FIRST_ORDERED);
            let rest = self.all.get_mut(self.ordered..)?;
            if more < rest.len() {
                rest.select_nth_unstable(more);
            }
            let more = more.min(rest.len());
            rest[..more].sort_unstable();
            self.ordered += more;
        }
        let packet = self.all.get(self.next).copied();
        self.next += usize::from(packet.is_some());
        packet
    }
}

impl LinkMix {
    /// Returns the packets, ordered by time, without the first `skip_share` of all packets, so that older flows
    /// are active at the start.
    ///
    /// # Errors
    ///
    /// If no traffic has these numbers.
    pub fn generate(&self, skip_share: f64) -> Result<LinkPackets, TrafficError> {
        let arrivals = self.mix.flow_by_flow()?;
        let mut random = Random::seed_from_u64(self.mix.seed ^ 0x4c69_6e6b);
        let weights: Vec<f64> = (1..=self.hosts).map(|rank| 1.0 / f64::from(rank)).collect();
        let popular = WeightedChoice::new(&weights)?;
        let mut side = || -> Vec<u32> { (0..self.hosts).map(|_| super::public_ipv4(&mut random)).collect() };
        let (near, far) = (side(), side());
        let count = arrivals.iter().map(|packet| packet.flow as usize + 1).max().unwrap_or(0);
        let flows = (0..count)
            .map(|_| {
                let tcp = (below(&mut random, 1 << 20) as f64) < self.tcp_share * f64::from(1 << 20);
                let server = SERVER_PORTS[below(&mut random, SERVER_PORTS.len() as u64) as usize];
                let client = (FIRST_EPHEMERAL_PORT + below(&mut random, FIRST_EPHEMERAL_PORT)) as u16;
                let (src, dst) = (near[popular.draw(&mut random)], far[popular.draw(&mut random)]);
                let outward = below(&mut random, 2) == 0;
                let tuple = FiveTuple {
                    src: u128::from(if outward { src } else { dst }),
                    dst: u128::from(if outward { dst } else { src }),
                    src_port: if outward { client } else { server },
                    dst_port: if outward { server } else { client },
                    protocol: if tcp { ip::TCP } else { ip::UDP },
                };
                (tuple, false)
            })
            .collect();
        let skipped = (arrivals.len() as f64 * skip_share) as usize;
        let arrivals = Arrivals::behind(arrivals, skipped);
        Ok(LinkPackets { arrivals, flows, sizes: self.sizes.clone(), random })
    }
}

impl PacketSource for LinkPackets {
    fn next_packet(&mut self) -> Result<Option<Packet>, TrafficError> {
        let Some(arrival) = self.arrivals.next() else { return Ok(None) };
        let bytes = self.sizes.draw(&mut self.random);
        let (flow, begun) = &mut self.flows[arrival.flow as usize];
        let tcp_flags = match flow.protocol {
            ip::TCP if !*begun => SYN,
            ip::TCP => ACK,
            _ => 0,
        };
        *begun = true;
        let mut packet = Packet {
            time_ns: arrival.time_ns,
            wire_bytes: bytes,
            link: LinkType::RAW_IP,
            network: Network::Ipv4,
            decoded: Decoded::Complete,
            flow: *flow,
            tcp_flags,
            ttl: TTL,
            ip_bytes: bytes,
            ipv4_checksum_ok: Some(true),
            ..Packet::default()
        };
        packet.ip_header = frame::ipv4_header(&packet);
        Ok(Some(packet))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arrivals_come_as_if_all_had_been_sorted(
            times in proptest::collection::vec((0u64..3_000, 0u32..9), 0..20_000),
            skipped in 0usize..20_000,
        ) {
            let all: Vec<_> = times.iter().map(|&(time_ns, flow)| MixedPacket { time_ns, flow }).collect();
            let mut sorted = all.clone();
            sorted.sort();
            let mut arrivals = Arrivals::behind(all, skipped);
            let found: Vec<_> = std::iter::from_fn(|| arrivals.next()).collect();
            prop_assert_eq!(&found[..], sorted.get(skipped..).unwrap_or(&[]));
        }
    }
}
