//! SP, Saturating Priority: an entry rises in its set by one rank per hit; a new one has the lowest rank.
//! Source: Girish 2008, section 5.3.2.
//!
//! "Whenever an entry with a lower priority is accessed, it swaps its priority with the entry with next higher
//! precedence. A new entry is added to a set with the least priority after evicting the item with the lowest
//! priority" (section 5.3.2, Figure 5.4). The thesis leaves open what happens in a set that is not yet full:
//!
//! - reading 1: a new entry is inserted behind the valid ones, so that the set fills up first;
//! - reading 2: empty ways have the low priorities, so that the second miss evicts the entry of the first.

use super::build::{Build, ordered_bits};
use super::info::{Cost, Info, Parameter};
use crate::cache::{Access, Replay};
use crate::order::{Order, Rule};

pub(super) const INFO: Info = Info {
    name: "SP",
    aliases: &["SATURATINGPRIORITY"],
    parameter: Some(Parameter {
        meaning: "rule for sets with empty ways; 1: fill the empty ways first; 2: evict as in a full set",
        default: 1,
        least: 1,
        most: 2,
    }),
    cost: Cost::Bits(|geometry, _| ordered_bits(geometry)),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    match build.parameter {
        1 => build.ordered(FillFirst),
        _ => build.ordered(EmptyIsLow),
    }
}

/// Reading 1.
#[derive(Clone)]
struct FillFirst;

impl Rule for FillFirst {
    #[inline]
    fn hit<O: Order>(&mut self, order: &mut O, set: u32, place: O::Place) {
        order.raise_by_one(set, place);
    }

    #[inline]
    fn insert<O: Order>(&mut self, order: &mut O, access: Access) {
        order.insert_end(access);
    }

    #[inline]
    fn access<O: Order>(&mut self, order: &mut O, access: Access) -> bool {
        order.step(access)
    }
}

/// Reading 2.
#[derive(Clone)]
struct EmptyIsLow;

impl Rule for EmptyIsLow {
    const BLANKS: bool = true;

    #[inline]
    fn hit<O: Order>(&mut self, order: &mut O, set: u32, place: O::Place) {
        order.raise_by_one(set, place);
    }

    #[inline]
    fn insert<O: Order>(&mut self, order: &mut O, access: Access) {
        order.replace_last(access);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::check;

    /// Figure 5.4: d climbs past c and b, so that the miss of e evicts c; a is at the top and stays there.
    #[test]
    fn figure_5_4() {
        check(FillFirst, "a:a... b:ab.. c:abc. d:abcd d+abdc d+adbc e:adbe a+adbe");
    }

    #[test]
    fn a_hit_swaps_also_while_the_set_fills() {
        check(FillFirst, "a:a... b:ab.. b+ba.. c:bac. c+bca. d:bcad e:bcae");
    }

    #[test]
    fn empty_ways_hold_the_low_priorities_in_the_second_reading() {
        check(EmptyIsLow, "a:...a b:...b b+..b. c:..bc c+..cb b+..bc b+.b.c d:.b.d b+b..d");
    }
}
