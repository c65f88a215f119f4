//! What a caller asks for.

/// A run: a preset with changes, an application, traffic and a seed.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// Name of a shipped preset, or a path to a TOML file.
    pub preset: String,
    /// Application name; `None` takes the preset's own.
    pub app: Option<String>,
    /// Capture to replay; `None` takes the traffic generator that the preset names.
    pub trace: Option<String>,
    /// Changes to the preset, each `key.path=value`.
    pub overrides: Vec<String>,
    /// Seed of every random stream.
    pub seed: u64,
    /// Packets that must leave or be dropped while statistics are on; 0 runs a capture to its end once.
    pub packets: u64,
    /// Packets that leave before statistics start; `None` leaves it to the chip to find out when it is steady, and takes
    /// a usual number on machines that cannot.
    pub warmup_packets: Option<u64>,
    /// Move addresses that match no route into routed space (see `linecard-traffic::remap`).
    pub map_addresses: bool,
    /// Stop at the first damaged record of the capture.
    pub strict: bool,
    /// Write a Perfetto (Chrome JSON) timeline here.
    pub timeline: Option<String>,
    /// Where its window begins, microseconds after the measurement (chips only).
    pub timeline_from_us: f64,
    /// Length of its window, microseconds; as much as fits if `None` (chips only).
    pub timeline_for_us: Option<f64>,
}

impl RunRequest {
    /// Packets of warm-up on machines that do not find out themselves when they are steady.
    pub(crate) fn warmup(&self) -> u64 {
        self.warmup_packets.unwrap_or(if self.trace.is_some() { 1_000 } else { 10_000 })
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Packets that left the machine or were dropped, warm-up included; bytes of the capture when its number of
    /// packets is not known.
    pub done: u64,
    /// The same in all.
    pub total: u64,
}
