//! A hash table of values by number, with open addressing: every access is counted in it, so a lookup is short.

/// A number that is never looked up; it marks free slots.
const FREE: u64 = u64::MAX;
/// Slots of a table with its first value; a power of two.
const LEAST_SLOTS: usize = 64;

/// Values by number. A value is in the slot of its hash, or in the next free one. At most half of the slots are used.
#[derive(Clone, Debug, Default)]
pub(super) struct Table<V> {
    slots: Vec<(u64, V)>,
    used: usize,
    /// The highest bits of a hash are its slot; this is the number of its other bits.
    shift: u32,
}

impl<V: Copy + Default> Table<V> {
    pub fn len(&self) -> usize {
        self.used
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn iter(&self) -> impl Iterator<Item = (u64, V)> + '_ {
        self.slots.iter().filter(|(key, _)| *key != FREE).copied()
    }

    #[inline(always)]
    fn slot_of(&self, key: u64) -> usize {
        // The golden ratio of 2^64 (Knuth, vol. 3, section 6.4).
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Returns the value of a number, if it is in the slot of its hash, where most are.
    #[inline(always)]
    pub fn first_mut(&mut self, key: u64) -> Option<&mut V> {
        let slot = self.slot_of(key);
        let (first, value) = self.slots.get_mut(slot)?;
        (*first == key).then_some(value)
    }

    /// Returns the value of a number, if it has one.
    pub fn get_mut(&mut self, key: u64) -> Option<&mut V> {
        let slot = self.find(self.slot_of(key), key)?;
        let (found, value) = &mut self.slots[slot];
        (*found == key).then_some(value)
    }

    /// Returns the slot of a number, or the free one for it; `None` if there are no slots.
    fn find(&self, mut slot: usize, key: u64) -> Option<usize> {
        let last = self.slots.len().checked_sub(1)?;
        while self.slots[slot].0 != key && self.slots[slot].0 != FREE {
            slot = (slot + 1) & last;
        }
        Some(slot)
    }

    /// Sets the value of a number.
    pub fn insert(&mut self, key: u64, value: V) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        if let Some(slot) = self.find(self.slot_of(key), key) {
            self.used += usize::from(self.slots[slot].0 == FREE);
            self.slots[slot] = (key, value);
        }
    }

    #[cold]
    fn grow(&mut self) {
        let count = (self.slots.len() * 2).max(LEAST_SLOTS);
        let free = vec![(FREE, V::default()); count];
        let all = std::mem::replace(&mut self.slots, free);
        self.shift = u64::BITS - count.ilog2();
        self.used = 0;
        all.into_iter().filter(|(key, _)| *key != FREE).for_each(|(key, value)| self.insert(key, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn it_holds_what_a_map_holds() {
        let mut table: Table<u64> = Table::default();
        let mut map = BTreeMap::new();
        assert_eq!(table.get_mut(0), None);
        for number in 0..10_000u64 {
            let key = (number * number % 5_003) << 20;
            match table.get_mut(key) {
                Some(value) => *value += number,
                None => table.insert(key, number),
            }
            *map.entry(key).or_insert(0) += number;
        }
        let mut all: Vec<_> = table.iter().collect();
        all.sort_unstable();
        assert_eq!((all.len(), table.len()), (map.len(), map.len()));
        assert!(all.into_iter().eq(map));
        table.clear();
        assert_eq!((table.len(), table.iter().count(), table.get_mut(0)), (0, 0, None));
    }
}
