//! pcap: the libpcap savefile format (draft-ietf-opsawg-pcap), and Kuznetzov's modified variant with longer
//! record headers.
//!
//! Only a record's captured length gives the start of the next record. If the length is impossible, reading stops: a
//! guessed start would deliver payload as packets.

use super::stream::ByteStream;
use super::{ByteOrder, Container, MAX_RECORD_BYTES, MAX_USUAL_CAPTURED_BYTES, NS_PER_SECOND, note_cut};
use crate::report::{DamageKind, DamageReport, Place, Words};
use crate::{LinkType, Packet, TrafficError, link};

const FILE_HEADER_BYTES: usize = 24;
/// Of every file since 1998.
const VERSION: (u16, u16) = (2, 4);
const RECORD_HEADER_BYTES: usize = 16;
/// The flag `f` in the field of the link type.
const FCS_LENGTH_IS_STATED: u32 = 0x0400_0000;
/// Kuznetzov's records add interface, protocol and packet type.
const MODIFIED_RECORD_HEADER_BYTES: usize = 24;

/// The meaning of a magic number: byte order, nanoseconds per unit of the fraction, record header length.
#[derive(Clone, Copy)]
struct Magic {
    order: ByteOrder,
    ns_per_unit: u64,
    record_header_bytes: usize,
}

fn magic(start: &[u8]) -> Option<Magic> {
    let of =
        |order, ns_per_unit, record_header_bytes| Some(Magic { order, ns_per_unit, record_header_bytes });
    match start.first_chunk::<4>()? {
        [0xd4, 0xc3, 0xb2, 0xa1] => of(ByteOrder::Little, 1000, RECORD_HEADER_BYTES),
        [0xa1, 0xb2, 0xc3, 0xd4] => of(ByteOrder::Big, 1000, RECORD_HEADER_BYTES),
        [0x4d, 0x3c, 0xb2, 0xa1] => of(ByteOrder::Little, 1, RECORD_HEADER_BYTES),
        [0xa1, 0xb2, 0x3c, 0x4d] => of(ByteOrder::Big, 1, RECORD_HEADER_BYTES),
        [0x34, 0xcd, 0xb2, 0xa1] => of(ByteOrder::Little, 1000, MODIFIED_RECORD_HEADER_BYTES),
        [0xa1, 0xb2, 0xcd, 0x34] => of(ByteOrder::Big, 1000, MODIFIED_RECORD_HEADER_BYTES),
        _ => None,
    }
}

/// Returns whether a file begins like pcap.
pub(crate) fn sniff(start: &[u8]) -> bool {
    magic(start).is_some()
}

/// The fields of a record header.
struct RecordHeader {
    seconds: u32,
    fraction: u32,
    captured_bytes: u32,
    wire_bytes: u32,
}

pub(crate) struct Pcap {
    magic: Magic,
    link: LinkType,
    fcs_bytes: u8,
    max_captured_bytes: u32,
    stopped: bool,
    /// A version other than the current one, until it has been reported.
    version: Option<(u16, u16)>,
}

impl Pcap {
    /// Reads the file header.
    pub(crate) fn open(stream: &mut ByteStream) -> Result<Self, (String, String)> {
        let header = stream.peek(FILE_HEADER_BYTES);
        if header.len() < FILE_HEADER_BYTES {
            return Err((
                format!("a file of {} bytes", header.len()),
                format!("a pcap file header of {FILE_HEADER_BYTES} bytes"),
            ));
        }
        let magic = magic(header).ok_or_else(|| {
            (format!("{:02x?}", &header[..4]), "a pcap magic number, such as a1b2c3d4".to_owned())
        })?;
        let version = (magic.order.u16(header, 4), magic.order.u16(header, 6));
        let snap_bytes = magic.order.u32(header, 16);
        let link_field = magic.order.u32(header, 20);
        let link = LinkType::from_number((link_field & 0xffff) as u16);
        // The four upper bits are the 16-bit words of the check sequence of each frame, if the file states them.
        let fcs_bytes = if link_field & FCS_LENGTH_IS_STATED == 0 { 0 } else { 2 * (link_field >> 28) as u8 };
        stream.consume(FILE_HEADER_BYTES);
        let max_captured_bytes = snap_bytes.clamp(MAX_USUAL_CAPTURED_BYTES, MAX_RECORD_BYTES);
        let version = (version != VERSION).then_some(version);
        Ok(Self { magic, link, fcs_bytes, max_captured_bytes, stopped: false, version })
    }
}

