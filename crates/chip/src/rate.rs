//! Times that are no whole number of ticks each, but must be right in sum: bytes on a link or a wire.

use linecard_sim::{END, Ticks, Timebase};

/// Work piles up to here, where the clock has ended: what one more access adds still fits 64 bits.
pub(crate) const WORK_ENDS: Ticks = END + (1 << 59);

/// Ticks for so many units, in 2^-16 of a tick; what is left over counts towards the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    unit_64k: u64,
    left_64k: u64,
}

impl Rate {
    /// Each unit takes so many femtoseconds.
    pub fn new(unit_fs: u64, timebase: &Timebase) -> Self {
        let scaled = (u128::from(unit_fs) * u128::from(timebase.ticks_per_second())) << 16;
        let unit_64k = u64::try_from(scaled / 1_000_000_000_000_000).unwrap_or(u64::MAX);
        Self { unit_64k, left_64k: 0 }
    }

    /// The ticks of the next so many units.
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
        // 3.333 ps a unit, in ticks of a picosecond.
        let mut rate = Rate::new(3_333, &timebase);
        let sum: Ticks = (0..3_000).map(|_| rate.ticks(1)).sum();
        assert_eq!(sum, 9_998, "9,999 less what 2^-16 of a tick is too coarse for");
    }
}
