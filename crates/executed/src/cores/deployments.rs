//! Chips of equal area under memories of every latency and bandwidth.

use super::jobs::{each, failed, window};
use super::presets::{Memory, Presets};
use super::search::{Searched, search};
use crate::core_presets::{Fixed, Stages};
use linecard_files::Error;
use linecard_malleable::{
    Arrivals, Core, CoreConfig, MalleableError, Mrc, Prediction, Separate, Window, Work, adapt, run,
};
use linecard_words::Mismatch;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Numbers of cores that the hypothetical chip may have.
const CONFIGURABLE_CORES: [u32; 10] = [3, 4, 5, 6, 8, 9, 11, 13, 16, 20];

/// The memory of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deployment {
    /// Latency of an off-chip access in cycles.
    pub latency_cycles: u32,
    /// References per cycle.
    pub refs_per_cycle: f64,
}

/// Chips under one deployment; throughputs in packets per million cycles of the whole chip, 0 for a chip that was not
/// requested.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DeploymentRow {
    /// The deployment.
    #[serde(flatten)]
    pub deployment: Deployment,
    /// IXP2800.
    pub ixp2800: f64,
    /// The optimal fixed chip.
    pub optimal_fixed: f64,
    /// The ideal malleable chip, at its best split.
    pub ideal: f64,
    /// That split.
    pub ideal_threads: u32,
    /// The malleable chip, at its best number of threads.
    pub malleable: f64,
    /// That number.
    pub malleable_threads: u32,
    /// The same chip with its own search for threads, at its steady state.
    pub adapted: f64,
    /// Threads that it found.
    pub adapted_threads: u32,
    /// The hypothetical chip with a free number of cores.
    pub configurable: f64,
    /// Cores.
    pub configurable_cores: u32,
    /// Whether throughput over the threads of the ideal chip rises, peaks and falls.
    pub single_peak: bool,
}

/// The chips of a study of deployments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chips {
    /// IXP2800, the optimal fixed chip, and the ideal malleable one.
    Fixed,
    /// The malleable chip.
    Malleable,
    /// The hypothetical malleable chip with a free number of cores.
    Configurable,
}

impl Chips {
    /// All chips, by name.
    pub const ALL: [(&str, Self); 3] =
        [("fixed", Self::Fixed), ("malleable", Self::Malleable), ("configurable", Self::Configurable)];

    /// Returns the chips with these names.
    ///
    /// # Errors
    /// If a name has no chips.
    pub fn named(names: &[String]) -> Result<Vec<Self>, Error> {
        let of = |name: &String| {
            Self::ALL.into_iter().find(|(each, _)| each == name).map(|(_, chips)| chips).ok_or_else(|| {
                let expected = Self::ALL.map(|(each, _)| each).join(", ");
                failed(MalleableError::Value(Mismatch::new("chips", format!("`{name}`"), expected)))
            })
        };
        names.iter().map(of).collect()
    }
}

/// A request for a study of deployments.
#[derive(Clone, Debug)]
pub struct DeploymentRequest {
    /// Events that a simulation counts.
    pub events: u64,
    /// The chips.
    pub chips: Vec<Chips>,
    /// Packets of a stream through adapting cores; 0 for none.
    pub adapt_packets: u64,
    /// Whether a deployment states the bandwidth of the chip, which its cores share, or that of each core.
    pub per_chip: bool,
    /// Simulations at a time.
    pub jobs: usize,
}

/// Runs every chip under every deployment.
///
/// # Errors
/// As [`core_report`].
pub fn deployments(
    work: &Work,
    list: &[Deployment],
    request: &DeploymentRequest,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Vec<DeploymentRow>, Error> {
    let presets = Presets::read()?;
    let window = window(work, request.events);
    let known = Known { work, window, rates: Mutex::default() };
    each(list, request.jobs, progress, |&deployment| deploy(&known, &presets, deployment, request))
}

/// Throughputs of cores with fixed register files, each simulated once: shapes with different areas have the same
/// core if the largest cache fits in addition to their threads.
struct Known<'a> {
    work: &'a Work,
    window: Window,
    rates: Mutex<Vec<(CoreConfig, f64)>>,
}

