//! Errors that end a stream of packets.

use crate::finding::Diagnostic;
use linecard_words::Mismatch;
use std::path::PathBuf;

/// Why no more packets can be delivered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    /// The operating system refused the file.
    #[error("{}: cannot {action}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The operation: `open`, `write`, …
        action: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Nothing in the file, or nothing inside its compression.
    #[error("{}: no bytes in this capture; expected at least a file header. Was the transfer cut short?", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// No format fits the beginning of the file.
    #[error(
        "{}: not a capture in a known format: found {found} at byte offset 0, expected pcap, pcapng, ERF, TSH, legacy DAG \
         or CSV. If the file has no signature, let its name end in .erf, .tsh, .dag or .csv", file.display()
    )]
    UnknownFormat {
        /// The file.
        file: PathBuf,
        /// First bytes.
        found: String,
    },
    /// The file's own header cannot be read.
    #[error("{}: byte offset {byte_offset}: {found}, expected {expected}", file.display())]
    BadHeader {
        /// The file.
        file: PathBuf,
        /// Offset in the decompressed bytes.
        byte_offset: u64,
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// Damage, in strict mode.
    #[error("{0}")]
    Damaged(Box<Diagnostic>),
    /// A line of a text file cannot be used.
    #[error("{}: line {line}: {found}, expected {expected}", file.display())]
    BadLine {
        /// The file.
        file: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// Invalid values for a generator or an address map.
    #[error(transparent)]
    BadParameter(#[from] Mismatch),
}
