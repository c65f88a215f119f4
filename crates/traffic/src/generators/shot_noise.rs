//! Traffic of an uncongested link as shot noise: flows begin, send at individual rates, and end.
//!
//! Source: Barakat et al., "Modeling Internet backbone traffic at the flow level" (IEEE Trans. Signal
//! Processing 51(8), 2003), as Girish 2008, section 4.4.3 and Figure 4.5, uses it. Flows arrive in a Poisson
//! process; each has a constant rate (a rectangular shot) and a duration, independent of each other and of
//! other flows. Packets of a flow arrive in a Poisson process of its rate: the firing times of the net's
//! `FlowRate` are exponential. Rates and durations are log-uniform between their bounds, which the thesis
//! states. The traffic is stationary from its first packet on: the initial flows are as many as on average,
//! long ones more often, each at a random point of its life.
//!
//! All flows together are one Poisson process whose rate changes when a flow begins or ends. A packet therefore
//! costs one draw of a gap and one of a flow by its rate: first an octave of rates by their sum, then a flow of
//! it by rejection.

use super::TTL;
use super::flows::draw_tuple;
use super::random::{Random, below, open_unit};
use super::sizes::Sizes;
use crate::{Decoded, FiveTuple, LinkType, Network, Packet, PacketSource, TrafficError, frame};
use linecard_words::Mismatch;
use rand_xoshiro::rand_core::SeedableRng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const PS_PER_SECOND: f64 = 1e12;
const PS_PER_NS: u64 = 1000;
/// Most active flows for the memory of a small machine.
const MOST_FLOWS: f64 = 1e7;
/// Steps of the integral in [`ShotNoiseConfig::variation`].
const STEPS: u32 = 4000;

/// The parameters of the traffic.
#[derive(Clone, Debug)]
pub struct ShotNoiseConfig {
    /// Seed; equal seeds return equal packets.
    pub seed: u64,
    /// Mean load of all flows, bit/s.
    pub bits_per_second: u64,
    /// The sizes of packets.
    pub sizes: Sizes,
    /// Lowest and highest rate of a flow, bit/s.
    pub slowest_bps: u64,
    /// See `slowest_bps`.
    pub fastest_bps: u64,
    /// Shortest and longest duration of a flow, nanoseconds.
    pub shortest_ns: u64,
    /// See `shortest_ns`.
    pub longest_ns: u64,
}

/// Returns the mean of a log-uniform number from `low` to `high`, and of its square.
fn log_uniform_moments(low: f64, high: f64) -> (f64, f64) {
    if high <= low {
        return (low, low * low);
    }
    let octaves = libm::log(high / low);
    ((high - low) / octaves, (high * high - low * low) / (2.0 * octaves))
}

impl ShotNoiseConfig {
    fn check(&self) -> Result<(), TrafficError> {
        let bad = |what, found: String, expected: &str| Err(Mismatch::new(what, found, expected).into());
        self.sizes.check()?;
        if self.bits_per_second == 0 {
            return bad("rate in bits per second", "0".to_owned(), "at least 1");
        }
        if self.slowest_bps == 0 || self.slowest_bps > self.fastest_bps {
            let found = format!("{} to {} bit/s", self.slowest_bps, self.fastest_bps);
            let expected = "a lowest rate of at least 1 bit/s that does not exceed the highest rate";
            return bad("rates of flows", found, expected);
        }
        if self.shortest_ns == 0 || self.shortest_ns > self.longest_ns {
            let found = format!("{} to {} ns", self.shortest_ns, self.longest_ns);
            let expected = "a shortest duration of at least 1 ns that does not exceed the longest duration";
            return bad("durations of flows", found, expected);
        }
        if self.active_flows() > MOST_FLOWS || self.active_flows() * self.mean_duration_s().recip() > 1e9 {
            let found = format!("{:.0} flows active at once", self.active_flows());
            return bad("shot noise", found, "at most 10 million; raise the flow rates, or lower the load");
        }
        Ok(())
    }

    fn mean_duration_s(&self) -> f64 {
        log_uniform_moments(self.shortest_ns as f64 * 1e-9, self.longest_ns as f64 * 1e-9).0
    }

    /// Returns the mean number of active flows: load divided by mean rate.
    #[must_use]
    pub fn active_flows(&self) -> f64 {
        let (mean, _) = log_uniform_moments(self.slowest_bps as f64, self.fastest_bps as f64);
        self.bits_per_second as f64 / mean
    }

    /// Returns the standard deviation of the sum of the rates of the active flows, bit/s (Campbell's theorem).
    #[must_use]
    pub fn rate_deviation_bps(&self) -> f64 {
        let (_, square) = log_uniform_moments(self.slowest_bps as f64, self.fastest_bps as f64);
        libm::sqrt(self.active_flows() * square)
    }

