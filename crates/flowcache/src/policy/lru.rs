//! LRU: the least recently used entry is evicted. Chapter 5 compares everything with it.
//! Source: Girish 2008, section 5.3.2.

use super::build::{Build, ordered_bits};
use super::info::{Cost, Info};
use crate::cache::{Access, Replay};
use crate::order::{Order, Rule};

pub(super) const INFO: Info = Info {
    name: "LRU",
    aliases: &[],
    parameter: None,
    cost: Cost::Bits(|geometry, _| ordered_bits(geometry)),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.ordered(Lru)
}

/// Hits and misses alike become the first.
#[derive(Clone)]
pub(super) struct Lru;

impl Rule for Lru {
    #[inline]
    fn insert<O: Order>(&mut self, order: &mut O, access: Access) {
        order.insert_front(access);
    }

    #[inline]
    fn access<O: Order>(&mut self, order: &mut O, access: Access) -> bool {
        order.front(access)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::check;

    #[test]
    fn by_hand() {
        check(Lru, "a:a... b:ba.. c:cba. d:dcba b+bdca e:ebdc a:aebd d+daeb d+daeb");
    }
}
