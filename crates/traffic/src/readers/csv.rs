//! CSV: one packet a line, columns named in the first line.
//!
//! | column | meaning |
//! |---|---|
//! | `time` | seconds, decimal, up to nine digits behind the point (further ones are rounded down) |
//! | `length` | bytes of the Ethernet frame without its check sequence, as in pcap |
//! | `src`, `dst` | IPv4 or IPv6 address |
//! | `src_port`, `dst_port` | port; may be empty |
//! | `protocol` | number, or `tcp`, `udp`, `icmp`, `sctp` |
//!
//! `time` and `length` are required; a packet without addresses has no flow. An unknown column is an error, as it
//! is most likely a misspelt one. A line that cannot be read is skipped and reported. Fields may not be quoted:
//! nothing in these columns needs it. Empty lines and lines beginning with `#` are passed over. No column states the
//! TTL: it is that of generated packets.

use super::stream::ByteStream;
use super::{Container, NS_PER_SECOND};
use crate::generators::TTL;
use crate::link::ETHERNET_HEADER_BYTES;
use crate::report::{DamageKind, DamageReport, Place, Words};
use crate::{Decoded, FiveTuple, LinkType, Network, Packet, TrafficError};
use std::net::IpAddr;

const COLUMNS: [&str; 7] = ["time", "length", "src", "dst", "src_port", "dst_port", "protocol"];
const MAX_LINE_BYTES: usize = 4096;

/// Returns whether the beginning of a file could be CSV: printable text whose first line names the required
/// columns.
pub(crate) fn sniff(start: &[u8]) -> bool {
    let line = start.split(|&byte| byte == b'\n').find(|line| !passed_over(line)).unwrap_or_default();
    let Ok(line) = std::str::from_utf8(line) else { return false };
    let has = |name| line.split(',').any(|column| column.trim() == name);
    has("time") && has("length")
}

fn passed_over(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || line[0] == b'#'
}

/// An error of a line: found, expected.
type Fault = (String, String);

fn fault(found: impl Into<String>, expected: impl Into<String>) -> Fault {
    (found.into(), expected.into())
}

pub(crate) struct Csv {
    /// The column of [`COLUMNS`] at each position.
    order: Vec<usize>,
    /// Lines read so far.
    line: u64,
    /// Start of the last line read.
    byte_offset: u64,
}

impl Csv {
    /// Returns the location of the last line read.
    pub(crate) fn place(&self) -> Place {
        Place { byte_offset: self.byte_offset, line: Some(self.line) }
    }

    /// Reads the line of column names.
    pub(crate) fn open(stream: &mut ByteStream) -> Result<Self, (u64, Fault)> {
        let mut line = 0;
        loop {
            line += 1;
            let mut result = None;
            let more = take_line(stream, |bytes, whole| {
                if !passed_over(bytes) {
                    result = Some(if whole { parse_names(bytes) } else { Err(too_long()) });
                }
            });
            match result {
                Some(Ok(order)) => return Ok(Self { order, line, byte_offset: 0 }),
                Some(Err(fault)) => return Err((line, fault)),
                None if more => {}
                None => return Err((line, fault("no header with column names", COLUMNS.join(",")))),
            }
        }
    }

    fn parse(&self, line: &[u8]) -> Result<Packet, Fault> {
        let text = std::str::from_utf8(line).map_err(|_| fault("bytes that are not UTF-8", "plain text"))?;
        let mut fields = [""; COLUMNS.len()];
        let mut count = 0;
        for field in text.split(',') {
            if let Some(&column) = self.order.get(count) {
                fields[column] = field.trim();
            }
            count += 1;
        }
        if count != self.order.len() {
            return Err(fault(format!("{count} fields"), format!("{}", self.order.len())));
        }
        parse_packet(&fields)
    }
}

fn too_long() -> Fault {
    fault(format!("a line longer than {MAX_LINE_BYTES} bytes"), "a shorter one")
}

fn parse_names(line: &[u8]) -> Result<Vec<usize>, Fault> {
    let text = std::str::from_utf8(line).map_err(|_| fault("bytes that are not UTF-8", "column names"))?;
    let mut order = Vec::new();
    for name in text.split(',').map(str::trim) {
        let column = COLUMNS
            .iter()
            .position(|&known| known == name)
            .ok_or_else(|| fault(format!("column `{name}`"), format!("one of {}", COLUMNS.join(", "))))?;
        if order.contains(&column) {
            return Err(fault(format!("column `{name}` twice"), "each column once"));
        }
        order.push(column);
    }
    for required in [0, 1] {
        if !order.contains(&required) {
            return Err(fault(
                "a header without a required column",
                format!("a column `{}`", COLUMNS[required]),
            ));
        }
    }
    Ok(order)
}

