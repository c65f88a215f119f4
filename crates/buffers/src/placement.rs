//! The result of an allocation.

/// The result of a request for cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Granted; the number of the packet's first cell. [`Allocator::next_cell`](crate::Allocator::next_cell)
    /// returns the others.
    At(u32),
    /// Not now: try again after a release.
    Wait,
    /// Never: no buffer of this allocator can hold that many cells.
    TooLarge,
}