    /// Returns the coefficient of variation of the load in windows of `window` seconds: the autocovariance of
    /// shot noise averaged over a window, and the Poisson noise of the packets in it.
    #[must_use]
    pub fn variation(&self, window_s: f64) -> f64 {
        let (low, high) = (self.shortest_ns as f64 * 1e-9, self.longest_ns as f64 * 1e-9);
        let mean = self.mean_duration_s();
        let octaves = libm::log(high / low);
        // E[(D - t)+], the expected remaining duration after t.
        let left = |t: f64| match t {
            t if t <= low => mean - t,
            t if t >= high => 0.0,
            t => (high - t - t * libm::log(high / t)) / octaves,
        };
        let step = window_s / f64::from(STEPS);
        let weight = |t: f64| (window_s - t) * left(t) / mean;
        // Simpson's rule.
        let inner: f64 = (1..STEPS).map(|i| f64::from(2 + 2 * (i % 2)) * weight(f64::from(i) * step)).sum();
        let integral = (weight(0.0) + inner + weight(window_s)) * step / 3.0;
        let fluid =
            self.rate_deviation_bps() * self.rate_deviation_bps() * 2.0 * integral / (window_s * window_s);
        let rate = self.bits_per_second as f64;
        let packets = 8.0 * rate * self.sizes.mean_square_bytes() / (self.sizes.mean_bytes() * window_s);
        libm::sqrt(fluid + packets) / rate
    }
}

/// An active flow.
#[derive(Clone, Copy, Debug)]
struct Flow {
    tuple: FiveTuple,
    rate_bps: u64,
    octave: u8,
    /// Position in the list of its octave.
    place: u32,
}

/// The flows of an octave of rates.
#[derive(Clone, Debug, Default)]
struct Octave {
    flows: Vec<u32>,
    /// Sum of their rates.
    rate_bps: u64,
    /// The highest rate in it.
    most_bps: u64,
}

/// A stream of packets of shot noise; endless.
#[derive(Clone, Debug)]
pub struct ShotNoise {
    config: ShotNoiseConfig,
    size_random: Random,
    flow_random: Random,
    packet_random: Random,
    now_ps: u64,
    next_flow_ps: u64,
    flow_gap_ps: f64,
    mean_bits: f64,
    flows: Vec<Flow>,
    free: Vec<u32>,
    octaves: Vec<Octave>,
    rate_bps: u64,
    /// Ends of flows, by slot.
    ends: BinaryHeap<Reverse<(u64, u32)>>,
}

impl ShotNoise {
    /// Prepares the stream, with the flows that are active at its beginning.
    ///
    /// # Errors
    ///
    /// If a parameter is invalid: a rate of zero, a lower bound above the upper one, too many flows.
    pub fn new(config: &ShotNoiseConfig) -> Result<Self, TrafficError> {
        config.check()?;
        let size_random = Random::seed_from_u64(config.seed);
        let mut packet_random = size_random.clone();
        packet_random.jump();
        let mut flow_random = packet_random.clone();
        flow_random.jump();
        let count = (config.fastest_bps / config.slowest_bps).ilog2() + 1;
        let octaves = (1..=count)
            .map(|n| Octave {
                most_bps: config.slowest_bps.saturating_mul(1 << n.min(63)).min(config.fastest_bps),
                ..Octave::default()
            })
            .collect();
        let active = config.active_flows();
        let mut stream = Self {
            flow_gap_ps: config.mean_duration_s() * PS_PER_SECOND / active,
            mean_bits: config.sizes.mean_bytes() * 8.0,
            config: config.clone(),
            size_random,
            flow_random,
            packet_random,
            now_ps: 0,
            next_flow_ps: 0,
            flows: Vec::new(),
            free: Vec::new(),
            octaves,
            rate_bps: 0,
            ends: BinaryHeap::new(),
        };
        // A Poisson variable of this mean: the number of unit exponentials that fit into it.
        let mut sum = exponential(&mut stream.flow_random);
        while sum < active {
            sum += exponential(&mut stream.flow_random);
            // The duration of an active flow is weighted by itself: uniform if durations are log-uniform.
            let (low, high) = (stream.config.shortest_ns as f64, stream.config.longest_ns as f64);
            let duration_ns = low + (high - low) * open_unit(&mut stream.flow_random);
            let left_ns = duration_ns * open_unit(&mut stream.flow_random);
            stream.begin((left_ns * PS_PER_NS as f64) as u64);
        }
        stream.next_flow_ps = stream.flow_gap();
        Ok(stream)
    }

    /// Returns the sum of the rates of the active flows after the last packet, bit/s.
    #[must_use]
    pub fn rate_bps(&self) -> u64 {
        self.rate_bps
    }

