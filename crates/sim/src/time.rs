//! Integer time with exact ratios between clock domains.
//!
//! A clock of 177 MHz has no whole number of femtoseconds in a period, so a fixed unit would make clocks drift
//! against each other. A [`Timebase`] therefore takes the least common multiple of all clock frequencies of a
//! machine as its tick: every edge of every clock falls on a whole tick.

/// A point in time or a duration, in ticks of one [`Timebase`].
pub type Ticks = u64;

/// The tick of a machine: the least common multiple of its clock frequencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timebase {
    ticks_per_second: u64,
}

/// One clock domain: its period in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    period_ticks: Ticks,
    /// log2 of the period where it is a power of two, which saves a division an event.
    shift: Option<u32>,
}

/// Why a set of clocks has no common tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimebaseError {
    /// A clock of 0 Hz.
    ZeroFrequency,
    /// The least common multiple is above 10^15 Hz: 2^64 ticks would last less than five hours.
    NoCommonTick {
        /// The frequencies asked for.
        clocks_hz: Vec<u64>,
    },
}

impl std::fmt::Display for TimebaseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ZeroFrequency => write!(f, "a clock of 0 MHz: give a positive frequency"),
            Self::NoCommonTick { clocks_hz } => write!(
                f,
                "the clocks {clocks_hz:?} Hz have no common multiple below 10^15 Hz: round them to whole kHz or MHz"
            ),
        }
    }
}

impl std::error::Error for TimebaseError {}

const MOST_TICKS_PER_SECOND: u64 = 1_000_000_000_000_000;

impl Timebase {
    /// The coarsest tick on which every edge of every clock falls.
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
        Ok(Self { ticks_per_second })
    }

    /// The clock of `hz`, which must be one of those the timebase was made from (or divide its tick rate).
    ///
    /// # Panics
    /// If `hz` does not divide the tick rate: an error in the program, not in its input.
    pub fn clock(&self, hz: u64) -> Clock {
        assert!(
            hz > 0 && self.ticks_per_second.is_multiple_of(hz),
            "{hz} Hz is not a clock of this timebase"
        );
        let period_ticks = self.ticks_per_second / hz;
        Clock { period_ticks, shift: period_ticks.is_power_of_two().then(|| period_ticks.ilog2()) }
    }

    /// Ticks in a second.
    pub fn ticks_per_second(&self) -> u64 {
        self.ticks_per_second
    }

    /// A duration in seconds, for tables only.
    pub fn seconds(&self, ticks: Ticks) -> f64 {
        ticks as f64 / self.ticks_per_second as f64
    }

    /// A duration in nanoseconds, for tables only.
    pub fn nanoseconds(&self, ticks: Ticks) -> f64 {
        ticks as f64 * 1e9 / self.ticks_per_second as f64
    }

    /// The first tick not before `ns` nanoseconds; the last tick there is when that lies beyond it.
    pub fn ticks_from_ns(&self, ns: u64) -> Ticks {
        let ticks = (u128::from(ns) * u128::from(self.ticks_per_second)).div_ceil(1_000_000_000);
        Ticks::try_from(ticks).unwrap_or(Ticks::MAX - 1)
    }

    /// The first tick not before `ps` picoseconds.
    pub fn ticks_from_ps(&self, ps: u64) -> Ticks {
        (u128::from(ps) * u128::from(self.ticks_per_second)).div_ceil(1_000_000_000_000) as Ticks
    }
}

impl Clock {
    /// Length of one cycle.
    #[inline]
    pub fn period(&self) -> Ticks {
        self.period_ticks
    }

    /// Length of `cycles` cycles.
    #[inline]
    pub fn ticks(&self, cycles: u64) -> Ticks {
        cycles * self.period_ticks
    }

    /// The number of the first cycle that starts at or after `at`.
    #[inline]
    pub fn cycle_at_or_after(&self, at: Ticks) -> u64 {
        match self.shift {
            Some(shift) => (at + self.period_ticks - 1) >> shift,
            None => at.div_ceil(self.period_ticks),
        }
    }
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
        let primes = [399_999_959, 400_000_009];
        assert!(matches!(Timebase::from_clocks_hz(&primes), Err(TimebaseError::NoCommonTick { .. })));
    }

    #[test]
    fn a_capture_of_a_hundred_years_keeps_its_length() {
        let base = Timebase::from_clocks_hz(&[400_000_000]).unwrap();
        let century_ns = 3_155_760_000 * 1_000_000_000;
        assert_eq!(base.ticks_from_ns(century_ns), 3_155_760_000 * 400_000_000);
        assert_eq!(base.ticks_from_ns(3), 2);
        let fine = Timebase::from_clocks_hz(&[999_999_937, 100]).unwrap();
        assert_eq!(fine.ticks_from_ns(u64::MAX), u64::MAX - 1, "beyond the last tick");
    }

    #[test]
    fn picoseconds_round_up_to_a_tick() {
        let base = Timebase::from_clocks_hz(&[400_000_000]).unwrap();
        assert_eq!([0, 1000, 2000, 3000, 5000].map(|ps| base.ticks_from_ps(ps)), [0, 1, 1, 2, 2]);
    }
}
