//! The reports of a run: plain data, the same in Rust, JSON and Python. `make docs` writes the Python classes from
//! these types.
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

/// One measurement of one component, as a row of a long-format table.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Metric {
    /// Dotted path of the component, such as `engine.3` or `dram.bank.0`.
    pub component: String,
    /// Name of the measured quantity, such as `utilization`.
    pub metric: String,
    /// Unit of the value, such as `fraction`, `ns` or `packets`.
    pub unit: Cow<'static, str>,
    /// Value of the measurement.
    pub value: f64,
}

/// Packet latency in nanoseconds, from the last received bit of a packet to its last sent bit.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct LatencyNs {
    /// Exact arithmetic mean of the latency.
    pub mean: f64,
    /// Median latency; all percentiles are within 1.6 % of the exact value.
    pub p50: f64,
    /// Latency that 90 % of the packets do not exceed.
    pub p90: f64,
    /// Latency that 99 % of the packets do not exceed.
    pub p99: f64,
    /// Latency that 99.9 % of the packets do not exceed.
    pub p999: f64,
    /// Exact maximum of the latency.
    pub max: f64,
}

/// The main results of a run.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct Summary {
    /// Throughput in Gbit/s: bits of packets that left the chip, divided by the simulated time. Packets that
    /// the program finishes without sending them (`XDP_DROP`, a step `finish`) also count as packets that left.
    #[schemars(extend("x-unit" = "Gbit/s"))]
    pub throughput_gbps: f64,
    /// Throughput in Mpps: packets that left the chip, divided by the simulated time.
    #[schemars(extend("x-unit" = "Mpackets/s"))]
    pub throughput_mpps: f64,
    /// Offered load in Gbit/s: bits of packets that arrived, divided by the simulated time.
    #[schemars(extend("x-unit" = "Gbit/s"))]
    pub offered_gbps: f64,
    /// Packets that arrived while the run collected statistics.
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_in: u64,
    /// Packets that left the chip while the run collected statistics.
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_out: u64,
    /// Packets dropped for any reason, except packets that the program drops on purpose (`not_ip`).
    #[schemars(extend("x-unit" = "packets"))]
    pub packets_dropped: u64,
    /// Packets dropped, divided by packets that left or were dropped; packets still inside the chip do not count.
    #[schemars(extend("x-unit" = "fraction", "x-metric" = "loss"))]
    pub loss_fraction: f64,
    /// Latency of the packets that left the chip.
    pub latency_ns: LatencyNs,
    /// Simulated time during which the run collected statistics.
    #[schemars(extend("x-unit" = "s", "x-metric" = "simulated_time"))]
    pub simulated_seconds: f64,
    /// Whether the run is steady: the run is long enough, its warm-up has ended, and the number of packets in the
    /// chip does not grow.
    pub steady: bool,
    /// Confidence intervals; `None` if the run is too short to compute them.
    pub intervals: Option<Intervals>,
    /// Packets still inside the chip at the end of the run.
    pub packets_inside: u64,
    /// Non-IP frames by outcome; `None` if the run has no non-IP frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_ip: Option<NotIpFrames>,
}

/// Counts of non-IP frames by outcome, taken while the run collects statistics.
///
/// At the end of the run, some non-IP frames can still be inside the chip. If a program checks headers or looks up
/// addresses, the key `not_ip` of `[program]` sets how the program treats non-IP frames. Frames that the program punts
/// or drops on purpose count neither as sent packets, nor as dropped packets, nor as loss.
#[derive(Clone, Copy, Debug, Default, Eq, JsonSchema, PartialEq, Serialize)]
pub struct NotIpFrames {
    /// Non-IP frames that arrived.
    pub packets_in: u64,
    /// Non-IP frames that left through a port.
    pub forwarded: u64,
    /// Non-IP frames that went to the host.
    pub punted: u64,
    /// Non-IP frames that the program drops because the chip's file requests it (`not_ip`).
    pub dropped_by_choice: u64,
    /// Non-IP frames that an executed program or a step `finish` ended without sending them; these frames count as
    /// packets that left.
    pub finished: u64,
    /// Non-IP frames lost for the same reasons as IP packets: a full buffer, a full queue, or arrival above line
    /// rate.
    pub lost: u64,
}