    /// Returns the active flows after the last packet.
    #[must_use]
    pub fn flows_under_way(&self) -> usize {
        self.ends.len()
    }

    fn flow_gap(&mut self) -> u64 {
        self.now_ps.saturating_add((exponential(&mut self.flow_random) * self.flow_gap_ps) as u64)
    }

    /// Begins a flow of the stated duration.
    fn begin(&mut self, lasts_ps: u64) {
        let (low, high) = (self.config.slowest_bps, self.config.fastest_bps);
        let rate_bps = log_uniform(&mut self.flow_random, low as f64, high as f64) as u64;
        let rate_bps = rate_bps.clamp(low, high);
        let octave = ((rate_bps / low).ilog2() as usize).min(self.octaves.len() - 1);
        let list = &mut self.octaves[octave];
        let flow = Flow {
            tuple: draw_tuple(&mut self.flow_random),
            rate_bps,
            octave: octave as u8,
            place: list.flows.len() as u32,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.flows[slot as usize] = flow;
                slot
            }
            None => {
                self.flows.push(flow);
                self.flows.len() as u32 - 1
            }
        };
        list.flows.push(slot);
        list.rate_bps += rate_bps;
        self.rate_bps += rate_bps;
        self.ends.push(Reverse((self.now_ps.saturating_add(lasts_ps), slot)));
    }

    fn end(&mut self, slot: u32) {
        let flow = self.flows[slot as usize];
        let list = &mut self.octaves[usize::from(flow.octave)];
        list.flows.swap_remove(flow.place as usize);
        if let Some(&moved) = list.flows.get(flow.place as usize) {
            self.flows[moved as usize].place = flow.place;
        }
        list.rate_bps -= flow.rate_bps;
        self.rate_bps -= flow.rate_bps;
        self.free.push(slot);
    }

    /// Draws an active flow by its rate.
    fn draw(&mut self) -> u32 {
        let mut at = below(&mut self.packet_random, self.rate_bps);
        let octave = self.octaves.iter().find(|octave| {
            let here = at < octave.rate_bps;
            at = at.wrapping_sub(if here { 0 } else { octave.rate_bps });
            here
        });
        let Some(octave) = octave else { unreachable!("the rates of the octaves add up") };
        loop {
            let slot = octave.flows[below(&mut self.packet_random, octave.flows.len() as u64) as usize];
            // In an octave, at least every second attempt succeeds.
            if below(&mut self.packet_random, octave.most_bps) < self.flows[slot as usize].rate_bps {
                return slot;
            }
        }
    }

    /// Advances to the next packet. Returns the slot of its flow.
    fn next_slot(&mut self) -> u32 {
        loop {
            let end_ps = self.ends.peek().map_or(u64::MAX, |&Reverse((at, _))| at);
            let change_ps = end_ps.min(self.next_flow_ps);
            if self.rate_bps > 0 {
                // A draw from before a change is discarded: a Poisson process has no memory.
                let gap = exponential(&mut self.packet_random) * self.mean_bits * PS_PER_SECOND
                    / self.rate_bps as f64;
                let at = self.now_ps.saturating_add(gap as u64);
                if at <= change_ps {
                    self.now_ps = at;
                    return self.draw();
                }
            }
            self.now_ps = change_ps;
            if end_ps == change_ps {
                if let Some(Reverse((_, slot))) = self.ends.pop() {
                    self.end(slot);
                }
            } else {
                let (low, high) = (self.config.shortest_ns as f64, self.config.longest_ns as f64);
                let lasts_ns = log_uniform(&mut self.flow_random, low, high);
                self.begin((lasts_ns * PS_PER_NS as f64) as u64);
                self.next_flow_ps = self.flow_gap();
            }
        }
    }
}

impl PacketSource for ShotNoise {
    fn next_packet(&mut self) -> Result<Option<Packet>, TrafficError> {
        let slot = self.next_slot();
        let wire_bytes = self.config.sizes.draw(&mut self.size_random);
        let mut packet = Packet {
            time_ns: self.now_ps / PS_PER_NS,
            wire_bytes,
            captured_bytes: wire_bytes,
            link: LinkType::RAW_IP,
            network: Network::Ipv4,
            decoded: Decoded::Complete,
            flow: self.flows[slot as usize].tuple,
            ttl: TTL,
            ip_bytes: wire_bytes,
            ipv4_checksum_ok: Some(true),
            ..Packet::default()
        };
        packet.ip_header = frame::ipv4_header(&packet);
        Ok(Some(packet))
    }
}

fn exponential(random: &mut Random) -> f64 {
    -libm::log(open_unit(random))
}

fn log_uniform(random: &mut Random, low: f64, high: f64) -> f64 {
    low * libm::exp(open_unit(random) * libm::log(high / low))
}
