//! Integer time with exact ratios between clock domains.
//!
//! The period of a 177 MHz clock is not a whole number of femtoseconds, so with a fixed unit clocks would drift
//! against each other. The tick of a [`Timebase`] is therefore a period of the least common multiple of all
//! clock frequencies of a machine: every edge of every clock is on a whole tick. Clocks without a usable common
//! multiple get a tick of a femtosecond instead ([`Timebase::fine`]). Each edge is then on the tick at or
//! before it, computed from the number of its cycle, so that rounding errors never accumulate.

/// A point in time or a duration, in ticks of one [`Timebase`].
pub type Ticks = u64;

/// The tick of a machine: from a common multiple of its clock frequencies, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timebase {
    ticks_per_second: u64,
    /// Whether the periods of its clocks need not be whole numbers of ticks.
    rational: bool,
}

/// One clock domain: its period in ticks, a fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Ticks in `den` cycles; at least `den`.
    num: Ticks,
    /// 1 if every edge is on a whole tick.
    den: u64,
    /// log2 of the period if it is a power of two, which saves a division per event.
    shift: Option<u32>,
    hz: u64,
}

/// Why a set of clocks has no common tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimebaseError {
    /// A clock of 0 Hz.
    ZeroFrequency,
    /// A clock of more than 10^15 Hz, whose cycle is shorter than the shortest tick.
    TooFast {
        /// Its frequency.
        hz: u64,
    },
    /// The least common multiple is above 10^15 Hz: 2^64 ticks would last less than five hours.
    NoCommonTick {
        /// The requested frequencies.
        clocks_hz: Vec<u64>,
    },
}

impl std::fmt::Display for TimebaseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ZeroFrequency => write!(f, "a clock of 0 MHz; expected a positive frequency"),
            Self::TooFast { hz } => {
                write!(f, "a clock of {hz} Hz; expected at most 10^15 Hz")
            }
            Self::NoCommonTick { clocks_hz } => write!(
                f,
                "the clock rates {clocks_hz:?} Hz have no common multiple below 10^15 Hz; round each rate to whole kHz or MHz"
            ),
        }
    }
}

impl std::error::Error for TimebaseError {}

const MOST_TICKS_PER_SECOND: u64 = 1_000_000_000_000_000;
/// Ticks of [`Timebase::fine`] are no longer than a picosecond.
const FINE_TICKS_PER_SECOND: u64 = 1_000_000_000_000;

/// No event comes at this tick or later: a sixteenth before the end of 64 bits, so that the present plus a few
/// durations of minutes does not overflow. In picoseconds it is after 200 days, in femtoseconds after less than
/// five hours.
pub const END: Ticks = 15 << 60;

impl Timebase {
    /// Returns the coarsest tick on which every edge of every clock is whole.
    pub fn from_clocks_hz(clocks_hz: &[u64]) -> Result<Self, TimebaseError> {
        let mut ticks_per_second = 1u64;
        for &hz in clocks_hz {
            if hz == 0 {
                return Err(TimebaseError::ZeroFrequency);
            }
            let step = hz / gcd(ticks_per_second, hz);
            ticks_per_second = ticks_per_second
                .checked_mul(step)
                .filter(|&t| t <= MOST_TICKS_PER_SECOND)
                .ok_or_else(|| TimebaseError::NoCommonTick { clocks_hz: clocks_hz.to_vec() })?;
        }
        Ok(Self { ticks_per_second, rational: false })
    }

    /// Returns a tick of at most a picosecond, for machines with times that follow no clock (the bits of a
    /// link, a latency in nanoseconds). It is the coarsest one on which edges and whole picoseconds are whole
    /// ticks; without one, the smallest multiple of [`Timebase::from_clocks_hz`] that is fine enough. For
    /// clocks without a common tick it is a femtosecond, and an edge is on the tick at or before it.
    pub fn fine(clocks_hz: &[u64]) -> Result<Self, TimebaseError> {
        let exact: Vec<u64> = clocks_hz.iter().copied().chain([FINE_TICKS_PER_SECOND]).collect();
        if let Ok(base) = Self::from_clocks_hz(&exact) {
            return Ok(base);
        }
        match Self::from_clocks_hz(clocks_hz) {
            Ok(coarse) => {
                let factor = FINE_TICKS_PER_SECOND.div_ceil(coarse.ticks_per_second);
                Ok(Self { ticks_per_second: coarse.ticks_per_second * factor, ..coarse })
            }
            Err(TimebaseError::NoCommonTick { .. }) => {
                match clocks_hz.iter().find(|&&hz| hz == 0 || hz > MOST_TICKS_PER_SECOND) {
                    None => Ok(Self { ticks_per_second: MOST_TICKS_PER_SECOND, rational: true }),
                    Some(0) => Err(TimebaseError::ZeroFrequency),
                    Some(&hz) => Err(TimebaseError::TooFast { hz }),
                }
            }
            Err(other) => Err(other),
        }
    }

