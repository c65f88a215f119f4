//! Traces a packet program on a capture: it is executed once, traced, and compiled into work for cores.

use super::core_presets::stages;
use super::packets::{PacketRequest, PacketStatistics, Packets};
use linecard_files::{Error, bounded, problem};
use linecard_iss::{Class, Image, IssError, Machine, PACKET_ENTRY, Recorder, Trace};
use linecard_malleable::{Pipeline, Work, WorkBuilder};
use linecard_words::About;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Packets that are traced before the trace is compiled and discarded.
const BATCH_PACKETS: usize = 1024;
/// The same for packets with long executions: a trace takes at most this number of bytes and its last packet.
const BATCH_BYTES: usize = 64 << 20;
/// The largest budget of instructions per packet: a trace of more instructions does not fit into memory.
const MOST_BUDGET: u64 = 100_000_000;

/// A program to be traced.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramRequest {
    /// The ELF file.
    pub elf: String,
    /// Function that processes packets; `app_packet` if `None`.
    pub entry: Option<String>,
    /// Input of the program's `app_init`.
    pub control: Option<String>,
    /// Packets.
    pub packets: PacketRequest,
    /// The most instructions per packet.
    pub budget: u64,
    /// Whether illegal accesses are refused.
    pub checked: bool,
}

/// One item of a list, with its count and its percentage of the total.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Share {
    /// What.
    pub name: String,
    /// Count of the item: a number of packets or of instructions.
    pub count: u64,
    /// Percentage of the total.
    pub percent: f64,
}

/// Statistics of a C program on the packets of the traffic; `linecard.core` simulates the same program on cores.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ProgramReport {
    /// Path of the ELF file.
    pub elf: String,
    /// Packets.
    pub traffic: PacketStatistics,
    /// Number of instructions, summed over all packets.
    pub instructions: u64,
    /// Mean number of instructions per packet; `least_instructions` and `most_instructions` are the minimum and
    /// maximum.
    pub instructions_per_packet: f64,
    /// Minimum number of instructions that the program executed for a packet.
    pub least_instructions: u64,
    /// Maximum number of instructions that the program executed for a packet.
    pub most_instructions: u64,
    /// Number of straight-line instruction sequences, from one jump to the next, that the program executes per
    /// packet.
    pub runs_per_packet: f64,
    /// Loads and stores of packet data, per packet.
    pub packet_accesses_per_packet: f64,
    /// Loads and stores of heap data, of objects marked as state (`LC_STATE`), or of control data, per packet.
    pub table_accesses_per_packet: f64,
    /// Loads and stores of stack data or of global variables, per packet; the stack and the global variables are
    /// on-chip.
    pub other_accesses_per_packet: f64,
    /// Number of lock acquisitions per packet.
    pub locks_per_packet: f64,
    /// Number of different locks that the program takes.
    pub locks: u32,
    /// Size of the trace in bytes per instruction.
    pub trace_bytes_per_instruction: f64,
    /// Number of distinct instruction sequences that the program executes between two data accesses.
    pub segments: u64,
    /// Values that the program returned, the most frequent first.
    pub results: Vec<Share>,
    /// Functions, sorted by number of instructions.
    pub functions: Vec<Share>,
    /// Source lines, sorted by number of instructions; empty if the program was compiled without line information.
    pub lines: Vec<Share>,
}

/// A traced program: its report, and the work of cores.
#[derive(Clone, Debug)]
pub struct TracedProgram {
    /// For readers.
    pub report: ProgramReport,
    /// For cores.
    pub work: Work,
}

fn config(place: &str, message: String) -> Error {
    Error::Config { problems: vec![problem(place.to_owned(), "", message)] }
}

/// Returns an error of a RISC-V program as an error of the request.
pub fn refused_iss(error: IssError) -> Error {
    match error {
        IssError::Image(wrong) => config(&wrong.what, wrong.sentence()),
        IssError::Control { file, line } => config(
            &format!("line {line} of the control data"),
            format!(
                "{file} rejects the line; the first comment in the program's source describes the format"
            ),
        ),
        IssError::Interrupted => Error::Interrupted,
        other => Error::Run(other.to_string()),
    }
}

/// Reads a program for RISC-V; messages use `name`.
///
/// # Errors
/// If the file cannot be read or is not a program.
pub fn read_image(elf: &str, name: &str) -> Result<Image, Error> {
    let bytes = bounded::read(elf, bounded::MOST_INPUT_BYTES)
        .map_err(|error| config(name, format!("cannot read the program: {error}")))?;
    Image::read(name, &bytes).map_err(refused_iss)
}

