//! Seeded traffic generators.
//!
//! A generator is three independent choices: how large packets are ([`Sizes`]), when they arrive ([`Arrivals`]),
//! and which flow each belongs to ([`FlowShape`]). Each draws from a random stream of its own, so that changing one
//! leaves the other two as they were. Everything is reproducible to the bit from the seed on every platform: the
//! generator is xoshiro256++, logarithms and powers come from a portable library, and times are integers.
//!
//! Packets are IP packets without a link header: [`Packet::wire_bytes`] is the IP total length, and a size is
//! what the distribution says. Left out: correlation between flow and size, and anything TCP would do about a
//! lost packet. [`FlowMix`] is apart: it has flows that begin and end, by stated statistics, and no sizes. So
//! is [`ShotNoise`], whose flows begin, send at a rate of their own, and end.

mod arrivals;
mod choice;
mod flow_mix;
mod flows;
mod link_mix;
mod random;
mod shot_noise;
mod sizes;

pub use arrivals::Arrivals;
pub use choice::WeightedChoice;
pub use flow_mix::{FlowMix, LARGE_PACKETS, MixedPacket};
use flows::Flows;
pub use flows::{FlowShape, public_ipv4};
pub use link_mix::{LinkMix, LinkPackets};
pub use random::Random;
pub use shot_noise::{ShotNoise, ShotNoiseConfig};
pub use sizes::{EmpiricalSizes, MAX_PACKET_BYTES, MIN_PACKET_BYTES, Sizes};

use crate::{Decoded, LinkType, Network, Packet, PacketSource, TrafficError, frame};
use arrivals::Clock;
use rand_xoshiro::rand_core::SeedableRng;

/// What to generate.
#[derive(Clone, Debug)]
pub struct GeneratorConfig {
    /// Seed; equal seeds give equal packets.
    pub seed: u64,
    /// Packets to deliver; endless if `None`.
    pub packets: Option<u64>,
    /// How large packets are.
    pub sizes: Sizes,
    /// When they arrive.
    pub arrivals: Arrivals,
    /// Which flows they belong to.
    pub flows: FlowShape,
}

/// A stream of generated packets.
#[derive(Clone, Debug)]
pub struct Generator {
    left: Option<u64>,
    sizes: Sizes,
    size_random: Random,
    clock: Clock,
    flows: Flows,
}

impl Generator {
    /// Prepares the stream.
    ///
    /// # Errors
    ///
    /// When a parameter cannot be worked with: a rate of zero, no flows, a size no IP packet has.
    pub fn new(config: &GeneratorConfig) -> Result<Self, TrafficError> {
        let size_random = Random::seed_from_u64(config.seed);
        let mut arrival_random = size_random.clone();
        arrival_random.jump();
        let mut flow_random = arrival_random.clone();
        flow_random.jump();
        config.sizes.check()?;
        let mean_bytes = config.sizes.mean_bytes();
        Ok(Self {
            left: config.packets,
            sizes: config.sizes.clone(),
            size_random,
            clock: Clock::new(config.arrivals, mean_bytes, arrival_random)?,
            flows: Flows::new(&config.flows, flow_random)?,
        })
    }
}

impl PacketSource for Generator {
    fn next_packet(&mut self) -> Result<Option<Packet>, TrafficError> {
        if let Some(left) = &mut self.left {
            if *left == 0 {
                return Ok(None);
            }
            *left -= 1;
        }
        let wire_bytes = self.sizes.draw(&mut self.size_random);
        let flow = self.flows.draw();
        let ttl = 64;
        Ok(Some(Packet {
            time_ns: self.clock.next_ns(wire_bytes),
            wire_bytes,
            captured_bytes: wire_bytes,
            link: LinkType::RAW_IP,
            network: Network::Ipv4,
            decoded: Decoded::Complete,
            flow: flow.tuple,
            tcp_flags: flow.tcp_flags,
            ttl,
            ip_bytes: wire_bytes,
            ip_header: frame::ipv4_header_of(&flow.tuple, ttl, wire_bytes),
            ipv4_checksum_ok: Some(true),
            ..Packet::default()
        }))
    }
}
