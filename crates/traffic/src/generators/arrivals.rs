//! Arrival times.

use super::random::{Random, below, open_unit};
use crate::TrafficError;
use linecard_words::Mismatch;

const NS_PER_SECOND: u128 = 1_000_000_000;
const PS_PER_NS: u64 = 1000;
const BITS_PER_BYTE: f64 = 8.0;

/// When packets arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// One after another on a link that is never idle.
    BackToBack {
        /// Link rate in bits per second.
        bits_per_second: u64,
        /// Overhead of the link per packet, in bytes: for Ethernet 38 (preamble, header, check sequence, gap),
        /// for packet over SONET 7 to 9.
        overhead_bytes: u32,
    },
    /// A Poisson process whose mean rate is the stated load; packets may arrive faster than any link delivers
    /// them.
    Poisson {
        /// Mean load in bits per second.
        bits_per_second: u64,
    },
    /// Equal gaps, for all sizes.
    Constant {
        /// Mean load in bits per second.
        bits_per_second: u64,
    },
    /// Gaps drawn uniformly between 0.5 and 1.5 times the mean, for all sizes: with equal gaps, packets may
    /// synchronise with the system under test.
    Jittered {
        /// Mean load in bits per second.
        bits_per_second: u64,
    },
    /// Bursts back to back at a peak rate, of a geometric number of packets, with exponential pauses between them.
    OnOff {
        /// Mean load in bits per second.
        bits_per_second: u64,
        /// Rate within a burst, above the mean.
        peak_bits_per_second: u64,
        /// Mean packets of a burst, at least 1.
        burst_packets: u32,
    },
}

/// Computes arrival times.
#[derive(Clone, Debug)]
pub(super) enum Clock {
    /// Exact: the time is a quotient of integers, so that rounding errors never accumulate.
    BackToBack { bits_per_second: u128, overhead_bytes: u32, sent_bits: u128 },
    /// Gaps are drawn in picoseconds and added up as integers.
    Poisson { mean_gap_ps: f64, time_ns: u64, rest_ps: u64, random: Random },
    /// Packet `n` arrives after `n` gaps.
    Constant { gap_ns: f64, packets: u64 },
    /// As Poisson, from one packet to the next.
    Jittered { mean_gap_ps: f64, next_ps: u64, random: Random },
    /// As Poisson; the gap of the previous packet, plus a pause at the end of a burst.
    OnOff { peak_ps_per_byte: f64, mean_pause_ps: f64, burst_packets: u32, next_ps: u64, random: Random },
}

impl Clock {
    pub(super) fn new(arrivals: Arrivals, mean_bytes: f64, random: Random) -> Result<Self, TrafficError> {
        let (Arrivals::BackToBack { bits_per_second, .. }
        | Arrivals::Poisson { bits_per_second }
        | Arrivals::Constant { bits_per_second }
        | Arrivals::Jittered { bits_per_second }
        | Arrivals::OnOff { bits_per_second, .. }) = arrivals;
        if let Arrivals::OnOff { peak_bits_per_second, .. } = arrivals
            && peak_bits_per_second <= bits_per_second
        {
            return Err(Mismatch::new(
                "peak rate in bits per second",
                peak_bits_per_second,
                format!("a rate above the mean rate, {bits_per_second}"),
            )
            .into());
        }
        if bits_per_second == 0 {
            return Err(Mismatch::new("rate in bits per second", "0", "at least 1").into());
        }
        Ok(match arrivals {
            Arrivals::BackToBack { bits_per_second, overhead_bytes } => {
                Self::BackToBack { bits_per_second: bits_per_second.into(), overhead_bytes, sent_bits: 0 }
            }
            Arrivals::Poisson { bits_per_second } => Self::Poisson {
                mean_gap_ps: mean_bytes * BITS_PER_BYTE * 1e12 / bits_per_second as f64,
                time_ns: 0,
                rest_ps: 0,
                random,
            },
            Arrivals::Constant { bits_per_second } => Self::Constant {
                gap_ns: mean_bytes * BITS_PER_BYTE * 1e9 / bits_per_second as f64,
                packets: 0,
            },
            Arrivals::Jittered { bits_per_second } => Self::Jittered {
                mean_gap_ps: mean_bytes * BITS_PER_BYTE * 1e12 / bits_per_second as f64,
                next_ps: 0,
                random,
            },
            Arrivals::OnOff { bits_per_second, peak_bits_per_second, burst_packets } => {
                let burst_packets = burst_packets.max(1);
                let burst_bits = f64::from(burst_packets) * mean_bytes * BITS_PER_BYTE;
                let slower = 1.0 / bits_per_second as f64 - 1.0 / peak_bits_per_second as f64;
                Self::OnOff {
                    peak_ps_per_byte: BITS_PER_BYTE * 1e12 / peak_bits_per_second as f64,
                    mean_pause_ps: burst_bits * slower * 1e12,
                    burst_packets,
                    next_ps: 0,
                    random,
                }
            }
        })
    }

