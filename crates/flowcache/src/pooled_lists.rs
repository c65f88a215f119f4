//! The lists of each set in a pool of nodes: sets of any number of digests.

use crate::list_pool::{ListPool, Node};
use crate::lists::Lists;

/// Lists that are numbered set by set.
pub(crate) struct PooledLists {
    pool: ListPool,
    /// Lists of a set.
    lists: u32,
}

impl PooledLists {
    #[inline]
    fn number(&self, set: u32, list: u32) -> u32 {
        set * self.lists + list
    }
}

impl Lists for PooledLists {
    type Node = Node;

    fn new(sets: u32, lists: u32, nodes: u32) -> Self {
        Self { pool: ListPool::new(sets * lists, sets * nodes), lists }
    }

    #[inline]
    fn find(&self, _set: u32, digest: u32) -> Option<Node> {
        self.pool.find(digest)
    }

    #[inline]
    fn list_of(&self, set: u32, node: Node) -> u32 {
        self.pool.list_of(node) - set * self.lists
    }

    #[inline]
    fn digest(&self, _set: u32, node: Node) -> u32 {
        self.pool.digest(node)
    }

    #[inline]
    fn note(&self, _set: u32, node: Node) -> u32 {
        self.pool.note(node)
    }

    #[inline]
    fn set_note(&mut self, _set: u32, node: Node, note: u32) {
        self.pool.set_note(node, note);
    }

    #[inline]
    fn len(&self, set: u32, list: u32) -> u32 {
        self.pool.len(self.number(set, list))
    }

    #[inline]
    fn back(&self, set: u32, list: u32) -> Option<Node> {
        self.pool.back(self.number(set, list))
    }

    #[inline]
    fn before(&self, _set: u32, node: Node) -> Option<Node> {
        self.pool.before(node)
    }

    #[inline]
    fn add_front(&mut self, set: u32, list: u32, digest: u32) -> Node {
        self.pool.add_front(self.number(set, list), digest)
    }

    #[inline]
    fn move_front(&mut self, set: u32, list: u32, node: Node) {
        self.pool.move_front(self.number(set, list), node);
    }

    #[inline]
    fn move_back(&mut self, set: u32, from: u32, to: u32) {
        let last = self.back(set, from).expect("the list was found not to be empty");
        self.move_front(set, to, last);
    }

    #[inline]
    fn remove_back(&mut self, set: u32, list: u32) -> u32 {
        let last = self.back(set, list).expect("the list was found not to be empty");
        self.pool.remove(last)
    }

    #[inline]
    fn remove(&mut self, _set: u32, node: Node) -> u32 {
        self.pool.remove(node)
    }

    #[cfg(test)]
    fn digests(&self, set: u32, list: u32) -> Vec<u32> {
        self.pool.digests(self.number(set, list)).into_iter().flatten().collect()
    }
}
