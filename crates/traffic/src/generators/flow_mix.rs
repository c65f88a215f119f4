//! Traffic with stated flow statistics: the number of flows of one packet, of large flows, and of concurrent
//! flows.
//!
//! Studies of flow caches describe their captures by these numbers (Girish 2008, section 5.3.1). Here they are
//! the input. Flow sizes are one packet, or follow bounded Pareto laws up to and above [`LARGE_PACKETS`]; their
//! exponents are solved for the totals. Packets of a flow come in bursts: gaps are log-normal, times a
//! log-normal scale of the flow. One common scale is solved for the stated number of concurrent flows. A large
//! flow lasts for 30 to 100 % of the traffic. No gap reaches the time-out, so that no flow splits into two.
//!
//! The statistics leave some choices to this file: the laws above with their spreads of 1.5, as in the traces
//! on which this project evaluates caches.

use super::random::{Random, below, open_unit};
use crate::TrafficError;
use linecard_words::Mismatch;
use rand_xoshiro::rand_core::SeedableRng;

/// A flow with more packets is large (Girish 2008, section 5.3.1).
pub const LARGE_PACKETS: u64 = 1000;
/// Packets that fit into the memory of a small machine.
const MOST_PACKETS: u64 = 100_000_000;
/// Standard deviation of the logarithm of gaps, and of that of a flow's scale.
const SPREAD: f64 = 1.5;
/// No gap is longer than this fraction of the time-out.
const LONGEST_GAP: f64 = 0.9;
/// A large flow lasts for at least this fraction of the whole time.
const SHORTEST_LARGE: f64 = 0.3;
/// No flow lasts longer than this fraction of the whole time.
const LONGEST_FLOW: f64 = 0.9;
/// Bisection steps until a solution has the precision of its type.
const HALVINGS: u32 = 60;

/// The statistics of the traffic.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowMix {
    /// Total packets.
    pub packets: u64,
    /// Flows with one packet, of all flows.
    pub single_flows_percent: f64,
    /// Packets in them, of all packets.
    pub packets_in_single_flows_percent: f64,
    /// Flows with more than [`LARGE_PACKETS`] packets, of all flows.
    pub large_flows_percent: f64,
    /// Packets in these flows, in percent of all packets.
    pub packets_in_large_flows_percent: f64,
    /// Most packets of the largest flow.
    pub largest_flow_packets: u64,
    /// Mean number of concurrent flows; a flow is active until it has been silent for the time-out.
    pub concurrent_flows: f64,
    /// Silence that ends a flow, in nanoseconds.
    pub time_out_ns: u64,
    /// Packets per second: the mean of all packets. It is lower at the beginning and at the end of the traffic, because
    /// no flow crosses them, and higher in between.
    pub rate_pps: f64,
    /// Seed; equal seeds return equal traffic.
    pub seed: u64,
}

/// A packet of a mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MixedPacket {
    /// Arrival, in nanoseconds.
    pub time_ns: u64,
    /// Number of its flow, from 0.
    pub flow: u32,
}

impl FlowMix {
    /// Returns the packets, ordered by time.
    ///
    /// # Errors
    ///
    /// If no traffic has these numbers; the text names the number that does not fit, and a valid range.
    pub fn generate(&self) -> Result<Vec<MixedPacket>, TrafficError> {
        let mut packets = self.flow_by_flow()?;
        packets.sort_unstable();
        Ok(packets)
    }

