//! The wake-ups of an engine's threads, in order.

use crate::thread::NEVER;
use linecard_sim::{Ring, Ticks};

/// Time and thread.
pub(crate) type Wake = (Ticks, u32);

/// Pending wake-ups, in order of time. They are few; a new one is inserted from the nearer end.
#[derive(Debug)]
pub(crate) struct Wakes {
    ring: Ring<Wake>,
    /// Time of the first one, or [`NEVER`].
    pub next: Ticks,
}

impl Wakes {
    /// Returns an empty list with room for `room` wake-ups before it grows.
    pub fn new(room: usize) -> Self {
        Self { ring: Ring::new(room), next: NEVER }
    }

    /// Inserts one behind all that it does not precede.
    #[inline(always)]
    pub fn insert(&mut self, wake: Wake, is_behind: impl Fn(Wake, Wake) -> bool) {
        self.next = self.next.min(wake.0);
        self.ring.insert(wake, |&other, &wake| is_behind(other, wake));
    }

    /// Removes and returns the first one.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Wake> {
        let wake = self.ring.pop_front();
        self.next = self.ring.front().map_or(NEVER, |next| next.0);
        wake
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
            // Threads do not affect the order: of equal times, the one inserted first comes first.
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
                prop_assert_eq!(wakes.next, list.first().map_or(NEVER, |wake| wake.0));
            }
        }
    }
}
