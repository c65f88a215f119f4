//! What a caller asks for. Each field is declared here alone: what it is called, its type, its default and its meaning, of
//! which the first paragraph is the help of its option. Python's functions, the options of the command line and the
//! reference are written from the schema of these types (`make docs`).
//!
//! | beside a field | says |
//! |---|---|
//! | `x-type` | what kind of value it is, where the type does not say: `path`, `name` (or a path), `preset`, `steps`, `settings`, `share`, `maps` |
//! | `x-metavar` | what the help calls its value |
//! | `x-option` | its option, where that is not its name, in every way to write it; `-` if it has none |
//! | `x-usual` | what the command takes if it is left out, where that differs |
//! | `x-first` | it may be given by its place in Python |
//! | `x-whole` | it is of one whole run, not of each of many: sweeps and other questions do not take it |

use crate::memory::{MemoryOptions, MemoryQuestion};
use schemars::{JsonSchema, Schema, schema_for};
use serde::Deserialize;

/// A run: a preset with changes, an application, traffic and a seed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunRequest {
    /// Name of a shipped preset, or path of a TOML file.
    #[schemars(extend("x-type" = "preset", "x-metavar" = "PRESET"))]
    pub preset: String,
    /// Application: a name, or a file of steps; the preset's own if left out.
    ///
    /// In Python also a `linecard.Program`.
    #[schemars(extend("x-type" = "steps", "x-metavar" = "NAME"))]
    pub app: Option<String>,
    /// Program to execute on the packets, XDP or C; `None` runs the chip's own.
    #[schemars(skip)]
    pub program: Option<ProgramFile>,
    /// Capture to replay, or a described link (`edge`, `core`, a `.toml` file); the preset's generator if left out.
    #[schemars(extend("x-type" = "path", "x-metavar" = "CAPTURE"))]
    pub trace: Option<String>,
    /// Changes of parameters.
    ///
    /// `{"dram.banks": 2}`, or `["dram.banks=2"]`.
    #[serde(rename = "set", default)]
    #[schemars(extend("x-type" = "settings", "x-metavar" = "KEY=VALUE"))]
    pub overrides: Vec<String>,
    /// Seed of every random stream.
    ///
    /// The same request with the same seed gives an equal result.
    #[serde(default = "one")]
    #[schemars(extend("x-metavar" = "N"))]
    pub seed: u64,
    /// Packets that must leave or be dropped while statistics are on; 0 runs a capture to its end, once. If left out: 0 with a
    /// capture, else 100,000.
    #[schemars(with = "Option<u64>", extend("x-metavar" = "N"))]
    pub packets: u64,
    /// Packets that leave or are dropped before statistics start. If left out, the chip finds out when it is steady.
    #[schemars(extend("x-option" = "--warmup", "x-metavar" = "N"))]
    pub warmup_packets: Option<u64>,
    /// Move addresses that match no route into routed space, as anonymised captures need.
    #[serde(default)]
    pub map_addresses: bool,
    /// Stop at the first damaged record of the capture.
    #[serde(default)]
    pub strict: bool,
    /// Write a timeline for ui.perfetto.dev; compressed if its name ends in `.gz`.
    #[schemars(extend("x-type" = "path", "x-metavar" = "FILE", "x-whole" = true))]
    pub timeline: Option<String>,
    /// Where the timeline begins, microseconds after the start of the measured time.
    #[serde(default)]
    #[schemars(range(min = 0.0), extend("x-option" = "--timeline-from", "x-metavar" = "US", "x-whole" = true))]
    pub timeline_from_us: f64,
    /// Length of the timeline, microseconds; as much as fits if left out.
    #[schemars(range(min = 0.0), extend("x-option" = "--timeline-for", "x-metavar" = "US", "x-whole" = true))]
    pub timeline_for_us: Option<f64>,
    /// Write what leaves and what is lost as a capture (pcapng, for Wireshark).
    ///
    /// Packets stand at their times from the beginning of the run: an interface for each port and for each reason, and a
    /// comment on the packet that waited longest.
    #[schemars(extend("x-type" = "path", "x-metavar" = "FILE.pcapng", "x-whole" = true))]
    pub pcap_out: Option<String>,
}

