//! Compile-time variants of the event loop.

/// The features that the event loop tests. A chip that needs none runs a loop without these tests.
pub(crate) trait Features {
    /// Recordings, waits by operation of a program, data caches, taken branches, accesses that take cycles to
    /// issue, threads in the order of becoming ready, and more than 64 threads per engine.
    const ALL: bool;
}

/// The loop of a chip that needs none.
pub(crate) struct Plain;

/// The loop of every other chip, which tests for each feature as it runs.
pub(crate) struct Full;

impl Features for Plain {
    const ALL: bool = false;
}

impl Features for Full {
    const ALL: bool = true;
}
