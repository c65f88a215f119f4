//! A run of a DRAM part under a trace or a pattern.

use super::device::{Part, part};
use super::kind::{MemoryKind, kind, open};
use super::output::Logs;
use super::policy::{PolicyPreset, Rule, policy};
use super::report::{Facts, MemoryReport, report};
use flate2::read::MultiGzDecoder;
use linecard_config::nearest;
use linecard_dram::channel::{ChannelStatistics, Policy, RefreshMode, Writes};
use linecard_dram::patterns::{Generator, Pattern, PatternConfig};
use linecard_dram::trace::{LAST_ARRIVAL, TraceFormat, TraceLimits, TraceReader};
use linecard_dram::{Accepted, Access, Cycle, Device, PacketSystem, Stopped, System};
use linecard_files::{Error, problem};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;

/// A part with a policy.
pub(crate) struct Memory {
    pub part: Part,
    pub policy: PolicyPreset,
}

impl Memory {
    /// Reads both presets with changes.
    pub fn load(device: &str, policy_name: &str, overrides: &[String]) -> Result<Self, Error> {
        let document = open(device, overrides, &|key| !key.starts_with("policy."));
        let policy_document = open(policy_name, overrides, &|key| key.starts_with("policy."));
        for (option, name, document, other) in [
            ("device", device, &document, MemoryKind::Policy),
            ("--policy", policy_name, &policy_document, MemoryKind::Part),
        ] {
            if kind(document) == Some(other) {
                let message = format!(
                    "`{name}` is a preset of the wrong kind; `linecard presets` lists the presets for {option}"
                );
                return Err(Error::Config { problems: vec![problem(option.to_owned(), "", message)] });
            }
        }
        let mut problems = Vec::new();
        let mut collect = |error: Error| match error {
            Error::Config { problems: more } => problems.extend(more),
            other => problems.push(problem("preset".into(), "", other.to_string())),
        };
        let part = part(device, document).map_err(&mut collect).ok();
        let policy = policy(policy_document).map_err(&mut collect).ok();
        match (part, policy) {
            (Some(part), Some(policy)) if problems.is_empty() => Ok(Self { part, policy }),
            _ => Err(Error::Config { problems }),
        }
    }

    fn refresh(&self) -> RefreshMode {
        if self.policy.refresh { self.part.refresh } else { RefreshMode::None }
    }

    fn build(&self, in_flight: Option<usize>) -> Result<Built, Error> {
        let Part { organization, timing, map, access_bytes, dual_issue, .. } = &self.part;
        let device = Device::new(*organization, timing.clone());
        let waiting = self.policy.transaction_queue;
        match self.policy.rule {
            Rule::Queued { scheduler, page, row_hit_cap, command_queue, writes, auto_precharge } => {
                let rules = Policy {
                    scheduler,
                    page,
                    row_hit_cap,
                    command_queue,
                    transaction_queue: waiting,
                    writes,
                    refresh: self.refresh(),
                    dual_issue: *dual_issue,
                };
                let device = device.with_auto_precharge(auto_precharge);
                Ok(Built::Queued(System::new(&device, rules, map.clone(), *access_bytes, in_flight)))
            }
            Rule::PacketBuffer(rules) => {
                if in_flight.is_some() {
                    let message = "has no effect with a packet-buffer policy; set policy.transaction_queue";
                    return Err(wrong("in flight", message.to_owned()));
                }
                let refresh = self.refresh();
                let system = PacketSystem::new(&device, rules, refresh, map.clone(), *access_bytes, waiting);
                Ok(Built::Packets(system))
            }
        }
    }

