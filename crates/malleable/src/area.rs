//! Chip area in thread-equivalents (Mudigonda 2007, section 2.3).

use serde::Serialize;

/// What a thread-equivalent of area holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AreaModel {
    /// Area of one thread: registers, status words, program counter; in mm².
    pub thread_equivalent_mm2: f64,
    /// Cache lines in each of the first thread-equivalents.
    pub first_lines: u32,
    /// How many those are.
    pub first_thread_equivalents: u32,
    /// Cache lines in each further one.
    pub further_lines: u32,
    /// The rest of a core, in thread-equivalents.
    pub core_thread_equivalents: u32,
    /// The whole chip, in thread-equivalents.
    pub chip_thread_equivalents: u32,
}

impl AreaModel {
    /// Lines of a data cache of so many thread-equivalents.
    #[must_use]
    pub fn cache_lines(&self, thread_equivalents: u32) -> u32 {
        let first = thread_equivalents.min(self.first_thread_equivalents);
        first * self.first_lines + (thread_equivalents - first) * self.further_lines
    }
}
