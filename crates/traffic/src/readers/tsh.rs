//! TSH, the "time sequenced headers" of NLANR: records of 44 bytes.
//!
//! Four bytes of seconds, one of interface, three of microseconds, all big-endian; then 20 bytes of IPv4 header
//! and 16 of transport header. IP options are left out of the record: the transport header follows the first 20
//! bytes whatever the header length says, and the checksum of a header with options does not hold over what was
//! recorded. Source: NLANR PMA "Trace formats", `tsh`.
//!
//! The wire length is the IP total length: the format records no other.

use super::stream::ByteStream;
use super::{Container, NS_PER_SECOND, note_cut, u16_be, u32_be};
use crate::packet::NO_WIRE_BYTES;
use crate::report::{DamageKind, DamageReport, Place, Words};
use crate::{LinkType, Packet, TrafficError, link};

pub(crate) const RECORD_BYTES: usize = 44;
const HEADER_BYTES: usize = 8;
const CAPTURED_BYTES: u32 = 36;
const NS_PER_MICROSECOND: u64 = 1000;
/// First byte of an IPv4 header without options, and of those with.
const NO_OPTIONS: u8 = 0x45;
const OPTIONS_FIRST: u8 = 0x46;
const OPTIONS_LAST: u8 = 0x4f;

/// Returns whether the beginning of a file could be TSH: IPv4 headers and sound microseconds in every record
/// seen.
pub(crate) fn sniff(start: &[u8]) -> bool {
    let mut records = start.chunks_exact(RECORD_BYTES).peekable();
    records.peek().is_some()
        && records.all(|record| record[HEADER_BYTES] >> 4 == 4 && microseconds(record) < 1_000_000)
}

fn microseconds(record: &[u8]) -> u32 {
    u32_be(record, 4) & 0x00ff_ffff
}

/// Decodes a record whose header has options, which are not in it.
fn decode_with_options(frame: &[u8], packet: &mut Packet) {
    let first = frame[0];
    let mut without_options = [0; CAPTURED_BYTES as usize];
    without_options.copy_from_slice(frame);
    without_options[0] = NO_OPTIONS;
    link::decode(LinkType::RAW_IP, &without_options, packet);
    packet.ip_header[0] = first;
    packet.ipv4_checksum_ok = Some(false);
}

pub(crate) struct Tsh;

impl Container for Tsh {
    fn link_type(&self) -> Option<LinkType> {
        Some(LinkType::RAW_IP)
    }

    fn next_packet(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<Packet>, TrafficError> {
        let place = Place::at(stream.offset());
        let record = stream.peek(RECORD_BYTES);
        if record.len() < RECORD_BYTES {
            let have = record.len();
            if have > 0 {
                note_cut(stream, report, "a TSH record", have, RECORD_BYTES)?;
                stream.consume(have);
            }
            return Ok(None);
        }
        let seconds = u32_be(record, 0);
        let microseconds = microseconds(record);
        if microseconds >= 1_000_000 {
            report.note(DamageKind::BadTimestamp, place, || Words {
                found: format!("{microseconds} microseconds"),
                expected: "less than 1000000".to_owned(),
                action: "the whole seconds in the fraction field were added to the seconds field",
            })?;
        }
        let mut packet = Packet {
            time_ns: u64::from(seconds) * NS_PER_SECOND + u64::from(microseconds) * NS_PER_MICROSECOND,
            wire_bytes: NO_WIRE_BYTES,
            captured_bytes: CAPTURED_BYTES,
            ..Packet::default()
        };
        let frame = stream.hold_record(RECORD_BYTES, HEADER_BYTES..RECORD_BYTES);
        let first = frame[0];
        let stated_bytes = if first >> 4 == 4 { u32::from(u16_be(frame, 2)) } else { 0 };
        if matches!(first, OPTIONS_FIRST..=OPTIONS_LAST) {
            decode_with_options(frame, &mut packet);
        } else {
            link::decode(LinkType::RAW_IP, frame, &mut packet);
        }
        packet.wire_bytes = stated_bytes;
        if first >> 4 != 4 {
            report.note(DamageKind::BadRecord, place, || Words {
                found: format!("a TSH record whose IP header begins with {first:#04x}"),
                expected: "IP version 4".to_owned(),
                action: "the record was delivered as a packet of a protocol other than IPv4, with length 0",
            })?;
        }
        Ok(Some(packet))
    }
}