/// Bounds of a 95 % confidence interval.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct Interval {
    /// Lower bound of the confidence interval.
    pub low: f64,
    /// Upper bound of the confidence interval.
    pub high: f64,
}

/// Confidence intervals of the main results, computed from the batch means of one run.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct Intervals {
    /// Confidence interval of the throughput, in Gbit/s.
    pub throughput_gbps: Interval,
    /// Confidence interval of the loss, as a fraction.
    pub loss_fraction: Interval,
    /// Confidence interval of the mean latency, in ns.
    pub latency_mean_ns: Interval,
}

/// Fraction of the simulated time for which one resource was busy, from 0 to 1.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ResourceUse {
    /// Name of the resource; a group of identical resources has two rows: the mean and the busiest resource.
    pub component: String,
    /// Fraction of the time for which the resource was busy.
    pub utilization: f64,
}

/// Breakdown of the simulated time by activity of the DRAM data bus, in fractions that add up to 1.
///
/// The field `row_hit_rate` is not part of the breakdown.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct DramTime {
    /// Fraction of the time in which the bus transfers data.
    pub data: f64,
    /// Time spent waiting for a precharge or an activate, as a fraction of the simulated time.
    pub row_miss: f64,
    /// Time spent on bus turnaround, as a fraction of the simulated time.
    pub turnaround: f64,
    /// Time spent on refreshes, as a fraction of the simulated time.
    pub refresh: f64,
    /// Time without a request, as a fraction of the simulated time.
    pub idle: f64,
    /// Fraction of accesses that hit an open row.
    pub row_hit_rate: f64,
    /// Time spent waiting between two column commands to an open row, as a fraction of the simulated time.
    pub spacing: f64,
}

/// One part of the mean latency of a packet, in nanoseconds and as a fraction.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct PacketTime {
    /// Name of the part, such as `compute` or `wait dram`.
    pub part: String,
    /// Mean time of this part of the latency, in nanoseconds.
    pub mean_ns: f64,
    /// This part's mean time divided by the sum of all parts' mean times, from 0 to 1.
    pub share: f64,
}

/// The throughput gain of a run in which one part of the chip is improved.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct WhatIf {
    /// Description of the change, such as `twice the threads in island`.
    pub change: String,
    /// Relative change in throughput due to the improvement.
    pub gain: f64,
}

/// The bottleneck of a run, and the evidence for it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Bottleneck {
    /// The resource that limits the throughput; if the chip forwards all traffic, the offered load.
    pub component: String,
    /// Fraction of the time for which the resource was busy; for the offered load and for several parts, the
    /// fraction of the busiest resource. `None` for resources without a utilisation, such as queues and buffers.
    pub utilization: Option<f64>,
    /// A sentence with the numbers that identify the bottleneck.
    pub why: String,
}

