//! Seeded random streams: one per purpose, so that more draws from one never shift another.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A stream of random numbers (xoshiro256++), the same on every machine.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

/// Returns the stream of a purpose (such as `"traffic sizes"`) under a seed.
pub fn stream(seed: u64, purpose: &str) -> Stream {
    // FNV-1a of the purpose, expanded by the generator's own SplitMix64 seeding.
    let hash = purpose
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
    Stream(Xoshiro256PlusPlus::seed_from_u64(hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

impl Stream {
    /// Returns 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a whole number in `0..bound` (`bound` > 0), with a modulo bias of 2^-32 at most.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// Returns a number in `[0, 1)`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns an exponential variate of mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Shuffles `items` (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_purpose_and_seed_and_repeat() {
        let draw = |seed, purpose| stream(seed, purpose).bits();
        assert_eq!(draw(1, "sizes"), draw(1, "sizes"));
        assert_ne!(draw(1, "sizes"), draw(2, "sizes"));
        assert_ne!(draw(1, "sizes"), draw(1, "ports"));
    }

    #[test]
    fn means_are_as_stated() {
        let mut s = stream(7, "means");
        let n = 200_000;
        let mean = |f: &mut dyn FnMut() -> f64| (0..n).map(|_| f()).sum::<f64>() / f64::from(n);
        assert!((mean(&mut || s.unit()) - 0.5).abs() < 0.005);
        assert!((mean(&mut || s.exponential()) - 1.0).abs() < 0.01);
        assert!((mean(&mut || f64::from(s.below(10))) - 4.5).abs() < 0.03);
    }
}
