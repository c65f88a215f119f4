//! ERF, the extensible record format of Endace DAG cards.
//!
//! Records of a 16-byte header (32.32 fixed-point time stamp, little-endian; type, flags, record length, loss
//! counter and wire length, big-endian), optional 8-byte extension headers, a small prefix that depends on the
//! type, and the frame, padded. Source: Endace "ERF types" reference, and the Wireshark wiki page on ERF.
//!
//! Left out: the loss counter, the interface number, and the inside of counter and provenance records.

use super::stream::ByteStream;
use super::{Container, dag_time_ns, note_cut, u16_be};
use crate::link::ETHERNET_FCS_BYTES;
use crate::packet::NO_WIRE_BYTES;
use crate::report::{DamageKind, DamageReport, Place, Words};
use crate::{LinkType, Network, Packet, TrafficError, link};

const HEADER_BYTES: usize = 16;
const EXTENSION_BYTES: usize = 8;
/// The most significant bit of a type says that an extension header follows.
const MORE_EXTENSIONS: u8 = 0x80;

const TYPE_META: u8 = 27;
const TYPE_PAD: u8 = 48;
const LAST_KNOWN_TYPE: u8 = 48;

/// What follows the headers of a record type: the link type of the frame, the bytes before the frame, and
/// whether the wire length is only known from the IP header.
struct Layout {
    link: LinkType,
    prefix_bytes: usize,
    wire_from_ip: bool,
}

fn layout(kind: u8) -> Layout {
    let of = |link, prefix_bytes, wire_from_ip| Layout { link, prefix_bytes, wire_from_ip };
    match kind {
        // HDLC over SONET, plain, coloured, from a steering module, hashed.
        1 | 10 | 15 | 19 => of(LinkType::PPP_HDLC, 0, false),
        // Ethernet: an offset byte and a pad byte precede the frame.
        2 | 11 | 16 | 20 => of(LinkType::ETHERNET, 2, false),
        // One ATM cell; its wire length field always says 53.
        3 => of(LinkType::ATM_LLC, 4, true),
        4 => of(LinkType::ATM_LLC, 4, false),
        // Multichannel: a channel header of four bytes comes first.
        5 | 17 => of(LinkType::PPP_HDLC, 4, false),
        7 => of(LinkType::ATM_LLC, 8, true),
        9 => of(LinkType::ATM_LLC, 8, false),
        22 => of(LinkType::IPV4, 0, false),
        23 => of(LinkType::IPV6, 0, false),
        _ => of(LinkType::UNKNOWN, 0, false),
    }
}

/// Returns whether the beginning of a file could be ERF: `start` is a chain of plausible headers.
pub(crate) fn sniff(start: &[u8]) -> bool {
    let mut at = 0;
    let mut previous_seconds = None;
    let mut seen = 0;
    while let Some(header) = start.get(at..at + HEADER_BYTES) {
        let kind = header[8] & !MORE_EXTENSIONS;
        let record_bytes = usize::from(u16_be(header, 10));
        let seconds = dag_time_ns(header) / super::NS_PER_SECOND;
        let near = previous_seconds.is_none_or(|previous: u64| seconds.abs_diff(previous) < 366 * 86_400);
        if !(1..=LAST_KNOWN_TYPE).contains(&kind) || record_bytes < HEADER_BYTES || !near {
            break;
        }
        previous_seconds = Some(seconds);
        seen += 1;
        at += record_bytes;
    }
    // A valid start with a broken record after it is still this format.
    seen >= 3 || (seen > 0 && at == start.len())
}

#[derive(Default)]
pub(crate) struct Erf {
    link: Option<LinkType>,
    stopped: bool,
    opaque_noted: bool,
    provenance_noted: bool,
}

/// A record whose lengths have been checked.
struct Extent {
    record_bytes: usize,
    /// Header, extension headers and prefix.
    frame_at: usize,
    layout: Layout,
}

