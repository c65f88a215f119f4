//! Errors of a queue subsystem.

use linecard_words::{About, Mismatch, UnknownName};
use thiserror::Error;

/// Why a run is impossible, or the error that it found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {}", self.about(), self.sentence())]
#[non_exhaustive]
pub enum QueueingError {
    /// A setting outside of its range.
    BadSetting(#[from] Mismatch),
    /// A name that is not in a list.
    UnknownName(#[from] UnknownName),
    /// Nothing to simulate.
    Empty,
    /// A list in memory is not what the operations put into it: an error in a manager, never in its input.
    Corrupt {
        /// The manager.
        manager: &'static str,
        /// The queue.
        queue: u32,
        /// Operations completed before.
        operation: u64,
        /// What was found and what was expected.
        what: String,
    },
    /// No thread can continue, and operations are left.
    Deadlock {
        /// The manager.
        manager: &'static str,
        /// Operations completed.
        completed: u64,
        /// Operations requested.
        operations: u64,
    },
}

impl About for QueueingError {
    fn about(&self) -> &str {
        match self {
            Self::BadSetting(wrong) => wrong.about(),
            Self::UnknownName(unknown) => unknown.about(),
            Self::Empty => "workload",
            Self::Corrupt { manager, .. } | Self::Deadlock { manager, .. } => manager,
        }
    }

    fn sentence(&self) -> String {
        match self {
            Self::BadSetting(wrong) => wrong.sentence(),
            Self::UnknownName(unknown) => unknown.sentence(),
            Self::Empty => "found no operation, expected at least one".to_owned(),
            Self::Corrupt { queue, operation, what, .. } => {
                format!(
                    "queue {queue}: {what} (operation {operation}); this is a defect of the queue manager"
                )
            }
            Self::Deadlock { completed, operations, .. } => format!(
                "no thread can continue after {completed} of {operations} operations; \
                 this is a defect of the queue manager"
            ),
        }
    }
}

impl QueueingError {
    /// Returns the error of a value that a setting cannot have.
    pub fn bad(key: &str, found: impl ToString, expected: impl ToString) -> Self {
        Mismatch::new(key, found, expected.to_string()).into()
    }

    /// Returns the error of a name that is not in a list.
    pub fn unknown(what: &'static str, found: &str, known: &[&str]) -> Self {
        UnknownName::new(what, found, known).into()
    }
}