fn parse_packet(fields: &[&str; COLUMNS.len()]) -> Result<Packet, Fault> {
    let [time, length, src, dst, src_port, dst_port, protocol] = *fields;
    let time_ns = parse_time_ns(time).ok_or_else(|| {
        fault(format!("time `{time}`"), "seconds as a decimal number, such as 12.000000345")
    })?;
    let wire_bytes: u32 =
        length.parse().map_err(|_| fault(format!("length `{length}`"), "a whole number of bytes"))?;
    let mut packet = Packet { time_ns, wire_bytes, link: LinkType::ETHERNET, ..Packet::default() };
    if src.is_empty() && dst.is_empty() {
        return Ok(packet);
    }
    let (network, src, dst) = match (parse_address(src)?, parse_address(dst)?) {
        (IpAddr::V4(src), IpAddr::V4(dst)) => (Network::Ipv4, u32::from(src).into(), u32::from(dst).into()),
        (IpAddr::V6(src), IpAddr::V6(dst)) => (Network::Ipv6, src.into(), dst.into()),
        _ => {
            return Err(fault(
                "source and destination addresses of different families",
                "both IPv4 or both IPv6",
            ));
        }
    };
    let (src_port, dst_port) = (parse_port(src_port)?, parse_port(dst_port)?);
    packet.network = network;
    packet.decoded = Decoded::Complete;
    packet.ttl = TTL;
    packet.ip_offset = ETHERNET_HEADER_BYTES as u16;
    packet.ip_bytes = wire_bytes.saturating_sub(ETHERNET_HEADER_BYTES);
    packet.flow = FiveTuple { src, dst, src_port, dst_port, protocol: parse_protocol(protocol)? };
    Ok(packet)
}

/// Converts decimal seconds to nanoseconds without floating-point numbers.
fn parse_time_ns(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let mut fraction_ns = 0;
    for place in 0..9 {
        let digit = fraction.as_bytes().get(place).map_or(0, |byte| byte - b'0');
        fraction_ns = fraction_ns * 10 + u64::from(digit);
    }
    whole.parse::<u64>().ok()?.checked_mul(NS_PER_SECOND)?.checked_add(fraction_ns)
}

fn parse_address(text: &str) -> Result<IpAddr, Fault> {
    text.parse().map_err(|_| fault(format!("address `{text}`"), "an IPv4 or IPv6 address"))
}

fn parse_port(text: &str) -> Result<u16, Fault> {
    if text.is_empty() {
        return Ok(0);
    }
    text.parse().map_err(|_| fault(format!("port `{text}`"), "0 to 65535"))
}

fn parse_protocol(text: &str) -> Result<u8, Fault> {
    match text.to_ascii_lowercase().as_str() {
        "" => Ok(0),
        "icmp" => Ok(1),
        "tcp" => Ok(crate::ip::TCP),
        "udp" => Ok(crate::ip::UDP),
        "sctp" => Ok(crate::ip::SCTP),
        number => number
            .parse()
            .map_err(|_| fault(format!("protocol `{text}`"), "0 to 255, tcp, udp, icmp or sctp")),
    }
}

/// Reads the next line and whether it is whole (otherwise it is the beginning of a line that is too long).
/// Returns false at the end of the stream.
fn take_line(stream: &mut ByteStream, use_line: impl FnOnce(&[u8], bool)) -> bool {
    let mut wanted = 256;
    let (line_bytes, ended) = loop {
        let window = stream.peek(wanted);
        if let Some(end) = window.iter().position(|&byte| byte == b'\n') {
            break (end, true);
        }
        if window.len() < wanted || wanted >= MAX_LINE_BYTES {
            break (window.len(), window.len() < wanted);
        }
        wanted *= 2;
    };
    let window = stream.peek(line_bytes + 1);
    let at_end = window.is_empty();
    let has_newline = window.get(line_bytes).is_some();
    if !at_end {
        use_line(&window[..line_bytes], ended);
    }
    stream.consume(line_bytes + usize::from(has_newline && ended));
    if !ended {
        skip_to_newline(stream);
    }
    !at_end
}

fn skip_to_newline(stream: &mut ByteStream) {
    loop {
        let window = stream.peek(MAX_LINE_BYTES);
        if window.is_empty() {
            return;
        }
        let end = window.iter().position(|&byte| byte == b'\n');
        let bytes = end.map_or(window.len(), |end| end + 1);
        stream.consume(bytes);
        if end.is_some() {
            return;
        }
    }
}

impl Container for Csv {
    fn link_type(&self) -> Option<LinkType> {
        None
    }

    fn next_packet(
        &mut self,
        stream: &mut ByteStream,
        report: &mut DamageReport,
    ) -> Result<Option<Packet>, TrafficError> {
        loop {
            let mut result = None;
            self.byte_offset = stream.offset();
            let more = take_line(stream, |line, whole| {
                if !passed_over(line) {
                    result = Some(if whole { self.parse(line) } else { Err(too_long()) });
                }
            });
            self.line += 1;
            match result {
                Some(Ok(packet)) => return Ok(Some(packet)),
                Some(Err((found, expected))) => {
                    report.note(DamageKind::BadLine, self.place(), || Words {
                        found,
                        expected,
                        action: "the line was skipped",
                    })?;
                }
                None if more => {}
                None => return Ok(None),
            }
        }
    }
}
