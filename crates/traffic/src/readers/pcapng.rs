//! pcapng (draft-ietf-opsawg-pcapng): sections, interfaces and three kinds of packet block.
//!
//! Blocks carry their length twice. If the two differ, or the first is impossible, reading stops: as in pcap, nothing
//! else gives the start of the next block. A block whose contents are wrong is skipped.
//!
//! Simple packet blocks have no time stamp; they get that of the previous packet. Name resolution, statistics,
//! comments, decryption secrets and custom blocks are skipped.

use super::stream::ByteStream;
use super::{ByteOrder, Container, MAX_RECORD_BYTES, NS_PER_SECOND, note_cut};
use crate::report::{DamageKind, DamageReport, Place, Words};
use crate::{LinkType, Packet, TrafficError, link};

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

const BYTE_ORDER_MAGIC: u32 = 0x1a2b_3c4d;
/// Type, length, length again.
const MIN_BLOCK_BYTES: usize = 12;
const BODY_AT: usize = 8;
/// Up to the section length.
const MIN_SECTION_BYTES: usize = 28;

const OPTION_END: u16 = 0;
/// Flags of a packet block: bits 5 to 8 are the bytes of the check sequence, or 0.
const OPTION_FLAGS: u16 = 2;
const OPTION_TIME_RESOLUTION: u16 = 9;
const OPTION_FCS_LENGTH: u16 = 13;
const OPTION_TIME_OFFSET: u16 = 14;

/// Interfaces remembered in one section; a file that declares more is hostile.
const MAX_INTERFACES: usize = 65_536;

/// Returns whether a file begins like pcapng.
pub(crate) fn sniff(start: &[u8]) -> bool {
    start.starts_with(&SECTION_HEADER.to_be_bytes())
        && matches!(start.get(8..12), Some([0x1a, 0x2b, 0x3c, 0x4d] | [0x4d, 0x3c, 0x2b, 0x1a]))
}

/// The meaning of a time stamp's unit: `ns = ticks × multiply / divide` or `ticks × 10⁹ >> shift`.
#[derive(Clone, Copy, Debug)]
enum Resolution {
    Multiply(u64),
    Divide(u128),
    Shift(u32),
}

impl Resolution {
    const MICROSECONDS: Self = Self::Multiply(1000);

    /// From the byte of `if_tsresol`: a negative power of ten, or of two if the highest bit is set.
    fn from_option(value: u8) -> Self {
        let exponent = u32::from(value & 0x7f);
        match value {
            0x80.. => Self::Shift(exponent),
            0..=9 => Self::Multiply(10_u64.pow(9 - exponent)),
            // Beyond 10⁻³⁸ of a nanosecond every 64-bit count is zero.
            _ => Self::Divide(10_u128.checked_pow(exponent - 9).unwrap_or(u128::MAX)),
        }
    }