    /// Returns the packets, grouped by flow.
    ///
    /// # Errors
    ///
    /// See [`Self::generate`].
    pub(super) fn flow_by_flow(&self) -> Result<Vec<MixedPacket>, TrafficError> {
        let sizes = self.sizes()?;
        let mut random = Random::seed_from_u64(self.seed);
        let seconds = self.packets as f64 / self.rate_pps;
        let time_out = self.time_out_ns as f64 * 1e-9;
        let cap = time_out * LONGEST_GAP;
        // A gap of mean 1 for each packet but a flow's first; flow by flow.
        let mut gaps: Vec<Vec<f64>> = Vec::with_capacity(sizes.len());
        for &size in &sizes {
            let scale = log_normal(&mut random);
            let mut of_flow: Vec<f64> = (1..size).map(|_| scale * log_normal(&mut random)).collect();
            if size > LARGE_PACKETS {
                let share = SHORTEST_LARGE + (1.0 - SHORTEST_LARGE) * open_unit(&mut random);
                let stretch = share * seconds / of_flow.iter().sum::<f64>();
                of_flow.iter_mut().for_each(|gap| *gap = (*gap * stretch).min(cap));
            }
            gaps.push(of_flow);
        }
        self.pace(&sizes, &mut gaps, seconds, cap)?;
        // Numbers whose order is independent of size.
        let mut names: Vec<u32> = (0..sizes.len() as u32).collect();
        for last in (1..names.len()).rev() {
            names.swap(last, below(&mut random, last as u64 + 1) as usize);
        }
        let mut packets = Vec::with_capacity(self.packets as usize);
        for (&flow, of_flow) in names.iter().zip(&gaps) {
            let mut time = (seconds - of_flow.iter().sum::<f64>()) * open_unit(&mut random);
            packets.push(MixedPacket { time_ns: (time * 1e9) as u64, flow });
            for gap in of_flow {
                time += gap;
                packets.push(MixedPacket { time_ns: (time * 1e9) as u64, flow });
            }
        }
        Ok(packets)
    }

    /// Returns the packets of each flow: single ones, then middle ones, then large ones.
    fn sizes(&self) -> Result<Vec<u64>, TrafficError> {
        let shares = [
            ("flows with one packet", self.single_flows_percent, self.packets_in_single_flows_percent),
            ("large flows", self.large_flows_percent, self.packets_in_large_flows_percent),
        ];
        for (what, flows, packets) in shares {
            if !(flows > 0.0 && packets > 0.0 && flows < 100.0 && packets < 100.0) {
                let found = format!("{flows} % of the flows and {packets} % of the packets");
                return Err(unfit(what, found, "percentages above 0 and below 100".to_owned()));
            }
        }
        let paced = self.rate_pps > 0.0 && self.rate_pps.is_finite() && self.time_out_ns > 0;
        if !paced {
            let found = format!("{} packets/s, {} ns", self.rate_pps, self.time_out_ns);
            return Err(unfit("packet rate and time-out", found, "both above 0".to_owned()));
        }
        if self.packets > MOST_PACKETS {
            return Err(unfit("packets", self.packets.to_string(), format!("at most {MOST_PACKETS}")));
        }
        let all = self.packets as f64;
        let single = (all * self.packets_in_single_flows_percent / 100.0).round();
        let flows = (single / (self.single_flows_percent / 100.0)).round();
        let large_flows = (flows * self.large_flows_percent / 100.0).round();
        let large = (all * self.packets_in_large_flows_percent / 100.0).round();
        let middle_flows = flows - single - large_flows;
        let middle = all - single - large;
        let mut sizes = vec![1; single as usize];
        let parts = [
            ("flows of 2 to 1000 packets", middle_flows, middle, 2, LARGE_PACKETS),
            ("large flows", large_flows, large, LARGE_PACKETS + 1, self.largest_flow_packets),
        ];
        for (what, flows, packets, least, most) in parts {
            let reachable = most > least
                && flows >= 1.0
                && (flows * least as f64..=flows * most as f64).contains(&packets);
            if !reachable {
                let found = if flows < 1.0 {
                    "percentages that result in no flow of this size".to_owned()
                } else {
                    format!("percentages that result in {packets} packets for {flows} flows")
                };
                return Err(unfit(what, found, format!("{least} to {most} packets in each flow")));
            }
            sizes.extend(pareto_sizes(flows as u64, packets as u64, least, most));
        }
        Ok(sizes)
    }

