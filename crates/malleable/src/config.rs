//! The configuration of a core and of its memory.

use crate::MalleableError;
use crate::segment::MOST_LATENCY_CYCLES;
use linecard_words::Mismatch;
use serde::Serialize;

/// Ticks per cycle of the base clock. Memory slots of every studied bandwidth (0.04 to 2.56 references per
/// cycle) and cycles of a clock 3 % slower are whole numbers of ticks.
pub const TICKS: u64 = 25_600;
/// Bits of threads in the scheduler.
pub const MOST_THREADS: u32 = 64;

/// One core.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CoreConfig {
    /// Hardware threads.
    pub threads: u32,
    /// Lines of the data cache; 0 for none.
    pub cache_lines: u32,
    /// Ways of a set.
    pub cache_ways: u32,
    /// Cycles from an access that hits to its value.
    pub cache_latency_cycles: u32,
    /// Cycles of a thread switch.
    pub switch_cycles: u32,
    /// Unloaded latency of an off-chip access, in cycles of the base clock.
    pub memory_latency_cycles: u32,
    /// References that memory serves per cycle of the base clock.
    pub memory_refs_per_cycle: f64,
    /// By how much a cycle is longer than one of the base clock, in per cent.
    pub slower_percent: u32,
}

impl CoreConfig {
    /// Returns the ticks of one cycle of this core.
    #[must_use]
    pub fn cycle_ticks(&self) -> u64 {
        TICKS * u64::from(100 + self.slower_percent) / 100
    }

    /// Returns the ticks for which a reference occupies memory.
    #[must_use]
    pub fn reference_ticks(&self) -> u64 {
        (TICKS as f64 / self.memory_refs_per_cycle).round() as u64
    }

    /// Checks every value.
    ///
    /// # Errors
    ///
    /// The first invalid value.
    pub fn check(&self) -> Result<(), MalleableError> {
        let unfit = |what: &'static str, found: String, expected: &'static str| {
            Err(Mismatch::new(what, found, expected).into())
        };
        if self.threads == 0 || self.threads > MOST_THREADS {
            return unfit("threads", self.threads.to_string(), "1 to 64");
        }
        if !matches!(self.cache_ways, 1 | 2 | 4 | 8) {
            return unfit("ways of the cache", self.cache_ways.to_string(), "1, 2, 4 or 8");
        }
        if !self.cache_lines.is_multiple_of(self.cache_ways) || self.cache_lines > 1 << 20 {
            return unfit(
                "lines of the cache",
                self.cache_lines.to_string(),
                "a multiple of the number of ways, and at most 2^20",
            );
        }
        if !(1..=MOST_LATENCY_CYCLES as u32).contains(&self.cache_latency_cycles) {
            return unfit("cache latency", format!("{} cycles", self.cache_latency_cycles), "1 to 4 cycles");
        }
        if self.memory_latency_cycles == 0 || self.memory_latency_cycles > 100_000 {
            return unfit(
                "memory latency",
                format!("{} cycles", self.memory_latency_cycles),
                "1 to 100000 cycles",
            );
        }
        if !(self.memory_refs_per_cycle >= 0.001 && self.memory_refs_per_cycle <= 1000.0) {
            return unfit(
                "memory bandwidth",
                format!("{} references a cycle", self.memory_refs_per_cycle),
                "0.001 to 1000 references a cycle",
            );
        }
        if self.switch_cycles > 1000 || self.slower_percent > 1000 {
            return unfit(
                "cycles per thread switch, and slowdown of the clock in percent",
                format!("{}, {} %", self.switch_cycles, self.slower_percent),
                "at most 1000 each",
            );
        }
        Ok(())
    }
}

/// The arrival times of packets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Arrivals {
    /// A packet always waits.
    BackToBack,
    /// The times of the capture, at the stated cycles of the base clock per microsecond.
    Timed {
        /// Clock in MHz.
        cycles_per_us: u32,
    },
}

/// The measured part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Window {
    /// Packets before the measurement.
    pub warmup_packets: u64,
    /// Measured packets. If the work has fewer, it repeats.
    pub packets: u64,
}
