//! Converts captures and generated traffic to arrivals at a machine.

use crate::request::RunRequest;
use linecard_apps::RouteTable;
use linecard_chip::Arrival;
use linecard_files::{Error, PacketInput};
use linecard_program::{LEAST_FRAME_BYTES, NetworkKind, PacketHead};
use linecard_sim::END;
use linecard_traffic::generators::{EmpiricalSizes, Sizes};
use linecard_traffic::link::{ETHERNET_FCS_BYTES, ETHERNET_HEADER_BYTES};
use linecard_traffic::remap::AddressMap;
use linecard_traffic::{
    DamageReport, Decoded, LinkType, Network, Packet, PacketSource, Severity, TrafficError,
};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

/// State shared by a run and its traffic.
pub(crate) type Notes = Rc<RefCell<TrafficNotes>>;

/// Facts that a run collects about its traffic.
#[derive(Default)]
pub(crate) struct TrafficNotes {
    /// The error that ended the capture early.
    pub error: Option<String>,
    /// Findings of severity damage, and the first of them.
    pub damage: u64,
    pub first_damage: Option<String>,
    /// Damage of earlier passes over the capture, and all findings of the present pass.
    damage_before: u64,
    findings: u64,
    /// How often the capture was repeated.
    pub repeats: u64,
    /// Bytes of the capture that were read, and its total bytes.
    pub file_bytes: (u64, u64),
    /// How addresses are mapped into routed space, if they are.
    pub map: Option<String>,
    /// Packets whose addresses were mapped into routed space.
    pub mapped: u64,
    /// Packets taken from the capture or generator.
    pub packets: u64,
    /// The last nanosecond at which a packet may arrive, if the end of the machine's clock is known.
    last_ns: Option<u64>,
    /// An arrival after that time, which ended the traffic.
    pub too_late: Option<String>,
}

/// Arrivals end before the machine's clock does, so that the consequences of the last arrival fit: in femtoseconds,
/// 19 minutes.
const LAST_ARRIVAL_TICKS: u128 = (END - (1 << 60)) as u128;

impl TrafficNotes {
    /// Sets the ticks per second of the machine's clock.
    pub fn ticks_per_second(&mut self, ticks: u64) {
        let last_ns = LAST_ARRIVAL_TICKS * 1_000_000_000 / u128::from(ticks.max(1));
        self.last_ns = Some(u64::try_from(last_ns).unwrap_or(u64::MAX - 1));
    }

    /// Counts the damage that the present pass over the capture has found so far.
    #[cold]
    fn takes(&mut self, report: &DamageReport) {
        self.findings = report.findings();
        self.damage = self.damage_before + report.total(Severity::Damage);
        if self.first_damage.is_none() {
            let found = report.diagnostics().iter().find(|d| d.kind.severity() == Severity::Damage);
            self.first_damage = found.map(ToString::to_string);
        }
    }
}

/// Trillionths in one: the pace of the capture itself.
const OWN_PACE: u128 = 1_000_000_000_000;

/// Packets for a machine.
pub(crate) struct Traffic {
    source: Source,
    /// The address map for packets without a route.
    map: Option<(Rc<RouteTable>, AddressMap)>,
    /// How fast the time of the capture passes, in trillionths.
    pace: u128,
    first_ns: Option<u64>,
    /// The sink of packet bytes for an executed program.
    bytes: Option<BytesSink>,
    /// The sink of copies, which are kept until the packets leave.
    copies: Option<BytesSink>,
    notes: Rc<RefCell<TrafficNotes>>,
}

/// Takes the bytes of a packet and returns the number under which they are kept.
pub(crate) type BytesSink = Box<dyn FnMut(&Packet, &[u8], u64) -> u32>;

/// The source of packets.
pub(crate) enum Source {
    /// A generator.
    Generator(Box<dyn PacketSource>),
    /// A capture or a described link.
    Input {
        /// Packets.
        input: PacketInput,
        /// Whether a capture repeats at its end.
        repeat: bool,
        /// Whether packets count as Ethernet frames with their check sequence, as ports of chips see them.
        frames: bool,
    },
}

