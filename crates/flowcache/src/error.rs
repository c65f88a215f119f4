//! Errors of a cache's configuration.

use linecard_words::{About, Mismatch, UnknownName};
use thiserror::Error;

/// Why a cache, key or digest cannot be built, and a valid alternative.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {}", self.about(), self.sentence())]
#[non_exhaustive]
pub enum FlowCacheError {
    /// A number outside of its range.
    BadParameter(#[from] Mismatch),
    /// Entries that do not fill whole sets.
    NotWholeSets {
        /// The requested entries.
        entries: u32,
        /// The requested ways.
        ways: u32,
        /// The next smaller number that fits (at least one set).
        below: u32,
        /// The next larger number that fits.
        above: u64,
    },
    /// A name that is not in a list.
    UnknownName(#[from] UnknownName),
    /// A policy that cannot work in this shape or context.
    Unfit {
        /// The policy.
        policy: String,
        /// What it needs, what was found, and what to do.
        reason: String,
    },
    /// Nothing to simulate.
    EmptyTrace,
    /// A raw digest file whose length is not a whole number of digests.
    OddLength {
        /// Bytes found.
        bytes: usize,
        /// Bytes after the last whole digest.
        rest: usize,
    },
    /// More packets than 32-bit positions can number.
    TooLong {
        /// Packets found.
        packets: usize,
        /// The most packets of a trace.
        most: u32,
    },
}

impl About for FlowCacheError {
    fn about(&self) -> &str {
        match self {
            Self::BadParameter(wrong) => wrong.about(),
            Self::UnknownName(unknown) => unknown.about(),
            Self::NotWholeSets { .. } => "entries",
            Self::Unfit { policy, .. } => policy,
            Self::EmptyTrace | Self::OddLength { .. } | Self::TooLong { .. } => "digests",
        }
    }

    fn sentence(&self) -> String {
        match self {
            Self::BadParameter(wrong) => wrong.sentence(),
            Self::UnknownName(unknown) => unknown.sentence(),
            Self::NotWholeSets { entries, ways, below, above } => {
                let counts = if u64::from(*below) == *above {
                    above.to_string()
                } else {
                    format!("{below} or {above}")
                };
                format!(
                    "{entries} entries cannot be divided into sets of {ways} ways; use {counts} entries, or another \
                     number of ways"
                )
            }
            Self::Unfit { reason, .. } => reason.clone(),
            Self::EmptyTrace => "the trace is empty; expected at least one packet with a flow".to_owned(),
            Self::OddLength { bytes, rest } => format!(
                "found {bytes} bytes, expected a multiple of 4 (one little-endian u32 per packet). The last \
                 {rest} bytes are an incomplete digest; the file may be truncated"
            ),
            Self::TooLong { packets, most } => {
                format!("found {packets} packets, expected at most {most}; split the trace")
            }
        }
    }
}
