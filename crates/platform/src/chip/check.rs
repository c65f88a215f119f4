//! What can be said of a chip without running it: what each access takes, unloaded, over its route, and how much each
//! place serves at most. An architect sees at once whether the file says what she meant.

use super::cluster::NamedCluster;
use super::design::Design;
use super::hot_channels;
use super::places::Named;
use super::trial;
use crate::error::Error;
use linecard_chip::config::{ChipConfig, PlaceKind, TargetConfig};
use linecard_chip::place::{Facts, Kind};
use linecard_program::CELL_BYTES;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// A chip's file that fits together, and what follows from it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "CheckReport")]
pub struct ChipCheck {
    /// The chip.
    pub preset: String,
    /// What it is.
    pub title: String,
    /// The program that its first cluster runs.
    pub program: String,
    /// Engines in all.
    pub engines: u64,
    /// Hardware threads in all.
    pub threads: u64,
    /// Rate of all ports inward.
    pub receive_gbps: f64,
    /// Rate of all ports outward.
    pub transmit_gbps: f64,
    /// A row for each cluster and each role of its program.
    pub accesses: Vec<PlaceCheck>,
    /// Memories and units that nothing uses, such as `memory.sram`.
    pub unused: Vec<String>,
    /// Why a run of it would fail, or lose what it should not: what its first 200 packets come upon, and channels of the
    /// packet memory in which no packet begins.
    pub warnings: Vec<String>,
}

/// A memory or accelerator as one cluster reaches it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PlaceCheck {
    /// Who asks.
    pub cluster: String,
    /// What programs call it.
    pub role: String,
    /// The memory or unit that this is.
    pub place: String,
    /// From the issue of a read of `bytes` bytes to its result, with nobody else about.
    pub unloaded_ns: f64,
    /// Of that, the way there: issue and links.
    pub there_ns: f64,
    /// The place itself.
    pub place_ns: f64,
    /// The way back.
    pub back_ns: f64,
    /// Bytes of that read.
    pub bytes: u32,
    /// Reads that all instances serve together at most, and each link on the way carries, 10^6 a second; `None` without a
    /// bound.
    pub peak_mops: Option<f64>,
    /// The same as bytes, Gbit/s.
    pub peak_gbps: Option<f64>,
    /// How the numbers follow.
    pub formula: String,
}

