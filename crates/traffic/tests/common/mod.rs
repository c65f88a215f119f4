//! Helpers shared by the tests: the folder of the reference data, and captures built by hand.

use linecard_traffic::{CaptureReader, OpenOptions, Packet, PacketSource};
use std::collections::HashMap;
use std::io::Cursor;
use std::path::PathBuf;

/// Returns the directory of reference captures; prints a line and returns `None` if there is none.
pub fn reference_data(test: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: {test}: no reference captures beside the repository");
    None
}

/// Returns the rows of a CSV file by column name. Supports quoted fields, which hold error messages here.
pub fn csv_rows(path: &std::path::Path) -> Vec<HashMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(csv_fields);
    let names = lines.next().unwrap();
    lines.map(|fields| names.iter().cloned().zip(fields).collect()).collect()
}

fn csv_fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(character),
        }
    }
    fields
}

pub fn reader(name: &str, bytes: &[u8]) -> CaptureReader {
    CaptureReader::from_reader(name, Cursor::new(bytes.to_vec()), &OpenOptions::default()).unwrap()
}

/// Returns every packet, and the reader with its report.
pub fn read_all(name: &str, bytes: &[u8]) -> (Vec<Packet>, CaptureReader) {
    let mut reader = reader(name, bytes);
    let mut packets = Vec::new();
    while let Some(packet) = reader.next_packet().unwrap() {
        packets.push(packet);
    }
    (packets, reader)
}

/// Byte order of hand-built files.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    Little,
    Big,
}

pub const ORDERS: [Order; 2] = [Order::Little, Order::Big];

impl Order {
    pub fn u16(self, value: u16) -> [u8; 2] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }

    pub fn u32(self, value: u32) -> [u8; 4] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }
}

/// A pcap file with microseconds: (seconds, microseconds, wire length, frame) of each packet.
pub fn pcap(order: Order, magic: u32, link: u32, packets: &[(u32, u32, u32, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(order.u32(magic));
    file.extend(order.u16(2));
    file.extend(order.u16(4));
    file.extend([0; 8]);
    file.extend(order.u32(65_535));
    file.extend(order.u32(link));
    for &(seconds, fraction, wire_bytes, frame) in packets {
        file.extend(order.u32(seconds));
        file.extend(order.u32(fraction));
        file.extend(order.u32(frame.len() as u32));
        file.extend(order.u32(wire_bytes));
        file.extend(frame);
    }
    file
}

/// Reads one packet on a link, captured whole, from a pcap file.
pub fn one_packet(link: u32, frame: &[u8]) -> Packet {
    one_packet_of(frame.len() as u32, link, frame)
}

/// Reads one packet with the given bytes on the wire on a link, from a pcap file.
pub fn one_packet_of(wire_bytes: u32, link: u32, frame: &[u8]) -> Packet {
    let file = pcap(Order::Little, 0xa1b2_c3d4, link, &[(1, 2, wire_bytes, frame)]);
    let (packets, _) = read_all("one.pcap", &file);
    packets[0]
}

/// An IPv4 header with a valid checksum, then `rest`.
pub fn ipv4(protocol: u8, fragment_offset: u16, rest: &[u8]) -> Vec<u8> {
    let mut header = [0; 20];
    header[0] = 0x45;
    header[2..4].copy_from_slice(&(20 + rest.len() as u16).to_be_bytes());
    header[6..8].copy_from_slice(&fragment_offset.to_be_bytes());
    header[8] = 61;
    header[9] = protocol;
    header[12..16].copy_from_slice(&[198, 51, 0, 7]);
    header[16..20].copy_from_slice(&[8, 8, 4, 4]);
    linecard_traffic::ip::set_checksum(&mut header);
    [&header, rest].concat()
}

/// A TCP header: ports 1000 and 80, SYN.
pub fn tcp() -> Vec<u8> {
    let mut header = vec![0; 20];
    header[0..2].copy_from_slice(&1000_u16.to_be_bytes());
    header[2..4].copy_from_slice(&80_u16.to_be_bytes());
    header[12] = 0x50;
    header[13] = 0x02;
    header
}

pub fn ipv4_tcp() -> Vec<u8> {
    ipv4(6, 0, &tcp())
}

/// An IPv6 header from ::1:7 to ::2:9, then `rest`.
pub fn ipv6(next: u8, rest: &[u8]) -> Vec<u8> {
    let mut header = [0; 40];
    header[0] = 0x60;
    header[4..6].copy_from_slice(&(rest.len() as u16).to_be_bytes());
    header[6] = next;
    header[7] = 63;
    header[8..24].copy_from_slice(&0x1_0007_u128.to_be_bytes());
    header[24..40].copy_from_slice(&0x2_0009_u128.to_be_bytes());
    [&header, rest].concat()
}

/// Ethernet addresses, the bytes given (tags, type), then the payload.
pub fn ethernet(tags: &[u8], payload: &[u8]) -> Vec<u8> {
    [&[2; 12], tags, payload].concat()
}
