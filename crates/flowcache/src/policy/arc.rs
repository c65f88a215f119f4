//! ARC, adaptive replacement: an LRU list of digests seen once, one of those seen more often, and the ghosts of
//! both; a miss in a list's ghosts makes that list larger.
//! Source: Megiddo and Modha, FAST 2003.

use super::build::{Build, log2_ceil, with_lists};
use super::info::{Cost, Info};
use crate::cache::{Access, Replay, SearchesOnce};
use crate::geometry::Geometry;
use crate::lists::Lists;

pub(super) const INFO: Info = Info {
    name: "ARC",
    aliases: &[],
    parameter: None,
    cost: Cost::Bits(|geometry, _| {
        super::build::ordered_bits(geometry) * 2
            + super::build::ghost_bits(geometry, 1, 1)
            + u64::from(geometry.sets()) * (log2_ceil(geometry.ways()) + FRACTION_BITS)
    }),
    least_sets: 1,
};

pub(super) fn build(build: &Build) -> Box<dyn Replay> {
    with_lists!(build, Arc, 2 * build.geometry.ways())
}

/// Lists of a set, named as in the paper.
const LISTS: u32 = 4;
const T1: u32 = 0;
const T2: u32 = 1;
const B1: u32 = 2;
const B2: u32 = 3;

/// The target size of T1 is a fixed-point number.
const FRACTION_BITS: u64 = 32;

struct Arc<L> {
    lists: L,
    ways: u32,
    /// The paper's p, per set.
    targets: Vec<u64>,
}

impl<L: Lists> Arc<L> {
    fn new(geometry: Geometry) -> Self {
        Self {
            lists: L::new(geometry.sets(), LISTS, 2 * geometry.ways()),
            ways: geometry.ways(),
            targets: vec![0; geometry.sets() as usize],
        }
    }

    fn len(&self, set: u32, list: u32) -> u32 {
        self.lists.len(set, list)
    }

    /// Moves the target by the ratio of the other ghost list to the one that was hit, at least by 1.
    fn adapt(&mut self, set: u32, hit: u32) {
        let step = |own: u32, other: u32| ((u64::from(other) << FRACTION_BITS) / u64::from(own)).max(1 << FRACTION_BITS);
        let (b1, b2) = (self.len(set, B1), self.len(set, B2));
        let most = u64::from(self.ways) << FRACTION_BITS;
        let target = &mut self.targets[set as usize];
        *target = match hit {
            B1 => (*target + step(b1, b2)).min(most),
            _ => target.saturating_sub(step(b2, b1)),
        };
    }

    /// Makes the last entry of T1 or T2 a ghost, whichever the target asks for.
    fn replace(&mut self, set: u32, missed_in_b2: bool) {
        let t1 = u64::from(self.len(set, T1)) << FRACTION_BITS;
        let target = self.targets[set as usize];
        let from_t1 = t1 > 0 && (t1 > target || (missed_in_b2 && t1 == target) || self.len(set, T2) == 0);
        let (from, to) = if from_t1 { (T1, B1) } else { (T2, B2) };
        self.lists.move_back(set, from, to);
    }

    /// Case IV of the paper: the digest is in none of the lists.
    fn insert_unknown(&mut self, access: Access) {
        let set = access.set;
        let [t1, t2, b1, b2] = [T1, T2, B1, B2].map(|list| self.len(set, list));
        if t1 + b1 == self.ways {
            if b1 == 0 {
                self.lists.remove_back(set, T1);
            } else {
                self.lists.remove_back(set, B1);
                self.replace(set, false);
            }
        } else if t1 + t2 + b1 + b2 >= self.ways {
            if t1 + t2 + b1 + b2 == 2 * self.ways {
                self.lists.remove_back(set, B2);
            }
            if t1 + t2 == self.ways {
                self.replace(set, false);
            }
        }
        self.lists.add_front(set, T1, access.digest);
    }
}

impl<L: Lists> SearchesOnce for Arc<L> {
    type Found = Option<L::Node>;

    #[inline(always)]
    fn find(&self, access: Access) -> Self::Found {
        self.lists.find(access.set, access.digest)
    }

    #[inline(always)]
    fn hit(&mut self, access: Access, found: Self::Found) -> bool {
        let set = access.set;
        let found = found.filter(|&node| self.lists.list_of(set, node) < B1);
        if let Some(node) = found {
            self.lists.move_front(set, T2, node);
        }
        found.is_some()
    }

    #[inline(always)]
    fn miss(&mut self, access: Access, found: Self::Found) {
        let Some(ghost) = found else {
            return self.insert_unknown(access);
        };
        let list = self.lists.list_of(access.set, ghost);
        self.adapt(access.set, list);
        if self.len(access.set, T1) + self.len(access.set, T2) == self.ways {
            self.replace(access.set, list == B2);
        }
        self.lists.move_front(access.set, T2, ghost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed_lists::PackedLists;
    use crate::policy::hand::{lists, replay};

    #[test]
    fn by_hand() {
        let mut arc = Arc::<PackedLists<8>>::new(Geometry::new(2, 2).unwrap());
        let show = |arc: &Arc<_>| format!("{}={}", lists(&arc.lists, 0..4), arc.targets[0] >> FRACTION_BITS);
        // a is used twice. b becomes a ghost of T1 and comes back: the target rises to 1, so that T2 gives way;
        // a comes back from the ghosts of T2, and the target falls again.
        let steps = "a:a|||=0 a+|a||=0 b:b|a||=0 c:c|a|b|=0 b:c|b||a=1 a:|ab|c|=0 d:d|a|c|b=0";
        replay(&mut arc, steps, show);
    }
}