impl Erf {
    /// Finds the extent of the record at the beginning of the stream.
    fn extent(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<Extent>, TrafficError> {
        let place = Place::at(stream.offset());
        let header = stream.peek(HEADER_BYTES);
        if header.len() < HEADER_BYTES {
            self.stopped = true;
            let have = header.len();
            if have > 0 {
                note_cut(stream, report, "an ERF record header", have, HEADER_BYTES)?;
            }
            return Ok(None);
        }
        let kind = header[8];
        let record_bytes = usize::from(u16_be(header, 10));
        if record_bytes < HEADER_BYTES {
            self.stopped = true;
            report.note(DamageKind::ImpossibleLength, place, || Words {
                found: format!("an ERF record of {record_bytes} bytes"),
                expected: format!("at least {HEADER_BYTES}"),
                action: "the rest of the file was skipped, because the start of the next record is unknown",
            })?;
            return Ok(None);
        }
        let record = stream.peek(record_bytes);
        if record.len() < record_bytes {
            self.stopped = true;
            let have = record.len();
            note_cut(stream, report, "an ERF record", have, record_bytes)?;
            return Ok(None);
        }
        let layout = layout(kind & !MORE_EXTENSIONS);
        let mut frame_at = HEADER_BYTES;
        let mut more = kind;
        while more & MORE_EXTENSIONS != 0 && frame_at < record_bytes {
            more = record[frame_at];
            frame_at += EXTENSION_BYTES;
        }
        frame_at += layout.prefix_bytes;
        if frame_at > record_bytes {
            report.note(DamageKind::BadRecord, place, || Words {
                found: format!("an ERF record of {record_bytes} bytes with {frame_at} bytes of headers"),
                expected: "headers that end inside the record".to_owned(),
                action: "the record was delivered as a packet without captured bytes",
            })?;
            frame_at = record_bytes;
        }
        Ok(Some(Extent { record_bytes, frame_at, layout }))
    }

    fn note_opaque(&mut self, kind: u8, place: Place, report: &mut DamageReport) -> Result<(), TrafficError> {
        if std::mem::replace(&mut self.opaque_noted, true) {
            return Ok(());
        }
        report.note(DamageKind::OpaqueRecord, place, || Words {
            found: format!("ERF record type {kind}"),
            expected: "Ethernet, HDLC, ATM, AAL5, IPv4 or IPv6".to_owned(),
            action: "all records of unsupported types were delivered as opaque packets; only the first is reported",
        })
    }
}

impl Container for Erf {
    fn link_type(&self) -> Option<LinkType> {
        self.link
    }

    fn next_packet(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<Packet>, TrafficError> {
        while !self.stopped {
            let Some(extent) = self.extent(stream, report)? else { break };
            let kind = stream.peek(HEADER_BYTES)[8] & !MORE_EXTENSIONS;
            if kind == TYPE_META && !std::mem::replace(&mut self.provenance_noted, true) {
                report.note(DamageKind::ProvenanceRecord, Place::at(stream.offset()), || Words {
                    found: "a provenance record, which describes the capture and its host".to_owned(),
                    expected: "packets".to_owned(),
                    action: "all provenance records were skipped; only the first is reported",
                })?;
            }
            if kind == TYPE_PAD || kind == TYPE_META {
                stream.consume(extent.record_bytes);
                continue;
            }
            if extent.layout.link == LinkType::UNKNOWN {
                self.note_opaque(kind, Place::at(stream.offset()), report)?;
            }
            self.link.get_or_insert(extent.layout.link);
            return Ok(Some(deliver(stream, &extent)));
        }
        Ok(None)
    }
}

/// The packet of a record whose extent is known.
fn deliver(stream: &mut ByteStream, extent: &Extent) -> Packet {
    let &Extent { record_bytes, frame_at, layout: Layout { link, prefix_bytes, wire_from_ip } } = extent;
    let header = stream.peek(HEADER_BYTES);
    let wire_bytes = u32::from(u16_be(header, 14));
    let time_ns = dag_time_ns(header);
    let mut frame_bytes = record_bytes - frame_at;
    // Records are padded; a cell is whole whatever its wire length says.
    if !wire_from_ip {
        frame_bytes = frame_bytes.min(wire_bytes as usize);
    }
    // The wire length of an Ethernet frame includes its check sequence.
    let fcs_bytes = if link == LinkType::ETHERNET { ETHERNET_FCS_BYTES } else { 0 };
    let captured_bytes = frame_bytes as u32;
    let stated = if wire_from_ip { NO_WIRE_BYTES } else { wire_bytes };
    let mut packet = Packet { time_ns, wire_bytes: stated, fcs_bytes, captured_bytes, ..Packet::default() };
    let frame = stream.hold_record(record_bytes, frame_at..frame_at + frame_bytes);
    link::decode(link, frame, &mut packet);
    if wire_from_ip {
        packet.captured_bytes += prefix_bytes as u32;
        packet.wire_bytes = if packet.network == Network::Other { wire_bytes } else { packet.ip_bytes };
    }
    packet
}