impl Source {
    /// Opens a capture, or generates at least `packets` packets of a described link, which then ends.
    pub fn capture(
        name: &str,
        packets: u64,
        strict: bool,
        repeat: bool,
        frames: bool,
    ) -> Result<Self, Error> {
        Ok(Source::Input { input: PacketInput::open(name, packets, strict)?, repeat, frames })
    }

    /// Returns the time and the bytes of the next frame, as a port receives it.
    pub fn next_frame(&mut self) -> Result<Option<(u64, u32)>, TrafficError> {
        let (packet, frames) = match self {
            Source::Generator(generator) => (generator.next_packet()?, false),
            Source::Input { input, frames, .. } => (input.next_packet()?, *frames),
        };
        let packet = if frames { packet.map(framed) } else { packet };
        Ok(packet.map(|packet| (packet.time_ns, packet.wire_bytes)))
    }

    /// Returns the bytes of the current packet that the capture contains.
    fn kept(&self) -> &[u8] {
        match self {
            Source::Input { input, .. } => input.captured(),
            Source::Generator(_) => &[],
        }
    }
}

const FCS_BYTES: u32 = ETHERNET_FCS_BYTES as u32;
/// An IP packet that states less does not state its size.
const LEAST_IP_BYTES: u32 = 20;

impl Traffic {
    /// Returns the traffic of a source; `pace` is the pace relative to the capture, in trillionths.
    pub fn of(source: Source, map: Option<(Rc<RouteTable>, AddressMap)>, pace: u128) -> Self {
        let notes =
            TrafficNotes { map: map.as_ref().map(|(_, map)| map.describe()), ..TrafficNotes::default() };
        let notes = Rc::new(RefCell::new(notes));
        Self { source, map, pace, first_ns: None, bytes: None, copies: None, notes }
    }

    /// Passes the bytes of every packet to `sink`: the record as captured, or an Ethernet frame without its check
    /// sequence; the captured bytes; and the time of arrival.
    pub fn with_bytes(self, sink: BytesSink) -> Self {
        Self { bytes: Some(sink), ..self }
    }

    /// Keeps copies of all packets, in the same form as `with_bytes`.
    pub fn with_copies(self, sink: BytesSink) -> Self {
        Self { copies: Some(sink), ..self }
    }

    /// Returns the notes, which the traffic shares with the caller and fills during the run.
    pub fn notes(&self) -> Rc<RefCell<TrafficNotes>> {
        Rc::clone(&self.notes)
    }

    /// Returns the next arrival.
    pub fn next(&mut self) -> Option<Arrival> {
        let mut found = self.next_packet();
        // The packet is not moved: it is large, and this code runs for each.
        let packet = match &mut found {
            Ok(packet) => packet.as_mut()?,
            Err(error) => {
                self.notes.borrow_mut().error = Some(error.to_string());
                return None;
            }
        };
        if let Some((table, map)) = &self.map
            && packet.network == Network::Ipv4
            && table.lookup(packet.flow.dst as u32).0.is_none()
        {
            map.apply(packet);
            self.notes.borrow_mut().mapped += 1;
        }
        let first = *self.first_ns.get_or_insert(packet.time_ns);
        let since = packet.time_ns.saturating_sub(first);
        let at_ns = match self.pace {
            OWN_PACE => since,
            pace => u64::try_from(u128::from(since) * OWN_PACE / pace).unwrap_or(u64::MAX),
        };
        let mut notes = self.notes.borrow_mut();
        if let Some(last_ns) = notes.last_ns.filter(|&last_ns| at_ns > last_ns) {
            let packet = notes.packets;
            notes.too_late = Some(format!(
                "packet {packet} arrives {} after the first packet; expected at most {}, which the simulation clock \
                 covers. Raise traffic.rate_gbps (or traffic.speedup of a capture), or cut the capture where its \
                 timestamps jump",
                duration(at_ns),
                duration(last_ns)
            ));
            return None;
        }
        drop(notes);
        let (flow_hash, mut head) = (hash_of(packet), head_of(packet));
        if let Source::Generator(_) = self.source {
            // The generator draws the size of the frame; the IP packet in it is smaller, and its header states that.
            packet.ip_bytes = packet.wire_bytes.saturating_sub(ETHERNET_HEADER_BYTES + FCS_BYTES);
            packet.ip_header = [0; 20];
        }
        let captured = self.source.kept();
        let number =
            |sink: &mut Option<BytesSink>| sink.as_mut().map_or(0, |sink| sink(packet, captured, at_ns));
        (head.frame, head.kept) = (number(&mut self.bytes), number(&mut self.copies));
        Some(Arrival { at_ns, flow_hash, head })
    }

