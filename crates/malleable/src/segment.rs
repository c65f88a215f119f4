//! The code between two events of a packet.

use serde::{Deserialize, Serialize};

/// Most cycles from a load that hits to its value: an instruction that begins later waits for no earlier load.
pub const MOST_LATENCY_CYCLES: usize = 4;

/// The event that ends a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Kind {
    /// A load of data.
    Load,
    /// A store of data.
    Store,
    /// A lock to take.
    Lock,
    /// A lock to release.
    Unlock,
    /// The packet is done.
    End,
    /// An atomic read-modify-write of data: the thread waits as for a load, and the line is written as by a
    /// store.
    Atomic,
}

/// Cycles of operations that take more than one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pipeline {
    /// Cycles lost behind a taken branch or jump.
    pub taken_cycles: u32,
    /// Cycles of a multiplication.
    pub multiply_cycles: u32,
    /// Cycles of a division.
    pub divide_cycles: u32,
}

/// Instructions between two events, including the instruction of the second event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Instructions.
    pub instructions: u32,
    /// Cycles, without waits for data.
    pub cycles: u32,
    /// Registers read before they are written, a bit each.
    pub reads: u32,
    /// Registers written.
    pub writes: u32,
    /// Start address: a thread that was switched out resumes here.
    pub resume: u32,
    /// By cycle from its beginning: registers that the instruction which begins then reads before the segment writes
    /// them.
    pub early_reads: [u32; MOST_LATENCY_CYCLES],
    /// Registers that its event loads.
    pub loads: u32,
    /// The event that ends it.
    pub kind: Kind,
}
