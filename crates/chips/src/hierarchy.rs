//! The processors above the engines of a chip: the share of the packets that reaches a core and a host, and their
//! cycles per packet.
//!
//! Source: Spalink 2000, sections 4.1 to 4.4. The core, the host and the link between them are ordinary clusters and
//! units of a chip. The functions of this file run the chip, and find these parts by their names in
//! `platforms/ixp1200_host`.

use super::design::Design;
use super::executed::Shared;
use super::simulate::judge;
use crate::request::RunRequest;
use linecard_chip::{ChipConfig, ClusterCounts, Counts, PlaceCounts, RunLimit};
use linecard_files::{ConfigProblem, Error, problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// A request for a simulation of the hierarchy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HierarchyRequest {
    /// Name of a shipped chip, or path to a TOML file.
    pub chip: String,
    /// Changes, `key.path=value`.
    pub overrides: Vec<String>,
    /// Packets that arrive per second.
    pub rate_pps: f64,
    /// Bytes of a packet.
    pub packet_bytes: u32,
    /// Bytes of a packet that are sent up and returned.
    pub message_bytes: u32,
    /// Mean number of packets per packet that is sent up.
    pub one_in: u64,
    /// Packets to simulate.
    pub packets: u64,
    /// Seed of their arrivals.
    pub seed: u64,
}

/// The packet rates of the core and the host, and the utilisation of shared resources.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct HierarchyReport {
    /// Name of the chip.
    pub chip: String,
    /// Offered load in packets per second.
    pub rate_pps: f64,
    /// Size of each packet in bytes.
    pub packet_bytes: u32,
    /// Size of a message to the host in bytes.
    pub message_bytes: u32,
    /// Number of messages per second that the host received and returned.
    pub messages_per_second: f64,
    /// Number of messages per second that the host processes if packets arrive at the maximum rate of the
    /// ports.
    pub most_messages_per_second: f64,
    /// Number of messages as a percentage of the number of packets.
    pub reach_percent: f64,
    /// Number of idle host cycles, divided by the number of messages.
    pub host_cycles_per_message: f64,
    /// Number of idle core cycles, divided by the number of messages.
    pub core_cycles_per_message: f64,
    /// Utilisation of the DRAM.
    pub dram_utilization: f64,
    /// Utilisation of the link to the host.
    pub link_utilization: f64,
    /// Utilisation of the core.
    pub core_utilization: f64,
    /// Utilisation of the host.
    pub host_utilization: f64,
    /// Mean waiting time of the engines' accesses to the DRAM.
    pub engine_wait_ns: f64,
    /// Mean waiting time of the engines' accesses to the DRAM in a run in which the core and the host do no
    /// work.
    pub engine_wait_alone_ns: f64,
}

/// Bytes of a piece of a packet, which takes two DRAM transfers.
const PIECE_BYTES: u32 = 64;

/// The most packets of a run.
const MOST_PACKETS: u64 = 10_000_000;

/// Packets of the run that measures accesses without waiting, and their rate per second.
const UNLOADED: (u64, f64) = (200, 1_000.0);

/// If a larger share of the packets is reached, messages may be fewer because packets are missing.
const NEARLY_ALL: f64 = 0.98;

/// The engines that receive packets, the two clusters above them, the link between these, the work on a message, and
/// the DRAM of all.
const ENGINES: &str = "input";
const CORE: &str = "core";
const HOST: &str = "host";
const LINK: &str = "pci";
const WORK: &str = "handling";
const DRAM: &str = "transfers";

