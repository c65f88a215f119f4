//! Pending items in order of time; items of equal time keep the order of their insertion.

use linecard_sim::Ticks;
use std::collections::VecDeque;

/// A sorted list. New items mostly belong at the end: a heap would cost more.
#[derive(Debug)]
pub(crate) struct Due<T>(VecDeque<(Ticks, T)>);

impl<T> Default for Due<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Copy> Due<T> {
    /// Inserts `what` at time `at`.
    #[inline]
    pub fn push(&mut self, at: Ticks, what: T) {
        match self.0.back() {
            Some(&(last, _)) if last > at => self.push_before_later(at, what),
            _ => self.0.push_back((at, what)),
        }
    }

    fn push_before_later(&mut self, at: Ticks, what: T) {
        let place = self.0.partition_point(|&(other, _)| other <= at);
        self.0.insert(place, (at, what));
    }

    /// Returns the time of the first item.
    #[inline]
    pub fn first(&self) -> Option<Ticks> {
        self.0.front().map(|&(at, _)| at)
    }

    /// Removes and returns the first item, if its time is not after `now`.
    #[inline]
    pub fn take(&mut self, now: Ticks) -> Option<T> {
        let &(at, what) = self.0.front()?;
        (at <= now).then(|| {
            self.0.pop_front();
            what
        })
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_order_of_time_then_of_entry() {
        let mut due = Due::default();
        for (at, what) in [(5, 'a'), (9, 'b'), (5, 'c'), (7, 'd'), (9, 'e')] {
            due.push(at, what);
        }
        assert_eq!(due.first(), Some(5));
        let order: Vec<_> = [5, 5, 6, 7, 9, 9, 9].map(|now| due.take(now)).into();
        assert_eq!(order, [Some('a'), Some('c'), None, Some('d'), Some('b'), Some('e'), None]);
    }
}
