//! Containers: from the bytes of a file to packets, one file per format.
//!
//! Each reader keeps the small state of its format and receives the byte stream and the report for every
//! packet. All of them follow one rule: check a whole record before using any of it.
//!
//! The parsers are part of this crate. Their purpose is to report byte offsets and packet numbers, and to
//! handle records that are cut or contradict themselves. The containers are small, and a general parser such as
//! `pcap-file` or `pcap-parser` would need as much code around it as it replaces.

pub(crate) mod compression;
pub(crate) mod csv;
pub(crate) mod erf;
pub(crate) mod legacy_dag;
pub(crate) mod pcap;
pub(crate) mod pcapng;
pub(crate) mod stream;
pub(crate) mod tsh;

use crate::report::{DamageKind, DamageReport, Place, Words};
use crate::{LinkType, Packet, TrafficError};
use stream::ByteStream;

/// Largest plausible record: a longer one means a damaged length field.
pub(crate) const MAX_RECORD_BYTES: u32 = 16 << 20;

/// Captured length that is always accepted, for any snapshot length in the file header (as in Wireshark).
pub(crate) const MAX_USUAL_CAPTURED_BYTES: u32 = 262_144;

pub(crate) const NS_PER_SECOND: u64 = 1_000_000_000;

/// The interface of a container.
pub(crate) trait Container {
    /// Returns the next packet; `None` at the end, or if damage makes further reading impossible.
    fn next_packet(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<Packet>, TrafficError>;

    /// Returns the link type, once known.
    fn link_type(&self) -> Option<LinkType>;
}

/// Reports that the stream ended `have` bytes into something `need` bytes long, unless the stream itself failed
/// there (which is already reported).
pub(crate) fn note_cut(
    stream: &ByteStream,
    report: &mut DamageReport,
    what: &str,
    have: usize,
    need: usize,
) -> Result<(), TrafficError> {
    if stream.has_failed() {
        return Ok(());
    }
    report.note(DamageKind::CutShort, Place::at(stream.offset()), || Words {
        found: format!("the end of the file after {have} bytes of {what}"),
        expected: format!("{need} bytes"),
        action: "the partial record was skipped",
    })
}

pub(crate) fn u16_be(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

pub(crate) fn u32_be(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(crate) fn u32_le(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Byte order of a file, read from its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    pub(crate) fn u16(self, bytes: &[u8], at: usize) -> u16 {
        let pair = [bytes[at], bytes[at + 1]];
        match self {
            Self::Little => u16::from_le_bytes(pair),
            Self::Big => u16::from_be_bytes(pair),
        }
    }

    pub(crate) fn u32(self, bytes: &[u8], at: usize) -> u32 {
        match self {
            Self::Little => u32_le(bytes, at),
            Self::Big => u32_be(bytes, at),
        }
    }
}

/// A 32.32 fixed-point time stamp, as DAG cards write it, in nanoseconds, rounded down.
pub(crate) fn dag_time_ns(bytes: &[u8]) -> u64 {
    let fraction = u64::from(u32_le(bytes, 0));
    let seconds = u64::from(u32_le(bytes, 4));
    seconds * NS_PER_SECOND + ((fraction * NS_PER_SECOND) >> 32)
}