/// Runs the hierarchy of a chip.
///
/// # Errors
/// What is wrong with the chip, the changes or the request, all at once; a run that ends without a result.
pub fn hierarchy(request: &HierarchyRequest) -> Result<HierarchyReport, Error> {
    check(request)?;
    let share = 1.0 / request.one_in as f64;
    let asked = Measured::of(request, request.rate_pps, share, request.packets)?;
    let alone = Measured::of(request, request.rate_pps, 0.0, request.packets)?;
    let (packets, rate_pps) = UNLOADED;
    let unloaded = Measured::of(request, rate_pps, 0.0, packets)?;
    let most = match asked.reach() < NEARLY_ALL * share {
        true => asked.messages_per_second(),
        false => {
            let fastest = asked.fastest_pps(request.packet_bytes);
            Measured::of(request, fastest, 1.0, request.packets)?.messages_per_second()
        }
    };
    let wait_ns = |run: &Measured| (run.engine_access_ns() - unloaded.engine_access_ns()).max(0.0);
    Ok(HierarchyReport {
        chip: request.chip.clone(),
        rate_pps: request.rate_pps,
        packet_bytes: request.packet_bytes,
        message_bytes: request.message_bytes,
        messages_per_second: asked.messages_per_second(),
        most_messages_per_second: most.max(asked.messages_per_second()),
        reach_percent: 100.0 * asked.reach(),
        host_cycles_per_message: asked.idle_cycles_per_message(HOST),
        core_cycles_per_message: asked.idle_cycles_per_message(CORE),
        dram_utilization: asked.utilization(DRAM),
        link_utilization: asked.utilization(LINK),
        core_utilization: asked.cluster(CORE).map_or(0.0, |core| core.threads_held),
        host_utilization: asked.cluster(HOST).map_or(0.0, |host| host.threads_held),
        engine_wait_ns: wait_ns(&asked),
        engine_wait_alone_ns: wait_ns(&alone),
    })
}

fn check(request: &HierarchyRequest) -> Result<(), Error> {
    let mut problems: Vec<ConfigProblem> = Vec::new();
    let mut wrong = |what: &str, found: String, expected: &str| {
        problems.push(problem(what.to_owned(), "", format!("found {found}, expected {expected}")));
    };
    if !(1.0..=1e12).contains(&request.rate_pps) {
        wrong("rate", request.rate_pps.to_string(), "1 to 1e12 packets a second");
    }
    if !(1..=65_535).contains(&request.packet_bytes) {
        wrong("packet bytes", request.packet_bytes.to_string(), "1 to 65535");
    }
    if !(1..=request.packet_bytes.max(1)).contains(&request.message_bytes) {
        wrong("message bytes", request.message_bytes.to_string(), "at least 1, and at most the packet size");
    }
    if request.one_in == 0 || !(1..=MOST_PACKETS).contains(&request.packets) {
        let found = format!("{}, one in {}", request.packets, request.one_in);
        wrong(
            "packets",
            found,
            "1 to 10000000 packets; one in N packets goes to the host, with N of at least 1",
        );
    }
    if !problems.is_empty() {
        return Err(Error::Config { problems });
    }
    let design = Design::load(&request.chip, &request.overrides, None, request.seed)?;
    let has_cluster = |name: &str| design.config.clusters.iter().any(|each| each.name == name);
    let has_place = |name: &str| design.config.places.iter().any(|each| each.name == name);
    if [ENGINES, CORE, HOST].into_iter().all(has_cluster) && [LINK, WORK, DRAM].into_iter().all(has_place) {
        return Ok(());
    }
    let message = format!(
        "`{}` is not a hierarchy of engines, core and host. A hierarchy needs the clusters `{CORE}` and `{HOST}` and \
         the units `{LINK}` and `{WORK}`, as in platforms/ixp1200_host",
        request.chip
    );
    Err(Error::Config { problems: vec![problem("chip".into(), "", message)] })
}

/// A run of the chip.
struct Measured {
    design: Design,
    counts: Counts,
    ticks_per_second: f64,
}

impl Measured {
    /// Runs the chip at a packet rate; a share of the packets requests to be sent up.
    fn of(request: &HierarchyRequest, rate_pps: f64, share: f64, packets: u64) -> Result<Self, Error> {
        let overrides = [request.overrides.clone(), changes(request, rate_pps, share)].concat();
        let seed = request.seed;
        let design = Design::load(&request.chip, &overrides, None, seed)?;
        let run = RunRequest {
            chip: request.chip.clone(),
            overrides,
            seed,
            packets,
            warmup_packets: Some(packets / 20),
            ..RunRequest::default()
        };
        let config = ChipConfig { seed, ..design.config.clone() };
        let (mut chip, notes) = design.chip(&run, config, &Shared::default())?;
        let limit = RunLimit { warmup_packets: run.warmup_packets, packets };
        let outcome = chip.run(limit, &mut |_| ControlFlow::Continue(()));
        judge(&outcome, chip.timebase(), &notes.borrow(), &run)?;
        let ticks_per_second = chip.timebase().ticks_per_second() as f64;
        Ok(Self { counts: chip.counts(), design, ticks_per_second })
    }

