//! Doubly linked lists of digests over one pool of nodes, with an index from digest to node.
//!
//! For sets too wide to search, and for policies that keep several lists (queues, ghosts) per set. A digest is
//! in at most one list. Only the initial allocation and the index, which has its full size then, use memory.

use rustc_hash::FxHashMap;

const NIL: u32 = u32::MAX;
/// The note of a node without a digest.
const BLANK: u32 = u32::MAX;

/// A node of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(u32);

/// A list, by number.
pub(crate) type List = u32;

#[derive(Clone, Copy, Debug)]
struct Cell {
    digest: u32,
    previous: u32,
    next: u32,
    list: List,
    /// The policy's note on an entry: a visited bit, a count, …
    note: u32,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    front: u32,
    back: u32,
    len: u32,
}

/// ListPool of digests.
#[derive(Clone, Debug)]
pub(crate) struct ListPool {
    cells: Vec<Cell>,
    free: Vec<u32>,
    lists: Vec<Ends>,
    index: FxHashMap<u32, u32>,
}

impl ListPool {
    /// Returns `lists` empty lists with a common capacity of `nodes` digests.
    pub fn new(lists: u32, nodes: u32) -> Self {
        let cell = Cell { digest: 0, previous: NIL, next: NIL, list: NIL, note: 0 };
        Self {
            cells: vec![cell; nodes as usize],
            free: (0..nodes).rev().collect(),
            lists: vec![Ends { front: NIL, back: NIL, len: 0 }; lists as usize],
            index: FxHashMap::with_capacity_and_hasher(nodes as usize, Default::default()),
        }
    }

    #[inline]
    pub fn find(&self, digest: u32) -> Option<Node> {
        self.index.get(&digest).map(|&node| Node(node))
    }

    #[inline]
    pub fn list_of(&self, node: Node) -> List {
        self.cell(node).list
    }

    #[inline]
    pub fn digest(&self, node: Node) -> u32 {
        self.cell(node).digest
    }

    #[inline]
    pub fn note(&self, node: Node) -> u32 {
        self.cell(node).note
    }

    #[inline]
    pub fn set_note(&mut self, node: Node, note: u32) {
        self.cells[node.0 as usize].note = note;
    }

    #[inline]
    pub fn len(&self, list: List) -> u32 {
        self.lists[list as usize].len
    }

    #[inline]
    pub fn back(&self, list: List) -> Option<Node> {
        some(self.lists[list as usize].back)
    }

    /// Returns the neighbour one nearer to the front.
    #[inline]
    pub fn before(&self, node: Node) -> Option<Node> {
        some(self.cell(node).previous)
    }

    /// Inserts a digest that is in no list at the front of one.
    #[inline]
    pub fn add_front(&mut self, list: List, digest: u32) -> Node {
        let node = self.take(digest);
        self.link_front(list, node);
        node
    }

    /// Inserts a digest that is in no list at the back of one.
    #[inline]
    pub fn add_back(&mut self, list: List, digest: u32) -> Node {
        let node = self.take(digest);
        self.link_back(list, node);
        node
    }

    /// Inserts a node without a digest at the back of a list; [`ListPool::rename`] assigns one.
    pub fn add_blank(&mut self, list: List) {
        let node = self.free.pop().expect("the pool holds the ways of all sets");
        self.cells[node as usize].note = BLANK;
        self.link_back(list, Node(node));
    }

    /// Returns whether a node has no digest.
    pub fn is_blank(&self, node: Node) -> bool {
        self.note(node) == BLANK
    }

    /// Removes a digest from its list and from the index.
    #[inline]
    pub fn remove(&mut self, node: Node) -> u32 {
        let digest = self.digest(node);
        self.unlink(node);
        self.index.remove(&digest);
        self.free.push(node.0);
        digest
    }

    /// Moves a node to the front of any list.
    #[inline]
    pub fn move_front(&mut self, list: List, node: Node) {
        self.unlink(node);
        self.link_front(list, node);
    }

