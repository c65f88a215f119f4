//! The lists of each set in a few words: sets of at most sixteen digests; the fastest form.
//!
//! A digest stays in its slot. A list is a word of slots, four bits each, its front lowest, so that moving a
//! digest is arithmetic on two words: no pointer to follow, no table to look up, no branch.

use crate::lists::Lists;

/// Lists of a set.
const LISTS: usize = 4;
/// The lowest bit of each position of a word.
const ONES: u64 = 0x1111_1111_1111_1111;

/// The lists of every set, of at most `SLOTS` digests each: a power of two up to 16.
#[derive(Clone, Debug)]
pub(crate) struct PackedLists<const SLOTS: usize> {
    sets: Vec<Set<SLOTS>>,
}

#[derive(Clone, Copy, Debug)]
struct Set<const SLOTS: usize> {
    digests: [u32; SLOTS],
    /// The slots of each list; zero behind its end.
    orders: [u64; LISTS],
    /// The list of each slot.
    list_of: [u8; SLOTS],
    /// The note of each slot.
    notes: [u8; SLOTS],
    lens: [u8; LISTS],
    /// The bits of the slots that hold a digest.
    used: u32,
}

/// Returns four bits of a word.
#[inline]
fn nibble(word: u64, place: u32) -> u32 {
    (word >> (4 * (place & 15))) as u32 & 15
}

/// Returns the bits below the first position of `order` that holds `slot`, which must be there.
#[inline]
fn below(order: u64, slot: u32) -> u64 {
    let differs = order ^ (ONES * u64::from(slot));
    // The lowest bit is exact: borrows come from equal positions only.
    let equal = differs.wrapping_sub(ONES) & !differs & (ONES << 3);
    // From the top bit of the position to all bits below it.
    ((equal & equal.wrapping_neg()) >> 3).wrapping_sub(1)
}

/// Returns the bit of a slot in a word of slots, the first highest: the compiler vectorises this order, and not
/// the other one.
#[inline(always)]
fn bit(slot: u32) -> u32 {
    1 << 31 >> (slot & 15)
}

/// Returns the bits of the digests that are `wanted`.
#[inline(always)]
fn equal<const SLOTS: usize>(digests: &[u32; SLOTS], wanted: u32) -> u32 {
    let marked: [u32; SLOTS] =
        std::array::from_fn(|slot| if digests[slot] == wanted { bit(slot as u32) } else { 0 });
    marked.into_iter().fold(0, |all, bit| all | bit)
}

impl<const SLOTS: usize> Set<SLOTS> {
    #[inline]
    fn unlink(&mut self, slot: u32) {
        let list = usize::from(self.list_of[slot as usize % SLOTS]) % LISTS;
        let order = self.orders[list];
        let below = below(order, slot);
        self.orders[list] = (order & below) | ((order >> 4) & !below);
        self.lens[list] -= 1;
    }

    /// Removes the last slot of a list that has one.
    #[inline]
    fn unlink_back(&mut self, list: u32) -> u32 {
        let list = list as usize % LISTS;
        self.lens[list] -= 1;
        let last = u32::from(self.lens[list]);
        let slot = nibble(self.orders[list], last);
        self.orders[list] ^= u64::from(slot) << (4 * (last & 15));
        slot
    }

    #[inline]
    fn link_front(&mut self, list: u32, slot: u32) {
        self.list_of[slot as usize % SLOTS] = list as u8;
        let list = list as usize % LISTS;
        self.orders[list] = self.orders[list] << 4 | u64::from(slot);
        self.lens[list] += 1;
    }
}

impl<const SLOTS: usize> Lists for PackedLists<SLOTS> {
    type Node = u32;

    fn new(sets: u32, lists: u32, nodes: u32) -> Self {
        const { assert!(matches!(SLOTS, 4 | 8 | 16), "a slot is four bits of a word") };
        assert!(lists as usize <= LISTS && nodes as usize <= SLOTS, "a set of that many has no room here");
        let orders = [0; LISTS];
        let set = Set {
            digests: [0; SLOTS],
            orders,
            list_of: [0; SLOTS],
            notes: [0; SLOTS],
            lens: [0; LISTS],
            used: 0,
        };
        Self { sets: vec![set; sets as usize] }
    }

    #[inline(always)]
    fn find(&self, set: u32, digest: u32) -> Option<u32> {
        let set = &self.sets[set as usize];
        let found = equal(&set.digests, digest) & set.used;
        (found != 0).then_some(found.leading_zeros())
    }

    #[inline]
    fn list_of(&self, set: u32, slot: u32) -> u32 {
        self.sets[set as usize].list_of[slot as usize % SLOTS].into()
    }

    #[inline]
    fn digest(&self, set: u32, slot: u32) -> u32 {
        self.sets[set as usize].digests[slot as usize % SLOTS]
    }