/// A group of packets that a run counts separately.
///
/// For each group, `packets_inside_at_start + packets_offered` equals `packets_delivered + packets_lost +
/// packets_by_choice + packets_inside`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Part")]
pub struct PartReport {
    /// `input`: packets that arrived at a port; `output`: packets that programs sent to a port. `class`: packets of one
    /// class on any port; `queue`: packets of one class on one port. `no queue`: packets that were lost or finished
    /// before a program sent them, and packets still unsent at the end of the run.
    pub of: &'static str,
    /// Packets of the group inside the chip when statistics started.
    pub packets_inside_at_start: u64,
    /// Packets of the group that arrived at a port or that programs sent.
    pub packets_offered: u64,
    /// Packets of the group that left the chip.
    pub packets_delivered: u64,
    /// Packets lost for any reason.
    pub packets_lost: u64,
    /// Packets whose processing a program ended on purpose (`program.not_ip`); these packets do not count as lost.
    pub packets_by_choice: u64,
    /// Packets of the group inside the chip at the end of the run.
    pub packets_inside: u64,
    /// Lost packets, divided by packets that left or were lost.
    pub loss_fraction: f64,
    /// Port of the group; `None` if the group covers all ports.
    pub port: Option<String>,
    /// Class of service of the group; `None` if the group covers all classes.
    pub traffic_class: Option<String>,
    /// Offered load in Gbit/s: bits of packets that arrived at a port or that programs sent; `None` for the group
    /// `no queue`.
    pub offered_gbps: Option<f64>,
    /// Throughput in Gbit/s: bits of packets that left the chip; `None` for the group `no queue`.
    pub throughput_gbps: Option<f64>,
    /// Latency of packets that left; `None` if no packet left, or for the group `no queue`.
    pub latency_ns: Option<LatencyNs>,
}

/// Packets dropped for one reason.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct DropCount {
    /// The reason for the drop, as named in the metrics.
    pub reason: String,
    /// Number of packets dropped for this reason.
    pub packets: u64,
}

/// Number of packets for which an executed program returned the same result: an XDP verdict or a value.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ProgramResult {
    /// The XDP verdict, or the value in hexadecimal.
    pub result: String,
    /// Number of packets.
    pub packets: u64,
}

/// The cost per packet of a source line of an executed program, or of a function if the line information is
/// missing.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct SourceLine {
    /// File, number and text of the source line, or the name of the function.
    pub line: String,
    /// The source file as passed to the compiler; `None` for a function.
    pub file: Option<String>,
    /// Line number, counted from 1; `None` for a function.
    pub number: Option<u32>,
    /// Instructions per packet.
    pub instructions_per_packet: f64,
    /// Engine cycles per packet, without the cycles in which the engine issues accesses.
    pub cycles_per_packet: f64,
    /// Cycles per packet in which the thread waits for accesses; meanwhile, the engine may execute other threads.
    pub stall_cycles_per_packet: f64,
    /// Memory accesses per packet.
    pub accesses_per_packet: f64,
    /// Accesses per packet to each memory.
    pub memories: Vec<MemoryUse>,
}

/// Accesses of an executed program, or of one of its source lines, to one memory.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct MemoryUse {
    /// Name of the memory.
    pub memory: String,
    /// Accesses per packet.
    pub accesses_per_packet: f64,
}

/// A call stack, and the engine cycles in the innermost function, summed over all packets.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct CallStack {
    /// Function names, from the outermost to the innermost.
    pub functions: Vec<String>,
    /// Engine cycles in the innermost function, summed over all packets.
    pub cycles: u64,
}

/// The data that an executed program accesses most often in a memory, or the lock that the program takes most
/// often.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct HotWord {
    /// Name of the memory, or `locks`.
    pub memory: String,
    /// The busiest bank, if the address selects the bank; otherwise `None`.
    pub bank: Option<u32>,
    /// Name of the data: a map and its key, a variable, or a heap block and the source line that allocated it.
    pub name: String,
    /// Source lines that access the data, the most frequent first.
    pub lines: Vec<String>,
    /// Accesses to the data as a fraction of the program's accesses to this bank or memory; for a lock, the
    /// fraction of all lock acquisitions.
    pub share: f64,
}

impl HotWord {
    /// Returns this as a sentence.
    pub fn sentence(&self) -> String {
        let bank = self.bank.map_or_else(String::new, |bank| format!(" bank {bank}"));
        let lines = match self.lines.as_slice() {
            [] => String::new(),
            [line] => format!(", line {line}"),
            [first @ .., last] => format!(", lines {} and {last}", first.join(", ")),
        };
        let (name, percent) = (&self.name, self.share * 100.0);
        match self.memory.as_str() {
            "locks" => format!(
                "Most frequently acquired lock: {name}{lines}, {percent:.0} % of all \
                 acquisitions."
            ),
            memory => {
                format!(
                    "Most accessed in {memory}{bank}: {name}{lines}, {percent:.0} % of the program's accesses."
                )
            }
        }
    }
}

