//! What can be wrong with a request for a cache.

use linecard_words::{Mismatch, UnknownName};

/// Why a cache, key or digest cannot be built, and what would work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlowCacheError {
    /// A number outside of the range that makes sense.
    #[error(transparent)]
    BadParameter(#[from] Mismatch),
    /// Entries that do not fill whole sets.
    #[error(
        "entries: {entries} entries do not divide into sets of {ways} ways; \
         use {below} or {above} entries, or another number of ways"
    )]
    NotWholeSets {
        /// Entries asked for.
        entries: u32,
        /// Ways asked for.
        ways: u32,
        /// The next smaller number that fits (at least one set).
        below: u32,
        /// The next larger number that fits.
        above: u64,
    },
    /// A name that is on no list.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// A policy that cannot work in this shape or place.
    #[error("{policy}: {reason}")]
    Unfit {
        /// The policy.
        policy: String,
        /// What it needs, what it was given, what to do.
        reason: String,
    },
    /// Nothing to simulate.
    #[error("digests: the trace is empty; expected at least one packet with a flow")]
    EmptyTrace,
    /// A raw digest file that does not hold whole digests.
    #[error(
        "digests: found {bytes} bytes, expected a multiple of 4 (one little-endian u32 per packet); \
         the last {rest} bytes are part of a digest, was the file cut?"
    )]
    OddLength {
        /// Bytes found.
        bytes: usize,
        /// Bytes after the last whole digest.
        rest: usize,
    },
    /// More packets than positions can number.
    #[error("digests: found {packets} packets, expected at most {most}; split the trace")]
    TooLong {
        /// Packets found.
        packets: usize,
        /// Most packets of one trace.
        most: u32,
    },
}
