//! Pending items in order of time; items of equal time keep the order of their insertion.

use linecard_sim::{Ring, Ticks};

/// A sorted list. New items mostly belong at the end: a heap would cost more.
#[derive(Debug)]
pub(crate) struct Due<T>(Ring<(Ticks, T)>);

impl<T: Copy + Default> Default for Due<T> {
    fn default() -> Self {
        Self(Ring::new(16))
    }
}

impl<T: Copy + Default> Due<T> {
    /// Inserts `what` at time `at`. Returns whether it is the first item now.
    #[inline]
    pub fn push(&mut self, at: Ticks, what: T) -> bool {
        let is_first = self.0.front().is_none_or(|&(first, _)| at < first);
        self.0.insert((at, what), |one, other| one.0 > other.0);
        is_first
    }

    /// Removes and returns the first item, if its time is not after `now`. Otherwise returns its time, or
    /// `None` if there is no item.
    #[inline]
    pub fn take(&mut self, now: Ticks) -> Result<T, Option<Ticks>> {
        let &(at, what) = self.0.front().ok_or(None)?;
        if at > now {
            return Err(Some(at));
        }
        self.0.pop_front();
        Ok(what)
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
            let was_first = due.push(at, what);
            assert_eq!(was_first, what == 'a');
        }
        let order: Vec<_> = [5, 5, 6, 7, 9, 9, 9].map(|now| due.take(now)).into();
        assert_eq!(order, [Ok('a'), Ok('c'), Err(Some(7)), Ok('d'), Ok('b'), Ok('e'), Err(None)]);
    }
}
