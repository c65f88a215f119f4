//! Draws of queues with given weights, in constant time (the alias method of Walker, 1977).

use linecard_sim::Stream;

/// Queues with their probabilities.
#[derive(Clone, Debug)]
pub struct Weights {
    keep: Vec<f64>,
    alias: Vec<u32>,
}

impl Weights {
    /// Returns queues each `ratio` times as likely as the next.
    pub fn exponential(queues: u32, ratio: f64) -> Self {
        Self::new((0..queues).map(|queue| ratio.powi(-(queue as i32))).collect())
    }

    /// Returns weights with which the first `few` queues share `percent`, and the others the rest.
    pub fn dominating(queues: u32, few: u32, percent: f64) -> Self {
        let rest = (100.0 - percent) / f64::from(queues.saturating_sub(few).max(1));
        let each = percent / f64::from(few);
        Self::new((0..queues).map(|queue| if queue < few { each } else { rest }).collect())
    }

    /// Returns weights with `top` for the first queue, `few` queues whose weights fall by `ratio`, and `spread`
    /// over the others; all in percent.
    pub fn mix(queues: u32, top: f64, ratio: f64, few: u32, spread: f64) -> Self {
        let falling: Vec<f64> = (0..few).map(|queue| ratio.powi(-(queue as i32))).collect();
        let sum: f64 = falling.iter().sum();
        let middle = 100.0 - top - spread;
        let rest = spread / f64::from(queues.saturating_sub(few + 1).max(1));
        let weight = |queue: u32| match queue {
            0 => top,
            queue if queue <= few => middle * falling[queue as usize - 1] / sum,
            _ => rest,
        };
        Self::new((0..queues).map(weight).collect())
    }

    fn new(weights: Vec<f64>) -> Self {
        let count = weights.len();
        let scale = count as f64 / weights.iter().sum::<f64>();
        let mut keep: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
        let mut alias: Vec<u32> = (0..count as u32).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..count).partition(|&at| keep[at] < 1.0);
        while let (Some(&less), Some(&more)) = (small.last(), large.last()) {
            small.pop();
            alias[less] = more as u32;
            keep[more] -= 1.0 - keep[less];
            if keep[more] < 1.0 {
                large.pop();
                small.push(more);
            }
        }
        // The remaining shares are 1 except for rounding errors.
        small.into_iter().chain(large).for_each(|at| keep[at] = 1.0);
        Self { keep, alias }
    }

    /// Draws a queue.
    #[inline]
    pub fn draw(&self, draws: &mut Stream) -> u32 {
        let at = draws.below(self.keep.len() as u32);
        if draws.unit() < self.keep[at as usize] { at } else { self.alias[at as usize] }
    }
}
