//! The request of `linecard dram`; each option is declared only here, as those of a run are in `request.rs` of chips.

use super::run::{MemoryInput, MemoryRequest};
use schemars::JsonSchema;
use serde::Deserialize;

/// A DRAM part alone under a trace or a pattern.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryOptions {
    /// DRAM part: a shipped preset, or the path of a TOML file.
    #[schemars(extend("x-type" = "name", "x-metavar" = "DEVICE"))]
    pub device: String,
    /// Controller policy: a shipped preset, or the path of a TOML file.
    #[serde(default = "policy")]
    #[schemars(extend("x-type" = "name", "x-option" = "--policy -p", "x-metavar" = "P", "x-first" = true))]
    pub policy: String,
    /// Trace of requests to replay, plain or compressed with gzip.
    #[schemars(extend("x-type" = "path", "x-metavar" = "FILE"))]
    pub trace: Option<String>,
    /// Format of the trace: csv (columns `arrival,op,address` and optionally `bytes`), dramsim3 (`address OP
    /// clock`) or ramulator (`LD address`); default: detected from the first line.
    #[schemars(extend("x-metavar" = "NAME"))]
    pub format: Option<String>,
    /// Pattern to run instead of a trace: stream, random, bank_conflicts or packet_cells.
    #[schemars(extend("x-metavar" = "NAME"))]
    pub pattern: Option<String>,
    /// Number of requests in the pattern; default 100,000.
    #[schemars(extend("x-metavar" = "N"))]
    pub count: Option<u64>,
    /// Memory clock cycles between two requests of the pattern; with the default 0, requests arrive as fast as the
    /// controller accepts them.
    #[schemars(extend("x-metavar" = "CLOCKS"))]
    pub spacing: Option<u64>,
    /// Fraction of the pattern's accesses that are reads; default 1, or 2/3 for the pattern `random`.
    #[schemars(extend("x-metavar" = "SHARE"))]
    pub reads: Option<f64>,
    /// Fraction of the pattern's accesses that transfer half the usual number of bytes.
    #[schemars(extend("x-metavar" = "SHARE"))]
    pub narrow: Option<f64>,
    /// Seed of the pattern.
    #[serde(default = "one")]
    #[schemars(extend("x-metavar" = "N"))]
    pub seed: u64,
    /// Maximum number of outstanding requests.
    #[schemars(extend("x-metavar" = "N"))]
    pub in_flight: Option<u64>,
    /// New values for parameters of the DRAM part or the controller policy.
    ///
    /// For example `{"timing.tRCD": "15 ns", "policy.page": "closed"}`.
    #[serde(rename = "set", default)]
    #[schemars(extend("x-type" = "settings", "x-metavar" = "KEY=VALUE"))]
    pub overrides: Vec<String>,
    /// Write the outcome of each request to a CSV file.
    #[schemars(extend("x-type" = "path", "x-metavar" = "FILE", "x-whole" = true))]
    pub requests: Option<String>,
    /// Write every DRAM command to a CSV file.
    #[schemars(extend("x-type" = "path", "x-metavar" = "FILE", "x-whole" = true))]
    pub commands: Option<String>,
}

/// Questions to a run of a DRAM part.
#[derive(JsonSchema)]
pub struct MemoryQuestion {
    /// Keep requests and commands as polars data frames in the result; this requires the extra `frames`.
    #[serde(default)]
    #[schemars(extend("x-option" = "-", "x-whole" = true))]
    pub frames: bool,
}

/// Default number of requests of a pattern.
const USUAL_COUNT: u64 = 100_000;

fn policy() -> String {
    "frfcfs_open".to_owned()
}

fn one() -> u64 {
    1
}

impl MemoryOptions {
    /// Expected number of requests; 0 for a trace.
    pub fn total(&self) -> u64 {
        if self.trace.is_some() { 0 } else { self.count.unwrap_or(USUAL_COUNT) }
    }
}

impl From<MemoryOptions> for MemoryRequest {
    fn from(options: MemoryOptions) -> Self {
        let count = options.total();
        let input = match options.trace {
            Some(path) => MemoryInput::Trace { path, format: options.format },
            None => MemoryInput::Pattern {
                name: options.pattern.unwrap_or_default(),
                count,
                spacing: options.spacing.unwrap_or(0),
                reads: options.reads,
                narrow: options.narrow.unwrap_or(0.0),
                seed: options.seed,
            },
        };
        Self {
            device: options.device,
            policy: options.policy,
            overrides: options.overrides,
            input,
            // A bound beyond `usize` bounds nothing.
            in_flight: options.in_flight.map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
            requests: options.requests,
            commands: options.commands,
            tick_every_clock: false,
        }
    }
}
