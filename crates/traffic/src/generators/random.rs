//! The random generator behind everything here, and how numbers are drawn from it.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// The random generator behind everything here.
pub type Random = Xoshiro256PlusPlus;

/// A number in `0..bound`, from the upper bits of a 64-bit draw. The bias is below `bound`/2⁶⁴.
pub(super) fn below(random: &mut Random, bound: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// A number in the open interval from 0 to 1, on a grid of 2⁻⁵³.
pub(super) fn open_unit(random: &mut Random) -> f64 {
    const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
    ((random.next_u64() >> 11) as f64 + 0.5) * STEP
}