    /// Scales the gaps of all but the large flows for the stated number of concurrent flows.
    fn pace(&self, sizes: &[u64], gaps: &mut [Vec<f64>], seconds: f64, cap: f64) -> Result<(), TrafficError> {
        let is_large = |size: u64| size > LARGE_PACKETS;
        let time_out = self.time_out_ns as f64 * 1e-9;
        let longest = LONGEST_FLOW * seconds;
        // The gaps of large flows, half of all gaps, are summed once and not for every scale.
        let unscaled: Vec<Option<f64>> = sizes
            .iter()
            .zip(&*gaps)
            .map(|(&size, of_flow)| is_large(size).then(|| of_flow.iter().sum::<f64>()))
            .collect();
        let active = |scale: f64, gaps: &[Vec<f64>]| {
            let scaled = |of_flow: &[f64]| of_flow.iter().map(|gap| (gap * scale).min(cap)).sum::<f64>();
            let flows = unscaled.iter().zip(gaps);
            let paced =
                flows.map(|(sum, of_flow)| sum.unwrap_or_else(|| scaled(of_flow)).min(longest) + time_out);
            paced.sum::<f64>() / seconds
        };
        let (mut low, mut high) = (-40.0, 40.0);
        let (fewest, most) = (active(libm::exp(low), gaps), active(libm::exp(high), gaps));
        if !(fewest..=most).contains(&self.concurrent_flows) {
            let expected =
                format!("{fewest:.0} to {most:.0} flows, for this flow mix, packet rate and time-out");
            return Err(unfit("flows active at once", format!("{}", self.concurrent_flows), expected));
        }
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if active(libm::exp(middle), gaps) < self.concurrent_flows {
                low = middle;
            } else {
                high = middle;
            }
        }
        let scale = libm::exp(low);
        for (_, of_flow) in sizes.iter().zip(gaps.iter_mut()).filter(|(size, _)| !is_large(**size)) {
            of_flow.iter_mut().for_each(|gap| *gap = (*gap * scale).min(cap));
        }
        for of_flow in gaps {
            let shrink = longest / of_flow.iter().sum::<f64>();
            if shrink < 1.0 {
                of_flow.iter_mut().for_each(|gap| *gap *= shrink);
            }
        }
        Ok(())
    }
}

fn unfit(what: &'static str, found: String, expected: String) -> TrafficError {
    TrafficError::BadParameter(Mismatch::new(what, found, expected))
}

/// Returns exp of a normal number of mean 0 (Box and Muller, 1958).
fn log_normal(random: &mut Random) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(open_unit(random)));
    let normal = radius * libm::cos(std::f64::consts::TAU * open_unit(random));
    libm::exp(SPREAD * normal)
}

