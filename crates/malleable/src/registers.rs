//! The storage of the threads' registers, and the cost of thread switches.

use crate::cache::Cache;
use crate::segment::Segment;

/// The data cache and the off-chip memory, as seen by register storage: lines of contexts can be evicted.
pub struct Surroundings<'a> {
    /// The data cache that holds contexts.
    pub cache: &'a mut Cache,
    /// Time, in ticks.
    pub now: u64,
    /// Ticks of a cycle of the core.
    pub cycle: u64,
    /// Ticks of an unloaded off-chip access.
    pub memory: u64,
}

/// The registers of all threads.
pub trait Registers {
    /// A thread is about to run its next segment. Returns by how many ticks its registers delay it.
    fn enter(&mut self, thread: usize, resume: u32, around: Surroundings<'_>) -> u64;

    /// The running thread executes a segment. Returns by how many ticks missing registers delay it.
    fn segment(&mut self, thread: usize, segment: &Segment, cycle: u64) -> u64;

    /// The running thread stops.
    fn leave(&mut self, thread: usize);

    /// A thread is terminated.
    fn terminate(&mut self, thread: usize, cache: &mut Cache) {
        let _ = (thread, cache);
    }
}

/// A register file for each thread: no delays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Separate;

impl Registers for Separate {
    #[inline(always)]
    fn enter(&mut self, _: usize, _: u32, _: Surroundings<'_>) -> u64 {
        0
    }

    #[inline(always)]
    fn segment(&mut self, _: usize, _: &Segment, _: u64) -> u64 {
        0
    }

    #[inline(always)]
    fn leave(&mut self, _: usize) {}
}
