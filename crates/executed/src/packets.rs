//! Packets for a program: a capture, or a link that a preset describes.

use super::frame::{self, Framer};
use linecard_files::{Error, PacketInput, problem};
use linecard_traffic::remap::{AddressMap, AddressMapOptions, read_prefixes};
use linecard_traffic::{FiveTuple, Network, Packet, PacketSource, Payload, Severity};
use rustc_hash::FxHashMap;
use std::path::Path;

/// Where packets come from and what becomes of them.
#[derive(Clone, Debug)]
pub struct PacketRequest {
    /// A capture file, or a preset of `presets/traffic`, or a file like those, ending in `.toml`.
    pub traffic: String,
    /// Packets at most; 0 for all.
    pub packets: u64,
    /// What missing payload is: `random` or `pages`.
    pub payload: String,
    /// Seed of what is made up.
    pub seed: u64,
    /// A route table into which IPv4 addresses are moved.
    pub routes: Option<String>,
    /// Stop at the first damaged record.
    pub strict: bool,
}

/// The packets that a program processed.
#[derive(Clone, Debug, Default, schemars::JsonSchema, serde::Deserialize, serde::Serialize)]
#[schemars(rename = "ProgramTraffic")]
pub struct PacketStatistics {
    /// Title of the traffic.
    pub title: String,
    /// Number of IP packets.
    pub packets: u64,
    /// Number of packets that are not IP and were left out.
    pub not_ip: u64,
    /// Number of unidirectional flows.
    pub flows: u64,
    /// Mean size of an IP packet.
    pub mean_bytes: f64,
    /// Median number of packets between two packets of the same flow.
    pub median_packets_between: u64,
    /// Number of damaged records in the capture that were skipped.
    pub damaged_records: u64,
    /// The first damaged record of the capture.
    pub first_damage: Option<String>,
}

/// IP packets, one at a time.
pub(crate) struct Packets {
    input: PacketInput,
    framer: Framer,
    map: Option<AddressMap>,
    left: u64,
    total: u64,
    first_ns: Option<u64>,
    flows: FxHashMap<FiveTuple, u64>,
    gaps: Vec<u32>,
    bytes: u64,
    statistics: PacketStatistics,
}

impl Packets {
    pub fn new(request: &PacketRequest) -> Result<Self, Error> {
        let traffic = |error: linecard_traffic::TrafficError| Error::Traffic(error.to_string());
        let payload = match request.payload.as_str() {
            "random" => Payload::Random,
            "pages" => Payload::Pages,
            other => {
                let message = format!("found `{other}`, expected random or pages");
                return Err(Error::Config { problems: vec![problem("payload".to_owned(), "", message)] });
            }
        };
        let input = PacketInput::open(&request.traffic, request.packets, request.strict)?;
        let title = input.title().unwrap_or(&request.traffic).to_owned();
        let statistics = PacketStatistics { title, ..PacketStatistics::default() };
        let map = match &request.routes {
            None => None,
            Some(file) => {
                let prefixes = read_prefixes(Path::new(file)).map_err(traffic)?;
                let options = AddressMapOptions { seed: request.seed, ..AddressMapOptions::default() };
                Some(AddressMap::new(&prefixes, options).map_err(traffic)?)
            }
        };
        let limit = if request.packets == 0 { u64::MAX } else { request.packets };
        Ok(Self {
            input,
            framer: Framer::new(payload, request.seed),
            map,
            left: limit,
            total: request.packets,
            first_ns: None,
            flows: FxHashMap::default(),
            gaps: Vec::new(),
            bytes: 0,
            statistics,
        })
    }

    /// How far it has come, of how much.
    pub fn progress(&self) -> (u64, u64) {
        match self.total {
            0 if self.input.report().is_some() => self.input.file_bytes(),
            total => (self.statistics.packets, total),
        }
    }

    /// The next record, if there is one and it is wanted.
    fn record(&mut self) -> Result<Option<Packet>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.input.next_packet().map_err(|error| Error::Traffic(error.to_string()))
    }

    /// Counts a packet, moves its addresses, and gives the time since the first in nanoseconds.
    fn take(&mut self, packet: &mut Packet) -> u64 {
        if let Some(map) = &self.map
            && packet.network == Network::Ipv4
        {
            map.apply(packet);
        }
        self.count(packet);
        self.left -= 1;
        let first = *self.first_ns.get_or_insert(packet.time_ns);
        packet.time_ns.saturating_sub(first)
    }

    /// The next record that `is_wanted`, moved, and its arrival in nanoseconds since the first.
    fn next_of(&mut self, is_wanted: fn(&Packet) -> bool) -> Result<Option<(Packet, u64)>, Error> {
        loop {
            let Some(mut packet) = self.record()? else { return Ok(None) };
            if is_wanted(&packet) {
                let time_ns = self.take(&mut packet);
                return Ok(Some((packet, time_ns)));
            }
            self.statistics.not_ip += 1;
        }
    }

    /// The next IP packet and its arrival in microseconds since the first.
    pub fn next(&mut self) -> Result<Option<(&[u8], u32)>, Error> {
        let Some((packet, time_ns)) = self.next_of(frame::is_ip)? else { return Ok(None) };
        let bytes = self.framer.datagram(&packet, self.input.captured()).unwrap_or_default();
        self.bytes += bytes.len() as u64;
        Ok(Some((bytes, (time_ns / 1000) as u32)))
    }

    /// The next Ethernet frame, without its check sequence, and its arrival in nanoseconds since the first; what is neither
    /// IP nor Ethernet is left out ([`Framer::ethernet`]).
    pub fn next_frame(&mut self) -> Result<Option<(&[u8], u64)>, Error> {
        let Some((packet, time_ns)) = self.next_of(frame::is_frame)? else { return Ok(None) };
        let bytes = self.framer.ethernet(&packet, self.input.captured()).unwrap_or_default();
        self.bytes += bytes.len() as u64;
        Ok(Some((bytes, time_ns)))
    }

    fn count(&mut self, packet: &Packet) {
        self.statistics.packets += 1;
        if packet.decoded.has_flow()
            && let Some(before) = self.flows.insert(packet.flow, self.statistics.packets)
        {
            self.gaps.push((self.statistics.packets - before) as u32);
        }
    }

    /// What was read.
    pub fn finish(mut self) -> PacketStatistics {
        self.gaps.sort_unstable();
        let mut statistics = self.statistics;
        statistics.flows = self.flows.len() as u64;
        statistics.mean_bytes = self.bytes as f64 / statistics.packets.max(1) as f64;
        statistics.median_packets_between = self.gaps.get(self.gaps.len() / 2).copied().unwrap_or(0).into();
        if let Some(report) = self.input.report() {
            statistics.damaged_records = report.total(Severity::Damage);
            let found = report.diagnostics().iter().find(|found| found.kind.severity() == Severity::Damage);
            statistics.first_damage = found.map(ToString::to_string);
        }
        statistics
    }
}