/// Returns `flows` sizes at the quantiles of a bounded Pareto law, whose exponent is solved so that they sum to
/// `packets`.
fn pareto_sizes(flows: u64, packets: u64, least: u64, most: u64) -> Vec<u64> {
    let sizes = |exponent: f64| {
        let (low, high) = (least as f64, most as f64 + 1.0);
        let top = libm::pow(low / high, exponent);
        (0..flows).map(move |number| {
            let unit = (number as f64 + 0.5) / flows as f64;
            // The inverse of the distribution function; near 0 the law is that of 1/x.
            let value = if exponent.abs() < 1e-9 {
                low * libm::pow(high / low, unit)
            } else {
                low * libm::pow(1.0 - unit * (1.0 - top), -1.0 / exponent)
            };
            (value as u64).clamp(least, most)
        })
    };
    // The largest first: the sum soon exceeds the total, or it cannot for any further sizes.
    let too_many = |exponent: f64| {
        let mut left = packets;
        for (behind, size) in (0..flows).rev().zip(sizes(exponent).rev()) {
            if size > left {
                return true;
            }
            left -= size;
            if left < behind * least {
                return true;
            }
            if left >= behind * size {
                return false;
            }
        }
        false
    };
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if too_many(middle) { low = middle } else { high = middle }
    }
    let mut sizes: Vec<u64> = sizes(high).collect();
    // The remainder of rounding: one packet each to the largest flows that have room.
    let mut left = packets - sizes.iter().sum::<u64>();
    while left > 0 {
        for size in sizes.iter_mut().rev().filter(|size| **size < most) {
            if left == 0 {
                break;
            }
            *size += 1;
            left -= 1;
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const MIX: FlowMix = FlowMix {
        packets: 200_000,
        single_flows_percent: 58.0,
        packets_in_single_flows_percent: 5.5,
        large_flows_percent: 0.15,
        packets_in_large_flows_percent: 50.0,
        largest_flow_packets: 40_000,
        concurrent_flows: 2500.0,
        time_out_ns: 1_000_000_000,
        rate_pps: 10_000.0,
        seed: 3,
    };

    #[test]
    fn the_numbers_asked_for_come_out() {
        let packets = MIX.generate().unwrap();
        assert_eq!(packets.len(), 200_000);
        assert!(packets.is_sorted());
        let mut of_flow: HashMap<u32, (u64, u64)> = HashMap::new();
        let mut active_ns = 0;
        for packet in &packets {
            let (count, last) = of_flow.entry(packet.flow).or_insert((0, packet.time_ns));
            // No flow falls silent for as long as the time-out.
            assert!(packet.time_ns - *last < MIX.time_out_ns);
            active_ns += packet.time_ns - *last;
            (*count, *last) = (*count + 1, packet.time_ns);
        }
        let flows = of_flow.len() as f64;
        let single = of_flow.values().filter(|(count, _)| *count == 1).count() as f64;
        let large: Vec<u64> = of_flow.values().map(|flow| flow.0).filter(|&count| count > 1000).collect();
        assert!((100.0 * single / flows - 58.0).abs() < 0.01);
        assert!((single / 2000.0 - 5.5).abs() < 0.01);
        assert!((100.0 * large.len() as f64 / flows - 0.15).abs() < 0.005);
        assert!((large.iter().sum::<u64>() as f64 / 2000.0 - 50.0).abs() < 0.01);
        assert!(*large.iter().max().unwrap() <= 40_000);
        let active = (active_ns as f64 * 1e-9 + flows) / 20.0;
        assert!((active / 2500.0 - 1.0).abs() < 0.001, "{active}");
        assert_eq!(packets, MIX.generate().unwrap());
        assert_ne!(packets, FlowMix { seed: 4, ..MIX }.generate().unwrap());
    }

    /// The stated rate is the mean of the whole time. No flow crosses its ends, so that fewer flows are active there.
    #[test]
    fn the_rate_is_met_over_all_packets_and_is_higher_in_the_middle() {
        let tenth_ns = 2_000_000_000;
        let mut of_tenth = [0u32; 10];
        MIX.generate().unwrap().iter().for_each(|packet| of_tenth[(packet.time_ns / tenth_ns) as usize] += 1);
        assert_eq!(of_tenth.iter().sum::<u32>(), 200_000);
        assert!(of_tenth[0] < 20_000 && of_tenth[9] < 20_000, "{of_tenth:?}");
        assert!(of_tenth[4..6].iter().all(|&packets| packets > 20_000), "{of_tenth:?}");
    }

    /// Computes sizes directly from their definition: every size for every exponent.
    fn plain_sizes(flows: u64, packets: u64, least: u64, most: u64) -> Vec<u64> {
        let sizes = |exponent: f64| {
            let (low, high) = (least as f64, most as f64 + 1.0);
            let top = libm::pow(low / high, exponent);
            let of = |number| {
                let unit = (number as f64 + 0.5) / flows as f64;
                let value = low * libm::pow(1.0 - unit * (1.0 - top), -1.0 / exponent);
                (value as u64).clamp(least, most)
            };
            (0..flows).map(of).collect::<Vec<u64>>()
        };
        let (mut low, mut high) = (-40.0, 40.0);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            // The law of 1/x is between the two.
            let middle = if middle == 0.0 { 1e-8 } else { middle };
            if sizes(middle).iter().sum::<u64>() > packets { low = middle } else { high = middle }
        }
        let mut found = sizes(high);
        let left = packets - found.iter().sum::<u64>();
        for at in 0..left {
            let last = found.len() - 1 - at as usize % found.len();
            found[last] += 1;
        }
        found
    }

    #[test]
    fn sizes_are_those_of_the_law() {
        for (flows, packets, least, most) in
            [(500, 9_000, 2, 1000), (2_000, 60_000, 2, 1000), (40, 90_000, 1001, 20_000), (7, 15, 2, 1000)]
        {
            let found = pareto_sizes(flows, packets, least, most);
            assert_eq!(found.iter().sum::<u64>(), packets);
            assert_eq!(found, plain_sizes(flows, packets, least, most), "{flows} {packets}");
        }
    }

    #[test]
    fn what_no_traffic_can_be_is_refused() {
        let error = |mix: FlowMix| mix.generate().unwrap_err().to_string();
        let few = error(FlowMix { concurrent_flows: 10.0, ..MIX });
        assert!(few.starts_with("flows active at once: found 10, expected "), "{few}");
        let small = error(FlowMix { large_flows_percent: 5.0, ..MIX });
        assert!(
            small.starts_with("large flows: found percentages that result in 100000 packets for "),
            "{small}"
        );
        let none = error(FlowMix { single_flows_percent: 0.0, ..MIX });
        assert!(none.contains("percentages above 0 and below 100"), "{none}");
        assert!(error(FlowMix { rate_pps: 0.0, ..MIX }).starts_with("packet rate and time-out"));
    }
}