    fn to_ns(self, ticks: u64) -> u128 {
        let ticks = u128::from(ticks);
        match self {
            Self::Multiply(factor) => ticks * u128::from(factor),
            Self::Divide(divisor) => ticks / divisor,
            Self::Shift(bits) => (ticks * u128::from(NS_PER_SECOND)) >> bits,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Interface {
    link: LinkType,
    snap_bytes: u32,
    fcs_bytes: u8,
    resolution: Resolution,
    offset_seconds: i64,
}

impl Interface {
    /// From the body of an interface description block.
    fn parse(body: &[u8], order: ByteOrder) -> Option<Self> {
        if body.len() < 8 {
            return None;
        }
        let mut interface = Self {
            link: LinkType::from_number(order.u16(body, 0)),
            snap_bytes: order.u32(body, 4),
            fcs_bytes: 0,
            resolution: Resolution::MICROSECONDS,
            offset_seconds: 0,
        };
        for option in options(&body[8..], order) {
            let (code, value) = option?;
            match (code, value.len()) {
                (OPTION_TIME_RESOLUTION, 1) => interface.resolution = Resolution::from_option(value[0]),
                // The specification says bits, and its example is 4, which are bytes: no check sequence has 4 bits.
                (OPTION_FCS_LENGTH, 1) => {
                    interface.fcs_bytes = if value[0] < 8 { value[0] } else { value[0] / 8 };
                }
                (OPTION_TIME_OFFSET, 8) => {
                    let (low, high) = match order {
                        ByteOrder::Little => (order.u32(value, 0), order.u32(value, 4)),
                        ByteOrder::Big => (order.u32(value, 4), order.u32(value, 0)),
                    };
                    interface.offset_seconds = (u64::from(high) << 32 | u64::from(low)) as i64;
                }
                _ => {}
            }
        }
        Some(interface)
    }

    /// Time stamp to nanoseconds since 1970; `None` outside of the range of 64 bits.
    fn time_ns(&self, ticks: u64) -> Option<u64> {
        let ns = i128::try_from(self.resolution.to_ns(ticks)).ok()?;
        let offset_ns = i128::from(self.offset_seconds) * i128::from(NS_PER_SECOND);
        u64::try_from(ns.checked_add(offset_ns)?).ok()
    }
}

/// Returns the options of a block with their codes; the last is `None` if it does not fit.
fn options(mut rest: &[u8], order: ByteOrder) -> impl Iterator<Item = Option<(u16, &[u8])>> {
    std::iter::from_fn(move || {
        if rest.len() < 4 || order.u16(rest, 0) == OPTION_END {
            return None;
        }
        let (code, bytes) = (order.u16(rest, 0), usize::from(order.u16(rest, 2)));
        let value = rest.get(4..4 + bytes);
        rest = rest.get(4 + bytes.next_multiple_of(4)..).unwrap_or_default();
        Some(value.map(|value| (code, value)))
    })
}

/// Returns the bytes of the check sequence that the options of a packet block state.
fn stated_fcs_bytes(rest: &[u8], order: ByteOrder) -> Option<u8> {
    let flags =
        options(rest, order).flatten().find(|(code, value)| *code == OPTION_FLAGS && value.len() == 4)?;
    let bytes = (order.u32(flags.1, 0) >> 5 & 0xf) as u8;
    (bytes > 0).then_some(bytes)
}

/// A packet block, whichever of the three kinds.
struct PacketBlock {
    interface: usize,
    ticks: Option<u64>,
    captured_bytes: u32,
    wire_bytes: u32,
    /// Where the frame begins in the block.
    frame_at: usize,
}

impl PacketBlock {
    /// From a whole block; `None` when it is too short for its own fields.
    fn parse(kind: u32, block: &[u8], order: ByteOrder, interfaces: &[Interface]) -> Option<Self> {
        let body = &block[BODY_AT..block.len() - 4];
        let field = |at| (body.len() >= at + 4).then(|| order.u32(body, at));
        if kind == SIMPLE_PACKET {
            let wire_bytes = field(0)?;
            let snap_bytes = interfaces.first().map_or(0, |interface| interface.snap_bytes);
            let limit = if snap_bytes == 0 { u32::MAX } else { snap_bytes };
            return Some(Self {
                interface: 0,
                ticks: None,
                captured_bytes: wire_bytes.min(limit).min(body.len() as u32 - 4),
                wire_bytes,
                frame_at: BODY_AT + 4,
            });
        }
        let interface = match kind {
            ENHANCED_PACKET => field(0)? as usize,
            // The obsolete block has a 16-bit interface and a drop count.
            _ if body.len() >= 2 => usize::from(order.u16(body, 0)),
            _ => return None,
        };
        Some(Self {
            interface,
            ticks: Some(u64::from(field(4)?) << 32 | u64::from(field(8)?)),
            captured_bytes: field(12)?,
            wire_bytes: field(16)?,
            frame_at: BODY_AT + 20,
        })
    }
}

/// Damage inside one block: what was found, and what was expected.
type Fault = (String, &'static str);

pub(crate) struct PcapNg {
    order: ByteOrder,
    interfaces: Vec<Interface>,
    first_link: Option<LinkType>,
    time_ns: u64,
    stopped: bool,
}

impl PcapNg {
    pub(crate) fn new() -> Self {
        Self {
            order: ByteOrder::Little,
            interfaces: Vec::new(),
            first_link: None,
            time_ns: 0,
            stopped: false,
        }
    }

    /// Makes the next block readable whole: its kind and length.
    fn block(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<(u32, usize)>, TrafficError> {
        let start = stream.peek(MIN_BLOCK_BYTES);
        if start.len() < MIN_BLOCK_BYTES {
            let have = start.len();
            self.stopped = true;
            if have > 0 {
                note_cut(stream, report, "a pcapng block", have, MIN_BLOCK_BYTES)?;
            }
            return Ok(None);
        }
        match byte_order(start) {
            Ok(Some(order)) => self.order = order,
            Ok(None) => {}
            Err(fault) => return self.stop(stream, report, DamageKind::BadBlock, fault),
        }
        let kind = self.order.u32(start, 0);
        let stated = self.order.u32(start, 4);
        let least = if kind == SECTION_HEADER { MIN_SECTION_BYTES } else { MIN_BLOCK_BYTES };
        if stated > MAX_RECORD_BYTES || (stated as usize) < least {
            let fault = (format!("a pcapng block of {stated} bytes"), "12 bytes to 16 MiB");
            return self.stop(stream, report, DamageKind::ImpossibleLength, fault);
        }
        // Some writers forget to count the padding.
        let bytes = (stated as usize).next_multiple_of(4);
        let block = stream.peek(bytes);
        if block.len() < bytes {
            let have = block.len();
            self.stopped = true;
            note_cut(stream, report, "a pcapng block", have, bytes)?;
            return Ok(None);
        }
        let again = self.order.u32(block, bytes - 4);
        if again != stated {
            let fault = (
                format!("a pcapng block of {stated} bytes whose trailing length is {again}"),
                "the same length at the start and the end of the block",
            );
            return self.stop(stream, report, DamageKind::LengthMismatch, fault);
        }
        Ok(Some((kind, bytes)))
    }

    fn stop<T>(
        &mut self,
        stream: &ByteStream,
        report: &mut DamageReport,
        kind: DamageKind,
        (found, expected): Fault,
    ) -> Result<Option<T>, TrafficError> {
        self.stopped = true;
        report.note(kind, Place::at(stream.offset()), || Words {
            found,
            expected: expected.to_owned(),
            action: "the rest of the file was skipped, because the start of the next block is unknown",
        })?;
        Ok(None)
    }

    fn add_interface(&mut self, block: &[u8]) -> Result<(), Fault> {
        if self.interfaces.len() == MAX_INTERFACES {
            return Err((format!("more than {MAX_INTERFACES} interfaces"), "fewer"));
        }
        let body = &block[BODY_AT..block.len() - 4];
        let interface = Interface::parse(body, self.order).ok_or_else(|| {
            (
                format!(
                    "an interface description of {} bytes whose options extend beyond the block",
                    block.len()
                ),
                "options that end inside the block",
            )
        })?;
        self.first_link.get_or_insert(interface.link);
        self.interfaces.push(interface);
        Ok(())
    }

    fn check_packet(&self, kind: u32, block: &[u8]) -> Result<(PacketBlock, Interface), Fault> {
        let packet = PacketBlock::parse(kind, block, self.order, &self.interfaces).ok_or_else(|| {
            (format!("a packet block of {} bytes", block.len()), "enough bytes for the fixed fields")
        })?;
        let mut interface = *self.interfaces.get(packet.interface).ok_or_else(|| {
            let found = format!(
                "a packet on interface {} (counted from 0), but only {} declared interfaces",
                packet.interface,
                self.interfaces.len()
            );
            (found, "a declared interface")
        })?;
        let room = block.len() - 4 - packet.frame_at;
        if packet.captured_bytes as usize > room {
            let found = format!("{} captured bytes in a block with space for {room}", packet.captured_bytes);
            return Err((found, "captured bytes that fit in the block"));
        }
        let options_at = packet.frame_at + (packet.captured_bytes as usize).next_multiple_of(4);
        if kind != SIMPLE_PACKET
            && let Some(rest) = block.get(options_at..block.len() - 4)
            && let Some(bytes) = stated_fcs_bytes(rest, self.order)
        {
            // A packet knows better than its interface.
            interface.fcs_bytes = bytes;
        }
        Ok((packet, interface))
    }

    /// Delivers a checked packet block.
    fn deliver(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
        bytes: usize,
        (block, interface): (PacketBlock, Interface),
    ) -> Result<Packet, TrafficError> {
        let place = Place::at(stream.offset());
        if let Some(ticks) = block.ticks {
            match interface.time_ns(ticks) {
                Some(time_ns) => self.time_ns = time_ns,
                None => report.note(DamageKind::BadTimestamp, place, || Words {
                    found: format!("a time stamp of {ticks} units"),
                    expected: "a time between 1970 and 2554".to_owned(),
                    action: "the packet was given the time of the previous packet",
                })?,
            }
        } else {
            report.note(DamageKind::NoTimestamp, place, || Words {
                found: "a simple packet block".to_owned(),
                expected: "a packet with a time stamp".to_owned(),
                action: "the packet was given the time of the previous packet, or 0 if it is the first packet",
            })?;
        }
        let mut packet = Packet {
            time_ns: self.time_ns,
            wire_bytes: block.wire_bytes,
            fcs_bytes: interface.fcs_bytes,
            captured_bytes: block.captured_bytes,
            ..Packet::default()
        };
        let frame_end = block.frame_at + block.captured_bytes as usize;
        let frame = stream.hold_record(bytes, block.frame_at..frame_end);
        link::decode(interface.link, frame, &mut packet);
        Ok(packet)
    }
}

/// Returns the byte order that a section header announces; `None` for other blocks. The header's type is a
/// palindrome, so it is recognized before the byte order is known.
fn byte_order(start: &[u8]) -> Result<Option<ByteOrder>, Fault> {
    if !start.starts_with(&SECTION_HEADER.to_be_bytes()) {
        return Ok(None);
    }
    let magic = [start[8], start[9], start[10], start[11]];
    if magic == BYTE_ORDER_MAGIC.to_le_bytes() {
        Ok(Some(ByteOrder::Little))
    } else if magic == BYTE_ORDER_MAGIC.to_be_bytes() {
        Ok(Some(ByteOrder::Big))
    } else {
        Err((format!("{magic:02x?} in a pcapng section header"), "the byte-order magic"))
    }
}

fn note_bad_block(
    report: &mut DamageReport,
    place: Place,
    (found, expected): Fault,
) -> Result<(), TrafficError> {
    report.note(DamageKind::BadBlock, place, || Words {
        found,
        expected: expected.to_owned(),
        action: "the block was skipped",
    })
}

impl Container for PcapNg {
    fn link_type(&self) -> Option<LinkType> {
        self.first_link
    }

    fn next_packet(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<Packet>, TrafficError> {
        loop {
            if self.stopped {
                return Ok(None);
            }
            let place = Place::at(stream.offset());
            let Some((kind, bytes)) = self.block(stream, report)? else { return Ok(None) };
            match kind {
                SECTION_HEADER => {
                    self.interfaces.clear();
                    let block = stream.peek(bytes);
                    let version = (self.order.u16(block, 12), self.order.u16(block, 14));
                    // 1.2 was written by one program, and is the same.
                    if !matches!(version, (1, 0 | 2)) {
                        report.note(DamageKind::UnknownVersion, place, || Words {
                            found: format!("a pcapng section of version {}.{}", version.0, version.1),
                            expected: "1.0".to_owned(),
                            action: "read as version 1.0",
                        })?;
                    }
                }
                INTERFACE_DESCRIPTION => {
                    if let Err(fault) = self.add_interface(stream.peek(bytes)) {
                        note_bad_block(report, place, fault)?;
                    }
                }
                PACKET | SIMPLE_PACKET | ENHANCED_PACKET => {
                    match self.check_packet(kind, stream.peek(bytes)) {
                        Ok(checked) => return self.deliver(stream, report, bytes, checked).map(Some),
                        Err(fault) => note_bad_block(report, place, fault)?,
                    }
                }
                _ => {}
            }
            stream.consume(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_resolutions() {
        for (option, ticks, ns) in [
            (6, 5, 5_000),
            (9, 5, 5),
            (0, 5, 5_000_000_000),
            (12, 5_999, 5),
            (127, u64::MAX, 0),
            (0x80 | 10, 1 << 10, 1_000_000_000),
            (0x80 | 127, u64::MAX, 0),
        ] {
            assert_eq!(Resolution::from_option(option).to_ns(ticks), ns, "if_tsresol {option}");
        }
    }
}
