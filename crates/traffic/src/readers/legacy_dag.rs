//! Legacy DAG records, from before ERF: 64 bytes each, in three layouts without any signature.
//!
//! | card | 0..8 | then | frame at |
//! |---|---|---|---|
//! | ATM | time | 4 bytes CRC, 4 bytes ATM header | 16 (LLC/SNAP) |
//! | Ethernet | time | 2 bytes wire length, little-endian | 10 |
//! | POS | time | 4 bytes record length, 4 bytes wire length, big-endian | 16 (HDLC) |
//!
//! Times are 32.32 fixed point, little-endian. Source: libtrace `format_legacy.c` and the files themselves. The
//! layout is recognized in the first record, by the bytes at the position of each layout's link header.

use super::stream::ByteStream;
use super::{ByteOrder, Container, NS_PER_SECOND, dag_time_ns, note_cut, u16_be, u32_be};
use crate::link::ETHERNET_FCS_BYTES;
use crate::packet::NO_WIRE_BYTES;
use crate::report::DamageReport;
use crate::{LinkType, Packet, TrafficError, link};

const RECORD_BYTES: usize = 64;
const ATM_FRAME_AT: usize = 16;
const ETHERNET_FRAME_AT: usize = 10;
const POS_FRAME_AT: usize = 16;
const LLC_SNAP: [u8; 6] = [0xaa, 0xaa, 0x03, 0, 0, 0];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegacyDag {
    Atm,
    Ethernet,
    Pos,
}

impl LegacyDag {
    /// The layout, if every record in `start` could be of it.
    pub(crate) fn sniff(start: &[u8]) -> Option<Self> {
        let records = || start.chunks_exact(RECORD_BYTES);
        let first_seconds = dag_time_ns(records().next()?) / NS_PER_SECOND;
        let near = |record| (dag_time_ns(record) / NS_PER_SECOND).abs_diff(first_seconds) < 86_400;
        if first_seconds == 0 || !records().all(near) {
            return None;
        }
        [Self::Atm, Self::Pos, Self::Ethernet].into_iter().find(|layout| records().all(|r| layout.fits(r)))
    }

    fn fits(self, record: &[u8]) -> bool {
        match self {
            Self::Atm => record[ATM_FRAME_AT..].starts_with(&LLC_SNAP),
            Self::Pos => {
                u32_be(record, 8) == RECORD_BYTES as u32 && matches!(record[POS_FRAME_AT], 0xff | 0x0f | 0x8f)
            }
            Self::Ethernet => {
                matches!(u16_be(record, ETHERNET_FRAME_AT + 12), 0x0800 | 0x0806 | 0x8100 | 0x86dd)
                    || u16_be(record, ETHERNET_FRAME_AT + 12) <= 1500
            }
        }
    }
}

impl Container for LegacyDag {
    fn link_type(&self) -> Option<LinkType> {
        Some(match self {
            Self::Atm => LinkType::ATM_LLC,
            Self::Ethernet => LinkType::ETHERNET,
            Self::Pos => LinkType::PPP_HDLC,
        })
    }

    fn next_packet(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<Packet>, TrafficError> {
        let record = stream.peek(RECORD_BYTES);
        if record.len() < RECORD_BYTES {
            let have = record.len();
            if have > 0 {
                note_cut(stream, report, "a legacy DAG record", have, RECORD_BYTES)?;
                stream.consume(have);
            }
            return Ok(None);
        }
        let time_ns = dag_time_ns(record);
        let (link, frame_at, wire_bytes) = match self {
            Self::Atm => (LinkType::ATM_LLC, ATM_FRAME_AT, NO_WIRE_BYTES),
            Self::Ethernet => {
                let wire_bytes = u32::from(ByteOrder::Little.u16(record, 8));
                (LinkType::ETHERNET, ETHERNET_FRAME_AT, wire_bytes)
            }
            Self::Pos => (LinkType::PPP_HDLC, POS_FRAME_AT, u32_be(record, 12)),
        };
        // Short packets are padded; a cell is whole whatever its packet's length.
        let mut captured_bytes = (RECORD_BYTES - frame_at) as u32;
        if *self != Self::Atm {
            captured_bytes = captured_bytes.min(wire_bytes);
        }
        let frame = stream.hold_record(RECORD_BYTES, frame_at..frame_at + captured_bytes as usize);
        // As in ERF, the wire length of an Ethernet frame includes its check sequence.
        let fcs_bytes = if *self == Self::Ethernet { ETHERNET_FCS_BYTES } else { 0 };
        let mut packet = Packet { time_ns, wire_bytes, fcs_bytes, captured_bytes, ..Packet::default() };
        link::decode(link, frame, &mut packet);
        if *self == Self::Atm {
            packet.wire_bytes = packet.ip_bytes;
        }
        Ok(Some(packet))
    }
}