    /// Returns the clock of `hz`, which must be one of those the timebase was made from (or divide its tick
    /// rate).
    ///
    /// # Panics
    ///
    /// If `hz` does not divide the tick rate of a timebase with a common tick, or is above the tick rate: an
    /// error in the program, not in its input.
    pub fn clock(&self, hz: u64) -> Clock {
        let fits = self.rational && hz <= self.ticks_per_second;
        assert!(
            hz > 0 && (fits || self.ticks_per_second.is_multiple_of(hz)),
            "{hz} Hz is not a clock of this timebase"
        );
        let common = gcd(self.ticks_per_second, hz);
        let (num, den) = (self.ticks_per_second / common, hz / common);
        Clock { num, den, shift: (den == 1 && num.is_power_of_two()).then(|| num.ilog2()), hz }
    }

    /// Returns the ticks per second.
    pub fn ticks_per_second(&self) -> u64 {
        self.ticks_per_second
    }

    /// Returns a duration in seconds, for tables only.
    pub fn seconds(&self, ticks: Ticks) -> f64 {
        ticks as f64 / self.ticks_per_second as f64
    }

    /// Returns a duration in nanoseconds, for tables only.
    pub fn nanoseconds(&self, ticks: Ticks) -> f64 {
        ticks as f64 * 1e9 / self.ticks_per_second as f64
    }

    /// Returns the first tick not before `ns` nanoseconds, or [`END`].
    pub fn ticks_from_ns(&self, ns: u64) -> Ticks {
        // A nanosecond is mostly a whole number of ticks.
        if self.ticks_per_second.is_multiple_of(1_000_000_000)
            && let Some(ticks) = ns.checked_mul(self.ticks_per_second / 1_000_000_000)
        {
            return ticks.min(END);
        }
        before_end((u128::from(ns) * u128::from(self.ticks_per_second)).div_ceil(1_000_000_000))
    }

    /// Returns the first tick not before `ps` picoseconds, or [`END`].
    pub fn ticks_from_ps(&self, ps: u64) -> Ticks {
        before_end((u128::from(ps) * u128::from(self.ticks_per_second)).div_ceil(1_000_000_000_000))
    }
}

impl Clock {
    /// Returns the length of one cycle, rounded down. It is exact unless the timebase is a rational one
    /// ([`Timebase::fine`]); use [`Clock::ticks`] for the edges of its clocks.
    #[inline]
    pub fn period(&self) -> Ticks {
        self.num / self.den
    }

    /// Returns its frequency.
    #[inline]
    pub fn hz(&self) -> u64 {
        self.hz
    }

    /// Returns the length of `cycles` cycles from time 0, which is the tick of that edge; [`END`] or later if
    /// it is beyond the end of time.
    #[inline]
    pub fn ticks(&self, cycles: u64) -> Ticks {
        if self.den == 1 {
            return cycles.checked_mul(self.num).unwrap_or(END);
        }
        before_end(u128::from(cycles) * u128::from(self.num) / u128::from(self.den))
    }

    /// Returns the number of the first cycle that starts at or after `at`.
    #[inline]
    pub fn cycle_at_or_after(&self, at: Ticks) -> u64 {
        match self.shift {
            Some(shift) => (at + self.num - 1) >> shift,
            None if self.den == 1 => at.div_ceil(self.num),
            None => (u128::from(at) * u128::from(self.den)).div_ceil(u128::from(self.num)) as u64,
        }
    }
}

