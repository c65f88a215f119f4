//! What a run tells: plain data, the same in Rust, JSON and Python.

use serde::Serialize;

/// One measurement of one component: a row of the tidy table.
#[derive(Clone, Debug, Serialize)]
pub struct Metric {
    /// Dotted component path, such as `engine.3` or `dram.bank.0`.
    pub component: String,
    /// What was measured, such as `utilization`.
    pub metric: String,
    /// Unit of the value, such as `fraction`, `ns`, `packets`.
    pub unit: &'static str,
    /// The value.
    pub value: f64,
}

/// Packet latency from the first cell's arrival to the last cell's departure, nanoseconds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct LatencyNs {
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Largest.
    pub max: f64,
}

/// The numbers a user looks at first.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Summary {
    /// Bits of packets that left, per simulated second, 10^9.
    pub throughput_gbps: f64,
    /// Packets that left per simulated second, 10^6.
    pub throughput_mpps: f64,
    /// Bits of packets that arrived, per simulated second, 10^9 (equals what was accepted in ready-port mode).
    pub offered_gbps: f64,
    /// Packets that arrived while statistics were on.
    pub packets_in: u64,
    /// Packets that left while statistics were on.
    pub packets_out: u64,
    /// Packets lost: dropped, for any reason but by choice.
    pub packets_dropped: u64,
    /// Packets dropped over packets that left or were dropped.
    pub loss_fraction: f64,
    /// Latency of the packets that left.
    pub latency_ns: LatencyNs,
    /// Simulated time with statistics on, seconds.
    pub simulated_seconds: f64,
    /// Whether the run was long enough, began at rest and piled nothing up; `None` where that is not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<bool>,
    /// How sure the numbers are, 95 % confidence; `None` where the run is too short, or not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// Packets inside when the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packets_inside: Option<u64>,
    /// Frames that are not IP; `None` where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_ip: Option<NotIpFrames>,
}

/// Frames that are not IP, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NotIpFrames {
    /// They arrived while statistics were on.
    pub packets_in: u64,
    /// They left by a port.
    pub forwarded: u64,
    /// They went to the host: no loss.
    pub punted: u64,
    /// They were dropped by choice: no loss.
    pub dropped_by_choice: u64,
    /// An executed program, or a step `finish`, ended them.
    pub finished: u64,
    /// They were lost, as packets of any kind are.
    pub lost: u64,
}

/// An interval that holds the value with 95 % confidence.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Intervals of the first numbers, by batch means.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Intervals {
    /// Of the throughput.
    pub throughput_gbps: Interval,
    /// Of the loss.
    pub loss_fraction: Interval,
    /// Of the mean latency.
    pub latency_mean_ns: Interval,
}

/// How busy one resource was.
#[derive(Clone, Debug, Serialize)]
pub struct ResourceUse {
    /// Component path.
    pub component: String,
    /// Share of the simulated time it was busy, 0 to 1.
    pub utilization: f64,
}

/// Where the DRAM data bus's time went; shares of the simulated time that add up to 1.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct DramTime {
    /// Moving data.
    pub data: f64,
    /// Waiting for precharge, activation or column access of a row that was not open.
    pub row_miss: f64,
    /// Turning the bus between reads and writes.
    pub turnaround: f64,
    /// Refreshing.
    pub refresh: f64,
    /// Keeping columns apart while the row is open and the direction stays; `None` where that is not told apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spacing: Option<f64>,
    /// No request pending.
    pub idle: f64,
    /// Share of accesses that found their row open.
    pub row_hit_rate: f64,
}

/// Time that packets spent in one way between arrival and departure, over the packets that left. The time of packets that are
/// still inside at the end counts, so that the parts add up to more than the mean latency where packets stay inside.
#[derive(Clone, Debug, Serialize)]
pub struct PacketTime {
    /// `compute`, `wait dram`, `wait sram`, `wait lock`, `wait thread slot`, …
    pub part: String,
    /// Mean per packet, nanoseconds.
    pub mean_ns: f64,
    /// Share of the mean total.
    pub share: f64,
}

