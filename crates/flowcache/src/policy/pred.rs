//! PRED: LRU that inserts only digests with enough future uses. The thesis's bound for keeping single packets
//! out.
//! Source: Girish 2008, section 5.4.
//!
//! "Inserts a digest into the cache only when it has more than one access in a window of 10,000 accesses in the
//! future" (section 5.4). The number is how many packets of the digest must follow within the window: 1 counts
//! the missing packet itself as the first access, 2 does not.

use super::foresight::Foresight;
use super::build::Build;
use super::info::{Cost, Info, Parameter};
use crate::cache::{Access, Replay};
use crate::order::{Order, Rule};

pub(super) const INFO: Info = Info {
    name: "PRED",
    aliases: &[],
    parameter: Some(Parameter {
        meaning: "minimum number of packets with the same digest that must follow soon; otherwise, no insertion",
        default: 1,
        least: 1,
        most: 1 << 20,
    }),
    cost: Cost::Oracle,
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    build.ordered(Pred { foresight: Foresight::new(build.future()), needed: build.parameter })
}

#[derive(Clone)]
struct Pred {
    foresight: Foresight,
    needed: u32,
}

impl Rule for Pred {
    #[inline]
    fn insert<O: Order>(&mut self, order: &mut O, access: Access) {
        if self.foresight.follow_soon(access.at, self.needed) {
            order.insert_front(access);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Future;
    use crate::policy::hand::check;

    /// The trace a b a c b a with a window of 3 packets.
    #[test]
    fn by_hand() {
        let pred = |needed| {
            let next = [2, 4, 5, u32::MAX, u32::MAX, u32::MAX].into();
            Pred { foresight: Foresight::new(Future { next, window: 3 }), needed }
        };
        check(pred(1), "a:a... b:ba.. a+ab.. c:ab.. b+ba.. a+ab..");
        check(pred(2), "a:.... b:.... a:.... c:.... b:.... a:....");
    }
}
