//! Findings in a capture, and the actions taken.
//!
//! There are three severities, because they require different reactions:
//!
//! - **damage**: the file is not as its writer intended. Something was lost, or a field is impossible. The
//!   report is then not clean, a command should return an error status, and strict mode stops there.
//! - **malformed**: the file is valid, but a packet in it is broken (a hostile header, a version nibble that
//!   belongs to no IP). The packet is delivered as [`Network::Other`](crate::Network::Other).
//! - **notice**: valid but noteworthy: an unknown link type, a clock that jumps.
//!
//! Counts are complete. Diagnostics are kept for the first [`MAX_DIAGNOSTICS_PER_KIND`] findings of a kind
//! only, so that a file full of damage cannot fill the memory, and many notices do not hide one loss.

pub use crate::finding::{DamageKind, Diagnostic, Severity};

use crate::TrafficError;
use std::path::{Path, PathBuf};

/// Diagnostics kept per kind; every finding is counted.
pub const MAX_DIAGNOSTICS_PER_KIND: u64 = 10;

/// The location of a finding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub byte_offset: u64,
    pub line: Option<u64>,
}

impl Place {
    pub(crate) const fn at(byte_offset: u64) -> Self {
        Self { byte_offset, line: None }
    }
}

/// The text of a finding. It is built only for findings that are kept, so that a flood of damage stays cheap.
pub(crate) struct Words {
    pub found: String,
    pub expected: String,
    pub action: &'static str,
}

/// All findings while reading one capture.
#[derive(Clone, Debug)]
pub struct DamageReport {
    file: PathBuf,
    strict: bool,
    delivered: u64,
    counts: [u64; DamageKind::ALL.len()],
    /// Sum of `counts`.
    findings: u64,
    diagnostics: Vec<Diagnostic>,
}

impl DamageReport {
    pub(crate) fn new(file: &Path, strict: bool) -> Self {
        Self {
            file: file.to_owned(),
            strict,
            delivered: 0,
            counts: [0; DamageKind::ALL.len()],
            findings: 0,
            diagnostics: Vec::new(),
        }
    }

    /// Returns whether there is no damage. Notices and malformed packets in a valid file leave a report clean.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.total(Severity::Damage) == 0
    }

    /// Returns how often this kind was found.
    #[must_use]
    pub fn count(&self, kind: DamageKind) -> u64 {
        self.counts[kind as usize]
    }

    /// Returns the number of findings of any severity.
    #[must_use]
    pub fn findings(&self) -> u64 {
        self.findings
    }

    /// Returns the number of findings of this severity.
    #[must_use]
    pub fn total(&self, severity: Severity) -> u64 {
        self.counts().filter(|(kind, _)| kind.severity() == severity).map(|(_, count)| count).sum()
    }

    /// Returns the kinds found at least once, with their counts.
    pub fn counts(&self) -> impl Iterator<Item = (DamageKind, u64)> + '_ {
        DamageKind::ALL.iter().map(|&kind| (kind, self.count(kind))).filter(|&(_, count)| count > 0)
    }

    /// Returns the first [`MAX_DIAGNOSTICS_PER_KIND`] findings of each kind, in file order.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    pub(crate) fn delivered(&self) -> u64 {
        self.delivered
    }

    pub(crate) fn count_delivered(&mut self) {
        self.delivered += 1;
    }

    /// Records a finding about the current packet.
    ///
    /// # Errors
    ///
    /// In strict mode, if the finding is damage.
    pub(crate) fn note(
        &mut self,
        kind: DamageKind,
        place: Place,
        words: impl FnOnce() -> Words,
    ) -> Result<(), TrafficError> {
        self.counts[kind as usize] += 1;
        self.findings += 1;
        let stop = self.strict && kind.severity() == Severity::Damage;
        if !stop && self.counts[kind as usize] > MAX_DIAGNOSTICS_PER_KIND {
            return Ok(());
        }
        let Words { found, expected, action } = words();
        let diagnostic = Diagnostic {
            kind,
            file: self.file.clone(),
            byte_offset: place.byte_offset,
            packet: self.delivered + 1,
            line: place.line,
            found,
            expected,
            action: action.to_owned(),
        };
        self.diagnostics.push(diagnostic.clone());
        if stop { Err(TrafficError::Damaged(Box::new(diagnostic))) } else { Ok(()) }
    }
}
