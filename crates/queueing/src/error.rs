//! What can be wrong with a request for a queue subsystem.

/// Why a run cannot be made, or what it found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueueingError {
    /// A setting outside of the range that makes sense.
    #[error("{key}: found {found}, expected {expected}")]
    BadSetting {
        /// Which setting.
        key: String,
        /// Its value.
        found: String,
        /// The values allowed.
        expected: String,
    },
    /// A name that is on no list.
    #[error("{what}: unknown name \"{found}\"; did you mean {nearest}? Known: {known}")]
    UnknownName {
        /// What was to be named: a manager, a setting, a workload.
        what: &'static str,
        /// The name given.
        found: String,
        /// The known name with the fewest differing letters.
        nearest: String,
        /// All known names.
        known: String,
    },
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
        Self::BadSetting { key: key.to_owned(), found: found.to_string(), expected: expected.to_string() }
    }

    /// A name that is not on a list.
    pub fn unknown(what: &'static str, found: &str, known: &[&str]) -> Self {
        let nearest = known.iter().min_by_key(|name| distance(name, found)).copied().unwrap_or_default();
        Self::UnknownName {
            what,
            found: found.to_owned(),
            nearest: nearest.to_owned(),
            known: known.join(", "),
        }
    }
}

/// Letters that differ between two words (Levenshtein, 1966).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, &against) in other.iter().enumerate() {
            let above = row[column + 1];
            let best = (diagonal + usize::from(letter != against)).min(above + 1).min(row[column] + 1);
            diagonal = above;
            row[column + 1] = best;
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        assert_eq!(distance("kitten", "sitting"), 3);
        let text = QueueingError::unknown("setting", "thread", &["engines", "threads"]).to_string();
        assert!(text.contains("did you mean threads?"), "{text}");
    }
}
