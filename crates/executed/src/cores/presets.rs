//! Converts presets of cores to configurations of one core.

use crate::core_presets::{Fixed, Malleable, Stages, area, fixed, malleable, stages};
use linecard_files::Error;
use linecard_malleable::{AreaModel, CoreConfig};

/// Area of a malleable core that the register files of the register cache take.
pub(super) const MRC_THREAD_EQUIVALENTS: u32 = 2;

/// The content of all presets of cores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Presets {
    pub(super) area: AreaModel,
    pub(super) stages: Stages,
    pub(super) ixp2800: Fixed,
    pub(super) optimal_fixed: Fixed,
    pub(super) malleable: Malleable,
}

impl Presets {
    pub(super) fn read() -> Result<Self, Error> {
        Ok(Self {
            area: area()?,
            stages: stages()?,
            ixp2800: fixed("ixp2800")?,
            optimal_fixed: fixed("optimal_fixed")?,
            malleable: malleable()?,
        })
    }

    /// Returns a core with fixed register files.
    pub(super) fn core(&self, threads: u32, cache: u32, memory: Memory) -> CoreConfig {
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

    /// Returns a malleable core with this area.
    pub(super) fn malleable(&self, threads: u32, area: u32, memory: Memory) -> CoreConfig {
        // The cache of the preset, scaled by the area that the register cache leaves.
        let cache = |area: u32| area.saturating_sub(MRC_THREAD_EQUIVALENTS);
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

/// The memory of a core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Memory {
    pub(super) latency_cycles: u32,
    pub(super) refs_per_cycle: f64,
}
