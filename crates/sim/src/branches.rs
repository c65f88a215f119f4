//! Issue slots lost to taken branches: some instructions are taken branches, and the slots behind them are
//! empty.
//!
//! The distance from one to the next is drawn from a geometric distribution. With a fixed distance the threads
//! of an engine would fall into step with each other.

use crate::random::{Stream, stream};

/// Distances above this number have a probability of about one in a million, for any share worth stating.
const LONGEST: usize = 512;
/// In a piece of more instructions than this, the number of branches is computed and not drawn: with one in
/// eight taken, it is then within a hundredth of its mean. So a thread of many such pieces does not keep the
/// user from interrupting the simulation.
const DRAWN: u32 = 1 << 16;

/// The taken branches of an engine, and their cost.
pub struct Branches {
    random: Stream,
    lost: u32,
    share: f64,
    /// Probability, in 2^-32, that the next branch is at most `index + 1` instructions away.
    within: Vec<u64>,
    /// Instructions until the next taken branch.
    until: u32,
}

impl Branches {
    /// Returns branches that are a fraction `share` of all instructions and lose `lost_cycles` cycles each;
    /// `None` if they cost nothing.
    pub fn new(share: f64, lost_cycles: u32, seed: u64) -> Option<Self> {
        if share <= 0.0 || lost_cycles == 0 {
            return None;
        }
        let mut not_yet = 1.0;
        let within = (0..LONGEST).map(|_| {
            not_yet *= 1.0 - share;
            ((1.0 - not_yet) * (1u64 << 32) as f64) as u64
        });
        let mut branches = Self {
            random: stream(seed, "branches"),
            lost: lost_cycles,
            share,
            within: within.collect(),
            until: 0,
        };
        branches.until = branches.draw();
        Some(branches)
    }

    fn draw(&mut self) -> u32 {
        let drawn = self.random.bits() >> 32;
        self.within.partition_point(|&within| within <= drawn) as u32 + 1
    }

    /// Returns the cycles of `instructions` instructions.
    pub fn cycles(&mut self, instructions: u32) -> u64 {
        let mut left = instructions.min(DRAWN);
        let reckoned = f64::from(instructions - left) * self.share * f64::from(self.lost);
        let mut cycles = u64::from(instructions) + reckoned as u64;
        while left >= self.until {
            left -= self.until;
            cycles += u64::from(self.lost);
            self.until = self.draw();
        }
        self.until -= left;
        cycles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_eight_costs_a_quarter_more_on_average_however_the_code_is_cut() {
        for piece in [1, 7, 94] {
            let mut branches = Branches::new(0.125, 2, 1).unwrap();
            let pieces = 940_000 / piece;
            let cycles: u64 = (0..pieces).map(|_| branches.cycles(piece)).sum();
            let factor = cycles as f64 / f64::from(pieces * piece);
            assert!((factor - 1.25).abs() < 0.005, "pieces of {piece}: {factor}");
        }
        assert!(Branches::new(0.0, 2, 1).is_none());
    }

    #[test]
    fn a_piece_of_a_thousand_million_instructions_costs_as_much_and_is_no_work() {
        let mut branches = Branches::new(0.125, 2, 1).unwrap();
        let found = (0..100).map(|_| branches.cycles(1_000_000_000) as f64).sum::<f64>() / 100e9;
        assert!((found - 1.25).abs() < 0.001, "{found}");
    }
}
