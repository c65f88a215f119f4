//! What a memory takes unloaded and serves at most, in closed form.

/// The unloaded time of a memory and its peak.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// From the arrival of an access to its result, without other accesses; picoseconds.
    pub latency_ps: f64,
    /// Time for which an access keeps a part busy, picoseconds.
    pub service_ps: f64,
    /// Parts that serve accesses in parallel; infinite if it serves all at once.
    pub parts: f64,
    /// Bytes of the access that the numbers hold for.
    pub bytes: u32,
    /// How latency and peak follow, in words.
    pub formula: String,
}
