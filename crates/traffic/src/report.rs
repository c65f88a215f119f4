//! What was wrong with a capture, and what was done about it.
//!
//! Three severities, because they ask for different reactions:
//!
//! - **damage**: the file is not what its writer meant. Something was lost, or a field cannot be true. The
//!   report is then not clean, a command should say so in its exit status, and strict mode stops there.
//! - **malformed**: the file is sound, but a packet in it is broken (a hostile header, a version nibble that
//!   belongs to no IP). The packet is delivered as [`Network::Other`](crate::Network::Other).
//! - **notice**: sound but worth knowing: an unknown link type, a clock that steps.
//!
//! Counts are complete; diagnostics are kept for the first [`MAX_DIAGNOSTICS_PER_KIND`] findings of a kind only,
//! so that a file full of damage cannot fill the memory, nor many notices hide one loss.

use crate::TrafficError;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Diagnostics kept in full for each kind; everything is counted.
pub const MAX_DIAGNOSTICS_PER_KIND: u64 = 10;

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Sound, but worth knowing.
    Notice,
    /// A broken packet in a sound file.
    Malformed,
    /// The file itself is damaged.
    Damage,
}

macro_rules! damage_kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $key:literal, $severity:ident;)+) => {
        /// What kind of thing was found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum DamageKind { $($(#[doc = $doc])+ $name,)+ }

        impl DamageKind {
            /// Every kind, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Stable key for tables and JSON.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Self::$name => $key,)+ }
            }

            /// How much it matters.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)+ }
            }
        }
    };
}

damage_kinds! {
    /// The file ends in the middle of a record.
    CutShort = "cut_short", Damage;
    /// The compressed stream is corrupt or has no end.
    Compression = "compression", Damage;
    /// Reading failed half way.
    ReadFailed = "read_failed", Damage;
    /// A length field that cannot be true; reading stops, since nothing tells where the next record begins.
    ImpossibleLength = "impossible_length", Damage;
    /// The two lengths of a pcapng block differ.
    LengthMismatch = "length_mismatch", Damage;
    /// A pcapng block whose contents contradict its length, or that names an undeclared interface.
    BadBlock = "bad_block", Damage;
    /// A record whose fixed fields cannot be true, such as a TSH record without an IPv4 header.
    BadRecord = "bad_record", Damage;
    /// A time stamp whose fraction is a second or more, or outside of the range of this program.
    BadTimestamp = "bad_timestamp", Damage;
    /// More bytes captured than were on the wire.
    CapturedBeyondWire = "captured_beyond_wire", Damage;
    /// A CSV line that cannot be read; it is skipped.
    BadLine = "bad_line", Damage;
    /// Time goes back by more than a second.
    TimeBackwards = "time_backwards", Damage;
    /// A network header that cannot be true.
    MalformedPacket = "malformed_packet", Malformed;
    /// Packets out of order by at most a second, as captures merged from several queues have them.
    Reordered = "reordered", Notice;
    /// More than a day without a packet: joined captures, or a broken clock.
    ClockJump = "clock_jump", Notice;
    /// A pcapng simple packet block, which has no time; it got that of the packet before.
    NoTimestamp = "no_timestamp", Notice;
    /// Records of a type this program does not read, delivered as opaque packets.
    OpaqueRecord = "opaque_record", Notice;
    /// ERF provenance: records about the capture and its host, which are no packets and are not read.
    ProvenanceRecord = "provenance_record", Notice;
    /// A file, or a section, of a version this program does not know.
    UnknownVersion = "unknown_version", Notice;
    /// Packets on a link type this program does not read, delivered as opaque packets.
    UnknownLinkType = "unknown_link_type", Notice;
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// What kind of thing was found.
    pub kind: DamageKind,
    /// The file.
    pub file: PathBuf,
    /// Where, in bytes from the beginning of the file after decompression.
    pub byte_offset: u64,
    /// The packet concerned, counted from 1 in delivered packets; for lost ones, the number it would have had.
    pub packet: u64,
    /// Line number from 1, in text files.
    pub line: Option<u64>,
    /// What was found.
    pub found: String,
    /// What was expected.
    pub expected: String,
    /// What was done.
    pub action: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        write!(
            f,
            "byte offset {}, packet {}: found {}, expected {}; {}",
            self.byte_offset, self.packet, self.found, self.expected, self.action
        )
    }
}

/// Where a finding lies.
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

/// What a finding says. Built only for findings that are kept, so that a flood of damage stays cheap.
pub(crate) struct Words {
    pub found: String,
    pub expected: String,
    pub action: &'static str,
}

/// Everything found while reading one capture.
#[derive(Clone, Debug)]
pub struct DamageReport {
    file: PathBuf,
    strict: bool,
    delivered: u64,
    counts: [u64; DamageKind::ALL.len()],
    diagnostics: Vec<Diagnostic>,
}

impl Serialize for DamageReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts: BTreeMap<&str, u64> = self.counts().map(|(kind, count)| (kind.key(), count)).collect();
        let mut report = serializer.serialize_struct("DamageReport", 4)?;
        report.serialize_field("file", &self.file)?;
        report.serialize_field("clean", &self.is_clean())?;
        report.serialize_field("counts", &counts)?;
        report.serialize_field("diagnostics", &self.diagnostics)?;
        report.end()
    }
}

impl DamageReport {
    pub(crate) fn new(file: &Path, strict: bool) -> Self {
        Self {
            file: file.to_owned(),
            strict,
            delivered: 0,
            counts: [0; DamageKind::ALL.len()],
            diagnostics: Vec::new(),
        }
    }

    /// The file this report is about.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// No damage. Notices and malformed packets in a sound file leave a report clean.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.total(Severity::Damage) == 0
    }

    /// How often this kind was found.
    #[must_use]
    pub fn count(&self, kind: DamageKind) -> u64 {
        self.counts[kind as usize]
    }

    /// How many findings of this severity there were.
    #[must_use]
    pub fn total(&self, severity: Severity) -> u64 {
        self.counts().filter(|(kind, _)| kind.severity() == severity).map(|(_, count)| count).sum()
    }

    /// Kinds found at least once, with how often.
    pub fn counts(&self) -> impl Iterator<Item = (DamageKind, u64)> + '_ {
        DamageKind::ALL.iter().map(|&kind| (kind, self.count(kind))).filter(|&(_, count)| count > 0)
    }

    /// The first [`MAX_DIAGNOSTICS_PER_KIND`] findings of each kind, in file order.
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

    /// Notes a finding about the packet being read.
    ///
    /// # Errors
    ///
    /// In strict mode, when the finding is damage.
    pub(crate) fn note(
        &mut self,
        kind: DamageKind,
        place: Place,
        words: impl FnOnce() -> Words,
    ) -> Result<(), TrafficError> {
        self.counts[kind as usize] += 1;
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