    /// Returns the SHA-256 hash of every value of both presets.
    fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        for row in self.part.rows.iter().chain(&self.policy.rows) {
            hasher.update(format!("{}={} {}\n", row.key, row.value, row.unit));
        }
        hasher.finalize().iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// A memory with either kind of controller.
enum Built {
    Queued(System),
    Packets(PacketSystem),
}

/// A run of a memory.
#[derive(Clone, Debug)]
pub struct MemoryRequest {
    /// Device preset: a shipped name, or a path to a TOML file.
    pub device: String,
    /// Policy preset, likewise.
    pub policy: String,
    /// Changes to either, each `key.path=value`.
    pub overrides: Vec<String>,
    /// The source of requests.
    pub input: MemoryInput,
    /// The most outstanding requests; with `None`, only the policy's queues limit them.
    pub in_flight: Option<usize>,
    /// File for the outcome of each request.
    pub requests: Option<String>,
    /// File for every command.
    pub commands: Option<String>,
    /// Simulate every clock, also clocks without an event: the result is the same.
    pub tick_every_clock: bool,
}

/// The source of requests.
#[derive(Clone, Debug)]
pub enum MemoryInput {
    /// A file, plain or gzip.
    Trace {
        /// Path.
        path: String,
        /// Format; detected from the first line if `None`.
        format: Option<String>,
    },
    /// A pattern.
    Pattern {
        /// Name.
        name: String,
        /// Requests.
        count: u64,
        /// Clocks between arrivals; 0 for as fast as they are accepted.
        spacing: u64,
        /// Share of reads; `None` for the pattern's own.
        reads: Option<f64>,
        /// Share of accesses with half the size.
        narrow: f64,
        /// Seed.
        seed: u64,
    },
}

/// The source of a run's requests.
enum Source {
    Trace { reader: TraceReader<Box<dyn BufRead + Send>>, path: String },
    Pattern(Box<Generator>),
}

impl Source {
    fn open(input: &MemoryInput, memory: &Memory) -> Result<Self, Error> {
        let map = &memory.part.map;
        match input {
            MemoryInput::Trace { path, format } => {
                let format = format.as_deref().map(trace_format).transpose()?;
                let limits = TraceLimits {
                    capacity_bytes: map.capacity_bytes(),
                    access_bytes: memory.part.access_bytes,
                };
                let reader = open_trace(path)
                    .map_err(|error| Error::Traffic(format!("{path}: cannot be read: {error}")))?;
                let reader = TraceReader::new(reader, format, limits)
                    .map_err(|error| Error::Traffic(format!("{path}: {error}")))?;
                Ok(Source::Trace { reader, path: path.clone() })
            }
            MemoryInput::Pattern { name, count, spacing, reads, narrow, seed } => {
                let pattern = pattern(name, *reads, *narrow)?;
                if spacing.checked_mul(*count).is_none_or(|end| end > LAST_ARRIVAL) {
                    let message = format!(
                        "found {count} requests {spacing} clocks apart; expected the last request before clock \
                         {LAST_ARRIVAL}"
                    );
                    return Err(wrong("spacing", message));
                }
                let config = PatternConfig {
                    pattern,
                    count: *count,
                    spacing: *spacing,
                    reads: reads.or(pattern.usual_reads()).unwrap_or(0.0),
                    narrow: *narrow,
                    access_bytes: memory.part.access_bytes,
                    seed: *seed,
                };
                Ok(Source::Pattern(Box::new(Generator::new(config, map))))
            }
        }
    }

    #[inline]
    fn next_access(&mut self) -> Result<Option<Access>, Error> {
        match self {
            Source::Pattern(generator) => Ok(generator.next_access()),
            Source::Trace { reader, path } => {
                reader.next_access().map_err(|error| Error::Traffic(format!("{path}: {error}")))
            }
        }
    }

    fn format(&self) -> &'static str {
        match self {
            Source::Pattern(_) => "pattern",
            Source::Trace { reader, .. } => reader.format().name(),
        }
    }
}

fn wrong(key: &str, message: String) -> Error {
    Error::Config { problems: vec![problem(key.to_owned(), "", message)] }
}

fn trace_format(name: &str) -> Result<TraceFormat, Error> {
    let names = TraceFormat::ALL.map(TraceFormat::name);
    TraceFormat::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| {
        let message = format!("found `{name}`; expected one of {}{}", names.join(", "), nearest(name, names));
        wrong("format", message)
    })
}

