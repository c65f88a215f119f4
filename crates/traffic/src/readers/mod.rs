//! Containers: from the bytes of a file to packets, one file per format.
//!
//! Each reader owns the little state its format needs and is handed the byte stream and the report for every
//! packet. All of them share one rule: check a record whole before using any of it.
//!
//! The parsers are this crate's own. Byte offsets, packet numbers, and knowing what to do about a record that is
//! cut or contradicts itself are the purpose here; the containers are small, and around a general parser such as
//! `pcap-file` or `pcap-parser` there would be as much code as it replaces.

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

/// Largest record believed: a longer one is taken for a damaged length field.
pub(crate) const MAX_RECORD_BYTES: u32 = 16 << 20;

/// Captured length always believed, whatever the file header's snapshot length says (as Wireshark does).
pub(crate) const MAX_USUAL_CAPTURED_BYTES: u32 = 262_144;

pub(crate) const NS_PER_SECOND: u64 = 1_000_000_000;

/// The one job of every container.
pub(crate) trait Container {
    /// The next packet; `None` at the end, or where damage makes going on impossible.
    fn next_packet(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<Packet>, TrafficError>;

    /// The link type, once known.
    fn link_type(&self) -> Option<LinkType>;
}

/// Notes that the stream ended `have` bytes into something `need` bytes long, unless the stream itself failed
/// there (which has been noted already).
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
        found: format!("the end of the file {have} bytes into {what}"),
        expected: format!("{need} bytes"),
        action: "the partial record was left out",
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
