//! What a run tells: plain data, the same in Rust, JSON and Python, whose classes are written from it (`make docs`).
//!
//! | beside a number | says |
//! |---|---|
//! | `x-unit` | its unit, by which it is a row of the long table |
//! | `x-metric` | its name there, where that is another one |
//! | `x-row` | what the screen and the page call it, by which it has a row of its own there |
//! | `x-tone` | the tone of that row's bar |

use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// One measurement of one component: a row of the tidy table.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Metric {
    /// Dotted component path, such as `engine.3` or `dram.bank.0`.
    pub component: String,
    /// What was measured, such as `utilization`.
    pub metric: String,
    /// Unit of the value, such as `fraction`, `ns`, `packets`.
    pub unit: Cow<'static, str>,
    /// The value.
    pub value: f64,
}

/// Packet latency, from a packet's last bit in to its last bit out, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct LatencyNs {
    /// Arithmetic mean, exact.
    pub mean: f64,
    /// Median; quantiles are within 1.6 % of the value.
    pub p50: f64,
    /// 90 % of the packets are at most this late.
    pub p90: f64,
    /// 99 %.
    pub p99: f64,
    /// 99.9 %.
    pub p999: f64,
    /// The latest, exact.
    pub max: f64,
}

/// The numbers to look at first.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct Summary {
    /// Bits of packets that left, per simulated second, 10^9.
    #[schemars(extend("x-unit" = "Gbit/s"))]
    pub throughput_gbps: f64,
    /// Packets that left per simulated second, 10^6.
    #[schemars(extend("x-unit" = "Mpackets/s"))]
    pub throughput_mpps: f64,
    /// Bits of packets that arrived, per simulated second, 10^9.
    #[schemars(extend("x-unit" = "Gbit/s"))]
    pub offered_gbps: f64,
    /// Packets that arrived while statistics were on.
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_in: u64,
    /// Packets that left while statistics were on.
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_out: u64,
    /// Packets lost: dropped, for any reason but by choice (`not_ip`).
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_dropped: u64,
    /// Packets dropped over packets that left or were dropped; those still inside are in neither.
    #[schemars(extend("x-unit" = "fraction", "x-metric" = "loss"))]
    pub loss_fraction: f64,
    /// Latency of the packets that left.
    pub latency_ns: LatencyNs,
    /// Simulated time with statistics on.
    #[schemars(extend("x-unit" = "s", "x-metric" = "simulated_time"))]
    pub simulated_seconds: f64,
    /// Whether the run was long enough, began at rest and piled nothing up.
    pub steady: bool,
    /// How sure the numbers are; `None` where the run is too short.
    pub intervals: Option<Intervals>,
    /// Packets still inside at the end.
    pub packets_inside: u64,
    /// Frames that are not IP, by what became of them; `None` where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_ip: Option<NotIpFrames>,
}

/// Frames that are not IP while statistics were on; what is left of those that came is still inside.
///
/// `not_ip` of `[program]` says what becomes of them in programs that check headers or look addresses up. Those that it
/// punts or drops are no loss, and are among neither the packets out nor the packets dropped.
#[derive(Clone, Copy, Debug, Default, Eq, JsonSchema, PartialEq, Serialize)]
pub struct NotIpFrames {
    /// They arrived.
    pub packets_in: u64,
    /// They left by a port.
    pub forwarded: u64,
    /// They went to the host.
    pub punted: u64,
    /// They were dropped because the chip's file says so.
    pub dropped_by_choice: u64,
    /// An executed program, or a step `finish`, ended them; they count as packets that left.
    pub finished: u64,
    /// They were lost as packets of any kind are, for want of room or too fast for the wire.
    pub lost: u64,
}

/// Bounds that hold the value with 95 % confidence.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Confidence in the first numbers, by batch means of one run.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct Intervals {
    /// Of the throughput.
    pub throughput_gbps: Interval,
    /// Of the loss.
    pub loss_fraction: Interval,
    /// Of the mean latency.
    pub latency_mean_ns: Interval,
}

/// Share of the simulated time for which one resource was busy, 0 to 1.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ResourceUse {
    /// The resource; of several that are alike the mean, and the busiest.
    pub component: String,
    /// The share.
    pub utilization: f64,
}