    fn next_packet(&mut self) -> Result<Option<Packet>, TrafficError> {
        let mut notes = self.notes.borrow_mut();
        let packet = match &mut self.source {
            Source::Generator(generator) => generator.next_packet(),
            Source::Input { input, repeat, frames } => {
                let mut next = input.next_packet();
                notes.file_bytes = input.file_bytes();
                // A run may end before its capture, so damage counts when it is found.
                if let Some(report) = input.report()
                    && report.findings() != notes.findings
                {
                    notes.takes(report);
                }
                if *repeat
                    && notes.packets > 0
                    && matches!(next, Ok(None))
                    && let Some(again) = input.begin_again()
                {
                    notes.repeats += 1;
                    (notes.findings, notes.damage_before) = (0, notes.damage);
                    next = again.and_then(|()| input.next_packet());
                }
                if *frames { next.map(|next| next.map(framed)) } else { next }
            }
        };
        notes.packets += u64::from(matches!(packet, Ok(Some(_))));
        packet
    }
}

/// Returns a packet as an Ethernet frame with its check sequence: an IP packet of another link has a header of Ethernet
/// instead of that link's header and check sequence. A sender pads a shorter frame (IEEE 802.3, 4.2.3.3).
fn framed(packet: Packet) -> Packet {
    let without_fcs = match packet.link {
        LinkType::ETHERNET => packet.bytes_without_fcs(),
        _ if packet.ip_bytes >= LEAST_IP_BYTES => packet.ip_bytes.saturating_add(ETHERNET_HEADER_BYTES),
        _ => packet.bytes_without_fcs().saturating_add(ETHERNET_HEADER_BYTES),
    };
    let wire_bytes = without_fcs.saturating_add(FCS_BYTES).max(LEAST_FRAME_BYTES);
    Packet { wire_bytes, fcs_bytes: ETHERNET_FCS_BYTES, ..packet }
}

/// Parses a CSV file, or `bytes:weight` and `low-high:weight` with commas between; a range spreads its weight evenly
/// over its sizes.
pub(crate) fn parse_sizes(text: &str) -> Result<Sizes, String> {
    let fail = |item: &str| {
        format!("found `{item}`; expected bytes:weight or low-high:weight, such as 40:0.4 or 41-100:0.05")
    };
    if text.ends_with(".csv") {
        return Ok(Sizes::Empirical(EmpiricalSizes::from_csv(Path::new(text)).map_err(|e| e.to_string())?));
    }
    let mut list = Vec::new();
    for item in text.split(',').map(str::trim) {
        let (range, weight) = item.split_once(':').ok_or_else(|| fail(item))?;
        let weight: f64 = weight.trim().parse().map_err(|_| fail(item))?;
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let (low, high): (u32, u32) = match (low.trim().parse(), high.trim().parse()) {
            (Ok(low), Ok(high)) if low <= high => (low, high),
            _ => return Err(fail(item)),
        };
        // The ends are checked before the sizes between them are listed.
        EmpiricalSizes::new(&[(low, 1.0), (high, 1.0)]).map_err(|e| e.to_string())?;
        let share = weight / f64::from(high - low + 1);
        list.extend((low..=high).map(|bytes| (bytes, share)));
    }
    Ok(Sizes::Empirical(EmpiricalSizes::new(&list).map_err(|e| e.to_string())?))
}

fn head_of(packet: &Packet) -> PacketHead {
    let network = match packet.network {
        Network::Ipv4 => NetworkKind::Ipv4,
        Network::Ipv6 => NetworkKind::Ipv6,
        Network::Other if packet.decoded == Decoded::NotIp => NetworkKind::NotIp,
        Network::Other => NetworkKind::Other,
    };
    PacketHead {
        bytes: packet.wire_bytes.max(1),
        grown_bytes: 0,
        source: packet.flow.src as u32,
        destination: packet.flow.dst as u32,
        destination_above: [96, 64, 32].map(|shift| match packet.network {
            Network::Ipv6 => (packet.flow.dst >> shift) as u32,
            _ => 0,
        }),
        source_port: packet.flow.src_port,
        destination_port: packet.flow.dst_port,
        checksum: u16::from_be_bytes([packet.ip_header[10], packet.ip_header[11]]),
        protocol: packet.flow.protocol,
        tcp_flags: packet.tcp_flags,
        ttl: packet.ttl,
        network,
        frame: 0,
        kept: 0,
    }
}

