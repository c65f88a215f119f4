//! Watching a machine: a type parameter whose default sees nothing and costs nothing.

use linecard_dram::packet_buffer::{Observer, Silent};

/// Sees DRAM commands and transfers (as an [`Observer`]) and the states of threads.
pub trait Watch: Observer {
    /// Whether [`Watch::thread`] is to be called.
    const WATCHES_THREADS: bool = false;

    /// Told once, before the run: the length of a DRAM cycle in picoseconds.
    fn dram_cycle_ps(&mut self, _ps: f64) {}

    /// A thread was in a state from one time to another, picoseconds from the start of the run.
    fn thread(&mut self, _engine: u16, _thread: u32, _state: &'static str, _from_ps: u64, _to_ps: u64) {}
}

impl Watch for Silent {}
