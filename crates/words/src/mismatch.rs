//! An invalid value.

use crate::about::About;

/// A found value that differs from the expected values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: found {found}, expected {expected}")]
pub struct Mismatch {
    /// The subject: a parameter, a file.
    pub what: String,
    /// What was found.
    pub found: String,
    /// The valid values, and the remedy.
    pub expected: String,
}

impl Mismatch {
    /// Returns a mismatch with its subject, the found value and the expected values.
    pub fn new(what: impl Into<String>, found: impl ToString, expected: impl Into<String>) -> Self {
        Self { what: what.into(), found: found.to_string(), expected: expected.into() }
    }
}

impl About for Mismatch {
    fn about(&self) -> &str {
        &self.what
    }

    fn sentence(&self) -> String {
        format!("found {}, expected {}", self.found, self.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_as_a_sentence_with_and_without_what_it_is_about() {
        let wrong = Mismatch::new("ways", 0, "1 to 16");
        assert_eq!(wrong.to_string(), "ways: found 0, expected 1 to 16");
        assert_eq!(wrong.sentence(), "found 0, expected 1 to 16");
    }
}
