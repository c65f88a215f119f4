//! Seeded traffic generators.
//!
//! A generator is three independent choices: the sizes of packets ([`Sizes`]), their arrival times
//! ([`Arrivals`]), and their flows ([`FlowShape`]). Each draws from a separate random stream, so that a change
//! of one does not affect the other two. Every result follows bit by bit from the seed on every platform: the
//! generator is xoshiro256++, logarithms and powers come from a portable library, and times are integers.
//!
//! Packets are IP packets without a link header: [`Packet::wire_bytes`] is the IP total length, as the size
//! distribution states it. Not modelled: correlation between flow and size, and the reaction of TCP to a lost
//! packet. [`FlowMix`] has flows that begin and end, by stated statistics, and no sizes. [`ShotNoise`] has
//! flows that begin, send at individual rates, and end.

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

/// The time to live of packets whose source states none.
pub(crate) const TTL: u8 = 64;

/// The parameters of a generator.
#[derive(Clone, Debug)]
pub struct GeneratorConfig {
    /// Seed; equal seeds return equal packets.
    pub seed: u64,
    /// Number of packets; endless if `None`.
    pub packets: Option<u64>,
    /// The sizes of packets.
    pub sizes: Sizes,
    /// Arrival times.
    pub arrivals: Arrivals,
    /// Flows.
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
    /// If a parameter is invalid: a rate of zero, no flows, a size that no IP packet has.
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
        Ok(Some(Packet {
            time_ns: self.clock.next_ns(wire_bytes),
            wire_bytes,
            captured_bytes: wire_bytes,
            link: LinkType::RAW_IP,
            network: Network::Ipv4,
            decoded: Decoded::Complete,
            flow: flow.tuple,
            tcp_flags: flow.tcp_flags,
            ttl: TTL,
            ip_bytes: wire_bytes,
            ip_header: frame::ipv4_header_of(&flow.tuple, TTL, wire_bytes),
            ipv4_checksum_ok: Some(true),
            ..Packet::default()
        }))
    }
}
