//! A program under test, and packets for it.

use linecard_iss::{Hook, Image, IssError, Machine, PACKET_ENTRY};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Most instructions of a packet: CAST over the largest packet takes 7 million.
const BUDGET: u64 = 20_000_000;

pub const ICMP: u8 = 1;
pub const TCP: u8 = 6;
pub const UDP: u8 = 17;

pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../programs"))
}

/// Counts locks, and records accesses beyond the packet.
#[derive(Default)]
struct Watch {
    locks: u32,
    packet_end: u32,
    data_high: u32,
    beyond: Option<u32>,
}

impl Hook for Watch {
    fn access(&mut self, address: u32) {
        if (self.packet_end..self.data_high).contains(&address) {
            self.beyond = Some(address);
        }
    }

    fn lock(&mut self, _address: u32) {
        self.locks += 1;
    }
}

pub fn image(file: &Path) -> Image {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    Image::read(&file.to_string_lossy(), &bytes).expect("an ELF of a program")
}

/// Returns the error of a program for control data that it cannot use.
pub fn refusal(name: &str, control: &str) -> IssError {
    let image = image(&folder().join(format!("prebuilt/{name}.elf")));
    match Machine::new(image, control.as_bytes(), BUDGET) {
        Err(error) => error,
        Ok(_) => panic!("{name} takes {control:?}"),
    }
}

/// Loads a program, with or without access checks.
pub fn loaded(file: &Path, control: &[u8], checked: bool) -> Machine {
    let mut go_on = |_| ControlFlow::Continue(());
    let machine = Machine::new_until(image(file), PACKET_ENTRY, control, BUDGET, checked, &mut go_on);
    machine.expect("a program that loads")
}

pub struct Program {
    pub machine: Machine,
    packet_bytes: usize,
    /// Instructions of the last packet.
    pub instructions: u64,
    /// Locks taken and released by the last packet.
    pub locks: u32,
}

impl Program {
    pub fn new(name: &str, control: &[u8]) -> Self {
        Self::from_file(&folder().join(format!("prebuilt/{name}.elf")), control)
    }

    pub fn from_file(file: &Path, control: &[u8]) -> Self {
        Self::of(loaded(file, control, true))
    }

    /// Loads a program without access checks, because its pointers may point to any bytes.
    pub fn unchecked(name: &str, control: &[u8]) -> Self {
        Self::of(loaded(&folder().join(name), control, false))
    }

    fn of(machine: Machine) -> Self {
        Self { machine, packet_bytes: 0, instructions: 0, locks: 0 }
    }

    /// Loads a shipped program with its default control file.
    pub fn shipped(name: &str, control: Option<&str>) -> Self {
        let control =
            control.map(|file| std::fs::read(folder().join("control").join(file)).expect("a control file"));
        Self::new(name, &control.unwrap_or_default())
    }

    pub fn packet(&mut self, packet: &[u8]) -> u32 {
        self.packet_at(packet, 0)
    }

    /// Processes a packet. Fails if the program accesses memory after the packet (whose last word may be loaded
    /// whole).
    pub fn packet_at(&mut self, packet: &[u8], time_us: u32) -> u32 {
        let layout = *self.machine.layout();
        let mut watch = Watch {
            packet_end: layout.packet_low + (packet.len() as u32).next_multiple_of(4),
            data_high: layout.data_high,
            ..Watch::default()
        };
        let before = self.machine.instructions();
        let result = self.machine.packet(packet, time_us, &mut watch).expect("a packet without a fault");
        assert_eq!(watch.beyond, None, "an access behind a packet of {} bytes: {packet:02x?}", packet.len());
        self.packet_bytes = packet.len();
        self.instructions = self.machine.instructions() - before;
        self.locks = watch.locks;
        result
    }

    /// Returns the last packet as the program left it.
    pub fn left(&self) -> &[u8] {
        self.machine.packet_bytes(self.packet_bytes)
    }

    /// Returns the first bytes of an object of the program.
    pub fn object(&self, symbol: &str, count: usize) -> &[u8] {
        let address = self.machine.image().symbol(symbol).expect("a symbol of the program");
        self.machine.bytes(address, count)
    }
}

/// Computes the sum of RFC 1071 over bytes in the simplest way.
pub fn ones_complement_sum(bytes: &[u8]) -> u16 {
    let mut sum: u32 = 0;
    for pair in bytes.chunks(2) {
        sum += u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

pub fn set_header_checksum(packet: &mut [u8]) {
    let header_bytes = usize::from(packet[0] & 0xf) * 4;
    packet[10..12].fill(0);
    let checksum = !ones_complement_sum(&packet[..header_bytes]);
    packet[10..12].copy_from_slice(&checksum.to_be_bytes());
}

pub fn ipv4(src: u32, dst: u32, protocol: u8, body: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, protocol, 0, 0];
    packet.extend(src.to_be_bytes());
    packet.extend(dst.to_be_bytes());
    packet.extend(body);
    let bytes = packet.len() as u16;
    packet[2..4].copy_from_slice(&bytes.to_be_bytes());
    set_header_checksum(&mut packet);
    packet
}

pub fn ipv6(src: u128, dst: u128, next: u8, body: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    packet.extend((body.len() as u16).to_be_bytes());
    packet.extend([next, 64]);
    packet.extend(src.to_be_bytes());
    packet.extend(dst.to_be_bytes());
    packet.extend(body);
    packet
}

pub fn udp_body(ports: (u16, u16), payload: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(ports.0.to_be_bytes());
    body.extend(ports.1.to_be_bytes());
    body.extend((8 + payload.len() as u16).to_be_bytes());
    body.extend([0, 0]);
    body.extend(payload);
    body
}

pub fn tcp_body(ports: (u16, u16), sequence: u32, flags: u8, payload: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(ports.0.to_be_bytes());
    body.extend(ports.1.to_be_bytes());
    body.extend(sequence.to_be_bytes());
    body.extend([0, 0, 0, 0, 0x50, flags, 5, 0, 0, 0, 0, 0]);
    body.extend(payload);
    body
}

/// A UDP packet with this payload.
pub fn carrying(payload: &[u8]) -> Vec<u8> {
    ipv4(0x0a00_0001, 0x0a00_0002, UDP, &udp_body((1000, 2000), payload))
}

/// A packet of the flow with this five-tuple; only TCP and UDP have ports.
pub fn of_flow(src: u32, dst: u32, protocol: u8, ports: (u16, u16), payload_bytes: usize) -> Vec<u8> {
    let payload = vec![0; payload_bytes];
    let body = match protocol {
        TCP => tcp_body(ports, 1, 0x10, &payload),
        UDP => udp_body(ports, &payload),
        _ => payload,
    };
    ipv4(src, dst, protocol, &body)
}

/// The hash of the programs' tables (`programs/include/lc_flow.h`), from the definition: words in memory order.
pub fn flow_hash(src: u32, dst: u32, protocol: u8, ports: (u16, u16)) -> u32 {
    let ports = u32::from(ports.0.swap_bytes()) | u32::from(ports.1.swap_bytes()) << 16;
    let mut hash = (src.swap_bytes() ^ (4 << 16 | u32::from(protocol))).wrapping_mul(0x9e37_79b1);
    hash = (hash ^ hash >> 15 ^ dst.swap_bytes()).wrapping_mul(0x85eb_ca77);
    hash = (hash ^ hash >> 13 ^ ports).wrapping_mul(0xc2b2_ae3d);
    hash ^ hash >> 16
}