fn facts(config: &ChipConfig, place: usize) -> Facts {
    match &config.places[place].kind {
        PlaceKind::Server(server) if server.concurrency == 0 => {
            server.facts(f64::INFINITY, "serves as many as come")
        }
        PlaceKind::Server(server) => server.facts(f64::from(server.concurrency), "concurrency / service"),
        PlaceKind::Banked(banked) => banked.facts(),
        PlaceKind::Of(kind) => kind.facts(),
        PlaceKind::Cached(cache) => {
            cache.port.facts(f64::from(cache.port.concurrency), "a hit; concurrency / service")
        }
        PlaceKind::Slots(slots) => {
            let timing = &slots.slots;
            let cycle_ps = 1e12 / slots.clock_hz as f64;
            let open = (timing.activate + timing.column) as f64 * cycle_ps;
            let (latency_ps, data) = match timing.tandem {
                None => {
                    let data = f64::from(CELL_BYTES.div_ceil(timing.bytes_per_cycle)) * cycle_ps;
                    (open + data, data)
                }
                // Behind the gate the bus; who waits hears of it at the next cycle.
                Some(tandem) => {
                    let pieces = f64::from(CELL_BYTES.div_ceil(tandem.piece_bytes));
                    let (gate, bus) = (pieces * tandem.gate_ps as f64, pieces * tandem.bus_ps as f64);
                    (((open + gate + bus) / cycle_ps).ceil() * cycle_ps, bus)
                }
            };
            Facts {
                latency_ps,
                service_ps: data,
                parts: 1.0,
                bytes: CELL_BYTES,
                formula: "row and column command + data; the bus, less turnarounds and refresh".to_owned(),
            }
        }
        PlaceKind::Results(results) => {
            results.port.facts(f64::from(results.port.concurrency), "concurrency / service")
        }
        PlaceKind::QueueManager(manager) => Facts {
            latency_ps: manager.settings.interconnect_ps as f64 + 2.0 * manager.settings.memory_ps as f64,
            service_ps: 0.0,
            parts: 1.0,
            bytes: 0,
            formula: "the way there and back, and two accesses of its memory".to_owned(),
        },
        PlaceKind::PacketBuffer(buffer) => {
            let (device, cycle_ps) = (&buffer.device, 1e12 / buffer.clock_hz as f64);
            let data = device.data_cycles(CELL_BYTES) as f64 * cycle_ps;
            let closed = device.open_cycles() + device.timing().read_latency;
            Facts {
                latency_ps: closed as f64 * cycle_ps + data + buffer.latency_ps as f64,
                service_ps: data,
                parts: f64::from(buffer.channels),
                bytes: CELL_BYTES,
                formula:
                    "closed row: tRCD + read latency + data, and the way to the controller; channels x bus"
                        .to_owned(),
            }
        }
        PlaceKind::Dram(dram) => {
            let organization = dram.device.organization();
            let per_cycle = organization.beat_bytes * organization.beats_per_cycle;
            let cycle_ps = 1e12 / dram.clock_hz as f64;
            let data = f64::from(dram.access_bytes) / f64::from(per_cycle) * cycle_ps;
            // A clock to hand the request over and one to the command queue, then activate, column, data.
            let cycles = 2
                + dram.device.open_cycles()
                + dram.device.timing().read_latency
                + dram.device.data_cycles(dram.access_bytes);
            let closed = cycles as f64 * cycle_ps;
            Facts {
                latency_ps: closed + dram.latency_ps as f64,
                service_ps: data,
                parts: f64::from(dram.channels * dram.map.channels()),
                bytes: dram.access_bytes,
                formula: "closed row: 2 clocks + tRCD + read latency + data, and the way to the controller; channels x bus, less refresh"
                    .to_owned(),
            }
        }
    }
}

/// Check a chip's file and say what its places do, unloaded and at most.
///
/// # Errors
/// All problems of the file at once.
pub fn check_chip(preset: &str, overrides: &[String]) -> Result<ChipCheck, Error> {
    let design = Design::load(preset, overrides, None, 1)?;
    let config = &design.config;
    let mut accesses = Vec::new();
    let mut instances: HashMap<&str, usize> = HashMap::new();
    for place in &config.places {
        *instances.entry(&place.group).or_default() += 1;
    }
    for named in &design.clusters {
        for (role, target) in config.targets[named.first].iter().enumerate() {
            if let Some(target) = target {
                accesses.push(row(&design, &instances, named, role, target));
            }
        }
    }
    let each = |of: fn(&linecard_chip::config::ClusterConfig) -> u64| config.clusters.iter().map(of).sum();
    let gbps = |bits: u64| bits as f64 / 1e9;
    Ok(ChipCheck {
        preset: preset.to_owned(),
        title: design.title.clone(),
        program: design.app.clone(),
        engines: each(|c| u64::from(c.engines)),
        threads: each(|c| u64::from(c.all_threads())),
        receive_gbps: config
            .ports
            .iter()
            .filter_map(|p| p.receive.as_ref())
            .map(|r| gbps(r.bits_per_second))
            .sum(),
        transmit_gbps: config
            .ports
            .iter()
            .filter_map(|p| p.transmit.as_ref())
            .map(|t| gbps(t.bits_per_second))
            .sum(),
        accesses,
        unused: unused(&design),
        warnings: hot_channels::headers(&design)
            .into_iter()
            .chain(trial::warnings(&design, preset))
            .collect(),
    })
}

