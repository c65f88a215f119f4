//! One access of a memory, from a trace or a generator.

use crate::Cycle;

/// One access of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Clock from which it waits at the front end.
    pub arrival: Cycle,
    /// Byte address, below the capacity.
    pub address: u64,
    /// Bytes to move, at most those of an access of the device.
    pub bytes: u32,
    /// Write or read.
    pub write: bool,
}
