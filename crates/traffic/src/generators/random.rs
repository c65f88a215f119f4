//! The random generator of all traffic, and its distributions.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

/// The random generator of all traffic.
pub type Random = Xoshiro256PlusPlus;

/// Returns a number in `0..bound`, from the upper bits of a 64-bit draw. The bias is below `bound`/2⁶⁴.
pub(super) fn below(random: &mut Random, bound: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// Returns a number in the open interval from 0 to 1, on a grid of 2⁻⁵³.
pub(super) fn open_unit(random: &mut Random) -> f64 {
    on_the_grid(grid_point(random))
}

/// Returns the index of a point of that grid.
#[inline]
fn grid_point(random: &mut Random) -> u64 {
    random.next_u64() >> 11
}

const GRID_POINTS: u64 = 1 << 53;

#[inline]
fn on_the_grid(point: u64) -> f64 {
    (point as f64 + 0.5) * (1.0 / GRID_POINTS as f64)
}

/// Decides whether [`open_unit`] is below a fixed probability, for many draws: the points below it are counted
/// once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub fn of(share: f64) -> Self {
        let (mut below, mut beyond) = (0, GRID_POINTS);
        while below < beyond {
            let middle = (below + beyond) / 2;
            if on_the_grid(middle) < share { below = middle + 1 } else { beyond = middle }
        }
        Self(below)
    }

    #[inline]
    pub fn draw(self, random: &mut Random) -> bool {
        grid_point(random) < self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    #[test]
    fn a_chance_is_as_often_as_a_number_is_below_its_share() {
        let mut random = Random::seed_from_u64(5);
        for share in [0.0, 1e-300, 0.85, 0.5, 1.0 / 3.0, 1.0, open_unit(&mut random)] {
            let chance = Chance::of(share);
            // The points around the bound are the critical ones.
            let near = (chance.0.saturating_sub(3)..chance.0 + 3).filter(|&point| point < GRID_POINTS);
            for point in near.chain([0, 1, GRID_POINTS / 2, GRID_POINTS - 2, GRID_POINTS - 1]) {
                assert_eq!(point < chance.0, on_the_grid(point) < share, "{share} at {point}");
            }
        }
    }
}
