//! DIP, dynamic insertion policy: LRU or BIP, whichever misses less in a few sets that always follow one of them.
//! Source: Qureshi et al., ISCA 2007.

use super::bip::{Bip, Throttle};
use super::duel::{COUNTER_BITS, Duel, Side};
use super::build::{Build, ordered_bits};
use super::info::{Cost, Info};
use crate::cache::{Access, Replay};
use crate::order::{Order, Rule};

/// One of BIP's insertions in this number goes to the front.
const EVERY: u32 = 32;

pub(super) const INFO: Info = Info {
    name: "DIP",
    aliases: &[],
    parameter: None,
    cost: Cost::Bits(|geometry, _| ordered_bits(geometry) + COUNTER_BITS + 5),
    least_sets: 2,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.ordered(Dip { duel: Duel::new(build.geometry), bip: Bip { throttle: Throttle::new(EVERY) } })
}

#[derive(Clone)]
struct Dip {
    duel: Duel,
    bip: Bip,
}

impl Rule for Dip {
    #[inline]
    fn insert<O: Order>(&mut self, order: &mut O, access: Access) {
        match self.duel.missed(access.set) {
            Side::Settled => order.insert_front(access),
            Side::Bimodal => self.bip.insert(order, access),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Geometry;
    use crate::policy::hand::check;

    /// Set 0 leads for LRU.
    #[test]
    fn a_leader_of_lru_by_hand() {
        let duel = Duel::new(Geometry::new(8, 4).unwrap());
        let dip = Dip { duel, bip: Bip { throttle: Throttle::new(EVERY) } };
        check(dip, "a:a... b:ba.. c:cba. d:dcba e:edcb c+cedb");
    }

    #[test]
    fn a_follower_turns_to_bip_once_a_leader_of_lru_has_missed() {
        let mut duel = Duel::new(Geometry::new(256, 4).unwrap());
        assert_eq!((duel.missed(0), duel.missed(1)), (Side::Settled, Side::Bimodal));
    }
}