/// A part that was made better, alone.
#[derive(Clone, Debug, Serialize)]
pub struct WhatIf {
    /// What was done, such as `twice the threads in island`.
    pub change: String,
    /// How much more left, as a share.
    pub gain: f64,
}

/// What limits the run, and how that was decided.
#[derive(Clone, Debug, Serialize)]
pub struct Bottleneck {
    /// Component path.
    pub component: String,
    /// Its utilisation, 0 to 1.
    pub utilization: f64,
    /// One or two sentences with the numbers that decide it.
    pub why: String,
}

/// Packets of a port, of a class, or of the queue of a class at a port:
/// `packets_inside_at_start + packets_offered = packets_delivered + packets_lost + packets_inside`.
#[derive(Clone, Debug, Serialize)]
pub struct PartReport {
    /// `input`: packets that came by a port; `output`: that programs sent to one; `class`: to a class, whatever the port;
    /// `queue`: to a class of a port; `no queue`: packets that no program had sent when they were lost, ended, or at the end.
    pub of: &'static str,
    /// The port, of inputs, outputs and queues.
    pub port: Option<String>,
    /// The class, of classes and queues.
    pub traffic_class: Option<String>,
    /// Bits of packets that came or were sent there, per simulated second, 10^9; `None` without a queue.
    pub offered_gbps: Option<f64>,
    /// Bits of those that left.
    pub throughput_gbps: Option<f64>,
    /// Packets there when statistics started.
    pub packets_inside_at_start: u64,
    /// Packets that came or were sent there.
    pub packets_offered: u64,
    /// Packets that left.
    pub packets_delivered: u64,
    /// Packets lost.
    pub packets_lost: u64,
    /// Packets that programs ended by choice.
    pub packets_by_choice: u64,
    /// Packets there at the end.
    pub packets_inside: u64,
    /// Packets lost over those that left or were lost.
    pub loss_fraction: f64,
    /// Latency of those that left, from the last bit in to the last bit out; `None` if none did, and without a queue.
    pub latency_ns: Option<LatencyNs>,
}

/// Packets dropped for one reason.
#[derive(Clone, Debug, Serialize)]
pub struct DropCount {
    /// `no_route`, `ttl_expired`, `firewall_rule`, `not_ipv4`, `receive_buffer_full`, …
    pub reason: String,
    /// How many.
    pub packets: u64,
}

/// How often a program came to a result.
#[derive(Clone, Debug, Serialize)]
pub struct ProgramResult {
    /// Verdict of an XDP program, or what a C program returned.
    pub result: String,
    /// Packets.
    pub packets: u64,
}

/// What a source line of an executed program costs, or a function where there are no lines.
#[derive(Clone, Debug, Serialize)]
pub struct SourceLine {
    /// File, line and text, or the function.
    pub line: String,
    /// File, as the compiler was given it, where it is a line.
    pub file: Option<String>,
    /// Its number, from 1, where it is a line.
    pub number: Option<u32>,
    /// Instructions, mean of a packet.
    pub instructions_per_packet: f64,
    /// Cycles of the engine, without those to issue accesses.
    pub cycles_per_packet: f64,
    /// Cycles that the thread waited for what it asked for; its engine may have run other threads.
    pub stall_cycles_per_packet: f64,
    /// Accesses of memories.
    pub accesses_per_packet: f64,
    /// The same by memory.
    pub memories: Vec<MemoryUse>,
}

/// Accesses of a program, or of a part of it, to one memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryUse {
    /// The memory.
    pub memory: String,
    /// Accesses.
    pub accesses_per_packet: f64,
}

/// Cycles of the engine in a function, under those that called it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallStack {
    /// From the outermost to the innermost.
    pub functions: Vec<String>,
    /// Cycles in the innermost of them, of all packets.
    pub cycles: u64,
}

