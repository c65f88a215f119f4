//! What is wrong with a request, for the person who made it.

use linecard_words::Mismatch;
use thiserror::Error;

/// A core or a run that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MalleableError {
    /// A value out of its range.
    #[error(transparent)]
    Value(#[from] Mismatch),
    /// More threads than the area holds.
    #[error(
        "{threads} threads do not fit into {area} thread-equivalents; expected at most {area} threads, or more area"
    )]
    Area {
        /// Threads asked for.
        threads: u32,
        /// Area for threads and cache.
        area: u32,
    },
    /// There are no packets.
    #[error("no packets; expected a capture with IP packets")]
    NoPackets,
    /// All threads wait for locks that others hold.
    #[error("all {threads} threads wait for locks that others hold; take locks in the same order everywhere")]
    Deadlock {
        /// Threads.
        threads: u32,
    },
}
