//! The kinds of findings in a capture, and one finding.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// How severe a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Valid, but noteworthy.
    Notice,
    /// A broken packet in a sound file.
    Malformed,
    /// The file itself is damaged.
    Damage,
}

macro_rules! damage_kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $key:literal, $severity:ident;)+) => {
        /// The kind of a finding.
        #[derive(Clone, Copy, Debug, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum DamageKind { $($(#[doc = $doc])+ $name,)+ }

        impl DamageKind {
            /// All kinds, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the stable key for tables and JSON.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Self::$name => $key,)+ }
            }

            /// Returns how severe it is.
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

/// One finding in a capture, such as a damaged record.
#[derive(Clone, Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub struct Diagnostic {
    /// Kind of the finding, such as `cut_short`.
    pub kind: DamageKind,
    /// Path of the capture.
    pub file: PathBuf,
    /// Position of the finding in bytes from the beginning of the decompressed file.
    pub byte_offset: u64,
    /// Number of the packet, counted from 1; a lost packet has the number that it would have had in an
    /// undamaged capture.
    pub packet: u64,
    /// Line number in a text file, counted from 1; `None` for other files.
    pub line: Option<u64>,
    /// The contents of the capture at the position of the finding.
    pub found: String,
    /// The contents that the format requires at the position of the finding.
    pub expected: String,
    /// Action that Linecard takes after the finding.
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
