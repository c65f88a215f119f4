//! Frames for programs, and programs written as slots.

use linecard_ebpf::{Arrival, EbpfError, Machine, Object, Options, Outcome, Silent, Slot};
use std::path::Path;

pub const ICMP: u8 = 1;
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;

pub fn slot(opcode: u8, dst: u8, src: u8, offset: i16, imm: i32) -> Slot {
    Slot { opcode, dst, src, offset, imm }
}

/// Two slots of a 64-bit constant.
pub fn constant(dst: u8, value: u64) -> [Slot; 2] {
    [slot(0x18, dst, 0, 0, value as i32), slot(0, 0, 0, 0, (value >> 32) as i32)]
}

pub fn exit() -> Slot {
    slot(0x95, 0, 0, 0, 0)
}

pub fn object(slots: &[Slot]) -> Object {
    let bytes: Vec<u8> = slots.iter().flat_map(|slot| slot.write()).collect();
    Object::read("raw", &bytes).expect("raw instructions")
}

pub fn machine(slots: &[Slot]) -> Result<Machine, EbpfError> {
    Machine::load(&object(slots), None, Options::default())
}

pub fn run(slots: &[Slot], packet: &[u8]) -> Result<Outcome, EbpfError> {
    machine(slots)?.packet(packet, Arrival::default(), &mut Silent)
}

/// Computes the Internet checksum (RFC 1071) of bytes; with a correct checksum among them, it is 0.
pub fn checksum(bytes: &[u8]) -> u16 {
    let mut sum: u32 = 0;
    for pair in bytes.chunks(2) {
        sum += u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |&low| u32::from(low));
    }
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// An Ethernet header with made-up addresses.
pub fn ethernet(kind: u16) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    frame.extend(kind.to_be_bytes());
    frame
}

/// An IPv4 packet in Ethernet.
pub fn ipv4(protocol: u8, source: [u8; 4], destination: [u8; 4], rest: &[u8]) -> Vec<u8> {
    let mut header = vec![0x45, 0, 0, 0, 0x12, 0x34, 0x40, 0, 64, protocol, 0, 0];
    header[2..4].copy_from_slice(&(20 + rest.len() as u16).to_be_bytes());
    header.extend(source);
    header.extend(destination);
    let sum = checksum(&header);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    let mut frame = ethernet(0x0800);
    frame.extend(header);
    frame.extend(rest);
    frame
}

/// A UDP datagram in IPv4 in Ethernet.
pub fn udp(source: ([u8; 4], u16), destination: ([u8; 4], u16), payload: &[u8]) -> Vec<u8> {
    let mut rest = Vec::new();
    rest.extend(source.1.to_be_bytes());
    rest.extend(destination.1.to_be_bytes());
    rest.extend((8 + payload.len() as u16).to_be_bytes());
    rest.extend([0, 0]);
    rest.extend(payload);
    ipv4(UDP, source.0, destination.0, &rest)
}

/// A TCP segment in IPv4 in Ethernet.
pub fn tcp(source: ([u8; 4], u16), destination: ([u8; 4], u16), payload: &[u8]) -> Vec<u8> {
    let mut rest = Vec::new();
    rest.extend(source.1.to_be_bytes());
    rest.extend(destination.1.to_be_bytes());
    rest.extend([0, 0, 0, 1, 0, 0, 0, 0, 0x50, 2, 0x20, 0, 0, 0, 0, 0]);
    rest.extend(payload);
    ipv4(TCP, source.0, destination.0, &rest)
}

/// An IPv6 packet in Ethernet.
pub fn ipv6(next: u8, rest: &[u8]) -> Vec<u8> {
    let mut frame = ethernet(0x86dd);
    frame.extend([0x60, 0, 0, 0]);
    frame.extend((rest.len() as u16).to_be_bytes());
    frame.extend([next, 64]);
    frame.extend((0..32).map(|at| at as u8 + 1));
    frame.extend(rest);
    frame
}

