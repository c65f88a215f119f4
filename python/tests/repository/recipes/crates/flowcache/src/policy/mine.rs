//! What came first leaves, and a hit makes it the last but one.

use super::{Build, Cost, Info};
use crate::cache::{Access, Replay};
use crate::order::{Order, Rule};

pub(super) const INFO: Info = Info {
    name: "MINE",
    aliases: &[],
    parameter: None,
    summary: "hits move nothing",
    source: "a recipe",
    cost: Cost::Bits(|_, _| 0),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.ordered(Mine)
}

#[derive(Clone)]
struct Mine;

impl Rule for Mine {
    #[inline]
    fn hit<O: Order>(&mut self, _order: &mut O, _set: u32, _place: O::Place) {}

    #[inline]
    fn insert<O: Order>(&mut self, order: &mut O, access: Access) {
        order.insert_front(access);
    }
}