impl Pcap {
    /// Reads a record header and makes the whole record readable; `None` where reading ends.
    fn record(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<RecordHeader>, TrafficError> {
        if let Some((major, minor)) = self.version.take() {
            report.note(DamageKind::UnknownVersion, Place::at(0), || Words {
                found: format!("pcap version {major}.{minor}"),
                expected: "2.4".to_owned(),
                action: "the file was read as version 2.4; before version 2.3, the wire length preceded the captured length",
            })?;
        }
        let Magic { order, record_header_bytes, .. } = self.magic;
        let place = Place::at(stream.offset());
        let bytes = stream.peek(record_header_bytes);
        if bytes.len() < record_header_bytes {
            self.stopped = true;
            let have = bytes.len();
            if have > 0 {
                note_cut(stream, report, "a pcap record header", have, record_header_bytes)?;
            }
            return Ok(None);
        }
        let header = RecordHeader {
            seconds: order.u32(bytes, 0),
            fraction: order.u32(bytes, 4),
            captured_bytes: order.u32(bytes, 8),
            wire_bytes: order.u32(bytes, 12),
        };
        if header.captured_bytes > self.max_captured_bytes {
            self.stopped = true;
            let most = self.max_captured_bytes;
            report.note(DamageKind::ImpossibleLength, place, || Words {
                found: format!("a pcap record of {} captured bytes", header.captured_bytes),
                expected: format!("at most {most}"),
                action: "the rest of the file was skipped, because the start of the next record is unknown",
            })?;
            return Ok(None);
        }
        let record_bytes = record_header_bytes + header.captured_bytes as usize;
        let have = stream.peek(record_bytes).len();
        if have < record_bytes {
            self.stopped = true;
            note_cut(stream, report, "a pcap record", have, record_bytes)?;
            return Ok(None);
        }
        Ok(Some(header))
    }

    /// The time of a record. A fraction of a second or more is reported and carried.
    fn time_ns(
        &self,
        header: &RecordHeader,
        place: Place,
        report: &mut DamageReport,
    ) -> Result<u64, TrafficError> {
        let ns_per_unit = self.magic.ns_per_unit;
        let fraction_ns = u64::from(header.fraction) * ns_per_unit;
        if fraction_ns >= NS_PER_SECOND {
            report.note(DamageKind::BadTimestamp, place, || Words {
                found: format!("{} in the fraction field of a time stamp", header.fraction),
                expected: format!("less than {}", NS_PER_SECOND / ns_per_unit),
                action: "the whole seconds in the fraction field were added to the seconds field",
            })?;
        }
        Ok(u64::from(header.seconds) * NS_PER_SECOND + fraction_ns)
    }
}

impl Container for Pcap {
    fn link_type(&self) -> Option<LinkType> {
        Some(self.link)
    }

    #[inline]
    fn next_packet(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<Packet>, TrafficError> {
        if self.stopped {
            return Ok(None);
        }
        let Some(header) = self.record(stream, report)? else { return Ok(None) };
        let time_ns = self.time_ns(&header, Place::at(stream.offset()), report)?;
        let RecordHeader { captured_bytes, wire_bytes, .. } = header;
        let frame_at = self.magic.record_header_bytes;
        let record_bytes = frame_at + captured_bytes as usize;
        let frame = stream.hold_record(record_bytes, frame_at..record_bytes);
        let fcs_bytes = self.fcs_bytes;
        let mut packet = Packet { time_ns, wire_bytes, fcs_bytes, captured_bytes, ..Packet::default() };
        link::decode(self.link, frame, &mut packet);
        Ok(Some(packet))
    }
}
