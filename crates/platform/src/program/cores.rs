//! Cores of every shape on the work of one traced program.

use super::core_presets::{Fixed, Malleable, Stages, area, fixed, malleable, stages};
use crate::error::Error;
use crate::spread::spread;
use linecard_malleable::{
    Adaptation, Adapted, AreaModel, Arrivals, Core, CoreConfig, Counts, LINE_BYTES, MalleableError, Mrc,
    Prediction, RegisterCache, Separate, Termination, Ticks, Window, Work, adapt, run, terminate,
};
use linecard_words::Mismatch;
use serde::Serialize;
use std::ops::ControlFlow;

/// Throughputs that differ by less are equal; of equal ones more threads win, as Algorithm 1 climbs while throughput
/// does not fall.
const EQUAL_SHARE: f64 = 0.0001;
/// Fewest packets a window counts, so that every thread has several.
const FEWEST_PACKETS: u64 = 320;
/// Events of a simulation that only has to find the best number of threads.
const SEARCH_EVENTS: u64 = 120_000;
/// Register files of the register cache take so much of a malleable core's area.
const MRC_THREAD_EQUIVALENTS: u32 = 2;

/// Everything that presets say of cores.
#[derive(Clone, Copy, Debug)]
struct Presets {
    area: AreaModel,
    stages: Stages,
    ixp2800: Fixed,
    optimal_fixed: Fixed,
    malleable: Malleable,
}

impl Presets {
    fn read() -> Result<Self, Error> {
        Ok(Self {
            area: area()?,
            stages: stages()?,
            ixp2800: fixed("ixp2800")?,
            optimal_fixed: fixed("optimal_fixed")?,
            malleable: malleable()?,
        })
    }

    /// A core of fixed register files.
    fn core(&self, threads: u32, cache: u32, memory: Memory) -> CoreConfig {
        let lines = self.area.cache_lines(cache);
        CoreConfig {
            threads,
            cache_lines: lines - lines % self.stages.cache_ways,
            cache_ways: self.stages.cache_ways,
            cache_latency_cycles: self.stages.cache_latency_cycles,
            switch_cycles: self.stages.switch_cycles,
            memory_latency_cycles: memory.latency_cycles,
            memory_refs_per_cycle: memory.refs_per_cycle,
            slower_percent: 0,
        }
    }

    /// A malleable core of so much area.
    fn malleable(&self, threads: u32, area: u32, memory: Memory) -> CoreConfig {
        // The cache that the preset states, by the area beside the register cache.
        let cache = |area: u32| area.saturating_sub(MRC_THREAD_EQUIVALENTS).max(1);
        let lines = u64::from(self.malleable.cache_lines) * u64::from(cache(area))
            / u64::from(cache(self.malleable.area));
        let lines = (lines as u32).min(self.area.most_lines);
        CoreConfig {
            cache_lines: lines - lines % self.malleable.cache_ways,
            cache_ways: self.malleable.cache_ways,
            cache_latency_cycles: self.malleable.cache_latency,
            slower_percent: self.malleable.slower_percent,
            ..self.core(threads, 0, memory)
        }
    }
}

/// What a core sees of memory.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Memory {
    latency_cycles: u32,
    refs_per_cycle: f64,
}

fn failed(error: MalleableError) -> Error {
    match error {
        error @ (MalleableError::Value(_) | MalleableError::Area { .. }) => {
            Error::Config { problems: vec![crate::preset::problem("core".to_owned(), "", error.to_string())] }
        }
        other => Error::Run(other.to_string()),
    }
}

/// A window with about so many events.
fn window(work: &Work, events: u64) -> Window {
    let per_packet = (work.events.len() as u64 / work.packets.len() as u64).max(1);
    let packets = (events / per_packet).max(FEWEST_PACKETS);
    Window { warmup_packets: packets / 2, packets }
}

/// Does every job on so many threads; results in the order of the jobs.
fn each<J: Sync, O: Send>(
    jobs: &[J],
    workers: usize,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    work: impl Fn(&J) -> Result<O, MalleableError> + Sync,
) -> Result<Vec<O>, Error> {
    let look = &mut |done| progress(done, jobs.len() as u64);
    let results = spread(jobs, workers.max(1), look, |job, _| work(job)).ok_or(Error::Interrupted)?;
    results.into_iter().map(|result| result.map_err(failed)).collect()
}

