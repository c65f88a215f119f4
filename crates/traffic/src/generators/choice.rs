//! Draws from a weighted list in constant time.
//!
//! Walker's alias method in Vose's formulation (IEEE Trans. Software Eng. 17(9), 1991): two table reads per
//! draw, for any number of weights.

use super::random::{Random, below};
use crate::TrafficError;
use linecard_words::Mismatch;
use rand_xoshiro::rand_core::Rng;

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// Below this value the slot's own index is drawn, otherwise its alias.
    threshold: u64,
    alias: u32,
}

impl Slot {
    /// Returns a slot that always draws its own index.
    fn whole(index: u32) -> Self {
        Self { threshold: u64::MAX, alias: index }
    }
}

/// Draws indices with given weights.
#[derive(Clone, Debug)]
pub struct WeightedChoice {
    count: u64,
    /// By index; empty if all weights are equal and each slot would draw its own.
    slots: Vec<Slot>,
}

impl WeightedChoice {
    /// Prepares the table.
    ///
    /// # Errors
    ///
    /// If there are no weights or more than 2³², one is negative or not a number, all are zero, or their sum
    /// would be infinite.
    pub fn new(weights: &[f64]) -> Result<Self, TrafficError> {
        let total: f64 = weights.iter().sum();
        // Shares are weights times their number: infinite ones would always be drawn, and the means would be
        // wrong.
        let fits = (total * weights.len() as f64).is_finite();
        let sound = weights.iter().all(|&weight| weight >= 0.0) && total > 0.0 && fits;
        if !sound || u32::try_from(weights.len()).is_err() {
            return Err(Mismatch::new(
                "weights",
                format!("{} weights with sum {total:e}", weights.len()),
                "one or more weights of at least 0; their sum above 0, and the sum times their number below 1.79e308",
            )
            .into());
        }
        let count = weights.len() as f64;
        let mut share: Vec<f64> = weights.iter().map(|weight| weight * count / total).collect();
        let mut slots: Vec<Slot> = (0..weights.len()).map(|index| Slot::whole(index as u32)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&index| share[index] < 1.0);
        while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
            small.pop();
            slots[poor] = Slot { threshold: (share[poor] * 2_f64.powi(64)) as u64, alias: rich as u32 };
            share[rich] -= 1.0 - share[poor];
            if share[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        Ok(Self { count: weights.len() as u64, slots })
    }

    /// Returns a choice of `count` equal weights, which uses as many random numbers as any other.
    pub(super) fn even(count: u32) -> Self {
        Self { count: count.into(), slots: Vec::new() }
    }

    /// Draws an index.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> usize {
        let index = below(random, self.count) as usize;
        let draw = random.next_u64();
        match self.slots.get(index) {
            Some(slot) if draw >= slot.threshold => slot.alias as usize,
            _ => index,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    #[test]
    fn equal_weights_are_drawn_as_from_their_table() {
        let mut one = Random::seed_from_u64(3);
        let mut other = one.clone();
        for count in [1, 2, 7, 1000, 20_000] {
            let (even, weighed) =
                (WeightedChoice::even(count), WeightedChoice::new(&vec![1.0; count as usize]).unwrap());
            for _ in 0..100 {
                assert_eq!(even.draw(&mut one), weighed.draw(&mut other));
            }
        }
    }

    #[test]
    fn weights_beyond_the_range_of_numbers_are_refused() {
        for weights in [[1e308, 0.5], [1e308, 1e308], [f64::INFINITY, 1.0], [f64::NAN, 1.0], [f64::MAX, 0.0]]
        {
            let error = WeightedChoice::new(&weights).unwrap_err().to_string();
            assert!(error.contains("weights"), "{error}");
        }
        assert!(WeightedChoice::new(&[1e300, 2e300]).is_ok());
    }

    #[test]
    fn shares_come_out_as_weighted() {
        let weights = [1.0, 0.0, 5.0, 2.0, 2.0];
        let choice = WeightedChoice::new(&weights).unwrap();
        let mut random = Random::seed_from_u64(1);
        let mut counts = [0_u32; 5];
        for _ in 0..1_000_000 {
            counts[choice.draw(&mut random)] += 1;
        }
        for (count, weight) in counts.into_iter().zip(weights) {
            // Five standard deviations at most.
            assert!((f64::from(count) - weight * 1e5).abs() < 2500.0, "{counts:?}");
        }
        assert_eq!(counts[1], 0);
    }

    #[test]
    fn refuses_what_cannot_be_drawn_from() {
        for weights in [&[][..], &[0.0], &[-1.0, 2.0], &[f64::NAN], &[f64::INFINITY]] {
            assert!(WeightedChoice::new(weights).is_err(), "{weights:?}");
        }
    }
}
