//! What can be wrong with a net, or with what is asked of it.

use thiserror::Error;

/// Why there is no net or no result.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PetriError {
    /// A PNML file says something that cannot be used.
    #[error("line {line}: found {found}, expected {expected}")]
    Pnml {
        /// Line of the file.
        line: u32,
        /// The element or value.
        found: String,
        /// What could stand there.
        expected: String,
    },
    /// A part of a net is wrong.
    #[error("{part} {name:?}: found {found}, expected {expected}")]
    Part {
        /// `place`, `transition`, `arc`.
        part: &'static str,
        /// Its name.
        name: String,
        /// What is wrong.
        found: String,
        /// What could stand there.
        expected: String,
    },
    /// The net has no steady state that can be solved for, or cannot be simulated.
    #[error("{0}")]
    Unsolvable(String),
}

impl PetriError {
    pub(crate) fn part(part: &'static str, name: &str, found: impl ToString, expected: &str) -> Self {
        Self::Part { part, name: name.to_owned(), found: found.to_string(), expected: expected.to_owned() }
    }
}
