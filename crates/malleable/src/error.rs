//! Errors of a request.

use linecard_words::Mismatch;
use thiserror::Error;

/// An invalid core or run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MalleableError {
    /// A value out of range.
    #[error(transparent)]
    Value(#[from] Mismatch),
    /// More threads than fit in the area.
    #[error(
        "{threads} threads do not fit into an area of {area} thread-equivalents; expected at most {area} \
         threads, or more area"
    )]
    Area {
        /// The requested threads.
        threads: u32,
        /// Area for threads and cache.
        area: u32,
    },
    /// There are no packets.
    #[error("no packets; expected a capture with IP packets")]
    NoPackets,
    /// All threads wait for locks that others hold.
    #[error(
        "all {threads} threads wait for locks that other threads hold; acquire locks in the same order \
         everywhere"
    )]
    Deadlock {
        /// Number of threads.
        threads: u32,
    },
}