/// Where the time of the DRAM data bus went: shares of the simulated time that add up to 1.
///
/// `row_hit_rate` is the share of accesses that found their row open.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct DramTime {
    /// Data moved.
    pub data: f64,
    /// A row had to be closed or opened.
    pub row_miss: f64,
    /// The bus changed its direction.
    pub turnaround: f64,
    /// Refreshes.
    pub refresh: f64,
    /// No request.
    pub idle: f64,
    /// Accesses that found their row open.
    pub row_hit_rate: f64,
    /// Between columns of an open row.
    pub spacing: f64,
}

/// Mean time that a packet spent in one way between arrival and departure, in nanoseconds, and its share.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PacketTime {
    /// The way, such as `compute` or `wait dram`.
    pub part: String,
    /// The mean.
    pub mean_ns: f64,
    /// The same of the mean of all parts together, 0 to 1.
    pub share: f64,
}

/// What the run came to with one part made better.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct WhatIf {
    /// What was done, such as `twice the threads in island`.
    pub change: String,
    /// How much more left, as a share.
    pub gain: f64,
}

/// What limits the run, and how that was decided.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Bottleneck {
    /// The resource; of a chip that carries all that comes, the offered load.
    pub component: String,
    /// Share of the time for which it was busy.
    pub utilization: f64,
    /// The numbers that decide it, as a sentence.
    pub why: String,
}

/// Some of the packets of a run, counted apart.
///
/// `packets_inside_at_start + packets_offered` equals `packets_delivered + packets_lost + packets_by_choice +
/// packets_inside` for each.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Part")]
pub struct PartReport {
    /// `input`, packets that came by a port; `output`, packets that programs sent to one; `class`, to a class, whatever
    /// the port; `queue`, to a class of a port; `no queue`, packets that no program had sent when they were lost or
    /// ended, or at the end of the run.
    pub of: &'static str,
    /// Packets there when statistics started.
    pub packets_inside_at_start: u64,
    /// Packets that came, or were sent there.
    pub packets_offered: u64,
    /// Packets that left.
    pub packets_delivered: u64,
    /// Packets lost, for any reason.
    pub packets_lost: u64,
    /// Packets that programs ended by choice (`program.not_ip`): they are not lost.
    pub packets_by_choice: u64,
    /// Packets there at the end.
    pub packets_inside: u64,
    /// Packets lost over packets that left or were lost.
    pub loss_fraction: f64,
    /// The port, of inputs, outputs and queues.
    pub port: Option<String>,
    /// The class, of classes and queues.
    pub traffic_class: Option<String>,
    /// Bits of packets that came or were sent there, per simulated second, 10^9; `None` without queue.
    pub offered_gbps: Option<f64>,
    /// Bits of packets that left, likewise.
    pub throughput_gbps: Option<f64>,
    /// Latency of those that left; `None` if none did, and without a queue.
    pub latency_ns: Option<LatencyNs>,
}

/// Packets dropped for one reason.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DropCount {
    /// The reason, as in the metrics.
    pub reason: String,
    /// How many.
    pub packets: u64,
}

/// How often a program came to a result.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ProgramResult {
    /// The verdict, or the value in hexadecimal.
    pub result: String,
    /// How many packets.
    pub packets: u64,
}

/// What a source line of an executed program costs a packet, or a function where there are no lines.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SourceLine {
    /// File, number and text, or the function.
    pub line: String,
    /// The file as the compiler was given it, where it is a line.
    pub file: Option<String>,
    /// Its number, from 1, where it is a line.
    pub number: Option<u32>,
    /// Instructions.
    pub instructions_per_packet: f64,
    /// Cycles of the engine, without those to issue accesses.
    pub cycles_per_packet: f64,
    /// Cycles that the thread waited for accesses; its engine may have run others meanwhile.
    pub stall_cycles_per_packet: f64,
    /// Accesses of memories.
    pub accesses_per_packet: f64,
    /// The same by memory.
    pub memories: Vec<MemoryUse>,
}

/// How often an executed program, or a line of it, asks a memory for something.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct MemoryUse {
    /// The memory.
    pub memory: String,
    /// Accesses.
    pub accesses_per_packet: f64,
}

/// Functions from the outermost to the innermost, and the engine's cycles in the innermost, of all packets.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct CallStack {
    /// From the outermost to the innermost.
    pub functions: Vec<String>,
    /// Engine cycles in the innermost, of all packets.
    pub cycles: u64,
}