/// The profile of an executed program. Source lines are sorted by cycles, and call stacks are sorted by name.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ExecutedProgram {
    /// Name of the program.
    pub name: String,
    /// Number of packets for which the program was executed.
    pub packets: u64,
    /// Instructions per packet.
    pub instructions_per_packet: f64,
    /// Engine cycles per packet, without the cycles in which the engine issues accesses.
    pub cycles_per_packet: f64,
    /// Cycles per packet in which threads wait for the program's accesses.
    pub stall_cycles_per_packet: f64,
    /// Memory accesses per packet.
    pub accesses_per_packet: f64,
    /// Accesses per packet to each memory.
    pub memories: Vec<MemoryUse>,
    /// Results of the program, with the number of packets for each result.
    pub results: Vec<ProgramResult>,
    /// Source lines, sorted by cycles.
    pub lines: Vec<SourceLine>,
    /// Call stacks of the program, with their cycles.
    pub stacks: Vec<CallStack>,
    /// The data that the program accesses most often in each memory, and the lock that the program takes most
    /// often.
    pub hot: Vec<HotWord>,
}

/// A parameter of the chip's file for which a source states an interval, in the parameter's unit.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ValueRange {
    /// Key of the parameter.
    pub key: String,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The report of one run of a chip. The report is deterministic: it contains no wall-clock time.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct RunReport {
    /// Name of the chip.
    pub chip: String,
    /// Name of the program that runs for each packet.
    pub program: String,
    /// Description of the traffic.
    pub traffic: String,
    /// Seed of all random numbers in the run.
    pub seed: u64,
    /// Version of Linecard.
    pub version: String,
    /// SHA-256 of the resolved configuration.
    pub config_hash: String,
    /// Warnings about this run.
    pub warnings: Vec<String>,
    /// Warnings about files that a valid run could not write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub unwritten: Vec<String>,
    /// Number of damaged records of the capture that were skipped; if the capture is replayed repeatedly, each pass
    /// counts the damaged records again.
    pub capture_damage: u64,
    /// The main results of the run.
    pub summary: Summary,
    /// The bottleneck of the run.
    pub bottleneck: Bottleneck,
    /// Utilisation of each resource.
    pub resources: Vec<ResourceUse>,
    /// Breakdown of the simulated time by activity of the DRAM data bus.
    pub dram: DramTime,
    /// Parts of the mean packet latency.
    pub packet_time: Vec<PacketTime>,
    /// Dropped packets by reason.
    pub drops: Vec<DropCount>,
    /// Every measurement of the run; other fields of the report repeat some measurements.
    pub metrics: Vec<Metric>,
    /// Results of executed programs, one result for each group of identical clusters that executes a program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ExecutedProgram>,
    /// Parameters of the chip's file for which a source states an interval.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<ValueRange>,
    /// Throughput gains in the additional runs that search for the bottleneck, from largest to smallest; not part
    /// of `to_dict`.
    pub what_if: Vec<WhatIf>,
    /// Packet counts by port, class and queue; a chip with only one port, for example, has no rows for ports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breakdown: Vec<PartReport>,
    /// The latency histogram with 64 bins per octave: a pair (upper edge in ns, number of packets) for each
    /// nonempty bin. `to_dict` omits the histogram.
    pub latency_bins: Vec<(f64, u64)>,
}

impl RunReport {
    /// Records that a file of this run could not be written. The run was long and its result is valid, so the error
    /// must not lose the result.
    pub(crate) fn lacks(&mut self, what: String) {
        self.warnings.push(what.clone());
        self.unwritten.push(what);
    }
}
