//! The order of the entries of a set as a linked list with an index: sets of any width.

use crate::cache::Access;
use crate::geometry::Geometry;
use crate::list_pool::{ListPool, Node};
use crate::order::Order;

/// Sets of any number of ways, one list each.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pool: ListPool,
    ways: u32,
}

impl Chain {
    /// Returns empty sets. If `blank`, their empty ways are in the order from the start.
    pub fn new(geometry: Geometry, blank: bool) -> Self {
        let mut pool = ListPool::new(geometry.sets(), geometry.entries());
        if blank {
            (0..geometry.sets()).for_each(|set| (0..geometry.ways()).for_each(|_| pool.add_blank(set)));
        }
        Self { pool, ways: geometry.ways() }
    }

    fn full(&self, set: u32) -> bool {
        self.pool.len(set) == self.ways
    }

    /// Removes the last entry of a full set.
    fn make_room(&mut self, set: u32) {
        if self.full(set) {
            let last = self.pool.back(set).expect("a full set has a last entry");
            self.pool.remove(last);
        }
    }
}

impl Order for Chain {
    type Place = Node;

    #[inline]
    fn find(&self, access: Access) -> Option<Node> {
        self.pool.find(access.digest)
    }

    #[inline]
    fn raise_to_front(&mut self, set: u32, place: Node) {
        self.pool.move_front(set, place);
    }

    #[inline]
    fn raise_by_one(&mut self, _set: u32, place: Node) {
        self.pool.swap_with_previous(place);
    }

    #[inline]
    fn insert_front(&mut self, access: Access) {
        self.make_room(access.set);
        self.pool.add_front(access.set, access.digest);
    }

    #[inline]
    fn insert_end(&mut self, access: Access) {
        self.make_room(access.set);
        self.pool.add_back(access.set, access.digest);
    }

    #[inline]
    fn replace_last(&mut self, access: Access) {
        let last = self.pool.back(access.set).expect("the empty ways stand in the list from the start");
        self.pool.rename(last, access.digest);
    }

    #[inline]
    fn last(&self, set: u32) -> Option<u32> {
        let last = self.pool.back(set).filter(|&last| self.full(set) && !self.pool.is_blank(last));
        last.map(|last| self.pool.digest(last))
    }

    #[cfg(test)]
    fn row(&self, set: u32) -> Vec<Option<u32>> {
        let mut row = self.pool.digests(set);
        row.resize(self.ways as usize, None);
        row
    }
}