    fn seconds(&self) -> f64 {
        self.counts.duration as f64 / self.ticks_per_second
    }

    fn cluster(&self, name: &str) -> Option<&ClusterCounts> {
        self.counts.clusters.iter().find(|cluster| cluster.name == name)
    }

    fn place(&self, name: &str) -> Option<&PlaceCounts> {
        self.counts.places.iter().find(|place| place.name == name)
    }

    fn utilization(&self, name: &str) -> f64 {
        self.place(name).and_then(|place| place.utilization).unwrap_or(0.0)
    }

    /// Returns the number of messages that the host has processed.
    fn messages(&self) -> f64 {
        self.place(WORK).map_or(0.0, |work| work.accesses as f64)
    }

    fn messages_per_second(&self) -> f64 {
        self.messages() / self.seconds()
    }

    /// Returns messages divided by packets.
    fn reach(&self) -> f64 {
        self.messages() / (self.counts.packets_in as f64).max(1.0)
    }

    /// Returns the cycles per message in which a cluster's one thread had no message.
    fn idle_cycles_per_message(&self, name: &str) -> f64 {
        let clock = self.design.config.clusters.iter().find(|cluster| cluster.name == name);
        let idle = self.cluster(name).map_or(0.0, |cluster| 1.0 - cluster.threads_held);
        clock.map_or(0.0, |cluster| cluster.clock_hz as f64) * idle * self.seconds()
            / self.messages().max(1.0)
    }

    /// Returns the wait of the engines for one DRAM access of a packet, its service included, in nanoseconds.
    fn engine_access_ns(&self) -> f64 {
        let waits = format!("wait {DRAM}");
        let threads = self.cluster(ENGINES).map(|engines| engines.threads.as_slice()).unwrap_or_default();
        let ticks: u128 = threads.iter().filter(|spent| spent.part == waits).map(|spent| spent.ticks).sum();
        let pieces = self.counts.bytes_in.div_ceil(u64::from(PIECE_BYTES)).max(1);
        ticks as f64 / self.ticks_per_second * 1e9 / pieces as f64 / ACCESSES_OF_PIECE
    }

    /// Returns the packets of this size per second that the ports receive at most.
    fn fastest_pps(&self, packet_bytes: u32) -> f64 {
        let ports = self.design.config.ports.iter();
        let rates = ports.filter_map(|port| {
            let bits = 8.0 * f64::from(packet_bytes + port.overhead_bytes);
            port.receive.as_ref().map(|receive| receive.bits_per_second as f64 / bits)
        });
        rates.sum()
    }
}

/// DRAM instructions for forwarding a piece: three transfers of 64 bytes and one of 32, by instructions of 32 bytes
/// (Spalink 2000, sections 2.1 and 3.2).
const ACCESSES_OF_PIECE: f64 = 7.0;

/// Returns the changes of the chip for a run: its traffic, and the part of a packet that goes up.
fn changes(request: &HierarchyRequest, rate_pps: f64, share: f64) -> Vec<String> {
    let (packet, message) = (request.packet_bytes, request.message_bytes);
    let transfers = 2 * message.div_ceil(PIECE_BYTES);
    let first = message.min(PIECE_BYTES);
    let rest = message - first;
    vec![
        "traffic.kind=fixed".to_owned(),
        format!("traffic.packet_bytes={packet}"),
        format!("traffic.rate_gbps={}", rate_pps * f64::from(packet) * 8e-9),
        format!("program.step[send_up].share={share}"),
        format!("cluster.bridge.step[fetch].times={transfers}"),
        format!("cluster.bridge.step[push_up].bytes={message}"),
        format!("cluster.host.step[handle].bytes={message}"),
        format!("cluster.host.step[push_the_first].bytes={first}"),
        format!("cluster.host.step[push_the_rest].bytes={}", rest.max(1)),
        format!("cluster.host.step[push_the_rest].times={}", u32::from(rest > 0)),
        format!("cluster.core.step[store].times={}", transfers - 2),
    ]
}
