//! Flows with a heavy-tailed popularity.
//!
//! A fixed set of flows; the k-th most popular is drawn with a probability proportional to k^-s (Zipf). With s
//! near 1 a few flows carry most packets and many flows carry one, as in the captures this project is judged by.

use super::choice::WeightedChoice;
use super::random::{Chance, Random, below, open_unit};
use crate::{FiveTuple, TrafficError, ip};
use linecard_words::Mismatch;

const TCP_SYN: u8 = 0x02;
const TCP_ACK: u8 = 0x10;
const FIRST_EPHEMERAL_PORT: u16 = 32_768;
/// Well-known ports by rough popularity.
const SERVER_PORTS: [u16; 8] = [80, 443, 53, 25, 22, 110, 119, 6881];

/// The flows of the packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowShape {
    /// Number of flows.
    pub flows: u32,
    /// Exponent of the popularity; 0 makes all flows equally popular, 1 is Zipf's law.
    pub zipf_exponent: f64,
    /// Fraction of flows that are TCP; the others are UDP.
    pub tcp_share: f64,
}

impl Default for FlowShape {
    fn default() -> Self {
        Self { flows: 10_000, zipf_exponent: 1.0, tcp_share: 0.85 }
    }
}

/// A set of flows to draw from.
#[derive(Clone, Debug)]
pub(super) struct Flows {
    flows: Vec<Flow>,
    popularity: WeightedChoice,
    random: Random,
}

/// A flow in 16 bytes, so that drawing from many touches one cache line.
#[derive(Clone, Copy, Debug)]
struct Flow {
    src: u32,
    dst: u32,
    /// Source port in the upper half, destination port in the lower half.
    ports: u32,
    protocol: u8,
    /// Whether a packet of it has been drawn.
    begun: bool,
}

/// The fields of a flow for one packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn {
    pub tuple: FiveTuple,
    pub tcp_flags: u8,
}

impl Flows {
    /// Draws the flows.
    ///
    /// # Errors
    ///
    /// If there are no flows, the exponent is negative or not finite, or the fraction is not between 0 and 1.
    pub(super) fn new(shape: &FlowShape, mut random: Random) -> Result<Self, TrafficError> {
        let FlowShape { flows, zipf_exponent, tcp_share } = *shape;
        let sound = flows > 0
            && zipf_exponent >= 0.0
            && zipf_exponent.is_finite()
            && (0.0..=1.0).contains(&tcp_share);
        if !sound {
            return Err(Mismatch::new(
                "flows",
                format!("{shape:?}"),
                "at least one flow, an exponent of at least 0, and a TCP share from 0 to 1",
            )
            .into());
        }
        let popularity = if zipf_exponent == 0.0 {
            WeightedChoice::even(flows)
        } else {
            let weight = |rank| libm::pow(f64::from(rank), -zipf_exponent);
            WeightedChoice::new(&(1..=flows).map(weight).collect::<Vec<f64>>())?
        };
        let is_tcp = Chance::of(tcp_share);
        let flows = (0..flows).map(|_| draw_flow(&mut random, |random| is_tcp.draw(random))).collect();
        Ok(Self { flows, popularity, random })
    }

    pub(super) fn draw(&mut self) -> Drawn {
        let index = self.popularity.draw(&mut self.random);
        let flow = &mut self.flows[index];
        let begun = std::mem::replace(&mut flow.begun, true);
        let tcp_flags = match (flow.protocol, begun) {
            (ip::TCP, false) => TCP_SYN,
            (ip::TCP, true) => TCP_ACK,
            _ => 0,
        };
        Drawn { tuple: flow.tuple(), tcp_flags }
    }
}

impl Flow {
    fn tuple(&self) -> FiveTuple {
        let Flow { src, dst, ports, protocol, .. } = *self;
        let (src_port, dst_port) = (ports as u16, (ports >> 16) as u16);
        FiveTuple { src: src.into(), dst: dst.into(), src_port, dst_port, protocol }
    }
}

#[inline(always)]
fn draw_flow(random: &mut Random, is_tcp: impl FnOnce(&mut Random) -> bool) -> Flow {
    let client_port = FIRST_EPHEMERAL_PORT + below(random, u64::from(u16::MAX - FIRST_EPHEMERAL_PORT)) as u16;
    let server_port = SERVER_PORTS[below(random, SERVER_PORTS.len() as u64) as usize];
    let from_server = below(random, 2) as u32;
    let ports = u32::from(client_port) | u32::from(server_port) << 16;
    Flow {
        src: public_ipv4(random),
        dst: public_ipv4(random),
        ports: ports.rotate_left(16 * from_server),
        protocol: if is_tcp(random) { ip::TCP } else { ip::UDP },
        begun: false,
    }
}

/// Draws addresses and ports of a new flow.
pub(super) fn draw_tuple(random: &mut Random) -> FiveTuple {
    let share = FlowShape::default().tcp_share;
    draw_flow(random, |random| open_unit(random) < share).tuple()
}

/// Draws an IPv4 address from the public unicast space: not private, reserved, loopback, multicast or set aside
/// for documentation.
#[inline]
pub fn public_ipv4(random: &mut Random) -> u32 {
    loop {
        let address = below(random, 1 << 32) as u32;
        if ip::is_public_v4(address) {
            return address;
        }
    }
}