/// A program that a chip executes, as it is asked for. It becomes a [`ProgramFile`] before the run.
#[derive(JsonSchema)]
pub struct ChipProgram {
    /// XDP or C program to execute on the packets: a shipped one (`linecard program list`), a C file, an object file. The
    /// chip's own program is run if left out.
    #[schemars(extend("x-type" = "name", "x-metavar" = "PROGRAM"))]
    pub program: Option<String>,
    /// Of an XDP object with several programs: function or section.
    #[schemars(extend("x-metavar" = "NAME"))]
    pub section: Option<String>,
    /// Of a C program: function that packets go to, if not `app_packet`.
    #[schemars(extend("x-metavar" = "NAME"))]
    pub entry: Option<String>,
    /// Files (CSV or TOML) that fill maps of an XDP program before the run.
    #[schemars(extend("x-type" = "maps", "x-option" = "--map", "x-metavar" = "NAME=FILE"))]
    pub maps: Option<Vec<String>>,
    /// Macros of a C file or a shipped XDP program, which is then compiled anew.
    #[serde(default)]
    #[schemars(extend("x-option" = "--define -D", "x-metavar" = "NAME=VALUE"))]
    pub defines: Vec<String>,
    /// Routes that `bpf_fib_lookup` finds, as CSV.
    #[schemars(extend("x-type" = "path", "x-metavar" = "FILE"))]
    pub fib: Option<String>,
    /// What `app_init` of a C program is given; shipped programs have theirs.
    #[schemars(extend("x-type" = "path", "x-metavar" = "FILE"))]
    pub control: Option<String>,
    /// Processors that per-processor maps have values for; packets take turns.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1024), extend("x-metavar" = "N"))]
    pub cpus: u64,
    /// Instructions that a packet may take of the program; a million of XDP programs and twenty million of C if left out.
    #[schemars(range(min = 1), extend("x-metavar" = "N"))]
    pub budget: Option<u64>,
    /// Let a C program touch bytes beyond its packet, beyond blocks of the heap, and of freed ones.
    #[serde(default)]
    pub unchecked: bool,
    /// Further flags of the compiler for a C file, as a shell splits them: `-O1 -fno-inline`.
    #[serde(default)]
    #[schemars(extend("x-metavar" = "FLAGS"))]
    pub cflags: String,
    /// What a C file is compiled for: RISC-V of 32 or 64 bits.
    #[serde(default = "bits")]
    #[schemars(extend("x-metavar" = "N"))]
    pub bits: u64,
}

/// What is asked of a run beside the simulation. It is found by further runs.
#[derive(JsonSchema)]
pub struct RunQuestion {
    /// Lengthen the run until half the 95 % interval of the throughput is at most so much of it, such as 1%.
    ///
    /// In Python 0.01 is 1 %. The run is made again, four times as long, until it is steady and so precise, up to 256,000
    /// packets (once, where 64,000 or more are asked for). Where that does not suffice, `warnings` say what was tried and what
    /// to change.
    #[schemars(extend("x-type" = "share", "x-metavar" = "SHARE"))]
    pub precision: Option<f64>,
    /// Run what the intervals leave open, too, that sources give values of the chip's file: each at its own ends, then
    /// together by their effect.
    ///
    /// These are 2n + 2 runs more for n intervals, on all cores.
    #[serde(default)]
    #[schemars(extend("x-option" = "--band/--no-band", "x-usual" = true))]
    pub band: bool,
    /// Find out what limits the run, by runs with one part made better; that is several times the work of a short run.
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

/// The schemas of requests by the name of the group of options that each is.
pub fn request_schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("run", schema_for!(RunRequest)),
        ("question", schema_for!(RunQuestion)),
        ("program", schema_for!(ChipProgram)),
        ("dram", schema_for!(MemoryOptions)),
        ("dram question", schema_for!(MemoryQuestion)),
    ]
}

/// A program that is executed: an object file of XDP programs, raw eBPF instructions, or an ELF file for RISC-V.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
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
    #[serde(rename = "fib")]
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