    /// Replaces the digest of a node in place.
    #[inline]
    pub fn rename(&mut self, node: Node, digest: u32) {
        if !self.is_blank(node) {
            self.index.remove(&self.digest(node));
        }
        self.cells[node.0 as usize].digest = digest;
        self.cells[node.0 as usize].note = 0;
        self.index.insert(digest, node.0);
    }

    /// Swaps a node with its predecessor, if there is one.
    #[inline]
    pub fn swap_with_previous(&mut self, node: Node) {
        let Cell { previous, list, .. } = *self.cell(node);
        if previous == NIL {
            return;
        }
        self.unlink(node);
        let ahead = self.cells[previous as usize].previous;
        self.cells[node.0 as usize].list = list;
        self.join(list, ahead, node.0);
        self.join(list, node.0, previous);
        self.lists[list as usize].len += 1;
    }

    /// Returns the digests of a list, front first; `None` for a node without one.
    #[cfg(test)]
    pub fn digests(&self, list: List) -> Vec<Option<u32>> {
        let after = |&node: &Node| some(self.cell(node).next);
        let digest = |node| (!self.is_blank(node)).then(|| self.digest(node));
        std::iter::successors(some(self.lists[list as usize].front), after).map(digest).collect()
    }

    #[inline]
    fn cell(&self, node: Node) -> &Cell {
        &self.cells[node.0 as usize]
    }

    #[inline]
    fn take(&mut self, digest: u32) -> Node {
        let node = self.free.pop().expect("the pool holds the entries and ghosts of a full cache");
        self.cells[node as usize].digest = digest;
        self.cells[node as usize].note = 0;
        let known = self.index.insert(digest, node);
        debug_assert!(known.is_none(), "digest {digest} is in two lists");
        Node(node)
    }

    #[inline]
    fn link_front(&mut self, list: List, node: Node) {
        let front = self.lists[list as usize].front;
        self.cells[node.0 as usize].list = list;
        self.join(list, NIL, node.0);
        self.join(list, node.0, front);
        self.lists[list as usize].len += 1;
    }

    #[inline]
    fn link_back(&mut self, list: List, node: Node) {
        let back = self.lists[list as usize].back;
        self.cells[node.0 as usize].list = list;
        self.join(list, back, node.0);
        self.join(list, node.0, NIL);
        self.lists[list as usize].len += 1;
    }

    #[inline]
    fn unlink(&mut self, node: Node) {
        let Cell { previous, next, list, .. } = *self.cell(node);
        self.join(list, previous, next);
        self.lists[list as usize].len -= 1;
    }

    /// Makes two nodes neighbours; [`NIL`] is an end of the list.
    #[inline]
    fn join(&mut self, list: List, first: u32, second: u32) {
        match first {
            NIL => self.lists[list as usize].front = second,
            _ => self.cells[first as usize].next = second,
        }
        match second {
            NIL => self.lists[list as usize].back = first,
            _ => self.cells[second as usize].previous = first,
        }
    }
}

#[inline]
fn some(node: u32) -> Option<Node> {
    (node != NIL).then_some(Node(node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_move_between_lists_and_back_to_the_pool() {
        let mut pool = ListPool::new(2, 3);
        let a = pool.add_front(0, 10);
        let b = pool.add_front(0, 11);
        pool.add_back(0, 12);
        let digests = |pool: &ListPool, list| pool.digests(list).into_iter().flatten().collect::<Vec<_>>();
        assert_eq!(digests(&pool, 0), [11, 10, 12]);
        pool.swap_with_previous(a);
        pool.swap_with_previous(a);
        assert_eq!(digests(&pool, 0), [10, 11, 12]);
        pool.move_front(1, b);
        assert_eq!((digests(&pool, 0), digests(&pool, 1)), (vec![10, 12], vec![11]));
        assert_eq!(pool.remove(a), 10);
        assert_eq!((pool.len(0), pool.find(10)), (1, None));
        pool.rename(b, 13);
        assert_eq!((pool.find(11), pool.find(13), pool.list_of(b)), (None, Some(b), 1));
        assert_eq!(pool.back(1), Some(b));
    }
}
