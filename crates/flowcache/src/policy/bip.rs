//! BIP, bimodal insertion: as LIP, but one in n new entries goes to the front, so that the cache follows
//! changes.
//! Source: Qureshi et al., ISCA 2007.
//!
//! The n-th, 2n-th, … insertion of the whole cache replaces the probability 1/n of the paper, whose n is 32.

use super::build::{Build, log2_ceil, ordered_bits};
use super::info::{Cost, Info, Parameter};
use crate::cache::{Access, Replay};
use crate::order::{Order, Rule};

pub(super) const INFO: Info = Info {
    name: "BIP",
    aliases: &[],
    parameter: Some(Parameter {
        meaning: "number of misses per insertion at the front",
        default: 32,
        least: 1,
        most: 1 << 20,
    }),
    cost: Cost::Bits(|geometry, every| ordered_bits(geometry) + log2_ceil(every)),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.ordered(Bip { throttle: Throttle::new(build.parameter) })
}

/// Says yes to every n-th question.
#[derive(Clone)]
pub(super) struct Throttle {
    every: u32,
    left: u32,
}

impl Throttle {
    pub fn new(every: u32) -> Self {
        Self { every, left: every }
    }

    #[inline]
    pub fn opens(&mut self) -> bool {
        self.left -= 1;
        let opens = self.left == 0;
        if opens {
            self.left = self.every;
        }
        opens
    }
}

#[derive(Clone)]
pub(super) struct Bip {
    pub throttle: Throttle,
}

impl Rule for Bip {
    #[inline]
    fn insert<O: Order>(&mut self, order: &mut O, access: Access) {
        if self.throttle.opens() {
            order.insert_front(access);
        } else {
            order.insert_end(access);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::check;

    #[test]
    fn every_third_insertion_goes_to_the_front() {
        let bip = Bip { throttle: Throttle::new(3) };
        check(bip, "a:a... b:ab.. c:cab. d:cabd e:cabe f:fcab b+bfca g:bfcg");
    }
}
