//! Wake-ups of an engine's threads, in order.

use linecard_sim::Ticks;

/// When, and which thread.
pub(crate) type Wake = (Ticks, u32);

/// Wake-ups to come, the first in front, in a ring. They are few; a new one goes in from the end that is nearer.
#[derive(Debug)]
pub(crate) struct Wakes {
    /// As many places as a power of two.
    places: Box<[Wake]>,
    first: usize,
    count: usize,
}

impl Wakes {
    /// None yet; room for so many before it grows.
    pub fn new(room: usize) -> Self {
        Self { places: vec![(0, 0); room.max(1).next_power_of_two()].into(), first: 0, count: 0 }
    }

    /// Where the wake-up of a number stands, counted from the first.
    #[inline(always)]
    fn place(&self, number: usize) -> usize {
        (self.first + number) & (self.places.len() - 1)
    }

    #[inline(always)]
    fn at(&self, number: usize) -> Wake {
        self.places[self.place(number)]
    }

    #[inline(always)]
    fn put(&mut self, number: usize, wake: Wake) {
        self.places[self.place(number)] = wake;
    }

    /// The first one.
    #[inline(always)]
    pub fn first(&self) -> Option<Wake> {
        (self.count > 0).then(|| self.at(0))
    }

    /// The one behind it.
    #[inline(always)]
    pub fn second(&self) -> Option<Wake> {
        (self.count > 1).then(|| self.at(1))
    }

    /// Puts one in behind all that it does not come before.
    #[inline(always)]
    pub fn insert(&mut self, wake: Wake, is_behind: impl Fn(Wake, Wake) -> bool) {
        if self.count == self.places.len() {
            self.grow();
        }
        let mut number = self.count;
        if number == 0 || !is_behind(self.at(number - 1), wake) {
            // Most come last.
        } else if is_behind(self.at(number / 2), wake) {
            // Those that it does not come before move towards the front.
            self.first = self.place(self.places.len() - 1);
            number = 0;
            while !is_behind(self.at(number + 1), wake) {
                self.put(number, self.at(number + 1));
                number += 1;
            }
        } else {
            while number > 0 && is_behind(self.at(number - 1), wake) {
                self.put(number, self.at(number - 1));
                number -= 1;
            }
        }
        self.put(number, wake);
        self.count += 1;
    }

    /// Takes the first one out.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Wake> {
        let wake = self.first()?;
        self.first = self.place(1);
        self.count -= 1;
        Some(wake)
    }

    #[cold]
    fn grow(&mut self) {
        let mut places: Vec<Wake> = (0..self.count).map(|number| self.at(number)).collect();
        places.resize(2 * self.places.len(), (0, 0));
        (self.places, self.first) = (places.into(), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_the_order_of_a_sorted_list(
            room in 0usize..10,
            steps in proptest::collection::vec((0u64..20, 0u32..4, proptest::bool::weighted(0.4)), 1..200),
        ) {
            // Threads do not count in the order: of equal times the one that was put in first comes first.
            let (mut wakes, mut list) = (Wakes::new(room), Vec::<Wake>::new());
            for (at, thread, takes) in steps {
                if takes {
                    let first = (!list.is_empty()).then(|| list.remove(0));
                    prop_assert_eq!(wakes.pop(), first);
                } else {
                    wakes.insert((at, thread), |one, other| one.0 > other.0);
                    list.push((at, thread));
                    list.sort_by_key(|wake| wake.0);
                }
                prop_assert_eq!((wakes.first(), wakes.second()), (list.first().copied(), list.get(1).copied()));
            }
        }
    }
}
