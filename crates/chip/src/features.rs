//! What the loop of events is compiled with or without.

/// What the loop of events asks for. A chip that has nothing of it runs a loop that never asks.
pub(crate) trait Features {
    /// Recordings, waits by operation of a program, data caches, taken branches, accesses that take cycles to issue,
    /// threads in the order of becoming ready, and more than 64 threads an engine.
    const ALL: bool;
}

/// The loop of a chip that has none.
pub(crate) struct Plain;

/// The loop of every other chip, which asks for each when it runs.
pub(crate) struct Full;

impl Features for Plain {
    const ALL: bool = false;
}

impl Features for Full {
    const ALL: bool = true;
}