/// Memories and units that nothing leads to, as the file names them.
fn unused(design: &Design) -> Vec<String> {
    let config = &design.config;
    let mut used = vec![false; config.places.len()];
    for target in config.targets.iter().flatten().flatten() {
        used[target.place] = true;
    }
    // What stands behind a cache, which may stand behind another.
    let mut grows = true;
    while grows {
        grows = false;
        for number in 0..used.len() {
            if let PlaceKind::Cached(cache) = &config.places[number].kind
                && used[number]
            {
                grows |= !std::mem::replace(&mut used[cache.behind], true);
            }
        }
    }
    let of_table = |named: &Named| if named.is_memory { "memory" } else { "unit" };
    let is_idle = |named: &&Named| !used[named.first..named.first + named.count].contains(&true);
    design.places.iter().filter(is_idle).map(|named| format!("{}.{}", of_table(named), named.name)).collect()
}

fn row(
    design: &Design,
    instances: &HashMap<&str, usize>,
    cluster: &NamedCluster,
    role: usize,
    target: &TargetConfig,
) -> PlaceCheck {
    let config = &design.config;
    let mut facts = facts(config, target.place);
    let links = target.links.iter().map(|&link| {
        let link = &config.links[link];
        link.latency_ps as f64 + link.byte_fs as f64 / 1e3 * f64::from(facts.bytes)
    });
    let there_ps = target.issue_ps as f64 + links.sum::<f64>();
    let group = &config.places[target.place].group;
    let instances = instances[group.as_str()] as f64;
    let bounded = facts.service_ps > 0.0 && facts.parts.is_finite();
    let of_place = bounded.then(|| instances * facts.parts * 1e6 / facts.service_ps);
    let narrowest = narrowest_link(design, cluster, role, target, facts.bytes);
    let peak = match (of_place, narrowest) {
        (place, Some((link, most))) if place.is_none_or(|place| most < place) => {
            facts.formula += &format!("; at most what link {link} carries");
            Some(most)
        }
        (place, _) => place,
    };
    PlaceCheck {
        cluster: cluster.name.clone(),
        role: config.roles[role].clone(),
        place: group.clone(),
        unloaded_ns: (there_ps + facts.latency_ps + target.back_ps as f64) / 1e3,
        there_ns: there_ps / 1e3,
        place_ns: facts.latency_ps / 1e3,
        back_ns: target.back_ps as f64 / 1e3,
        bytes: facts.bytes,
        peak_mops: peak,
        peak_gbps: peak.map(|mops| mops * f64::from(facts.bytes) * 8.0 / 1e3),
        formula: facts.formula,
    }
}

/// The link that carries the fewest reads of `bytes` bytes to the place of a role, with 10^6 of them a second. Links that there
/// are for each instance of the cluster carry as many times more, one that is crossed twice half.
fn narrowest_link<'d>(
    design: &'d Design,
    cluster: &NamedCluster,
    role: usize,
    target: &TargetConfig,
    bytes: u32,
) -> Option<(&'d str, f64)> {
    let config = &design.config;
    let instances = &config.targets[cluster.first..cluster.first + cluster.count];
    let most = |(hop, &link): (usize, &usize)| {
        let busy_fs = config.links[link].byte_fs as f64 * f64::from(bytes);
        let crossings = target.links.iter().filter(|&&other| other == link).count() as f64;
        let beside: BTreeSet<usize> =
            instances.iter().filter_map(|targets| targets[role].as_ref()?.links.get(hop).copied()).collect();
        let after = design.links.partition_point(|named| named.first <= link);
        let named = &design.links[after.checked_sub(1)?];
        (busy_fs > 0.0).then(|| (named.name.as_str(), beside.len() as f64 * 1e9 / (busy_fs * crossings)))
    };
    target.links.iter().enumerate().filter_map(most).min_by(|(_, a), (_, b)| a.total_cmp(b))
}