/// What an executed program asks for most in a memory, or the lock that it takes most.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct HotWord {
    /// The memory, or `locks`.
    pub place: String,
    /// Its busiest bank, where addresses decide which bank serves them.
    pub bank: Option<u32>,
    /// What stands there: a map and its key, a variable, or a block of the heap by the line that allocated it.
    pub name: String,
    /// Lines that ask for it, the most frequent first.
    pub lines: Vec<String>,
    /// Share of the program's accesses of that bank, or of that memory; of the locks that it takes.
    pub share: f64,
}

impl HotWord {
    /// As people say it.
    pub fn sentence(&self) -> String {
        let bank = self.bank.map_or_else(String::new, |bank| format!(" bank {bank}"));
        let lines = match self.lines.as_slice() {
            [] => String::new(),
            [line] => format!(", line {line}"),
            [first @ .., last] => format!(", lines {} and {last}", first.join(", ")),
        };
        let (name, percent) = (&self.name, self.share * 100.0);
        match self.place.as_str() {
            "locks" => format!("The lock taken most is that of {name}{lines}: {percent:.0} % of all taken."),
            place => {
                format!(
                    "Hot is {place}{bank}: {name}{lines}, {percent:.0} % of the program's accesses there."
                )
            }
        }
    }
}

/// What an executed program came to; its lines stand in order of their cycles, its stacks in that of their names.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ExecutedProgram {
    /// The program.
    pub name: String,
    /// Packets that it was executed for.
    pub packets: u64,
    /// Instructions.
    pub instructions_per_packet: f64,
    /// Engine cycles, without those to issue accesses.
    pub cycles_per_packet: f64,
    /// Cycles that threads waited for what it asked for.
    pub stall_cycles_per_packet: f64,
    /// Accesses that it asked for.
    pub accesses_per_packet: f64,
    /// The same by memory.
    pub memories: Vec<MemoryUse>,
    /// What it came to.
    pub results: Vec<ProgramResult>,
    /// Source lines, in order of their cycles.
    pub lines: Vec<SourceLine>,
    /// Functions by who called them.
    pub stacks: Vec<CallStack>,
    /// What it asks for most in each memory, and the lock that it takes most.
    pub hot: Vec<HotWord>,
}

/// A value of the chip's file for which sources give an interval, in the unit of its key.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ValueRange {
    /// Its key.
    pub key: String,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Everything a run tells. Deterministic: no wall-clock time in here.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RunReport {
    /// The chip.
    pub preset: String,
    /// The program.
    pub app: String,
    /// The traffic.
    pub traffic: String,
    /// Seed of what is drawn.
    pub seed: u64,
    /// Version of Linecard.
    pub version: String,
    /// SHA-256 of the resolved configuration.
    pub config_hash: String,
    /// What to know about this run.
    pub warnings: Vec<String>,
    /// Those of them that say which file of a sound run could not be written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub unwritten: Vec<String>,
    /// Damaged places of the capture that were passed over, each pass counted.
    pub capture_damage: u64,
    /// The first numbers.
    pub summary: Summary,
    /// What limits the run.
    pub bottleneck: Bottleneck,
    /// How busy each resource was.
    pub resources: Vec<ResourceUse>,
    /// Where the time of the DRAM data bus went.
    pub dram: DramTime,
    /// Where the time of packets went.
    pub packet_time: Vec<PacketTime>,
    /// Packets dropped, by reason.
    pub drops: Vec<DropCount>,
    /// Every measurement; the other fields show a part of them.
    pub metrics: Vec<Metric>,
    /// What executed programs came to, one of each kind of cluster that has one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ExecutedProgram>,
    /// Values of the chip's file for which sources give an interval.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<ValueRange>,
    /// Gains of the re-runs that found the limit, the largest first; not part of `to_dict`.
    pub what_if: Vec<WhatIf>,
    /// Packets by port, by class and by queue, of each only where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breakdown: Vec<PartReport>,
    /// Latency in full: (ns, packets) of each bin that has some, 64 bins an octave, by their upper edge. Not part of
    /// `to_dict`.
    pub latency_bins: Vec<(f64, u64)>,
}

impl RunReport {
    /// A file of this run could not be written. The run was long, and its result is sound: it is not lost for that.
    pub(crate) fn lacks(&mut self, what: String) {
        self.warnings.push(what.clone());
        self.unwritten.push(what);
    }
}
