//! A queue in a ring whose size is a power of two.

/// A queue of small values. It grows when it is full and never shrinks.
///
/// [`std::collections::VecDeque`] may have any capacity and compares on each access; masks are cheaper for
/// short queues that are used at every event.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    slots: Box<[T]>,
    first: usize,
    len: usize,
}

impl<T: Copy + Default> Ring<T> {
    /// Returns an empty queue with room for `room` values before it grows.
    pub fn new(room: usize) -> Self {
        Self { slots: vec![T::default(); room.max(1).next_power_of_two()].into(), first: 0, len: 0 }
    }

    /// Returns the number of values.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether it is empty.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    fn slot(&self, number: usize) -> usize {
        self.first.wrapping_add(number) & (self.slots.len() - 1)
    }

    /// Returns the value behind `number` others.
    #[inline(always)]
    pub fn get(&self, number: usize) -> Option<&T> {
        if number < self.len { Some(&self.slots[self.slot(number)]) } else { None }
    }

    /// As `get`, mutable.
    #[inline(always)]
    pub fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        let slot = self.slot(number);
        if number < self.len { Some(&mut self.slots[slot]) } else { None }
    }

    /// Returns the first value.
    #[inline(always)]
    pub fn front(&self) -> Option<&T> {
        if self.len > 0 { Some(&self.slots[self.first]) } else { None }
    }

    /// Returns the first value, mutable.
    #[inline(always)]
    pub fn front_mut(&mut self) -> Option<&mut T> {
        if self.len > 0 { Some(&mut self.slots[self.first]) } else { None }
    }

    /// Appends a value.
    #[inline(always)]
    pub fn push_back(&mut self, value: T) {
        if self.len == self.slots.len() {
            self.grow();
        }
        let slot = self.slot(self.len);
        self.slots[slot] = value;
        self.len += 1;
    }

    /// Inserts a value in front of all values that come behind it. The values are in order; the shorter side
    /// moves.
    #[inline(always)]
    pub fn insert(&mut self, value: T, comes_behind: impl Fn(&T, &T) -> bool) {
        if self.len == self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut place = self.slot(self.len);
        self.len += 1;
        let last = place.wrapping_sub(1) & mask;
        if self.len == 1 || !comes_behind(&self.slots[last], &value) {
            // Most are inserted at the end.
            self.slots[place] = value;
            return;
        }
        if comes_behind(&self.slots[self.slot((self.len - 1) / 2)], &value) {
            self.first = self.first.wrapping_sub(1) & mask;
            place = self.first;
            loop {
                let next = (place + 1) & mask;
                if comes_behind(&self.slots[next], &value) {
                    break;
                }
                self.slots[place] = self.slots[next];
                place = next;
            }
        } else {
            while place != self.first {
                let before = place.wrapping_sub(1) & mask;
                if !comes_behind(&self.slots[before], &value) {
                    break;
                }
                self.slots[place] = self.slots[before];
                place = before;
            }
        }
        self.slots[place] = value;
    }

    /// Removes and returns the first value.
    #[inline(always)]
    pub fn pop_front(&mut self) -> Option<T> {
        let value = *self.front()?;
        self.first = self.slot(1);
        self.len -= 1;
        Some(value)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut slots: Vec<T> = (0..self.len).filter_map(|number| self.get(number).copied()).collect();
        slots.resize(2 * self.slots.len(), T::default());
        (self.slots, self.first) = (slots.into(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn behaves_as_a_deque(
            room in 0usize..10,
            steps in proptest::collection::vec((0u8..4, 0usize..12, any::<u32>()), 1..200),
        ) {
            let (mut ring, mut deque) = (Ring::new(room), VecDeque::new());
            for (action, number, value) in steps {
                match action {
                    0 | 1 => { ring.push_back(value); deque.push_back(value); }
                    2 => prop_assert_eq!(ring.pop_front(), deque.pop_front()),
                    _ => prop_assert_eq!(ring.front_mut(), deque.front_mut()),
                }
                prop_assert_eq!(ring.len(), deque.len());
                prop_assert_eq!(ring.is_empty(), deque.is_empty());
                prop_assert_eq!(ring.get(number), deque.get(number));
                prop_assert_eq!(ring.get_mut(number), deque.get_mut(number));
                prop_assert_eq!(ring.front(), deque.front());
            }
        }

        #[test]
        fn what_is_inserted_stands_behind_its_equals(
            room in 0usize..10,
            steps in proptest::collection::vec((0u32..20, proptest::bool::weighted(0.3)), 1..200),
        ) {
            let (mut ring, mut list) = (Ring::new(room), Vec::<(u32, usize)>::new());
            for (number, (value, takes)) in steps.into_iter().enumerate() {
                if takes {
                    prop_assert_eq!(ring.pop_front(), (!list.is_empty()).then(|| list.remove(0)));
                } else {
                    ring.insert((value, number), |one, other| one.0 > other.0);
                    list.push((value, number));
                    list.sort_by_key(|entry| entry.0);
                }
                prop_assert_eq!((0..list.len()).filter_map(|n| ring.get(n).copied()).collect::<Vec<_>>(), list.clone());
            }
        }
    }
}
