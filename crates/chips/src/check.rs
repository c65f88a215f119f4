//! Properties of a chip without a run: the unloaded time of each access over its route, and the maximum rate of each
//! place. They show an architect at once whether the file has the intended meaning.

use super::cluster::NamedCluster;
use super::design::Design;
use super::executed::Executable;
use super::hot_channels;
use super::named_places::Named;
use super::request::{CheckRequest, Program};
use super::trial;
use linecard_chip::config::TargetConfig;
use linecard_files::Error;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// The result of `linecard check` for a valid chip file.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "CheckReport")]
pub struct ChipCheck {
    /// The chip.
    pub chip: String,
    /// Title.
    pub title: String,
    /// The program that the first cluster executes.
    pub program: String,
    /// Total number of engines.
    pub engines: u64,
    /// Total number of hardware threads.
    pub threads: u64,
    /// Total receive rate of all ports.
    pub receive_gbps: f64,
    /// Total send rate of all ports.
    pub transmit_gbps: f64,
    /// For each cluster, one row for each name by which the cluster's program accesses a memory or an accelerator.
    pub accesses: Vec<MemoryCheck>,
    /// Memories and units that no program uses, such as `memory.sram`.
    pub unused: Vec<String>,
    /// Memories that store packet headers in only some of their channels or banks. The list also contains problems in
    /// the first 200 packets of a trial run, such as failures and avoidable losses.
    pub warnings: Vec<String>,
}

/// A memory or an accelerator, accessed from one cluster.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct MemoryCheck {
    /// Name of the accessing cluster.
    pub cluster: String,
    /// The role name that programs use for the memory or accelerator.
    pub role: String,
    /// Name of the memory or accelerator.
    pub memory: String,
    /// Unloaded latency of a read of `bytes` bytes, from issue to result.
    pub unloaded_ns: f64,
    /// Time of the request path, which is the issue time plus the latency of the links.
    pub there_ns: f64,
    /// Time in the memory or accelerator itself.
    pub memory_ns: f64,
    /// Time of the response path.
    pub back_ns: f64,
    /// Number of bytes that the read transfers.
    pub bytes: u32,
    /// Peak read rate in 10^6 reads per second, limited by the memory's instances and by the links to the memory;
    /// `None` if unlimited.
    pub peak_mops: Option<f64>,
    /// Peak read rate in Gbit/s; `None` if unlimited.
    pub peak_gbps: Option<f64>,
    /// Formula from which the times and rates of this row are computed.
    pub formula: String,
}

/// Checks a chip's file and returns the times and rates of its places, unloaded and at most.
///
/// # Errors
/// All problems of the file at once.
pub fn check_chip(preset: &str, overrides: &[String]) -> Result<ChipCheck, Error> {
    check(&CheckRequest { chip: preset.to_owned(), program: None, overrides: overrides.to_vec() })
}

/// As [`check_chip`], also with another program than the chip's own.
///
/// # Errors
/// All problems of the file and the program at once.
pub fn check(request: &CheckRequest) -> Result<ChipCheck, Error> {
    let CheckRequest { chip: preset, program, overrides } = request;
    let (listed, executed) = match program {
        Some(Program::Listed(name)) => (Some(name.as_str()), None),
        Some(Program::Executed(file)) => (None, Some(Executable::load(file, 1)?)),
        None => (None, None),
    };
    let design = Design::with_program(preset, overrides, listed, executed.as_ref())?;
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
        chip: preset.clone(),
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

/// Returns the memories and units without an access, as the file names them.
fn unused(design: &Design) -> Vec<String> {
    let config = &design.config;
    let mut used = vec![false; config.places.len()];
    for target in config.targets.iter().flatten().flatten() {
        used[target.place] = true;
    }
    // A used cache uses the memory behind it, which may be another cache.
    let mut grows = true;
    while grows {
        grows = false;
        for number in 0..used.len() {
            if used[number]
                && let Some(behind) = config.places[number].kind.numbers().behind()
            {
                grows |= !std::mem::replace(&mut used[behind], true);
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
) -> MemoryCheck {
    let config = &design.config;
    let mut facts = config.places[target.place].kind.numbers().facts();
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
            facts.formula += &format!("; limited by link {link}");
            Some(most)
        }
        (place, _) => place,
    };
    MemoryCheck {
        cluster: cluster.name.clone(),
        role: config.roles[role].clone(),
        memory: group.clone(),
        unloaded_ns: (there_ps + facts.latency_ps + target.back_ps as f64) / 1e3,
        there_ns: there_ps / 1e3,
        memory_ns: facts.latency_ps / 1e3,
        back_ns: target.back_ps as f64 / 1e3,
        bytes: facts.bytes,
        peak_mops: peak,
        peak_gbps: peak.map(|mops| mops * f64::from(facts.bytes) * 8.0 / 1e3),
        formula: facts.formula,
    }
}

/// Returns the link that carries the fewest reads of `bytes` bytes to the memory of a role, with its 10^6 reads per
/// second. With a link for each instance of the cluster, the rates add up; a link that is crossed twice carries half.
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