/// Frames of many kinds, some of them damaged.
pub fn frames() -> Vec<Vec<u8>> {
    let (here, there) = ([10, 0, 0, 1], [10, 0, 0, 2]);
    let plain = udp((here, 1000), (there, 53), &[7; 22]);
    let mut tagged = plain[..12].to_vec();
    tagged.extend([0x81, 0, 0, 5]);
    tagged.extend(&plain[12..]);
    let echo: Vec<u8> = [8, 0, 0, 0, 0, 1, 0, 2].into_iter().chain((0..48).map(|at| at as u8)).collect();
    let mut arp = ethernet(0x0806);
    arp.extend([0; 46]);
    let mut frames = vec![
        plain,
        tagged,
        tcp((here, 1000), (there, 80), &[1; 6]),
        tcp((there, 443), (here, 50_000), &[9; 1400]),
        udp((there, 53), (here, 4242), &[3; 700]),
        ipv4(ICMP, here, there, &echo),
        ipv6(UDP, &[4, 0, 0, 53, 0, 16, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]),
        ipv6(58, &[128, 0, 0, 0, 0, 1, 0, 2, 1, 2, 3, 4]),
        arp,
        ethernet(0x0800),
        vec![0xff; 14],
        vec![0; 60],
    ];
    // The frame is cut at every length of its headers.
    let whole = frames[2].clone();
    frames.extend((14..whole.len()).map(|bytes| whole[..bytes].to_vec()));
    frames
}

/// Loads a shipped program.
pub fn shipped(name: &str) -> Machine {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../programs/xdp/prebuilt/{name}.o"));
    let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let object = Object::read(name, &bytes).expect("an object");
    Machine::load(&object, None, Options::default()).expect("a program")
}

/// Returns a map's number.
pub fn map(machine: &Machine, name: &str) -> usize {
    machine.map(name).expect("a map of the program")
}

/// Returns the contents of a map: the first value of each key.
pub fn held(machine: &Machine, name: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let entries = machine.entries(map(machine, name)).expect("a map of the program");
    entries.into_iter().map(|entry| (entry.key, entry.values.into_iter().next().expect("a value"))).collect()
}

pub fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().expect("4 bytes"))
}

pub fn long(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"))
}

/// Pseudo-random numbers.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

/// Frames of few hosts and ports, so that flows recur; some are damaged or unusual.
pub fn stream(count: usize) -> Vec<Vec<u8>> {
    let mut numbers = Numbers(1);
    let odd = frames();
    let one = |_| {
        if numbers.below(10) == 0 {
            return odd[numbers.below(odd.len() as u32) as usize].clone();
        }
        let host = |number: u32| [10, 0, (number >> 2) as u8, number as u8 & 3];
        let ports = [53, 80, 443, 5004, 50_000];
        let from = (host(numbers.below(16)), ports[numbers.below(5) as usize]);
        let to = (host(numbers.below(16)), ports[numbers.below(5) as usize]);
        let payload: Vec<u8> = (0..numbers.below(900)).map(|_| numbers.below(256) as u8).collect();
        if numbers.below(2) == 0 { udp(from, to, &payload) } else { tcp(from, to, &payload) }
    };
    (0..count).map(one).collect()
}

/// Returns whether a frame is IPv4 without options in Ethernet with a complete header: the programs read only such
/// frames further.
pub fn plain_ipv4(frame: &[u8]) -> bool {
    frame.len() >= 34 && frame[12..15] == [8, 0, 0x45]
}

/// Returns the source, destination, ports and protocol of a TCP or UDP packet of this kind, unless it is a fragment.
pub fn five_tuple(frame: &[u8]) -> Option<[u8; 16]> {
    let whole = plain_ipv4(frame) && frame.len() >= 38 && frame[20] & 0x3f == 0 && frame[21] == 0;
    if !whole || !matches!(frame[23], TCP | UDP) {
        return None;
    }
    let mut key = [0; 16];
    key[..8].copy_from_slice(&frame[26..34]);
    key[8..12].copy_from_slice(&frame[34..38]);
    key[12] = frame[23];
    Some(key)
}

pub fn swapped_macs(frame: &[u8]) -> Vec<u8> {
    [&frame[6..12], &frame[..6], &frame[12..]].concat()
}