/// Where the cycles of a core went, in per cent.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CycleShares {
    /// Instructions, one cycle each.
    pub instructions_percent: f64,
    /// Branches and long operations.
    pub pipeline_percent: f64,
    /// Loads that hit, used too soon.
    pub load_use_percent: f64,
    /// Changes of threads.
    pub switches_percent: f64,
    /// Registers that were not there.
    pub registers_percent: f64,
    /// All threads wait, for memory.
    pub idle_memory_percent: f64,
    /// All threads wait, for locks or packets.
    pub idle_other_percent: f64,
}

impl CycleShares {
    fn new(ticks: &Ticks) -> Self {
        let of = |part: u64| part as f64 / ticks.sum().max(1) as f64 * 100.0;
        Self {
            instructions_percent: of(ticks.instructions),
            pipeline_percent: of(ticks.pipeline),
            load_use_percent: of(ticks.load_use),
            switches_percent: of(ticks.switches),
            registers_percent: of(ticks.registers),
            idle_memory_percent: of(ticks.idle_memory),
            idle_other_percent: of(ticks.idle_other),
        }
    }
}

/// One split of the area.
#[derive(Clone, Debug, Serialize)]
pub struct CoreRow {
    /// Threads.
    pub threads: u32,
    /// Thread-equivalents of data cache.
    pub cache_th_eq: u32,
    /// Its size.
    pub cache_kb: f64,
    /// Throughput of the core.
    pub packets_per_mcycle: f64,
    /// Accesses that hit, or found their line on its way.
    pub hit_percent: f64,
    /// Of the bandwidth of memory.
    pub bandwidth_percent: f64,
    /// Mean wait of an access for memory to be free.
    pub queueing_cycles: f64,
    /// Mean run of a thread between two changes.
    pub run_instructions: f64,
    /// Locks found held, a packet.
    pub lock_waits_per_packet: f64,
    /// Where the cycles went.
    #[serde(flatten)]
    pub cycles: CycleShares,
    /// What holds throughput back most: compute, memory latency, memory bandwidth, locks, switches.
    pub limit: &'static str,
}

impl CoreRow {
    fn new(work: &Work, config: &CoreConfig, cache_th_eq: u32, counts: &Counts) -> Self {
        let ticks = counts.ticks.sum().max(1) as f64;
        let per = |count: u64, of: u64| count as f64 / of.max(1) as f64;
        let bandwidth = counts.references as f64 * config.reference_ticks() as f64 / ticks * 100.0;
        let cycles = CycleShares::new(&counts.ticks);
        let locks = per(counts.lock_waits, counts.packets);
        Self {
            threads: config.threads,
            cache_th_eq,
            cache_kb: f64::from(config.cache_lines * LINE_BYTES) / 1024.0,
            packets_per_mcycle: counts.packets_per_mcycle(work),
            hit_percent: (1.0 - per(counts.misses, counts.accesses)) * 100.0,
            bandwidth_percent: bandwidth,
            queueing_cycles: per(counts.queueing_ticks, counts.misses) / linecard_malleable::TICKS as f64,
            run_instructions: per(counts.instructions, counts.switches),
            lock_waits_per_packet: locks,
            limit: limit(&cycles, bandwidth, locks),
            cycles,
        }
    }
}

/// What holds a core back: where most of its cycles go, and why.
fn limit(cycles: &CycleShares, bandwidth_percent: f64, lock_waits: f64) -> &'static str {
    let busy = cycles.instructions_percent + cycles.pipeline_percent + cycles.load_use_percent;
    let idle = cycles.idle_memory_percent + cycles.idle_other_percent;
    let change = cycles.switches_percent + cycles.registers_percent;
    if busy >= idle && busy >= change {
        "compute"
    } else if change >= idle {
        "switches"
    } else if bandwidth_percent >= 90.0 {
        "memory bandwidth"
    } else if lock_waits >= 0.5 {
        "locks"
    } else {
        "memory latency"
    }
}

