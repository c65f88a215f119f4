//! How threads are divided into lists.

/// The threads that share a list; the one that has been free longest gets the next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    /// All threads that take packets from the inbox.
    Single,
    /// The threads of a cluster.
    PerCluster,
    /// Each thread has a list of its own.
    PerThread,
}
