//! Compile-time variants of the event loop.

/// The features that the event loop tests. A chip that needs none runs a loop without these tests.
pub(crate) trait Features {
    /// Accesses that take cycles to issue, and waits by operation of a program.
    const COSTS: bool;
    /// Recordings, data caches, taken branches, threads in the order of becoming ready, and more than 64 threads
    /// per engine.
    const ALL: bool;
}

/// The loop of a chip that needs none.
pub(crate) struct Plain;

/// The loop of a chip whose accesses have costs, or whose programs name their operations, and that needs no more:
/// most chips that execute programs.
pub(crate) struct Costs;

/// The loop of every other chip, which tests for each feature as it runs.
pub(crate) struct Full;

impl Features for Plain {
    const COSTS: bool = false;
    const ALL: bool = false;
}

impl Features for Costs {
    const COSTS: bool = true;
    const ALL: bool = false;
}

impl Features for Full {
    const COSTS: bool = true;
    const ALL: bool = true;
}