/// One core, all splits of its area.
#[derive(Clone, Debug)]
pub struct CoreRequest {
    /// Cycles of an access off chip.
    pub latency_cycles: u32,
    /// References a cycle.
    pub refs_per_cycle: f64,
    /// Thread-equivalents for threads and cache.
    pub area: u32,
    /// One number of threads only; 0 for all.
    pub threads: u32,
    /// Packets come when the capture has them, at this clock in MHz; 0 for back to back.
    pub clock_mhz: u32,
    /// Events that a simulation counts.
    pub events: u64,
    /// Packets that the adapting malleable core processes; 0 for none.
    pub adapt_packets: u64,
    /// Simulations at a time.
    pub jobs: usize,
}

/// What a core reaches.
#[derive(Clone, Debug, Serialize)]
pub struct CoreReport {
    /// Cycles of an access off chip.
    pub latency_cycles: u32,
    /// References a cycle.
    pub refs_per_cycle: f64,
    /// Thread-equivalents.
    pub area: u32,
    /// Packets that each simulation counts.
    pub window_packets: u64,
    /// All splits.
    pub rows: Vec<CoreRow>,
    /// Threads of the best one.
    pub best_threads: u32,
    /// Its throughput.
    pub best_packets_per_mcycle: f64,
    /// Whether throughput over threads rises, peaks and falls.
    pub single_peak: bool,
    /// A malleable core of the same area that adapts.
    pub adapted: Option<Adapted>,
}

/// Index of the best: the highest, or, of those equal to it, the one with most threads.
fn best(rates: &[f64]) -> usize {
    let most = rates.iter().copied().fold(0.0, f64::max);
    rates.iter().rposition(|&rate| rate >= most * (1.0 - EQUAL_SHARE)).unwrap_or(0)
}

/// Whether a curve rises, peaks and falls, but for changes below one per cent.
fn single_peak(rates: &[f64]) -> bool {
    let Some(peak) = rates.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(at, _)| at) else {
        return true;
    };
    let rises = rates[..=peak].windows(2).all(|pair| pair[1] >= pair[0] * 0.99);
    rises && rates[peak..].windows(2).all(|pair| pair[1] <= pair[0] * 1.01)
}

/// Runs every split of a core's area, and the core that adapts by itself.
///
/// # Errors
/// When no core can be so, more threads are asked for than the area holds, or `progress` stops it.
pub fn core_report(
    work: &Work,
    request: &CoreRequest,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<CoreReport, Error> {
    let presets = Presets::read()?;
    let most = linecard_malleable::MOST_THREADS;
    if request.threads > request.area {
        return Err(failed(MalleableError::Area { threads: request.threads, area: request.area }));
    }
    if request.area == 0 || request.area > 1024 {
        let (what, found) = ("area", format!("{} thread-equivalents", request.area));
        return Err(failed(MalleableError::Value(Mismatch::new(
            what,
            found,
            "1 to 1024 thread-equivalents",
        ))));
    }
    let memory = Memory { latency_cycles: request.latency_cycles, refs_per_cycle: request.refs_per_cycle };
    let threads: Vec<u32> = match request.threads {
        0 => (1..=request.area.min(most)).collect(),
        one => vec![one],
    };
    let arrivals = match request.clock_mhz {
        0 => Arrivals::BackToBack,
        cycles_per_us => Arrivals::Timed { cycles_per_us },
    };
    let window = window(work, request.events);
    let rows = each(&threads, request.jobs, progress, |&threads| {
        let cache = request.area - threads;
        let config = presets.core(threads, cache, memory);
        let counts = run(work, config, arrivals, Separate, window)?;
        Ok(CoreRow::new(work, &config, cache, &counts))
    })?;
    let adapted = match request.adapt_packets {
        0 => None,
        packets => {
            let area = request.area.min(most);
            let config = presets.malleable(1, area, memory);
            let mut core =
                Core::new(work, config, arrivals, Mrc::new(Prediction::ResumePc)).map_err(failed)?;
            let adaptation = Adaptation { most_threads: area, ..presets.malleable.adaptation };
            Some(adapt(&mut core, adaptation, packets).map_err(failed)?)
        }
    };
    let rates: Vec<f64> = rows.iter().map(|row| row.packets_per_mcycle).collect();
    let chosen = best(&rates);
    Ok(CoreReport {
        latency_cycles: request.latency_cycles,
        refs_per_cycle: request.refs_per_cycle,
        area: request.area,
        window_packets: window.packets,
        best_threads: rows[chosen].threads,
        best_packets_per_mcycle: rates[chosen],
        single_peak: single_peak(&rates),
        rows,
        adapted,
    })
}

/// A memory that programs are deployed with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Deployment {
    /// Cycles of an access off chip.
    pub latency_cycles: u32,
    /// References a cycle.
    pub refs_per_cycle: f64,
}