fn before_end(ticks: u128) -> Ticks {
    ticks.min(u128::from(END)) as Ticks
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Primes: their least common multiple is above 10^15.
    const WITHOUT_COMMON_TICK_HZ: [u64; 2] = [399_999_959, 400_000_009];

    #[test]
    fn clocks_of_the_published_machines_have_exact_ratios() {
        for clocks_mhz in [&[400u64, 100][..], &[177, 88], &[1000, 400, 200], &[600, 100, 200]] {
            let hz: Vec<u64> = clocks_mhz.iter().map(|m| m * 1_000_000).collect();
            let base = Timebase::from_clocks_hz(&hz).unwrap();
            for &f in &hz {
                // One second is a whole number of cycles of every clock.
                assert_eq!(base.clock(f).ticks(f), base.ticks_per_second());
            }
        }
    }

    #[test]
    fn refuses_clocks_without_a_common_tick() {
        assert_eq!(Timebase::from_clocks_hz(&[0]), Err(TimebaseError::ZeroFrequency));
        let refused = Timebase::from_clocks_hz(&WITHOUT_COMMON_TICK_HZ);
        assert!(matches!(refused, Err(TimebaseError::NoCommonTick { .. })));
    }

    #[test]
    fn a_capture_of_a_hundred_years_keeps_its_length() {
        let base = Timebase::from_clocks_hz(&[400_000_000]).unwrap();
        let century_ns = 3_155_760_000 * 1_000_000_000;
        assert_eq!(base.ticks_from_ns(century_ns), 3_155_760_000 * 400_000_000);
        assert_eq!(base.ticks_from_ns(3), 2);
        let fine = Timebase::from_clocks_hz(&[999_999_937, 100]).unwrap();
        assert_eq!(fine.ticks_from_ns(u64::MAX), END);
        assert_eq!(fine.ticks_from_ps(u64::MAX), 1_844_674_291_156_467_498, "213 days, rounded up");
        assert_eq!([u64::MAX / 100, u64::MAX].map(|cycles| fine.clock(100).ticks(cycles)), [END; 2]);
        let fine = Timebase::fine(&WITHOUT_COMMON_TICK_HZ).unwrap();
        assert_eq!(fine.ticks_from_ps(u64::MAX), END);
        assert_eq!(fine.clock(399_999_959).ticks(u64::MAX), END);
    }

    #[test]
    fn picoseconds_round_up_to_a_tick() {
        let base = Timebase::from_clocks_hz(&[400_000_000]).unwrap();
        assert_eq!([0, 1000, 2000, 3000, 5000].map(|ps| base.ticks_from_ps(ps)), [0, 1, 1, 2, 2]);
    }

    #[test]
    fn a_fine_tick_is_a_multiple_of_the_common_one_or_a_femtosecond() {
        let rate = |hz: &[u64]| Timebase::fine(hz).map(|base| base.ticks_per_second());
        assert_eq!(rate(&[400_000_000, 100_000_000]), Ok(1_000_000_000_000));
        assert_eq!(rate(&[1_200_000_000]), Ok(3_000_000_000_000), "whole picoseconds, too");
        // The least common multiple of 177 and 88 MHz is 15.576 GHz. That of 15.576 GHz and 10^12 Hz is 1,947
        // * 10^12 Hz, too fine a tick; 65 times 15.576 GHz is just above 10^12 Hz.
        assert_eq!(rate(&[177_000_000, 88_000_000]), Ok(65 * 15_576_000_000));
        assert_eq!(rate(&[999_999_937, 1000]), Ok(1000 * 999_999_937 * 2));
        assert_eq!(rate(&[999_999_937, 1_000_000]), Ok(999_999_937_000_000), "fine enough as it is");
        assert_eq!(rate(&WITHOUT_COMMON_TICK_HZ), Ok(1_000_000_000_000_000));
        assert_eq!(rate(&[400_000_000, 0]), Err(TimebaseError::ZeroFrequency));
        assert_eq!(rate(&[399_999_959, 400_000_009, 0]), Err(TimebaseError::ZeroFrequency));
        assert_eq!(rate(&[2_000_000_000_000_000]), Err(TimebaseError::TooFast { hz: 2_000_000_000_000_000 }));
    }

    #[test]
    fn edges_of_a_rational_clock_never_drift() {
        let base = Timebase::fine(&WITHOUT_COMMON_TICK_HZ).unwrap();
        let clock = base.clock(399_999_959);
        assert_eq!(clock.hz(), 399_999_959);
        // Whole seconds are exact, and the tick of cycle 10^9 agrees with long division.
        assert_eq!(clock.ticks(clock.hz()), base.ticks_per_second());
        assert_eq!(clock.ticks(3 * clock.hz()), 3 * base.ticks_per_second());
        assert_eq!(clock.ticks(1_000_000_000), 2_500_000_256_250_026);
        assert_eq!(clock.period(), 2_500_000);
    }

    proptest! {
        #[test]
        fn an_edge_is_the_first_at_its_own_tick(
            hz in 1u64..=10_000_000_000,
            other_hz in 1u64..=10_000_000_000,
            seconds in 0u64..1000,
            share in 0.0f64..1.0,
        ) {
            let base = Timebase::fine(&[hz, other_hz, 399_999_959, 400_000_009]).unwrap();
            for clock in [base.clock(hz), Timebase::fine(&[hz]).unwrap().clock(hz)] {
                prop_assert_eq!(clock.hz(), hz);
                let cycle = seconds * hz + (share * hz as f64) as u64;
                let at = clock.ticks(cycle);
                prop_assert_eq!(clock.cycle_at_or_after(at), cycle);
                prop_assert_eq!(clock.cycle_at_or_after(at + 1), cycle + 1);
            }
        }
    }
}
