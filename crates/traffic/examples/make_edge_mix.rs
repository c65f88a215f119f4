//! Makes `examples/captures/edge-mix.pcap.gz`, the capture that ships with the project.
//!
//! ```text
//! cargo run -p linecard-traffic --example make_edge_mix -- examples/captures/edge-mix.pcap.gz
//! ```
//!
//! Synthetic from the first to the last byte, made to look like one direction of an access link of the years of
//! the papers: 20,000 IP packets at about 1.5 Gbit/s, headers only, no link header. The size mix follows what
//! such links are known for (acknowledgements of 40 bytes, 552 and 576 from paths without discovery of their
//! MTU, 1500 from the others, a spread of the rest); flows live and die, with lengths of a heavy tail; addresses
//! are spread over the public space and belong to nobody in particular.
//!
//! Everything comes from one seed, so that the file can be made again, byte for byte.

use linecard_traffic::generators::{Random, WeightedChoice, public_ipv4};
use linecard_traffic::write::PcapWriter;
use linecard_traffic::{Decoded, FiveTuple, LinkType, Network, Packet, TrafficError, frame, ip};
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::path::Path;

const SEED: u64 = 541;
const PACKETS: u32 = 20_000;
const SNAP_BYTES: u32 = 64;
/// 2026-01-05 12:00:00 UTC.
const START_NS: u64 = 1_767_614_400_000_000_000;
const BITS_PER_SECOND: f64 = 1.5e9;
const MEAN_BYTES: f64 = 540.0;
/// Flows alive at any time.
const ACTIVE_FLOWS: usize = 400;
/// Longest flow, and the exponents of the tails.
const MAX_FLOW_PACKETS: f64 = 4000.0;
const TCP_TAIL: f64 = 0.55;
const UDP_TAIL: f64 = 1.6;
/// Share of flows that are UDP, mostly questions and answers of one packet.
const UDP_SHARE: f64 = 0.42;
/// How unevenly the active flows send.
const RATE_EXPONENT: f64 = 0.5;

const FIN: u8 = 1;
const SYN: u8 = 2;
const PSH: u8 = 8;
const ACK: u8 = 16;

/// What a flow sends.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// Acknowledges what the other direction sends.
    Receiver,
    /// Sends segments of this many bytes.
    Sender(u32),
    /// Sends datagrams.
    Datagrams,
}

struct Flow {
    tuple: FiveTuple,
    role: Role,
    ttl: u8,
    packets: u32,
    sent: u32,
}

fn unit(random: &mut Random) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

fn between(random: &mut Random, low: u32, high: u32) -> u32 {
    low + (unit(random) * f64::from(high - low + 1)) as u32
}

/// A bounded Pareto number of packets, at least one.
fn flow_packets(random: &mut Random, tail: f64) -> u32 {
    let share = 1.0 - libm::pow(1.0 / MAX_FLOW_PACKETS, tail);
    libm::pow(1.0 - unit(random) * share, -1.0 / tail) as u32
}

fn new_flow(random: &mut Random) -> Flow {
    let udp = unit(random) < UDP_SHARE;
    let role = if udp {
        Role::Datagrams
    } else {
        // Weights of acknowledging flows and of three maximum segment sizes.
        let roles = [
            (Role::Receiver, 0.37),
            (Role::Sender(1500), 0.37),
            (Role::Sender(576), 0.145),
            (Role::Sender(552), 0.115),
        ];
        let weights = roles.map(|(_, weight)| weight);
        let choice = WeightedChoice::new(&weights).expect("the weights are sound");
        roles[choice.draw(random)].0
    };
    let server_port = if udp { 53 } else { [80, 80, 80, 443, 25, 110][between(random, 0, 5) as usize] };
    let client_port = between(random, 1024, 65_000) as u16;
    // Receivers and half of the datagrams are clients.
    let from_client = role == Role::Receiver || (udp && unit(random) < 0.5);
    let (src_port, dst_port) =
        if from_client { (client_port, server_port) } else { (server_port, client_port) };
    let packets = flow_packets(random, if udp { UDP_TAIL } else { TCP_TAIL });
    Flow {
        tuple: FiveTuple {
            src: public_ipv4(random).into(),
            dst: public_ipv4(random).into(),
            src_port,
            dst_port,
            protocol: if udp { ip::UDP } else { ip::TCP },
        },
        role,
        ttl: [64, 128, 255][between(random, 0, 2) as usize] - between(random, 3, 20) as u8,
        // A TCP flow has at least a beginning and an end.
        packets: if udp { packets } else { packets + 1 },
        sent: 0,
    }
}

/// Size and TCP flags of a flow's next packet.
fn next_of(flow: &Flow, random: &mut Random) -> (u32, u8) {
    if flow.role == Role::Datagrams {
        return (between(random, 48, 480), 0);
    }
    if flow.sent == 0 {
        // Three in four have options: an MSS of four bytes, or more.
        let bytes = [40, 44, 48, 48][between(random, 0, 3) as usize];
        return (bytes, if flow.role == Role::Receiver { SYN } else { SYN | ACK });
    }
    if flow.sent + 1 == flow.packets {
        return (40, FIN | ACK);
    }
    match flow.role {
        Role::Sender(bytes) if unit(random) < 0.9 => (bytes, ACK),
        Role::Sender(bytes) => (between(random, 41, bytes), PSH | ACK),
        Role::Receiver if unit(random) < 0.06 => (between(random, 300, 900), PSH | ACK),
        _ => (40, ACK),
    }
}

fn packet_of(flow: &Flow, bytes: u32, tcp_flags: u8, time_ns: u64) -> Packet {
    let mut packet = Packet {
        time_ns,
        wire_bytes: bytes,
        captured_bytes: bytes.min(SNAP_BYTES),
        network: Network::Ipv4,
        decoded: Decoded::Complete,
        flow: flow.tuple,
        tcp_flags,
        ttl: flow.ttl,
        ip_bytes: bytes,
        ..Packet::default()
    };
    packet.ip_header = frame::ipv4_header(&packet);
    packet
}

/// Writes the capture.
pub fn make(out: &Path) -> Result<(), TrafficError> {
    let mut random = Random::seed_from_u64(SEED);
    let mut writer = PcapWriter::create(out, LinkType::RAW_IP, SNAP_BYTES)?;
    let mut flows: Vec<Flow> = (0..ACTIVE_FLOWS).map(|_| new_flow(&mut random)).collect();
    let rates: Vec<f64> = (1..=ACTIVE_FLOWS).map(|rank| libm::pow(rank as f64, -RATE_EXPONENT)).collect();
    let sender = WeightedChoice::new(&rates)?;
    let mean_gap_ps = MEAN_BYTES * 8.0 * 1e12 / BITS_PER_SECOND;
    let mut time_ps = 0_u64;
    for _ in 0..PACKETS {
        time_ps += (-libm::log(unit(&mut random)) * mean_gap_ps) as u64;
        let at = sender.draw(&mut random);
        let (bytes, flags) = next_of(&flows[at], &mut random);
        writer.write_headers(&packet_of(&flows[at], bytes, flags, START_NS + time_ps / 1000))?;
        flows[at].sent += 1;
        if flows[at].sent == flows[at].packets {
            flows[at] = new_flow(&mut random);
        }
    }
    writer.finish()?;
    Ok(())
}

fn main() {
    let Some(out) = std::env::args().nth(1) else {
        eprintln!("usage: make_edge_mix OUT.pcap.gz");
        std::process::exit(2);
    };
    if let Err(error) = make(Path::new(&out)) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