fn pattern(name: &str, reads: Option<f64>, narrow: f64) -> Result<Pattern, Error> {
    let names = Pattern::ALL.map(Pattern::name);
    let Some(pattern) = Pattern::ALL.into_iter().find(|p| p.name() == name) else {
        let message = format!("found `{name}`; expected one of {}{}", names.join(", "), nearest(name, names));
        return Err(wrong("pattern", message));
    };
    for (key, share) in [("reads", reads), ("narrow", Some(narrow))] {
        if share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            return Err(wrong(
                key,
                format!("found {}; expected a fraction from 0 to 1", share.unwrap_or(0.0)),
            ));
        }
    }
    if reads.is_some() && pattern.usual_reads().is_none() {
        return Err(wrong(
            "reads",
            format!("has no effect: the pattern `{name}` reads the addresses that it has written"),
        ));
    }
    Ok(pattern)
}

/// Opens a file, and decompresses it if it begins like gzip.
fn open_trace(path: &str) -> std::io::Result<Box<dyn BufRead + Send>> {
    const BUFFER_BYTES: usize = 1 << 18;
    let mut file = BufReader::with_capacity(BUFFER_BYTES, File::open(path)?);
    let gzip = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    Ok(match gzip {
        true => Box::new(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(file))),
        false => Box::new(file),
    })
}

/// Returns why no request is served after a clock.
fn why_stuck(clock: Cycle, policy: &PolicyPreset, in_flight: Option<usize>) -> String {
    if let (Some(limit), Rule::Queued { writes: Writes::Split { high, idle, .. }, .. }) =
        (in_flight, policy.rule)
    {
        let drains = high.min(idle.saturating_add(1)) as usize;
        if limit < drains {
            return format!(
                "no request is served after clock {clock}: {limit} writes are outstanding, but a drain starts \
                 only at {drains} or more. Expected --in-flight of at least {drains}, or a smaller \
                 policy.write_high or policy.write_idle"
            );
        }
    }
    format!(
        "no request was served for a very long time before clock {clock}: refreshes and minimum distances \
         between commands leave no time for a request. `linecard describe` shows the minimum distances in \
         clocks"
    )
}

/// Runs a memory. `watch` is called periodically with the number of accepted requests, and may stop the run. Files
/// are written whole or not at all.
///
/// # Errors
/// All configuration problems at once; a trace that cannot be used, with file and line; a file that cannot be
/// written.
pub fn run_memory(
    request: &MemoryRequest,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<MemoryReport, Error> {
    let memory = Memory::load(&request.device, &request.policy, &request.overrides)?;
    if request.in_flight == Some(0) {
        return Err(wrong("in flight", "found 0; expected 1 or more".to_owned()));
    }
    let mut source = Source::open(&request.input, &memory)?;
    let format = source.format();
    let mut logs =
        Logs::new(request.requests.as_deref(), request.commands.as_deref(), memory.part.organization)?;
    let mut next = || source.next_access();
    let stopped = |stopped| match stopped {
        Stopped::Source(error) => error,
        Stopped::Watch => Error::Interrupted,
        Stopped::Stuck(clock) => Error::Run(why_stuck(clock, &memory.policy, request.in_flight)),
    };
    let system;
    let packets;
    let (accepted, statistics): (Accepted, Vec<&ChannelStatistics>) = match memory.build(request.in_flight)? {
        Built::Queued(mut built) => {
            let accepted =
                built.run(&mut next, &mut logs, !request.tick_every_clock, watch).map_err(stopped)?;
            system = built;
            (accepted, system.statistics().collect())
        }
        Built::Packets(mut built) => {
            let accepted = built.run(&mut next, &mut logs, watch).map_err(stopped)?;
            packets = built;
            (accepted, packets.statistics().collect())
        }
    };
    let facts = Facts {
        device: request.device.clone(),
        policy: request.policy.clone(),
        input: match &request.input {
            MemoryInput::Trace { path, .. } => path.clone(),
            MemoryInput::Pattern { name, .. } => name.clone(),
        },
        format: format.to_owned(),
        config_hash: memory.hash(),
        last_accept: accepted.last,
    };
    let mut report = report(facts, &memory.part, &statistics);
    // The run was long and its result is valid: an error of a log file must not lose the result.
    report.unwritten = logs.finish();
    Ok(report)
}
