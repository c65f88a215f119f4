//! The lists of digests of each set, between which policies with queues and ghosts move their entries.
//!
//! There are two equivalent forms: `PackedLists` for sets of few digests, `PooledLists` for all others.

/// The lists of every set. A digest is in at most one of them.
pub(crate) trait Lists: Send {
    /// Identifies a digest of a set until it is removed.
    type Node: Copy + PartialEq + Send;

    /// Returns empty lists of `sets` sets: `lists` in each, with a common capacity of `nodes` digests.
    fn new(sets: u32, lists: u32, nodes: u32) -> Self;
    /// Returns the node of a digest.
    fn find(&self, set: u32, digest: u32) -> Option<Self::Node>;
    /// Returns the list of a digest.
    fn list_of(&self, set: u32, node: Self::Node) -> u32;
    /// Returns the digest itself.
    fn digest(&self, set: u32, node: Self::Node) -> u32;
    /// Returns the policy's note on it: 0 to 15, initially 0.
    fn note(&self, set: u32, node: Self::Node) -> u32;
    /// Changes the note.
    fn set_note(&mut self, set: u32, node: Self::Node, note: u32);
    /// Returns the number of digests in a list.
    fn len(&self, set: u32, list: u32) -> u32;
    /// Returns the last digest of a list.
    fn back(&self, set: u32, list: u32) -> Option<Self::Node>;
    /// Returns the neighbour one nearer to the front.
    fn before(&self, set: u32, node: Self::Node) -> Option<Self::Node>;
    /// Inserts a digest that is in no list at the front of one.
    fn add_front(&mut self, set: u32, list: u32, digest: u32) -> Self::Node;
    /// Moves a digest to the front of any list.
    fn move_front(&mut self, set: u32, list: u32, node: Self::Node);
    /// Moves the last digest of a list, which must not be empty, to the front of another.
    fn move_back(&mut self, set: u32, from: u32, to: u32);
    /// Removes the last digest of a list, which must not be empty.
    fn remove_back(&mut self, set: u32, list: u32) -> u32;
    /// Removes a digest from its list.
    fn remove(&mut self, set: u32, node: Self::Node) -> u32;
    /// Returns the digests of a list, front first.
    #[cfg(test)]
    fn digests(&self, set: u32, list: u32) -> Vec<u32>;
}
