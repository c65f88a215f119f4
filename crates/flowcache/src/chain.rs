//! The order of the entries of a set as a linked list with an index: sets of any width.

use crate::cache::Access;
use crate::geometry::Geometry;
use crate::order::Order;
use crate::shelf::{Node, Shelf};

/// Sets of any number of ways, one list each.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    shelf: Shelf,
    ways: u32,
}

impl Chain {
    /// Empty sets. If `blank`, their empty ways take part in the order from the start.
    pub fn new(geometry: Geometry, blank: bool) -> Self {
        let mut shelf = Shelf::new(geometry.sets(), geometry.entries());
        if blank {
            (0..geometry.sets()).for_each(|set| (0..geometry.ways()).for_each(|_| shelf.add_blank(set)));
        }
        Self { shelf, ways: geometry.ways() }
    }

    fn full(&self, set: u32) -> bool {
        self.shelf.len(set) == self.ways
    }

    /// Takes the last entry of a full set out.
    fn make_room(&mut self, set: u32) {
        if self.full(set) {
            let last = self.shelf.back(set).expect("a full set has a last entry");
            self.shelf.remove(last);
        }
    }
}

impl Order for Chain {
    type Place = Node;

    #[inline]
    fn find(&self, access: Access) -> Option<Node> {
        self.shelf.find(access.digest)
    }

    #[inline]
    fn raise_to_front(&mut self, set: u32, place: Node) {
        self.shelf.move_front(set, place);
    }

    #[inline]
    fn raise_by_one(&mut self, _set: u32, place: Node) {
        self.shelf.swap_with_previous(place);
    }

    #[inline]
    fn insert_front(&mut self, access: Access) {
        self.make_room(access.set);
        self.shelf.add_front(access.set, access.digest);
    }

    #[inline]
    fn insert_end(&mut self, access: Access) {
        self.make_room(access.set);
        self.shelf.add_back(access.set, access.digest);
    }

    #[inline]
    fn replace_last(&mut self, access: Access) {
        let last = self.shelf.back(access.set).expect("the empty ways stand in the list from the start");
        self.shelf.rename(last, access.digest);
    }

    #[inline]
    fn last(&self, set: u32) -> Option<u32> {
        let last = self.shelf.back(set).filter(|&last| self.full(set) && !self.shelf.is_blank(last));
        last.map(|last| self.shelf.digest(last))
    }

    #[cfg(test)]
    fn row(&self, set: u32) -> Vec<Option<u32>> {
        let mut row = self.shelf.digests(set);
        row.resize(self.ways as usize, None);
        row
    }
}
