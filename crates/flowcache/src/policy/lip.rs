//! LIP, LRU insertion policy: as LRU, but a new entry is the next victim until it is hit.
//! Source: Qureshi et al., ISCA 2007.

use super::build::{Build, ordered_bits};
use super::info::{Cost, Info};
use crate::cache::{Access, Replay};
use crate::order::{Order, Rule};

pub(super) const INFO: Info = Info {
    name: "LIP",
    aliases: &[],
    parameter: None,
    cost: Cost::Bits(|geometry, _| ordered_bits(geometry)),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.ordered(Lip)
}

#[derive(Clone)]
struct Lip;

impl Rule for Lip {
    #[inline]
    fn insert<O: Order>(&mut self, order: &mut O, access: Access) {
        order.insert_end(access);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::hand::check;

    #[test]
    fn by_hand() {
        check(Lip, "a:a... b:ab.. c:abc. d:abcd e:abce e+eabc f:eabf b+beaf");
    }
}
