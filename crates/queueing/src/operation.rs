//! A queue operation, in four bytes.

use crate::lists::End;

/// Enqueue or dequeue one packet of one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation(u32);

impl Operation {
    /// Returns an operation that puts a packet into `queue`.
    #[inline]
    pub const fn enqueue(queue: u32) -> Self {
        Self(queue << 1)
    }

    /// Returns an operation that takes a packet out of `queue`.
    #[inline]
    pub const fn dequeue(queue: u32) -> Self {
        Self(queue << 1 | 1)
    }

    /// Returns whether it takes a packet out.
    #[inline]
    pub const fn is_dequeue(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the queue.
    #[inline]
    pub const fn queue(self) -> u32 {
        self.0 >> 1
    }

    /// Returns the end of the queue that it works on.
    #[inline]
    pub const fn end(self) -> End {
        if self.is_dequeue() { End::Head } else { End::Tail }
    }
}
