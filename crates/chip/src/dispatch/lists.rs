//! How threads are divided into lists.

/// Which threads wait in one list; there the one that has been free longest gets the next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    /// All that take from the inbox.
    Single,
    /// Those of a cluster.
    PerCluster,
    /// Each thread has a list of its own.
    PerThread,
}
