//! The ways in which a request can fail: each error states its subject and location, the expected value, and a
//! remedy.

use linecard_config::Problem;
use std::fmt;

/// A problem of a configuration: its location, the found value and the expected value.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ConfigProblem {
    /// File and line, or `--set`, or the name of the preset.
    pub place: String,
    /// Dotted key path, such as `dram.banks`; empty if the problem does not belong to one key.
    pub key: String,
    /// The found value and the expected value, one sentence each, with the nearest valid name if there is one.
    pub message: String,
}

/// Returns a problem of a location and a key.
pub fn problem(place: String, key: &str, message: String) -> ConfigProblem {
    ConfigProblem { place, key: key.to_owned(), message }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key.is_empty() {
            true => write!(f, "{}: {}", self.place, self.message),
            false => write!(f, "{}: {}: {}", self.place, self.key, self.message),
        }
    }
}

impl From<Vec<Problem>> for Error {
    fn from(problems: Vec<Problem>) -> Self {
        let problem = |p: Problem| ConfigProblem { place: p.place, key: p.key, message: p.message };
        Error::Config { problems: problems.into_iter().map(problem).collect() }
    }
}

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Every configuration problem found, not only the first.
    #[error("{}", problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Config {
        /// The problems, in the order of the file.
        problems: Vec<ConfigProblem>,
    },
    /// The capture cannot be opened, has no known format, or has no usable packet.
    #[error("{0}")]
    Traffic(String),
    /// The simulation stopped without a result: a deadlock, or a packet that fits no buffer.
    #[error("{0}")]
    Run(String),
    /// The caller's progress callback asked to stop (Ctrl-C).
    #[error("interrupted")]
    Interrupted,
}
