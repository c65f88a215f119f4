//! Requests. This file alone declares each field: its name, its type, its default and its meaning. The first paragraph of the
//! meaning is the help of its option. `make docs` writes Python's functions, the options of the command line and the
//! reference from the schema of these types.
//!
//! | beside a field | meaning |
//! |---|---|
//! | `x-type` | kind of value, if the type does not determine it: `path`, `name` (or a path), `chip`, `program`, `settings`, `share`, `maps` |
//! | `x-metavar` | name of its value in the help |
//! | `x-option` | its option in every spelling, if that is not its name; `-` if it has none |
//! | `x-usual` | default of the command, if that differs |
//! | `x-first` | positional in Python |
//! | `x-whole` | it concerns one whole run: sweeps and other questions do not take it |

use schemars::JsonSchema;
use serde::Deserialize;

/// A run: a chip with changes, a program, traffic and a seed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunRequest {
    /// Name of a shipped chip, or path to a TOML file.
    #[schemars(extend("x-type" = "chip", "x-metavar" = "CHIP"))]
    pub chip: String,
    /// The program that runs for each packet; `None` for the chip's own program. [`ProgramOptions`] has its schema.
    #[schemars(skip)]
    pub program: Option<Program>,
    /// Capture to replay, or a link profile (`edge`, `core`, a `.toml` file); by default, the chip's traffic
    /// generator.
    #[schemars(extend("x-type" = "path", "x-metavar" = "CAPTURE"))]
    pub trace: Option<String>,
    /// New values for parameters.
    ///
    /// For example `{"dram.banks": 2}`, or `["dram.banks=2"]`.
    #[serde(rename = "set", default)]
    #[schemars(extend("x-type" = "settings", "x-metavar" = "KEY=VALUE"))]
    pub overrides: Vec<String>,
    /// Seed of every random stream.
    ///
    /// Two runs with the same request and the same seed return identical results.
    #[serde(default = "one")]
    #[schemars(extend("x-metavar" = "N"))]
    pub seed: u64,
    /// Number of packets to measure: packets sent or dropped during the measurement. With 0 packets, a
    /// capture is replayed once, to its end. Default: 0 with a capture, otherwise 100,000.
    #[schemars(with = "Option<u64>", extend("x-metavar" = "N"))]
    pub packets: u64,
    /// Length of the warm-up: packets that leave or are dropped before the statistics start. By default,
    /// the warm-up ends when the run detects steady state.
    #[schemars(extend("x-option" = "--warmup", "x-metavar" = "N"))]
    pub warmup_packets: Option<u64>,
    /// Move addresses that have no route into routed prefixes, for anonymised captures.
    #[serde(default)]
    pub map_addresses: bool,
    /// Stop at the first damaged record of the capture.
    #[serde(default)]
    pub strict: bool,
    /// Write a timeline for ui.perfetto.dev, compressed if the file name ends in `.gz`.
    #[schemars(extend("x-type" = "path", "x-metavar" = "FILE", "x-whole" = true))]
    pub timeline: Option<String>,
    /// Start of the timeline, in microseconds after the start of the measurement.
    #[serde(default)]
    #[schemars(range(min = 0.0), extend("x-option" = "--timeline-from", "x-metavar" = "US", "x-whole" = true))]
    pub timeline_from_us: f64,
    /// Length of the timeline in microseconds; by default, the timeline ends at the maximum number of events.
    #[schemars(range(min = 0.0), extend("x-option" = "--timeline-for", "x-metavar" = "US", "x-whole" = true))]
    pub timeline_for_us: Option<f64>,
    /// Write sent and dropped packets to a capture (pcapng, for Wireshark).
    ///
    /// Timestamps count from the beginning of the run. Each port and each reason for a drop is a separate interface
    /// in the capture. In this capture, a comment marks the packet with the longest latency.
    #[schemars(extend("x-type" = "path", "x-metavar" = "FILE.pcapng", "x-whole" = true))]
    pub pcap_out: Option<String>,
}

/// A check of a chip without a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckRequest {
    /// Name of a shipped chip, or path to a TOML file.
    pub chip: String,
    /// The program that runs for each packet; `None` for the chip's own program.
    pub program: Option<Program>,
    /// New values for parameters.
    #[serde(rename = "set", default)]
    pub overrides: Vec<String>,
}

