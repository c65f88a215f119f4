//! Errors of a net, or of a request.

use thiserror::Error;

/// Why there is no net or no result.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PetriError {
    /// Invalid contents of a PNML file.
    #[error("line {line}: found {found}, expected {expected}")]
    Pnml {
        /// Line of the file.
        line: u32,
        /// The element or value.
        found: String,
        /// Valid contents.
        expected: String,
    },
    /// An invalid part of a net.
    #[error("{part} {name:?}: found {found}, expected {expected}")]
    Part {
        /// `place`, `transition`, `arc`.
        part: &'static str,
        /// Name.
        name: String,
        /// What was found.
        found: String,
        /// Valid values.
        expected: String,
    },
    /// An expression that cannot be read, or has no meaning.
    #[error("{part} {name:?}: in `{text}`, column {column}: found {found}, expected {expected}")]
    Expression {
        /// `place`, `transition`, `expression`.
        part: &'static str,
        /// Name.
        name: String,
        /// The expression.
        text: String,
        /// Position in it, from 1.
        column: u32,
        /// What was found.
        found: String,
        /// Valid contents.
        expected: String,
    },
    /// An expression has no value when it is evaluated.
    #[error("transition {transition:?} with {binding}: {what} of {place} is {found}")]
    Evaluation {
        /// Name of the transition.
        transition: String,
        /// Variables.
        binding: String,
        /// The guard, a time, a token.
        what: &'static str,
        /// The place that it concerns, or the transition.
        place: String,
        /// What was found.
        found: String,
    },
    /// The caller stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The net has no steady state that can be solved for, or cannot be simulated.
    #[error("{0}")]
    Unsolvable(String),
}

impl PetriError {
    pub(crate) fn part(part: &'static str, name: &str, found: impl ToString, expected: &str) -> Self {
        Self::Part { part, name: name.to_owned(), found: found.to_string(), expected: expected.to_owned() }
    }
}
