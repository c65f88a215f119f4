//! Unloaded latency and peak rate of a memory, in closed form.

/// The unloaded latency of a memory and its peak rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Time from the arrival of an access to its result, without other accesses; picoseconds.
    pub latency_ps: f64,
    /// Time for which an access occupies a part, picoseconds.
    pub service_ps: f64,
    /// Parts that serve accesses in parallel; infinite if it serves all at once.
    pub parts: f64,
    /// Bytes of the access that the numbers hold for.
    pub bytes: u32,
    /// How latency and peak follow, as text.
    pub formula: String,
}