/// Chips under one deployment; throughputs in packets a million cycles of the whole chip, 0 of one that was not asked for.
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
    /// The same chip finding it by itself, at its steady state.
    pub adapted: f64,
    /// Threads that it found.
    pub adapted_threads: u32,
    /// The hypothetical chip whose number of cores is free, too.
    pub configurable: f64,
    /// Its cores.
    pub configurable_cores: u32,
    /// Whether throughput over the threads of the ideal chip rises, peaks and falls.
    pub single_peak: bool,
}

/// Chips that deployments are run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chips {
    /// IXP2800, the optimal fixed chip, and the ideal malleable one.
    Fixed,
    /// The malleable chip.
    Malleable,
    /// The hypothetical malleable chip whose number of cores is free, too.
    Configurable,
}

impl Chips {
    /// All of them, by name.
    pub const ALL: [(&str, Self); 3] =
        [("fixed", Self::Fixed), ("malleable", Self::Malleable), ("configurable", Self::Configurable)];

    /// Those of these names.
    ///
    /// # Errors
    /// When there are none of a name.
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

/// What a study of deployments runs.
#[derive(Clone, Debug)]
pub struct DeploymentRequest {
    /// Events that a simulation counts.
    pub events: u64,
    /// Which chips.
    pub chips: Vec<Chips>,
    /// Packets of a stream through adapting cores; 0 for none.
    pub adapt_packets: u64,
    /// Whether a deployment states the bandwidth of the chip, shared by its cores, or that of each core.
    pub per_chip: bool,
    /// Simulations at a time.
    pub jobs: usize,
}

/// Threads that a search tries first.
const COARSE_THREADS: [u32; 9] = [1, 2, 4, 6, 9, 13, 17, 21, 25];
/// Cores of the chips that the hypothetical one can be.
const CONFIGURABLE_CORES: [u32; 10] = [3, 4, 5, 6, 8, 9, 11, 13, 16, 20];

/// Throughputs by threads, the best of them and whether they have one peak.
#[derive(Default)]
struct Searched {
    rate: f64,
    threads: u32,
    single_peak: bool,
}

/// Tries a few numbers of threads up to `most`, then those around the best.
fn search(most: u32, rate: &dyn Fn(u32) -> Result<f64, MalleableError>) -> Result<Searched, MalleableError> {
    let mut tried: Vec<(u32, f64)> = Vec::new();
    for threads in COARSE_THREADS.into_iter().filter(|&threads| threads < most).chain([most]) {
        tried.push((threads, rate(threads)?));
    }
    loop {
        let rates: Vec<f64> = tried.iter().map(|&(_, rate)| rate).collect();
        let peak = best(&rates);
        let around = |at: Option<&(u32, f64)>| at.map(|&(threads, _)| threads);
        let here = tried[peak].0;
        let below = peak.checked_sub(1).and_then(|at| around(tried.get(at)));
        let above = around(tried.get(peak + 1));
        let next = match (below, above) {
            (Some(below), _) if here - below > 1 => here - (here - below) / 2,
            (_, Some(above)) if above - here > 1 => here + (above - here) / 2,
            _ => break,
        };
        let at = tried.partition_point(|&(threads, _)| threads < next);
        tried.insert(at, (next, rate(next)?));
    }
    let rates: Vec<f64> = tried.iter().map(|&(_, rate)| rate).collect();
    let chosen = best(&rates);
    Ok(Searched { rate: rates[chosen], threads: tried[chosen].0, single_peak: single_peak(&rates) })
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
    each(list, request.jobs, progress, |&deployment| deploy(work, &presets, deployment, request, window))
}

fn deploy(
    work: &Work,
    presets: &Presets,
    deployment: Deployment,
    request: &DeploymentRequest,
    window: Window,
) -> Result<DeploymentRow, MalleableError> {
    let memory = |cores: u32| Memory {
        latency_cycles: deployment.latency_cycles,
        refs_per_cycle: deployment.refs_per_cycle / if request.per_chip { f64::from(cores) } else { 1.0 },
    };
    let chip = |cores: u32, config: CoreConfig| -> Result<f64, MalleableError> {
        let counts = run(work, config, Arrivals::BackToBack, Separate, window)?;
        Ok(f64::from(cores) * counts.packets_per_mcycle(work))
    };
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
        (adapted, adapted_threads) = (f64::from(cores) * found.steady_packets_per_mcycle, found.threads);
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

/// What registers cost under one deployment.
#[derive(Clone, Debug)]
pub struct RegisterRequest {
    /// The deployment.
    pub deployment: Deployment,
    /// Threads of the core; 0 for the best number of the malleable core.
    pub threads: u32,
    /// Registers that least-recently-used register caches hold.
    pub cache_registers: Vec<u32>,
    /// Prediction alone, without the ways that it is compared with.
    pub only_predicted: bool,
    /// Events that a simulation counts.
    pub events: u64,
    /// Simulations at a time.
    pub jobs: usize,
}

/// One way to keep registers.
#[derive(Clone, Debug, Serialize)]
pub struct RegisterRow {
    /// Its name: `predicted`, `oracle`, `hot5`, `double_buffer`, or `lru_` and its size.
    pub scheme: String,
    /// Threads.
    pub threads: u32,
    /// Registers needed a switch.
    pub needed_per_switch: f64,
    /// Registers fetched ahead a switch.
    pub prefetched_per_switch: f64,
    /// Registers that had to be fetched on demand, of those needed.
    pub missed_percent: f64,
    /// References between register files and cache.
    pub references_per_cycle: f64,
    /// Most entries in the table of a thread.
    pub table_entries: u32,
    /// Throughput, in per cent of that of perfect knowledge; 0 with prediction alone.
    pub relative_percent: f64,
}

/// Compares ways to keep the registers of a malleable core.
///
/// # Errors
/// As [`core_report`].
pub fn register_study(
    work: &Work,
    request: &RegisterRequest,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Vec<RegisterRow>, Error> {
    let presets = Presets::read()?;
    let memory = Memory {
        latency_cycles: request.deployment.latency_cycles,
        refs_per_cycle: request.deployment.refs_per_cycle,
    };
    let window = window(work, request.events);
    let area = presets.malleable.area;
    let predicted =
        |prediction: Prediction, threads: u32, window: Window| -> Result<(Counts, Mrc), MalleableError> {
            let config = presets.malleable(threads, area, memory);
            let mut core = Core::new(work, config, Arrivals::BackToBack, Mrc::new(prediction))?;
            core.run(window.warmup_packets)?;
            let before = core.counts();
            core.registers_mut().reset_counts();
            core.run(window.packets)?;
            Ok((core.counts() - before, core.registers().clone()))
        };
    let threads = match request.threads {
        0 => {
            let short = self::window(work, request.events.min(SEARCH_EVENTS));
            search(area, &|threads| {
                Ok(predicted(Prediction::ResumePc, threads, short)?.0.packets_per_mcycle(work))
            })
            .map_err(failed)?
            .threads
        }
        threads if threads > area => return Err(failed(MalleableError::Area { threads, area })),
        threads => threads,
    };
    let (mut base, mut schemes) = (None, vec![("predicted".to_owned(), Prediction::ResumePc)]);
    if !request.only_predicted {
        let (counts, oracle) = predicted(Prediction::Oracle, threads, window).map_err(failed)?;
        base = Some(counts.packets_per_mcycle(work));
        let mut frequent: Vec<(u64, u32)> =
            (0u32..).zip(oracle.counts().needed_by_register).map(|(r, n)| (n, r)).collect();
        frequent.sort_unstable_by(|a, b| b.cmp(a));
        let hot = frequent.iter().take(5).fold(0, |mask, &(_, register)| mask | 1 << register);
        schemes.extend([
            ("oracle".to_owned(), Prediction::Oracle),
            ("hot5".to_owned(), Prediction::Hot(hot)),
            ("double_buffer".to_owned(), Prediction::All),
        ]);
    }
    let relative = |counts: &Counts| base.map_or(0.0, |base| counts.packets_per_mcycle(work) / base * 100.0);
    let mut rows = each(&schemes, request.jobs, progress, |(scheme, prediction)| {
        let (counts, registers) = predicted(*prediction, threads, window)?;
        let found = registers.counts();
        let per = |count: u64, of: u64| count as f64 / of.max(1) as f64;
        let cycles = counts.ticks.sum() as f64 / linecard_malleable::TICKS as f64;
        Ok(RegisterRow {
            scheme: scheme.clone(),
            threads,
            needed_per_switch: per(found.needed, found.switches),
            prefetched_per_switch: per(found.prefetched, found.switches),
            missed_percent: per(found.missed, found.needed) * 100.0,
            references_per_cycle: found.references as f64 / cycles,
            table_entries: found.table_entries,
            relative_percent: relative(&counts),
        })
    })?;
    rows.extend(each(&request.cache_registers, request.jobs, progress, |&room| {
        let config = presets.malleable(threads, area, memory);
        let mut core = Core::new(work, config, Arrivals::BackToBack, RegisterCache::new(room))?;
        core.run(window.warmup_packets)?;
        let before = core.counts();
        core.registers_mut().reset_counts();
        core.run(window.packets)?;
        let counts = core.counts() - before;
        let found = core.registers().counts();
        Ok(RegisterRow {
            scheme: format!("lru_{room}"),
            threads,
            needed_per_switch: found.needed as f64 / counts.switches.max(1) as f64,
            prefetched_per_switch: 0.0,
            missed_percent: found.missed as f64 / found.needed.max(1) as f64 * 100.0,
            references_per_cycle: 0.0,
            table_entries: 0,
            relative_percent: relative(&counts),
        })
    })?);
    Ok(rows)
}

/// Packets until lines are pinned again: those of a trial.
const SETTLED_PACKETS: u64 = 7_500;
/// How often a thread is terminated, so that what packets happen to follow evens out.
const TERMINATIONS: u32 = 16;

/// What terminating one of `threads` of a malleable core costs the next packets, as many as each of `packets` says, under
/// one deployment; 0 takes the best number of threads.
///
/// # Errors
/// As [`core_report`].
pub fn termination_study(
    work: &Work,
    deployment: Deployment,
    threads: u32,
    packets: &[u64],
    events: u64,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Termination, Error> {
    if packets.is_empty() || !packets.is_sorted_by(|one, next| one < next) || packets[0] == 0 {
        let found = format!("{packets:?}");
        let expected = "one or more numbers from 1, each above the one before it";
        return Err(failed(MalleableError::Value(Mismatch::new("packets", found, expected))));
    }
    let presets = Presets::read()?;
    let memory =
        Memory { latency_cycles: deployment.latency_cycles, refs_per_cycle: deployment.refs_per_cycle };
    let window = window(work, events);
    let area = presets.malleable.area;
    if threads > area {
        return Err(failed(MalleableError::Area { threads, area }));
    }
    let one = |(): &()| {
        let threads = match threads {
            0 => {
                search(area, &|threads| {
                    let config = presets.malleable(threads, area, memory);
                    let registers = Mrc::new(Prediction::ResumePc);
                    Ok(run(work, config, Arrivals::BackToBack, registers, window)?.packets_per_mcycle(work))
                })?
                .threads
            }
            threads => threads,
        };
        // One thread cannot be terminated: with two, one goes.
        let config = presets.malleable(threads.max(2), area, memory);
        let mut core = Core::new(work, config, Arrivals::BackToBack, Mrc::new(Prediction::ResumePc))?;
        terminate(&mut core, packets, SETTLED_PACKETS, TERMINATIONS)
    };
    Ok(each(&[()], 1, progress, one)?.remove(0))
}
