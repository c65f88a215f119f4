//! Arrival times.

use super::Random;
use super::choice::open_unit;
use crate::TrafficError;

const NS_PER_SECOND: u128 = 1_000_000_000;
const PS_PER_NS: u64 = 1000;
const BITS_PER_BYTE: f64 = 8.0;

/// When packets arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// One behind the other on a link that is never idle.
    BackToBack {
        /// Link rate in bits per second.
        bits_per_second: u64,
        /// Bytes the link spends on each packet besides the packet: for Ethernet 38 (preamble, header, check
        /// sequence, gap), for packet over SONET 7 to 9.
        overhead_bytes: u32,
    },
    /// A Poisson process whose mean rate gives the stated load; packets may arrive faster than any link delivers
    /// them.
    Poisson {
        /// Mean load in bits per second.
        bits_per_second: u64,
    },
}

/// Tells arrival times.
#[derive(Clone, Debug)]
pub(super) enum Clock {
    /// Exact: the time is a quotient of integers, so that no rounding accumulates.
    BackToBack { bits_per_second: u128, overhead_bytes: u32, sent_bits: u128 },
    /// Gaps are drawn in picoseconds and added up as integers.
    Poisson { mean_gap_ps: f64, time_ns: u64, rest_ps: u64, random: Random },
}

impl Clock {
    pub(super) fn new(arrivals: Arrivals, mean_bytes: f64, random: Random) -> Result<Self, TrafficError> {
        let (Arrivals::BackToBack { bits_per_second, .. } | Arrivals::Poisson { bits_per_second }) = arrivals;
        if bits_per_second == 0 {
            return Err(TrafficError::BadParameter {
                what: "rate in bits per second",
                found: "0".to_owned(),
                expected: "at least 1".to_owned(),
            });
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
        })
    }

    /// The arrival time of the next packet, by its first bit.
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
        };
        u64::try_from(ns).unwrap_or(u64::MAX)
    }
}
