//! Times that need not be a whole number of ticks each, but whose sum must be exact: bytes on a link or a wire.

use linecard_sim::{END, Ticks, Timebase};

/// Limit of accumulated work when the clock has ended: the work of one more access still fits 64 bits.
pub(crate) const WORK_ENDS: Ticks = END + (1 << 59);

/// Ticks per unit, in 2^-16 of a tick; the remainder counts towards the next unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    unit_64k: u64,
    left_64k: u64,
}

impl Rate {
    /// Returns a rate of `unit_fs` femtoseconds per unit.
    pub fn new(unit_fs: u64, timebase: &Timebase) -> Self {
        let scaled = (u128::from(unit_fs) * u128::from(timebase.ticks_per_second())) << 16;
        let unit_64k = u64::try_from(scaled / 1_000_000_000_000_000).unwrap_or(u64::MAX);
        Self { unit_64k, left_64k: 0 }
    }

    /// Returns the ticks of the next `units` units.
    #[inline(always)]
    pub fn ticks(&mut self, units: u64) -> Ticks {
        if self.unit_64k == 0 {
            return 0;
        }
        let sum = u128::from(self.unit_64k) * u128::from(units) + u128::from(self.left_64k);
        self.left_64k = sum as u64 & 0xffff;
        (sum >> 16) as Ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_rounded_away_in_sum() {
        let timebase = Timebase::fine(&[1_000_000_000]).unwrap();
        // A unit takes 3.333 ps, and a tick is one picosecond.
        let mut rate = Rate::new(3_333, &timebase);
        let sum: Ticks = (0..3_000).map(|_| rate.ticks(1)).sum();
        assert_eq!(sum, 9_998, "9,999 less what 2^-16 of a tick is too coarse for");
    }
}
