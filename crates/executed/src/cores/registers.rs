//! The cost of keeping the registers of a malleable core in its cache.

use super::deployments::Deployment;
use super::jobs::{each, failed, window};
use super::presets::{Memory, Presets};
use super::search::search;
use linecard_files::Error;
use linecard_malleable::{
    Arrivals, Core, Counts, MalleableError, Mrc, Prediction, RegisterCache, Window, Work,
};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Events of a simulation that only searches for the best number of threads.
const SEARCH_EVENTS: u64 = 120_000;

/// A request for the cost of registers under one deployment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterRequest {
    /// The deployment.
    pub deployment: Deployment,
    /// Threads of the core; 0 for the best number of the malleable core.
    pub threads: u32,
    /// Registers that least-recently-used register caches hold.
    pub cache_registers: Vec<u32>,
    /// Whether only prediction runs, without the alternatives.
    pub only_predicted: bool,
    /// Events that a simulation counts.
    pub events: u64,
    /// Simulations at a time.
    pub jobs: usize,
}

/// A way to keep registers.
#[derive(Clone, Debug, Serialize)]
pub struct RegisterRow {
    /// Name: `predicted`, `oracle`, `hot5`, `double_buffer`, or `lru_` and its size.
    pub scheme: String,
    /// Number of threads.
    pub threads: u32,
    /// Registers needed per switch.
    pub needed_per_switch: f64,
    /// Registers prefetched per switch.
    pub prefetched_per_switch: f64,
    /// Registers that were fetched on demand, as a share of the needed ones.
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
