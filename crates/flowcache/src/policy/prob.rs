//! PROB, probabilistic insertion: LRU, but a miss inserts with probability 1/n only.
//! Source: Li et al. 2003 (thesis, section 5.5).
//!
//! A large flow misses often enough to be inserted, a single packet hardly ever. Open vSwitch fills its
//! exact-match cache in this way, with n = 100.

use super::build::{Build, ordered_bits};
use super::info::{Cost, Info, Parameter};
use crate::cache::{Access, Replay};
use crate::order::{Order, Rule};
use linecard_sim::{Stream, stream};

pub(super) const INFO: Info = Info {
    name: "PROB",
    aliases: &["PROBABILISTIC"],
    parameter: Some(Parameter { meaning: "misses per insertion", default: 4, least: 1, most: 1 << 20 }),
    cost: Cost::Bits(|geometry, _| ordered_bits(geometry)),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.ordered(Prob { every: build.parameter, draws: stream(build.seed, "cache insertions") })
}

#[derive(Clone)]
struct Prob {
    every: u32,
    draws: Stream,
}

impl Rule for Prob {
    #[inline]
    fn insert<O: Order>(&mut self, order: &mut O, access: Access) {
        if self.draws.below(self.every) == 0 {
            order.insert_front(access);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::check;

    #[test]
    fn one_in_one_is_lru() {
        let prob = Prob { every: 1, draws: stream(1, "cache insertions") };
        check(prob, "a:a... b:ba.. a+ab.. c:cab. d:dcab e:edca");
    }

    #[test]
    fn one_in_four_misses_inserts() {
        let mut prob = Prob { every: 4, draws: stream(1, "cache insertions") };
        let inserted = (0..40_000).filter(|_| prob.draws.below(prob.every) == 0).count();
        assert!((9_700..10_300).contains(&inserted), "{inserted}");
    }
}