    /// Returns the arrival time of the next packet's first bit.
    pub(super) fn next_ns(&mut self, wire_bytes: u32) -> u64 {
        let ns = match self {
            Self::BackToBack { bits_per_second, overhead_bytes, sent_bits } => {
                let ns = *sent_bits * NS_PER_SECOND / *bits_per_second;
                *sent_bits += 8 * (u128::from(wire_bytes) + u128::from(*overhead_bytes));
                ns
            }
            Self::Poisson { mean_gap_ps, time_ns, rest_ps, random } => {
                let ps = *rest_ps + (-libm::log(open_unit(random)) * *mean_gap_ps) as u64;
                *time_ns = time_ns.saturating_add(ps / PS_PER_NS);
                *rest_ps = ps % PS_PER_NS;
                return *time_ns;
            }
            Self::Constant { gap_ns, packets } => {
                *packets += 1;
                return ((*packets - 1) as f64 * *gap_ns) as u64;
            }
            Self::Jittered { mean_gap_ps, next_ps, random } => {
                let time_ns = *next_ps / PS_PER_NS;
                *next_ps = next_ps.saturating_add((*mean_gap_ps * (0.5 + open_unit(random))) as u64);
                return time_ns;
            }
            Self::OnOff { peak_ps_per_byte, mean_pause_ps, burst_packets, next_ps, random } => {
                let time_ns = *next_ps / PS_PER_NS;
                let mut gap_ps = f64::from(wire_bytes) * *peak_ps_per_byte;
                if below(random, u64::from(*burst_packets)) == 0 {
                    gap_ps += -libm::log(open_unit(random)) * *mean_pause_ps;
                }
                *next_ps = next_ps.saturating_add(gap_ps as u64);
                return time_ns;
            }
        };
        u64::try_from(ns).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    fn last_ns(arrivals: Arrivals, packets: u32) -> u64 {
        let mut clock = Clock::new(arrivals, 500.0, Random::seed_from_u64(1)).unwrap();
        (0..packets).map(|_| clock.next_ns(500)).last().unwrap()
    }

    #[test]
    fn constant_gaps_do_not_drift() {
        // 500 bytes at 3 Gbit/s: 1333.33 ns.
        let constant = Arrivals::Constant { bits_per_second: 3_000_000_000 };
        assert_eq!(last_ns(constant, 3_000_001), 4_000_000_000);
    }

    #[test]
    fn jittered_gaps_keep_their_mean_and_their_bounds() {
        let jittered = Arrivals::Jittered { bits_per_second: 1_000_000_000 };
        let mut clock = Clock::new(jittered, 500.0, Random::seed_from_u64(1)).unwrap();
        let times: Vec<u64> = (0..100_001).map(|_| clock.next_ns(500)).collect();
        // The mean gap is 4,000 ns. Both of its ends are whole nanoseconds, which adds or removes one.
        assert!(times.windows(2).all(|pair| (1_999..=6_001).contains(&(pair[1] - pair[0]))));
        let mean = times[100_000] as f64 / 100_000.0;
        assert!((mean / 4_000.0 - 1.0).abs() < 0.005, "{mean}");
    }

    #[test]
    fn bursts_keep_the_mean_rate_and_need_a_higher_peak() {
        let bits_per_second = 1_000_000_000;
        let bursts = |peak_bits_per_second| Arrivals::OnOff {
            bits_per_second,
            peak_bits_per_second,
            burst_packets: 16,
        };
        let seconds = last_ns(bursts(10_000_000_000), 1_000_000) as f64 / 1e9;
        assert!((seconds / 4.0 - 1.0).abs() < 0.02, "{seconds}");
        assert!(Clock::new(bursts(bits_per_second), 500.0, Random::seed_from_u64(1)).is_err());
    }
}