/// What a packet runs, as it is asked for. It becomes a [`Program`] before the run.
#[derive(JsonSchema)]
pub struct ProgramOptions {
    /// Program to run for each packet: an application such as `nat`, a shipped program (`linecard program list`), or a
    /// file (`.toml` steps, C, XDP, object). The default is the chip's own program.
    ///
    /// A program name with a suffix or a path separator refers to a file. The other program options apply only to
    /// executed programs.
    #[schemars(extend("x-type" = "program", "x-metavar" = "PROGRAM"))]
    pub program: Option<String>,
    /// Function or section to run, if an XDP object contains several programs.
    #[schemars(extend("x-metavar" = "NAME"))]
    pub section: Option<String>,
    /// Name of the C function that processes a packet; by default, `app_packet`.
    #[schemars(extend("x-metavar" = "NAME"))]
    pub entry: Option<String>,
    /// CSV or TOML files that fill maps of an XDP program before the run.
    #[schemars(extend("x-type" = "maps", "x-option" = "--map", "x-metavar" = "NAME=FILE"))]
    pub maps: Option<Vec<String>>,
    /// Macros for recompiling a C file or a shipped XDP program.
    #[serde(default)]
    #[schemars(extend("x-option" = "--define -D", "x-metavar" = "NAME=VALUE"))]
    pub defines: Vec<String>,
    /// CSV file with the routes for `bpf_fib_lookup`.
    #[schemars(extend("x-type" = "path", "x-metavar" = "FILE"))]
    pub fib: Option<String>,
    /// Input file for a C program's `app_init`; by default, the file that ships with the program.
    #[schemars(extend("x-type" = "path", "x-metavar" = "FILE"))]
    pub control: Option<String>,
    /// Number of processors for per-processor maps; Linecard assigns packets to the processors in turn.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1024), extend("x-metavar" = "N"))]
    pub cpus: u64,
    /// Maximum number of instructions that the program executes per packet; default: 1 million for XDP, 20 million for
    /// C.
    #[schemars(range(min = 1), extend("x-metavar" = "N"))]
    pub budget: Option<u64>,
    /// Let a C program access freed heap blocks, and bytes outside of its packet and its heap blocks.
    #[serde(default)]
    pub unchecked: bool,
    /// Additional compiler flags for a C file in shell syntax, such as `-O1 -fno-inline`.
    #[serde(default)]
    #[schemars(extend("x-metavar" = "FLAGS"))]
    pub cflags: String,
    /// Target of a C file: 32-bit or 64-bit RISC-V.
    #[serde(default = "bits")]
    #[schemars(extend("x-metavar" = "N"))]
    pub bits: u64,
}

/// Questions to a run that further runs answer.
#[derive(JsonSchema)]
pub struct RunQuestion {
    /// Lengthen the run until the 95 % interval of the throughput is within ± this fraction (such as 1%) of the mean.
    ///
    /// In Python, 0.01 means 1 %. Linecard repeats the run with four times as many packets, until the run is steady
    /// and precise enough. If fewer than 64,000 packets are requested, Linecard extends the run to at most 256,000
    /// packets. A run with more requested packets is repeated at most once. If the precision is not reached,
    /// `warnings` lists the attempts and suggests changes.
    #[schemars(extend("x-type" = "share", "x-metavar" = "SHARE"))]
    pub precision: Option<f64>,
    /// Also simulate both ends of each interval that a source states for a value in the chip's file.
    ///
    /// For n intervals, Linecard adds 2n + 2 parallel runs: one for each end of an interval, and two that combine
    /// ends. One of the combining runs uses all ends that raise the result; the other one uses all ends that lower
    /// the result.
    #[serde(default)]
    #[schemars(extend("x-option" = "--band/--no-band", "x-usual" = true))]
    pub band: bool,
    /// Find the bottleneck with additional runs, each of which improves one part; together, these runs take several
    /// times as long as a short run.
    #[serde(default = "yes")]
    #[schemars(extend("x-option" = "-", "x-whole" = true))]
    pub verdict: bool,
}

fn one() -> u64 {
    1
}

fn bits() -> u64 {
    32
}

fn yes() -> bool {
    true
}

/// What a packet runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Program {
    /// An application or a list of steps: its name, or its file.
    Listed(String),
    /// A program that is executed.
    Executed(ProgramFile),
}

/// A program that is executed: an object file of XDP programs, raw eBPF instructions, or an ELF file for RISC-V.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramFile {
    /// The file.
    pub path: String,
    /// Name in messages and the report: the file may be the result of a compilation.
    pub name: String,
    /// Function or section of an XDP file with several programs.
    pub section: Option<String>,
    /// Function of a C program that processes packets; `app_packet` if `None`.
    pub entry: Option<String>,
    /// Maps of an XDP program and the files that fill them.
    pub maps: Vec<(String, String)>,
    /// Routes for `bpf_fib_lookup`.
    #[serde(rename = "fib")]
    pub routes: Option<String>,
    /// Input of `app_init` of a C program.
    pub control: Option<String>,
    /// Maximum instructions per packet.
    pub budget: u64,
    /// Whether illegal accesses of a C program are refused.
    pub checked: bool,
    /// Number of processors for per-processor maps; Linecard assigns packets to the processors in turn.
    pub cpus: u32,
    /// The forwarding table of a program that looks up routes; addresses without a route are moved into its prefixes.
    #[serde(default)]
    pub table: Option<String>,
}

impl RunRequest {
    /// Packets of warm-up for models that do not detect their steady state.
    pub(crate) fn warmup(&self) -> u64 {
        self.warmup_packets.unwrap_or(if self.trace.is_some() { 1_000 } else { 10_000 })
    }
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Packets that left the machine or were dropped, warm-up included; bytes of the capture when its number of
    /// packets is not known.
    pub done: u64,
    /// The expected total.
    pub total: u64,
}
