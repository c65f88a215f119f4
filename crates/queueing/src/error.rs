//! What can be wrong with a request for a queue subsystem.

use linecard_words::{Mismatch, UnknownName};

/// Why a run cannot be made, or what it found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueueingError {
    /// A setting outside of the range that makes sense.
    #[error(transparent)]
    BadSetting(#[from] Mismatch),
    /// A name that is on no list.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// Nothing to simulate.
    #[error("workload: found no operation, expected at least one")]
    Empty,
    /// A list is not what was put into it: an error in a manager, never in its input.
    #[error("queue {queue}: {what} (operation {operation}); this is a defect of the queue manager {manager}")]
    Corrupt {
        /// The manager that ran.
        manager: &'static str,
        /// The queue.
        queue: u32,
        /// Operations completed before.
        operation: u64,
        /// What was found and what was expected.
        what: String,
    },
    /// No thread can go on, and operations are left.
    #[error(
        "{manager}: no thread can go on after {completed} operations of {operations}; \
         this is a defect of the queue manager"
    )]
    Deadlock {
        /// The manager that ran.
        manager: &'static str,
        /// Operations completed.
        completed: u64,
        /// Operations asked for.
        operations: u64,
    },
}

impl QueueingError {
    /// A value that a setting cannot have.
    pub fn bad(key: &str, found: impl ToString, expected: impl ToString) -> Self {
        Mismatch::new(key, found, expected.to_string()).into()
    }

    /// A name that is not on a list.
    pub fn unknown(what: &'static str, found: &str, known: &[&str]) -> Self {
        UnknownName::new(what, found, known).into()
    }
}
