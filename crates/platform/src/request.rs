//! What a caller asks for.

/// A run: a preset with changes, an application, traffic and a seed.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// Name of a shipped preset, or a path to a TOML file.
    pub preset: String,
    /// Application name; `None` takes the preset's own.
    pub app: Option<String>,
    /// Program to execute on the packets, XDP or C; `None` runs the chip's own.
    pub program: Option<ProgramFile>,
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
    /// Write what leaves and what is lost to this capture (pcapng).
    pub pcap_out: Option<String>,
}

/// A program that is executed: an object file of XDP programs, raw eBPF instructions, or an ELF file for RISC-V.
#[derive(Clone, Debug)]
pub struct ProgramFile {
    /// The file.
    pub path: String,
    /// What messages and the report call it: a file may have been made of a source a moment ago.
    pub name: String,
    /// Function or section of an XDP program, where there are several.
    pub section: Option<String>,
    /// Function of a C program that packets go to; `app_packet` if `None`.
    pub entry: Option<String>,
    /// Maps of an XDP program and the files that fill them.
    pub maps: Vec<(String, String)>,
    /// Routes for `bpf_fib_lookup`.
    pub routes: Option<String>,
    /// What `app_init` of a C program is given.
    pub control: Option<String>,
    /// Instructions that a packet may take.
    pub budget: u64,
    /// Whether accesses of a C program beyond what it may touch are refused.
    pub checked: bool,
    /// Processors that per-processor maps have values for; packets take turns.
    pub cpus: u32,
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