impl Known<'_> {
    /// Returns the packets per million cycles of a core.
    fn rate(&self, config: CoreConfig) -> Result<f64, MalleableError> {
        let rates = || self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&(_, rate)) = rates().iter().find(|(each, _)| *each == config) {
            return Ok(rate);
        }
        let counts = run(self.work, config, Arrivals::BackToBack, Separate, self.window)?;
        let rate = counts.packets_per_mcycle(self.work);
        rates().push((config, rate));
        Ok(rate)
    }
}

fn deploy(
    known: &Known<'_>,
    presets: &Presets,
    deployment: Deployment,
    request: &DeploymentRequest,
) -> Result<DeploymentRow, MalleableError> {
    let Known { work, window, .. } = *known;
    let memory = |cores: u32| Memory {
        latency_cycles: deployment.latency_cycles,
        refs_per_cycle: deployment.refs_per_cycle / if request.per_chip { f64::from(cores) } else { 1.0 },
    };
    let chip = |cores: u32, config: CoreConfig| Ok(f64::from(cores) * known.rate(config)?);
    let asked = |chips: Chips| request.chips.contains(&chips);
    let fixed = |shape: Fixed| match asked(Chips::Fixed) {
        true => chip(shape.cores, presets.core(shape.threads, shape.cache, memory(shape.cores))),
        false => Ok(0.0),
    };
    let (cores, area) = (presets.malleable.cores, presets.malleable.area);
    // The ideal malleable core is the malleable one without its costs: its cache has the same ways.
    let ideal_ways = Stages { cache_ways: presets.malleable.cache_ways, ..presets.stages };
    let ideal_core = Presets { stages: ideal_ways, ..*presets };
    let split = |cores: u32, area: u32, threads: u32| {
        chip(cores, ideal_core.core(threads, area - threads, memory(cores)))
    };
    let ideal = match asked(Chips::Fixed) {
        true => search(area, &|threads| split(cores, area, threads))?,
        false => Searched::default(),
    };
    let own = memory(cores);
    let at = |threads: u32| {
        let config = presets.malleable(threads, area, own);
        let counts = run(work, config, Arrivals::BackToBack, Mrc::new(Prediction::ResumePc), window)?;
        Ok(f64::from(cores) * counts.packets_per_mcycle(work))
    };
    let malleable = match asked(Chips::Malleable) {
        true => search(area, &at)?,
        false => Searched::default(),
    };
    let (mut adapted, mut adapted_threads) = (0.0, 0);
    if request.adapt_packets > 0 {
        let config = presets.malleable(1, area, own);
        let mut core = Core::new(work, config, Arrivals::BackToBack, Mrc::new(Prediction::ResumePc))?;
        let found = adapt(&mut core, presets.malleable.adaptation, request.adapt_packets)?;
        (adapted, adapted_threads) =
            (f64::from(cores) * found.steady_packets_per_mcycle.unwrap_or(0.0), found.threads);
    }
    let (mut configurable, mut configurable_cores) = (0.0, 0);
    if asked(Chips::Configurable) {
        for cores in CONFIGURABLE_CORES {
            // A core with no cache has more room for threads.
            let threads = presets.area.threads_of_a_core(cores).min(linecard_malleable::MOST_THREADS);
            let mut rate = if threads > 0 { split(cores, threads, threads)? } else { 0.0 };
            let area = presets.area.area_of_a_cached_core(cores);
            if area > 0 {
                let most = area.min(linecard_malleable::MOST_THREADS);
                rate = rate.max(search(most, &|threads| split(cores, area, threads))?.rate);
            }
            if rate > configurable {
                (configurable, configurable_cores) = (rate, cores);
            }
        }
    }
    Ok(DeploymentRow {
        deployment,
        ixp2800: fixed(presets.ixp2800)?,
        optimal_fixed: fixed(presets.optimal_fixed)?,
        ideal: ideal.rate,
        ideal_threads: ideal.threads,
        malleable: malleable.rate,
        malleable_threads: malleable.threads,
        adapted,
        adapted_threads,
        configurable,
        configurable_cores,
        single_peak: ideal.single_peak,
    })
}
