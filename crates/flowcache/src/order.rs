//! The order of the entries of a set, from best to next victim, which the policies of chapter 5 change.
//!
//! LRU, FIFO, SP, LIP and similar policies differ only in the position of a new entry and in the move of a hit.
//! Each is a [`Rule`]. The order itself has two equivalent forms: `Rows` for small sets, `Chain` for all
//! others.

use crate::cache::{Access, Cache, NextVictim};

/// The entries of each set in order: the first is the best, the last the next victim.
pub(crate) trait Order: Send {
    /// Identifies an entry until the next change.
    type Place: Copy;

    /// Returns the position of the digest.
    fn find(&self, access: Access) -> Option<Self::Place>;
    /// Makes an entry the first of its set.
    fn raise_to_front(&mut self, set: u32, place: Self::Place);
    /// Swaps an entry with the one before it, if there is one; an empty way counts as one.
    fn raise_by_one(&mut self, set: u32, place: Self::Place);
    /// Inserts a new first entry; a full set evicts the last one.
    fn insert_front(&mut self, access: Access);
    /// Inserts a new entry behind the others; in a full set it replaces the last one.
    fn insert_end(&mut self, access: Access);
    /// Inserts a new entry in the last way, empty or not.
    fn replace_last(&mut self, access: Access);
    /// Returns the last entry of a full set.
    fn last(&self, set: u32) -> Option<u32>;
    /// Returns the ways of a set, best first; `None` is an empty way.
    #[cfg(test)]
    fn row(&self, set: u32) -> Vec<Option<u32>>;

    /// Makes the digest the first, hit or miss: [`Order::find`] and its consequence.
    #[inline]
    fn front(&mut self, access: Access) -> bool {
        let found = self.find(access);
        match found {
            Some(place) => self.raise_to_front(access.set, place),
            None => self.insert_front(access),
        }
        found.is_some()
    }

    /// Moves a hit up by one, and a miss to the end.
    #[inline]
    fn step(&mut self, access: Access) -> bool {
        self.step_by_parts(access)
    }

    /// [`Order::step`] in separate calls.
    #[inline]
    fn step_by_parts(&mut self, access: Access) -> bool {
        let found = self.find(access);
        match found {
            Some(place) => self.raise_by_one(access.set, place),
            None => self.insert_end(access),
        }
        found.is_some()
    }
}

/// The effect of a hit and of a miss on the order of a set.
pub(crate) trait Rule: Send {
    /// Whether empty ways are in the order.
    const BLANKS: bool = false;

    /// Handles a hit of the entry at `place`; as in LRU, it becomes the first.
    #[inline]
    fn hit<O: Order>(&mut self, order: &mut O, set: u32, place: O::Place) {
        order.raise_to_front(set, place);
    }
    /// Inserts a missing digest.
    fn insert<O: Order>(&mut self, order: &mut O, access: Access);
    /// Both in one call, if the order supports it.
    #[inline]
    fn access<O: Order>(&mut self, order: &mut O, access: Access) -> bool {
        let found = order.find(access);
        match found {
            Some(place) => self.hit(order, access.set, place),
            None => self.insert(order, access),
        }
        found.is_some()
    }
}

/// A cache from an order and a rule.
pub(crate) struct Ordered<O, R> {
    pub order: O,
    pub rule: R,
}

impl<O: Order, R: Rule> Cache for Ordered<O, R> {
    #[inline]
    fn lookup(&mut self, access: Access) -> bool {
        let found = self.order.find(access);
        if let Some(place) = found {
            self.rule.hit(&mut self.order, access.set, place);
        }
        found.is_some()
    }

    #[inline]
    fn insert(&mut self, access: Access) {
        self.rule.insert(&mut self.order, access);
    }

    #[inline]
    fn access(&mut self, access: Access) -> bool {
        self.rule.access(&mut self.order, access)
    }

    fn next_victim(&self, set: u32) -> NextVictim {
        self.order.last(set).map_or(NextVictim::Vacant, NextVictim::Known)
    }
}