/// Returns a long time in words.
fn duration(ns: u64) -> String {
    let seconds = ns as f64 / 1e9;
    if seconds < 3_600.0 {
        format!("{seconds:.0} seconds")
    } else {
        format!("{:.1} hours", seconds / 3_600.0)
    }
}

/// FNV-1a over the five-tuple: equal flows have equal hashes.
fn hash_of(packet: &Packet) -> u32 {
    const PRIME: u32 = 0x0100_0193;
    // The twelve zero bytes in front of an IPv4 address.
    const TWELVE_ZEROS: u32 = PRIME.wrapping_pow(12);
    let eat = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(PRIME);
    let eat_address = |hash: u32, address: u128| match u32::try_from(address) {
        Ok(ipv4) => ipv4.to_be_bytes().into_iter().fold(hash.wrapping_mul(TWELVE_ZEROS), eat),
        Err(_) => address.to_be_bytes().into_iter().fold(hash, eat),
    };
    let f = &packet.flow;
    let hash = eat_address(eat_address(0x811c_9dc5, f.src), f.dst);
    let ports = [f.src_port.to_be_bytes(), f.dst_port.to_be_bytes()];
    let hash = eat(ports.into_iter().flatten().fold(hash, eat), f.protocol);
    hash ^ (hash >> 15)
}

/// Returns an error if there was no usable traffic.
pub(crate) fn judge_traffic(ended: bool, notes: &TrafficNotes, request: &RunRequest) -> Result<(), Error> {
    if let (Some(late), true) = (&notes.too_late, ended) {
        let name = request.trace.as_deref().unwrap_or("the generator");
        return Err(Error::Traffic(format!("{name}: {late}")));
    }
    if let (Some(error), true) = (&notes.error, request.strict || notes.packets == 0) {
        return Err(Error::Traffic(error.clone()));
    }
    if ended && notes.packets == 0 {
        let name = request.trace.as_deref().unwrap_or("the generator");
        return Err(Error::Traffic(format!(
            "{name}: the capture contains no packet; a run needs at least one packet"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_sequence_counts_once() {
        let ethernet = LinkType::ETHERNET;
        let cases = [
            // pcap, without the check sequence, and with it; ERF.
            (Packet { wire_bytes: 60, link: ethernet, ip_bytes: 46, ..Packet::default() }, 64),
            (Packet { wire_bytes: 64, fcs_bytes: 4, link: ethernet, ip_bytes: 46, ..Packet::default() }, 64),
            // An IP packet of 80 bytes alone, and on SONET with a header of 4 bytes and a check sequence of 2.
            (Packet { wire_bytes: 80, link: LinkType::RAW_IP, ip_bytes: 80, ..Packet::default() }, 98),
            (Packet { wire_bytes: 86, link: LinkType::PPP_HDLC, ip_bytes: 80, ..Packet::default() }, 98),
            // Frames of 46, 58 and 63 bytes with the check sequence, which a sender pads to 64.
            (Packet { wire_bytes: 42, link: ethernet, ..Packet::default() }, 64),
            (Packet { wire_bytes: 40, link: LinkType::RAW_IP, ip_bytes: 40, ..Packet::default() }, 64),
            (Packet { wire_bytes: 63, fcs_bytes: 4, link: ethernet, ip_bytes: 45, ..Packet::default() }, 64),
            // A packet that does not state its size.
            (Packet { wire_bytes: 70_000, link: LinkType::RAW_IP, ..Packet::default() }, 70_018),
        ];
        for (packet, bytes) in cases {
            let frame = framed(packet);
            assert_eq!((frame.wire_bytes, frame.bytes_without_fcs()), (bytes, bytes - 4), "{packet:?}");
        }
    }
}