/// The word of a memory that an executed program asks for most where most of its accesses are served one after the other,
/// or the lock that it takes most.
#[derive(Clone, Debug, Serialize)]
pub struct HotWord {
    /// The memory, or `locks`.
    pub place: String,
    /// Its busiest bank, where addresses decide which bank serves them.
    pub bank: Option<u32>,
    /// What stands there.
    pub name: String,
    /// Lines that ask for it, the most frequent first.
    pub lines: Vec<String>,
    /// Share of the program's accesses of that bank, or of that memory; of its locks.
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

/// What an executed program came to.
#[derive(Clone, Debug, Serialize)]
pub struct ExecutedProgram {
    /// Its name.
    pub name: String,
    /// Packets that it was executed on.
    pub packets: u64,
    /// Instructions, mean of a packet.
    pub instructions_per_packet: f64,
    /// Cycles of the engine, without those to issue accesses.
    pub cycles_per_packet: f64,
    /// Cycles that threads waited for what it asked for; engines may have run other threads.
    pub stall_cycles_per_packet: f64,
    /// Accesses of memories.
    pub accesses_per_packet: f64,
    /// The same by memory.
    pub memories: Vec<MemoryUse>,
    /// What it came to.
    pub results: Vec<ProgramResult>,
    /// Its lines, the most expensive first.
    pub lines: Vec<SourceLine>,
    /// Its functions by who called them, in the order of their names.
    pub stacks: Vec<CallStack>,
    /// Of each memory, and of its locks, what it asks for most; the memory that is asked most comes first, locks last.
    pub hot: Vec<HotWord>,
}

/// A value for which sources give an interval.
#[derive(Clone, Debug, Serialize)]
pub struct ValueRange {
    /// Dotted key, as `--set` takes it.
    pub key: String,
    /// Its lower end, in the unit of the key.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// Everything a run tells. Deterministic: no wall-clock time in here.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// The preset asked for.
    pub preset: String,
    /// The application that ran.
    pub app: String,
    /// Capture file name, or the generator's name.
    pub traffic: String,
    /// The seed.
    pub seed: u64,
    /// Version of Linecard.
    pub version: String,
    /// SHA-256 of the resolved configuration.
    pub config_hash: String,
    /// What the user should know about this run: remapped addresses, damaged records, a capture that was repeated.
    pub warnings: Vec<String>,
    /// Those of them that say which file of a sound run could not be written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unwritten: Vec<String>,
    /// Damaged records found in the capture; not 0 makes the command line's exit status say so.
    pub capture_damage: u64,
    /// The first numbers.
    pub summary: Summary,
    /// What limits the run.
    pub bottleneck: Bottleneck,
    /// Utilisation of every resource.
    pub resources: Vec<ResourceUse>,
    /// Where DRAM time went.
    pub dram: DramTime,
    /// Where packet time went.
    pub packet_time: Vec<PacketTime>,
    /// Packets dropped, by reason.
    pub drops: Vec<DropCount>,
    /// Packets by port, by class and by queue; of each only where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breakdown: Vec<PartReport>,
    /// Values of the file for which sources give an interval.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<ValueRange>,
    /// Programs that were executed, one of each kind of cluster that has one; none where only steps are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ExecutedProgram>,
    /// Every measurement, one row each (the above included).
    pub metrics: Vec<Metric>,
    /// What the re-runs that found the limit came to, the largest gain first.
    pub what_if: Vec<WhatIf>,
    /// Latency in full: how many packets left so many nanoseconds after they came, at most; the bins are 1.6 % wide.
    pub latency_bins: Vec<(f64, u64)>,
}

impl RunReport {
    /// A file of this run could not be written. The run was long, and its result is sound: it is not lost for that.
    pub(crate) fn lacks(&mut self, what: String) {
        self.warnings.push(what.clone());
        self.unwritten.push(what);
    }
}
