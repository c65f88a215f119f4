//! Set dueling: a few sets always follow one of two policies; the others follow the one that misses less there.

use crate::geometry::Geometry;

/// Each side leads one set in this number, as in the papers; with fewer sets each side has one leader.
const PERIOD: u32 = 32;

/// Bits of the counter between the two sides.
pub(super) const COUNTER_BITS: u64 = 10;

const MIDDLE: u32 = 1 << (COUNTER_BITS - 1);

/// The two policies, in the order in which DIP and DRRIP name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// LRU, SRRIP.
    Settled,
    /// BIP, BRRIP.
    Bimodal,
}

/// The duel; the counter increases with misses of the settled side.
#[derive(Clone, Debug)]
pub(super) struct Duel {
    period: u32,
    counter: u32,
}

impl Duel {
    /// Among the sets of a cache, at least two.
    pub fn new(geometry: Geometry) -> Self {
        Self { period: PERIOD.min(geometry.sets()), counter: MIDDLE }
    }

    /// Counts a miss in a set. Returns the side that the set follows.
    #[inline]
    pub fn missed(&mut self, set: u32) -> Side {
        let place = set % self.period;
        if place == 0 {
            self.counter = (self.counter + 1).min(2 * MIDDLE - 1);
            Side::Settled
        } else if place == self.period / 2 {
            self.counter = self.counter.saturating_sub(1);
            Side::Bimodal
        } else {
            self.winner()
        }
    }

    fn winner(&self) -> Side {
        if self.counter > MIDDLE { Side::Bimodal } else { Side::Settled }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn followers_take_the_side_that_misses_less() {
        let mut duel = Duel::new(Geometry::new(256, 4).unwrap());
        assert_eq!(duel.missed(1), Side::Settled);
        assert_eq!(
            (duel.missed(0), duel.missed(32), duel.missed(1)),
            (Side::Settled, Side::Settled, Side::Bimodal)
        );
        assert_eq!(
            (duel.missed(16), duel.missed(48), duel.missed(1)),
            (Side::Bimodal, Side::Bimodal, Side::Settled)
        );
        (0..5000).for_each(|_| assert_eq!(duel.missed(0), Side::Settled));
        assert_eq!(duel.counter, 1023);
        (0..5000).for_each(|_| assert_eq!(duel.missed(16), Side::Bimodal));
        assert_eq!(duel.counter, 0);
    }

    #[test]
    fn two_sets_are_enough() {
        let mut duel = Duel::new(Geometry::new(8, 4).unwrap());
        assert_eq!((duel.missed(0), duel.missed(1)), (Side::Settled, Side::Bimodal));
    }
}
