//! What lies between two events of a packet.

use serde::{Deserialize, Serialize};

/// A use of a loaded register that lies farther away costs nothing at any latency.
pub const FAR: u8 = 8;

/// What ends a segment.
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
    /// An atomic read-modify-write of data: waited for like a load, and the line is written like one of a store.
    Atomic,
}

/// Cycles that the pipeline takes for what is not one cycle long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pipeline {
    /// Cycles lost behind a taken branch or jump.
    pub taken_cycles: u32,
    /// Cycles of a multiplication.
    pub multiply_cycles: u32,
    /// Cycles of a division.
    pub divide_cycles: u32,
}

/// Instructions between two events, the one that is the event among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Instructions.
    pub instructions: u32,
    /// Cycles, where nothing waits for data.
    pub cycles: u32,
    /// Registers read before they are written, a bit each.
    pub reads: u32,
    /// Registers written.
    pub writes: u32,
    /// Where it begins: a thread that was switched out resumes here.
    pub resume: u32,
    /// Cycles from its beginning to the first use of what the load before it loaded; [`FAR`] where there is none.
    pub first_use: u8,
    /// What ends it.
    pub kind: Kind,
}
