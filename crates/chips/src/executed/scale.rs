//! A correction of all cycles of a table: the key `percent` of the table.

use linecard_apps::CYCLE_PARTS;
use linecard_config::Section;

/// The parts of one in which a share is counted.
const ONE: u32 = CYCLE_PARTS;

/// The correction factor of a table of cycles; 1 if the table is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share(u32);

impl Default for Share {
    fn default() -> Self {
        Self(ONE)
    }
}

impl Share {
    /// Reads `percent` of a table.
    pub fn read(section: &Section<'_>) -> Self {
        let meaning = "factor by which all cycles of the table are multiplied; the low and high values of the \
                       factor state the uncertainty of these cycles";
        let percent = section.number_if("percent", 1.0..=1000.0, meaning);
        percent.map_or_else(Self::default, |percent| Self((percent * f64::from(ONE) / 100.0).round() as u32))
    }

    /// Returns a converter to whole cycles.
    pub fn carrying(self) -> Carrying {
        Carrying { share: self, left: ONE / 2 }
    }

    /// Returns the corrected number of cycles: whole ones, and 1/10,000 of a cycle.
    pub fn parts_of(self, cycles: u32) -> (u32, u32) {
        let all = u64::from(cycles) * u64::from(self.0);
        ((all / u64::from(ONE)) as u32, (all % u64::from(ONE)) as u32)
    }

    /// Returns the corrected number of a total of cycles.
    pub fn of(self, cycles: u64) -> u64 {
        if self.0 == ONE {
            cycles
        } else {
            (cycles * u64::from(self.0) + u64::from(ONE / 2)) / u64::from(ONE)
        }
    }
}

/// Corrects cycles one step after another: the fraction of a cycle that is left goes to the next steps, so that the
/// sum is right to half a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carrying {
    share: Share,
    left: u32,
}

impl Carrying {
    /// Returns the corrected cycles of the next step.
    #[inline(always)]
    pub fn next(&mut self, cycles: u64) -> u64 {
        if self.share.0 == ONE {
            return cycles;
        }
        let all = cycles * u64::from(self.share.0) + u64::from(self.left);
        self.left = (all % u64::from(ONE)) as u32;
        all / u64::from(ONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_cycles_are_carried_on_and_the_whole_is_right() {
        let mut carrying = Share(10_500).carrying();
        let cycles: Vec<u64> = [2; 20].into_iter().map(|cycles| carrying.next(cycles)).collect();
        // 2.1 cycles each: the remainder starts at a half, so the fifth is the first of 3 cycles.
        assert_eq!(cycles[..10], [2, 2, 2, 2, 3, 2, 2, 2, 2, 2]);
        assert_eq!(cycles.iter().sum::<u64>(), 42);
        assert_eq!(Share(10_500).of(40), 42);
        let mut same = Share::default().carrying();
        assert_eq!((same.next(7), same.next(0)), (7, 0));
    }
}
