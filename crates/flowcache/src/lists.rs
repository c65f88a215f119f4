//! The lists of digests of each set, which policies with queues and ghosts move their entries between.
//!
//! They have two forms with one meaning: `PackedLists` for sets of few digests, `PooledLists` for all others.

/// The lists of every set. A digest stands in one of them at most.
pub(crate) trait Lists: Send {
    /// Names a digest of a set until it is removed.
    type Node: Copy + PartialEq + Send;

    /// Empty lists of `sets` sets: `lists` in each, which together never hold more than `nodes` digests.
    fn new(sets: u32, lists: u32, nodes: u32) -> Self;
    /// Where a digest stands.
    fn find(&self, set: u32, digest: u32) -> Option<Self::Node>;
    /// The list that a digest stands in.
    fn list_of(&self, set: u32, node: Self::Node) -> u32;
    /// The digest itself.
    fn digest(&self, set: u32, node: Self::Node) -> u32;
    /// What the policy noted of it: 0 to 15, 0 at the start.
    fn note(&self, set: u32, node: Self::Node) -> u32;
    /// Notes something else.
    fn set_note(&mut self, set: u32, node: Self::Node, note: u32);
    /// Digests in a list.
    fn len(&self, set: u32, list: u32) -> u32;
    /// The last digest of a list.
    fn back(&self, set: u32, list: u32) -> Option<Self::Node>;
    /// The neighbour one nearer to the front.
    fn before(&self, set: u32, node: Self::Node) -> Option<Self::Node>;
    /// Puts a digest that stands in no list at the front of one.
    fn add_front(&mut self, set: u32, list: u32, digest: u32) -> Self::Node;
    /// Moves a digest to the front of a list, its own or another.
    fn move_front(&mut self, set: u32, list: u32, node: Self::Node);
    /// Moves the last digest of a list, which has one, to the front of another.
    fn move_back(&mut self, set: u32, from: u32, to: u32);
    /// Takes the last digest off a list, which has one, and forgets it.
    fn remove_back(&mut self, set: u32, list: u32) -> u32;
    /// Takes a digest off its list and forgets it.
    fn remove(&mut self, set: u32, node: Self::Node) -> u32;
    /// The digests of a list, front first.
    #[cfg(test)]
    fn digests(&self, set: u32, list: u32) -> Vec<u32>;
}