/// Runs a standalone program until it exits. Returns the content of `a0`, and the number of instructions. `progress`
/// is called with the executed instructions and their limit, and may stop it.
///
/// # Errors
/// If the file is not a program, the program faults, or `progress` stops it.
pub fn run_program(
    elf: &str,
    budget: u64,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<(u32, u64), Error> {
    let image = read_image(elf, elf)?;
    linecard_iss::run_standalone_until(&image, budget, &mut |done| progress(done, budget))
        .map_err(refused_iss)
}

/// Returns the cycles of the pipeline from the preset.
pub(crate) fn pipeline() -> Result<Pipeline, Error> {
    stages().map(|stages| stages.pipeline)
}

/// Executes a program on packets, and compiles the execution.
///
/// # Errors
/// If the program or the traffic cannot be used, the program faults (PC, symbol and packet are named), or `progress`
/// stops it.
pub fn trace_program(
    request: &ProgramRequest,
    progress: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<TracedProgram, Error> {
    if request.budget > MOST_BUDGET {
        let message =
            format!("found {} instructions per packet, expected at most {MOST_BUDGET}", request.budget);
        return Err(config("budget", message));
    }
    let image = read_image(&request.elf, &request.elf)?;
    let control = match &request.control {
        None => Vec::new(),
        Some(file) => bounded::read(file, bounded::MOST_INPUT_BYTES)
            .map_err(|error| config(file, format!("cannot read the control data: {error}")))?,
    };
    let mut packets = Packets::new(&request.packets)?;
    let (at, total) = packets.progress();
    let entry = request.entry.as_deref().unwrap_or(PACKET_ENTRY);
    let mut machine =
        Machine::new_until(image, entry, &control, request.budget, request.checked, &mut |_| {
            progress(at, total)
        })
        .map_err(refused_iss)?;
    let mut recorder = Recorder::new(&machine);
    let layout = *machine.layout();
    let mut builder = WorkBuilder::new(&layout, pipeline()?);
    let mut tally = Tally::default();
    loop {
        let next = packets.next()?;
        let done = next.is_none();
        if let Some((bytes, time_us)) = next {
            let mut looked = |_| progress(at, total);
            let result =
                recorder.packet_until(&mut machine, bytes, time_us, &mut looked).map_err(refused_iss)?;
            *tally.results.entry(result).or_insert(0) += 1;
        }
        let full =
            recorder.trace().packets().len() == BATCH_PACKETS || recorder.trace().bytes() > BATCH_BYTES;
        if full || done {
            tally.batch(recorder.trace());
            builder.add(recorder.trace(), machine.code());
            recorder.trace_mut().clear();
            let (at, total) = packets.progress();
            if progress(at, total) == ControlFlow::Break(()) {
                return Err(Error::Interrupted);
            }
        }
        if done {
            break;
        }
    }
    tally.executed = builder.executed(machine.code());
    tally.packet_accesses = builder.packet_accesses();
    let work = builder.finish();
    if work.packets.is_empty() {
        return Err(Error::Traffic(format!(
            "{}: the capture contains no IP packets; expected IPv4 or IPv6 packets",
            request.packets.traffic
        )));
    }
    let report = tally.report(request, &machine, &work, packets.finish());
    Ok(TracedProgram { report, work })
}

/// Counts for a report.
#[derive(Default)]
struct Tally {
    executed: Vec<u64>,
    /// The fewest and the most of a packet.
    instructions: Option<(u64, u64)>,
    runs: u64,
    trace_bytes: u64,
    packet_accesses: u64,
    results: FxHashMap<u32, u64>,
}

impl Tally {
    fn batch(&mut self, trace: &Trace) {
        for entry in trace.packets() {
            let own = u64::from(entry.instructions);
            let (least, most) = self.instructions.unwrap_or((own, own));
            self.instructions = Some((least.min(own), most.max(own)));
        }
        self.runs += trace.run_count();
        self.trace_bytes += trace.bytes() as u64;
    }

    fn report(
        self,
        request: &ProgramRequest,
        machine: &Machine,
        work: &Work,
        traffic: PacketStatistics,
    ) -> ProgramReport {
        let code = machine.code();
        let mut functions: HashMap<&str, u64> = HashMap::new();
        let mut lines: HashMap<String, u64> = HashMap::new();
        let (mut instructions, mut accesses, mut locks, mut unlocks) = (0, 0, 0, 0);
        for (index, &count) in (0u32..).zip(&self.executed).filter(|&(_, &count)| count > 0) {
            instructions += count;
            match code.class(index) {
                Class::Load | Class::Store | Class::Atomic => accesses += count,
                Class::Lock => locks += count,
                Class::Unlock => unlocks += count,
                _ => {}
            }
            if let Some(line) = machine.image().line(code.pc(index)) {
                *lines.entry(line.to_string()).or_insert(0) += count;
            }
            let name = machine.image().nearest(code.pc(index)).map_or("no symbol", |(name, _)| name);
            *functions.entry(name).or_insert(0) += count;
        }
        let packets = traffic.packets as f64;
        // All other events are locks, unlocks and ends of packets.
        let data = work.events.len() as u64 - locks - unlocks - traffic.packets;
        let (least, most) = self.instructions.unwrap_or_default();
        let results = self.results.iter().map(|(result, &count)| (format!("{result:#x}"), count)).collect();
        let functions = functions.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        ProgramReport {
            elf: request.elf.clone(),
            instructions,
            instructions_per_packet: instructions as f64 / packets,
            least_instructions: least,
            most_instructions: most,
            runs_per_packet: self.runs as f64 / packets,
            packet_accesses_per_packet: self.packet_accesses as f64 / packets,
            table_accesses_per_packet: (data - self.packet_accesses) as f64 / packets,
            other_accesses_per_packet: (accesses - data) as f64 / packets,
            locks_per_packet: locks as f64 / packets,
            locks: work.locks,
            trace_bytes_per_instruction: self.trace_bytes as f64 / instructions.max(1) as f64,
            segments: work.segments.len() as u64,
            results: shares(results, traffic.packets),
            functions: shares(functions, instructions),
            lines: shares(lines.into_iter().collect(), instructions),
            traffic,
        }
    }
}

/// Returns all of them, the most frequent first; equally frequent ones are sorted by name.
pub(super) fn shares(mut counts: Vec<(String, u64)>, total: u64) -> Vec<Share> {
    counts.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    let of = total.max(1) as f64;
    counts
        .into_iter()
        .map(|(name, count)| Share { name, count, percent: count as f64 / of * 100.0 })
        .collect()
}
