//! Chip area in thread-equivalents (Mudigonda 2007, section 2.3).

use serde::Serialize;

/// The capacity of a thread-equivalent of area.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AreaModel {
    /// Area of one thread: registers, status words, program counter; in mm².
    pub thread_equivalent_mm2: f64,
    /// Cache lines in each of the first thread-equivalents.
    pub first_lines: u32,
    /// The number of first thread-equivalents.
    pub first_thread_equivalents: u32,
    /// Cache lines in each further one.
    pub further_lines: u32,
    /// Most lines of a cache, however large its area.
    pub most_lines: u32,
    /// The rest of a core without a cache, in thread-equivalents.
    pub core_thread_equivalents: u32,
    /// The rest of a core with a cache.
    pub cached_core_thread_equivalents: f64,
    /// The whole chip, in thread-equivalents.
    pub chip_thread_equivalents: u32,
}

impl AreaModel {
    /// Returns the thread-equivalents for threads alone in each of `cores` cores without a cache.
    #[must_use]
    pub fn threads_of_a_core(&self, cores: u32) -> u32 {
        (self.chip_thread_equivalents / cores).saturating_sub(self.core_thread_equivalents)
    }

    /// Returns the thread-equivalents for threads and cache in each of `cores` cores with a cache.
    #[must_use]
    pub fn area_of_a_cached_core(&self, cores: u32) -> u32 {
        let of_core = f64::from(self.chip_thread_equivalents) / f64::from(cores);
        (of_core - self.cached_core_thread_equivalents).max(0.0) as u32
    }

    /// Returns the lines of a data cache of the stated thread-equivalents.
    #[must_use]
    pub fn cache_lines(&self, thread_equivalents: u32) -> u32 {
        let first = thread_equivalents.min(self.first_thread_equivalents);
        let lines = first * self.first_lines + (thread_equivalents - first) * self.further_lines;
        lines.min(self.most_lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_optimal_chips_of_section_2_3_fill_their_area() {
        let model = AreaModel {
            thread_equivalent_mm2: 0.163,
            first_lines: 128,
            first_thread_equivalents: 8,
            further_lines: 256,
            most_lines: 4096,
            core_thread_equivalents: 21,
            cached_core_thread_equivalents: 26.5,
            chip_thread_equivalents: 475,
        };
        assert_eq!(model.threads_of_a_core(16), 8);
        assert_eq!(model.area_of_a_cached_core(9), 26);
        assert_eq!(model.area_of_a_cached_core(6), 52);
        assert_eq!(model.area_of_a_cached_core(20), 0);
        // Lines of 16 bytes: 16 KB in the first 8, 4 KB in each further one, and 64 KB at most.
        assert_eq!([8, 9, 20, 45].map(|area| model.cache_lines(area)), [1024, 1280, 4096, 4096]);
    }
}
