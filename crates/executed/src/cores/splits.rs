//! One core, every split of its area between threads and cache.

use super::jobs::{each, failed, window};
use super::presets::{MRC_THREAD_EQUIVALENTS, Memory, Presets};
use super::search::{best, single_peak};
use linecard_files::Error;
use linecard_malleable::{
    Adaptation, Adapted, Arrivals, Core, CoreConfig, Counts, LINE_BYTES, MalleableError, Mrc, Prediction,
    Separate, Ticks, Work, adapt, run,
};
use linecard_words::Mismatch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Where the cycles of a core went, in per cent.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct CycleShares {
    /// Percentage of cycles in which the core executes instructions; other fields contain the percentages of the
    /// remaining cycles.
    pub instructions_percent: f64,
    /// Percentage of cycles in which the core is stalled by branches and multi-cycle operations.
    pub pipeline_percent: f64,
    /// Percentage of cycles in which an instruction waits for a value that a load has not yet delivered.
    pub load_use_percent: f64,
    /// Percentage of cycles spent on thread switches.
    pub switches_percent: f64,
    /// Percentage of cycles in which the core is stalled because a thread's registers are being loaded.
    pub registers_percent: f64,
    /// Percentage of cycles in which the core is idle because threads wait for memory.
    pub idle_memory_percent: f64,
    /// Percentage of cycles in which the core is idle because threads wait for locks or packets.
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

/// Results of one split of the area into threads and cache.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CoreRow {
    /// Number of threads.
    pub threads: u32,
    /// Area of the data cache in thread-equivalents.
    pub cache_th_eq: u32,
    /// Size of the data cache in KB.
    pub cache_kb: f64,
    /// Throughput in packets per million cycles.
    pub packets_per_mcycle: f64,
    /// Percentage of data accesses that hit in the cache.
    pub hit_percent: f64,
    /// Utilisation of the memory in percent.
    pub bandwidth_percent: f64,
    /// Mean time that an access waits because the memory is busy, in cycles.
    pub queueing_cycles: f64,
    /// Mean number of instructions between two thread switches.
    pub run_instructions: f64,
    /// Mean number of times that a packet had to wait for a lock.
    pub lock_waits_per_packet: f64,
    /// Where the cycles went.
    #[serde(flatten)]
    pub cycles: CycleShares,
    /// Resource that limits the throughput of the split: compute, switches, memory latency, memory bandwidth or
    /// locks; offered load if the core mostly waits for packets.
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

/// Returns what limits a core: the largest use of its cycles, and the cause.
fn limit(cycles: &CycleShares, bandwidth_percent: f64, lock_waits: f64) -> &'static str {
    let busy = cycles.instructions_percent + cycles.pipeline_percent + cycles.load_use_percent;
    let idle = cycles.idle_memory_percent + cycles.idle_other_percent;
    let change = cycles.switches_percent + cycles.registers_percent;
    if busy >= idle && busy >= change {
        "compute"
    } else if change >= idle {
        "switches"
    } else if cycles.idle_other_percent > cycles.idle_memory_percent {
        // A thread that waits for a lock is woken by another thread, so that the core waits for packets.
        "offered load"
    } else if bandwidth_percent >= 90.0 {
        "memory bandwidth"
    } else if lock_waits >= 0.5 {
        "locks"
    } else {
        "memory latency"
    }
}

/// A request for all splits of the area of one core.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreRequest {
    /// Latency of an off-chip access in cycles.
    pub latency_cycles: u32,
    /// References per cycle.
    pub refs_per_cycle: f64,
    /// Thread-equivalents for threads and cache.
    pub area: u32,
    /// One number of threads only; 0 for all.
    pub threads: u32,
    /// If above 0, packets arrive at the times of the capture, at this clock in MHz; 0 for back to back.
    pub clock_mhz: u32,
    /// Events that a simulation counts.
    pub events: u64,
    /// Packets that the adapting malleable core processes; 0 for none.
    pub adapt_packets: u64,
    /// Simulations at a time.
    pub jobs: usize,
}

/// The throughput of a core for every split of its area into threads and cache.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct CoreReport {
    /// Latency of an off-chip access in cycles.
    pub latency_cycles: u32,
    /// Memory bandwidth in references per cycle.
    pub refs_per_cycle: f64,
    /// Total area of the threads and the cache, in units of the area of one thread (thread-equivalents).
    pub area: u32,
    /// Number of packets that each simulation measures.
    pub window_packets: u64,
    /// One row for each number of threads.
    pub rows: Vec<CoreRow>,
    /// Number of threads in the best split. If several splits are within 0.01 % of the best throughput, the highest
    /// number of threads is used. The method `plateau` returns the range of splits whose throughput is close to the
    /// best.
    pub best_threads: u32,
    /// Throughput.
    pub best_packets_per_mcycle: f64,
    /// Whether the throughput rises to a single peak, and then falls, as the number of threads increases.
    pub single_peak: bool,
    /// Results of a malleable core with the same area; `None` if not requested. Also `None` if the area is at most
    /// that of the register cache, 2 thread-equivalents.
    pub adapted: Option<Adapted>,
}

/// Runs every split of a core's area, and the core that adapts by itself.
///
/// # Errors
/// If the core is impossible, more threads are requested than the area holds, or `progress` stops it.
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
        packets if packets == 0 || request.area <= MRC_THREAD_EQUIVALENTS => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_waits_for_packets_is_limited_by_the_load() {
        // Of 100 ticks: instructions, switches, waits for memory and waits for packets.
        let of = |instructions, switches, idle_memory, idle_other| {
            let ticks = Ticks { instructions, switches, idle_memory, idle_other, ..Ticks::default() };
            limit(&CycleShares::new(&ticks), 50.0, 0.0)
        };
        assert_eq!(of(10, 2, 8, 80), "offered load");
        assert_eq!(of(10, 2, 80, 8), "memory latency");
        assert_eq!(of(60, 2, 0, 38), "compute");
        assert_eq!(of(20, 50, 0, 30), "switches");
    }
}
