//! FIFO: the oldest entry is evicted, however often it was hit.
//! Source: textbook policy; the only state of a set is its write pointer.

use super::build::{Build, log2_ceil};
use super::info::{Cost, Info};
use crate::cache::{Access, Replay};
use crate::order::{Order, Rule};

pub(super) const INFO: Info = Info {
    name: "FIFO",
    aliases: &[],
    parameter: None,
    cost: Cost::Bits(|geometry, _| u64::from(geometry.sets()) * log2_ceil(geometry.ways())),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.ordered(Fifo)
}

#[derive(Clone)]
struct Fifo;

impl Rule for Fifo {
    #[inline]
    fn hit<O: Order>(&mut self, _order: &mut O, _set: u32, _place: O::Place) {}

    #[inline]
    fn insert<O: Order>(&mut self, order: &mut O, access: Access) {
        order.insert_front(access);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::check;

    #[test]
    fn by_hand() {
        check(Fifo, "a:a... b:ba.. a+ba.. c:cba. d:dcba a+dcba e:edcb a:aedc");
    }
}