    #[inline]
    fn note(&self, set: u32, slot: u32) -> u32 {
        self.sets[set as usize].notes[slot as usize % SLOTS].into()
    }

    #[inline]
    fn set_note(&mut self, set: u32, slot: u32, note: u32) {
        self.sets[set as usize].notes[slot as usize % SLOTS] = note as u8;
    }

    #[inline]
    fn len(&self, set: u32, list: u32) -> u32 {
        u32::from(self.sets[set as usize].lens[list as usize % LISTS])
    }

    #[inline]
    fn back(&self, set: u32, list: u32) -> Option<u32> {
        let len = self.len(set, list);
        let order = self.sets[set as usize].orders[list as usize % LISTS];
        (len != 0).then(|| nibble(order, len.wrapping_sub(1)))
    }

    #[inline]
    fn before(&self, set: u32, slot: u32) -> Option<u32> {
        let set = &self.sets[set as usize];
        let order = set.orders[usize::from(set.list_of[slot as usize % SLOTS]) % LISTS];
        let below = below(order, slot);
        (below != 0).then(|| nibble(order, below.count_ones() / 4 - 1))
    }

    #[inline]
    fn add_front(&mut self, set: u32, list: u32, digest: u32) -> u32 {
        let set = &mut self.sets[set as usize];
        let slot = (!set.used).leading_zeros();
        debug_assert!((slot as usize) < SLOTS, "a set holds the entries and ghosts of a full cache");
        set.used |= bit(slot);
        set.digests[slot as usize % SLOTS] = digest;
        set.notes[slot as usize % SLOTS] = 0;
        set.link_front(list, slot);
        slot
    }

    #[inline]
    fn move_front(&mut self, set: u32, list: u32, slot: u32) {
        let set = &mut self.sets[set as usize];
        set.unlink(slot);
        set.link_front(list, slot);
    }

    #[inline]
    fn move_back(&mut self, set: u32, from: u32, to: u32) {
        let slot = self.sets[set as usize].unlink_back(from);
        self.sets[set as usize].link_front(to, slot);
    }

    #[inline]
    fn remove_back(&mut self, set: u32, list: u32) -> u32 {
        let set = &mut self.sets[set as usize];
        let slot = set.unlink_back(list);
        set.used &= !bit(slot);
        set.digests[slot as usize % SLOTS]
    }

    #[inline]
    fn remove(&mut self, set: u32, slot: u32) -> u32 {
        let set = &mut self.sets[set as usize];
        set.unlink(slot);
        set.used &= !bit(slot);
        set.digests[slot as usize % SLOTS]
    }

    #[cfg(test)]
    fn digests(&self, set: u32, list: u32) -> Vec<u32> {
        let order = self.sets[set as usize].orders[list as usize];
        (0..self.len(set, list)).map(|place| self.digest(set, nibble(order, place))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pooled_lists::PooledLists;
    use proptest::prelude::*;

    /// What is done to the lists of a set: which digest, which list, and a number that says what.
    fn act<L: Lists>(lists: &mut L, set: u32, (digest, list, what): (u32, u32, u32)) -> [Option<u32>; 4] {
        let Some(node) = lists.find(set, digest) else {
            let all: u32 = (0..4).map(|list| lists.len(set, list)).sum();
            if all < 16 {
                let added = lists.add_front(set, list, digest);
                assert_eq!((lists.digest(set, added), lists.note(set, added)), (digest, 0));
            }
            return [None; 4];
        };
        let before = lists.before(set, node).map(|node| lists.digest(set, node));
        let back = lists.back(set, list).map(|node| lists.digest(set, node));
        let note = lists.note(set, node);
        let found = [Some(lists.list_of(set, node)), before, back, Some(note)];
        match what {
            0 => assert_eq!(lists.remove(set, node), digest),
            1 => lists.set_note(set, node, (note + 7) % 16),
            2 if back.is_some() => lists.move_back(set, list, digest % 4),
            3 if back.is_some() => assert_eq!(Some(lists.remove_back(set, list)), back),
            _ => lists.move_front(set, list, node),
        }
        found
    }

    proptest! {
        /// Both forms of the lists are one.
        #[test]
        fn packed_lists_are_pooled_lists(
            acts in proptest::collection::vec((0u32..2, (0u32..18, 0u32..4, 0u32..8)), 1..400),
        ) {
            let (mut packed, mut pooled) = (PackedLists::<16>::new(2, 4, 16), PooledLists::new(2, 4, 16));
            for (set, (digest, list, what)) in acts {
                // A digest belongs to one set.
                let act_on = (2 * digest + set, list, what);
                prop_assert_eq!(act(&mut packed, set, act_on), act(&mut pooled, set, act_on));
                for list in 0..4 {
                    prop_assert_eq!(packed.digests(set, list), pooled.digests(set, list));
                }
            }
        }
    }
}
