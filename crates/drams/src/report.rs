//! The report of a run of a memory: plain data, the same in Rust, JSON and Python.

use super::currents::{energy_timing, include_refresh};
use super::device::Part;
use linecard_dram::Organization;
use linecard_dram::channel::{ChannelStatistics, Lost};
use linecard_dram::energy::energy;
use schemars::JsonSchema;
use serde::Serialize;

/// Latency of requests from acceptance to the last data beat, in memory clock cycles.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct MemoryLatency {
    /// Number of requests that were sent to the DRAM or served from a queued write.
    #[schemars(extend("x-unit" = "requests"))]
    pub count: u64,
    /// Mean latency: the sum of `queue_clocks`, `bank_clocks`, `bus_clocks` and `refresh_clocks`.
    #[schemars(extend("x-unit" = "clocks"))]
    pub mean_clocks: f64,
    /// Mean latency in nanoseconds.
    #[schemars(extend("x-unit" = "ns"))]
    pub mean_ns: f64,
    /// Median latency; all percentiles are within 1.6 % of the exact value.
    #[schemars(extend("x-unit" = "clocks"))]
    pub p50_clocks: u64,
    /// 90th percentile of the latency.
    #[schemars(extend("x-unit" = "clocks"))]
    pub p90_clocks: u64,
    /// 99th percentile of the latency.
    #[schemars(extend("x-unit" = "clocks"))]
    pub p99_clocks: u64,
    /// Maximum latency.
    #[schemars(extend("x-unit" = "clocks"))]
    pub max_clocks: u64,
    /// Mean time spent waiting for other requests.
    #[schemars(extend("x-unit" = "clocks"))]
    pub queue_clocks: f64,
    /// Mean time from the first command that prepares the row until the row is ready.
    #[schemars(extend("x-unit" = "clocks"))]
    pub bank_clocks: f64,
    /// Mean time from the moment the row is ready to the last data beat: bus turnaround, column latency and data.
    #[schemars(extend("x-unit" = "clocks"))]
    pub bus_clocks: f64,
    /// Mean time spent waiting for a refresh.
    #[schemars(extend("x-unit" = "clocks"))]
    pub refresh_clocks: f64,
}

/// Breakdown of the simulated time by activity of the data buses, in fractions that add up to 1.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct MemoryTime {
    /// Time in which the buses transfer read data, as a fraction of the simulated time.
    #[schemars(extend("x-unit" = "fraction", "x-row" = "reading", "x-tone" = "good"))]
    pub read: f64,
    /// Time in which the buses transfer write data, as a fraction of the simulated time.
    #[schemars(extend("x-unit" = "fraction", "x-row" = "writing"))]
    pub write: f64,
    /// Time spent waiting for an activate, as a fraction of the simulated time.
    #[schemars(extend("x-unit" = "fraction", "x-row" = "opening rows", "x-tone" = "bad"))]
    pub row_miss: f64,
    /// Time spent waiting for a precharge of another row, as a fraction of the simulated time.
    #[schemars(extend("x-unit" = "fraction", "x-row" = "bank conflicts", "x-tone" = "bad"))]
    pub bank_conflict: f64,
    /// Time spent on bus turnaround, as a fraction of the simulated time.
    #[schemars(extend("x-unit" = "fraction", "x-row" = "turning the bus", "x-tone" = "warn"))]
    pub turnaround: f64,
    /// Time spent waiting because of limits on activates (tRRD, tFAW), as a fraction of the simulated time.
    #[schemars(extend("x-unit" = "fraction", "x-row" = "activate window", "x-tone" = "bad"))]
    pub activate_window: f64,
    /// Time spent on refreshes, as a fraction of the simulated time.
    #[schemars(extend("x-unit" = "fraction", "x-row" = "refreshing", "x-tone" = "warn"))]
    pub refresh: f64,
    /// Time lost while a row is open, as a fraction of the simulated time. The causes are column spacing, request order
    /// and the limit of one command per clock. The lost time does not include bus turnaround.
    #[schemars(extend("x-unit" = "fraction", "x-row" = "spacing"))]
    pub spacing: f64,
    /// Time without a request, as a fraction of the simulated time.
    #[schemars(extend("x-unit" = "fraction", "x-row" = "idle", "x-tone" = "dim"))]
    pub idle: f64,
}

/// Numbers of issued DRAM commands, by abbreviation; `refb` is a refresh of a single bank.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
pub struct CommandCounts {
    /// Number of activate commands, which open rows.
    #[schemars(extend("x-unit" = "commands", "x-row" = "ACT"))]
    pub act: u64,
    /// Number of precharge commands, which close rows.
    #[schemars(extend("x-unit" = "commands", "x-row" = "PRE"))]
    pub pre: u64,
    /// Number of reads without auto-precharge.
    #[schemars(extend("x-unit" = "commands", "x-row" = "RD"))]
    pub rd: u64,
    /// Number of reads that close their row (auto-precharge).
    #[schemars(extend("x-unit" = "commands", "x-row" = "RDA"))]
    pub rda: u64,
    /// Number of writes without auto-precharge.
    #[schemars(extend("x-unit" = "commands", "x-row" = "WR"))]
    pub wr: u64,
    /// Number of writes that close their row (auto-precharge).
    #[schemars(extend("x-unit" = "commands", "x-row" = "WRA"))]
    pub wra: u64,
    /// Number of refreshes of all banks.
    #[schemars(extend("x-unit" = "commands", "x-row" = "REF"))]
    pub r#ref: u64,
    /// Number of refreshes of one bank.
    #[schemars(extend("x-unit" = "commands", "x-row" = "REFB"))]
    pub refb: u64,
}

/// Statistics of one bank.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct BankUse {
    /// Index of the channel.
    pub channel: u32,
    /// Index of the rank.
    pub rank: u32,
    /// Index of the bank group.
    pub bankgroup: u32,
    /// Index of the bank within its bank group.
    pub bank: u32,
    /// Number of reads from the bank.
    pub reads: u64,
    /// Number of writes to the bank.
    pub writes: u64,
    /// Number of rows opened in the bank.
    pub activates: u64,
    /// Number of rows closed in the bank.
    pub precharges: u64,
    /// Fraction of accesses that hit an open row.
    pub row_hit_rate: f64,
    /// Fraction of the run in which the bus transfers data from or to the bank.
    pub data_share: f64,
}

/// Energy by cause in nanojoules, computed from the currents in the part's datasheet.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct MemoryEnergy {
    /// Energy to open and close rows.
    #[schemars(extend("x-unit" = "nJ", "x-row" = "opening rows"))]
    pub activate_nj: f64,
    /// Energy of reads, without the standby energy.
    #[schemars(extend("x-unit" = "nJ", "x-row" = "reading"))]
    pub read_nj: f64,
    /// Energy of writes, without the standby energy.
    #[schemars(extend("x-unit" = "nJ", "x-row" = "writing"))]
    pub write_nj: f64,
    /// Energy of refreshes.
    #[schemars(extend("x-unit" = "nJ", "x-row" = "refreshing"))]
    pub refresh_nj: f64,
    /// Standby energy with open rows.
    #[schemars(extend("x-unit" = "nJ", "x-row" = "standby, rows open"))]
    pub open_standby_nj: f64,
    /// Standby energy with all rows closed.
    #[schemars(extend("x-unit" = "nJ", "x-row" = "standby, closed"))]
    pub closed_standby_nj: f64,
    /// Total energy.
    #[schemars(extend("x-unit" = "nJ"))]
    pub total_nj: f64,
    /// Mean power during the run.
    #[schemars(extend("x-unit" = "mW"))]
    pub mean_power_mw: f64,
    /// Energy per transferred bit, in picojoules.
    #[schemars(extend("x-unit" = "pJ/bit"))]
    pub pj_per_bit: f64,
}

/// The report of a run that simulates DRAM without a chip. The report of a DRAM run is deterministic.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct MemoryReport {
    /// Preset of the DRAM part.
    pub device: String,
    /// Preset of the controller policy.
    pub policy: String,
    /// Name of the trace file or of the pattern.
    pub input: String,
    /// Format of the trace file, or `pattern`.
    pub format: String,
    /// Version of Linecard.
    pub version: String,
    /// SHA-256 of the part preset and the policy preset, including all changes.
    pub config_hash: String,
    /// Period of the memory clock.
    pub clock_ns: f64,
    /// Number of requests that the controller accepted.
    #[schemars(extend("x-unit" = "requests"))]
    pub requests: u64,
    /// Number of reads.
    #[schemars(extend("x-unit" = "requests"))]
    pub reads: u64,
    /// Number of writes.
    #[schemars(extend("x-unit" = "requests"))]
    pub writes: u64,
    /// Memory clock cycle of the last data beat.
    #[schemars(extend("x-unit" = "clocks"))]
    pub end_clock: u64,
    /// Memory clock cycle in which the controller accepted the last request.
    pub last_accept_clock: u64,
    /// Simulated time until the last data beat.
    #[schemars(extend("x-unit" = "s"))]
    pub simulated_seconds: f64,
    /// Bandwidth over the simulated time, in 10^9 bytes per second.
    #[schemars(extend("x-unit" = "GB/s"))]
    pub bandwidth_gbytes_s: f64,
    /// Peak bandwidth of the buses of all channels, in 10^9 bytes per second.
    #[schemars(extend("x-unit" = "GB/s"))]
    pub peak_gbytes_s: f64,
    /// Fraction of accesses that require no activate command.
    #[schemars(extend("x-unit" = "fraction"))]
    pub row_hit_rate: f64,
    /// Unloaded latency in memory clock cycles: time from acceptance to the last data beat, for a read of a closed
    /// row in an idle memory.
    pub unloaded_read_clocks: u64,
    /// Number of writes that were still queued at the end of the run, neither merged nor sent to the DRAM.
    #[schemars(extend("x-unit" = "requests"))]
    pub writes_left: u64,
    /// Number of writes merged with a queued write to the same address.
    pub writes_merged: u64,
    /// Number of reads whose data came from a queued write.
    #[schemars(extend("x-unit" = "requests"))]
    pub reads_forwarded: u64,
    /// Number of reads that were served with the data of an earlier read.
    #[schemars(extend("x-unit" = "requests"))]
    pub reads_merged: u64,
    /// Latency of the reads.
    pub read: MemoryLatency,
    /// Latency of the writes.
    pub write: MemoryLatency,
    /// Breakdown of the simulated time by activity of the data buses.
    pub time: MemoryTime,
    /// Number of issued DRAM commands, by command.
    pub commands: CommandCounts,
    /// Statistics of every bank of every channel.
    pub banks: Vec<BankUse>,
    /// Energy of the run; `None` if the preset of the part lacks the currents for the energy.
    pub energy: Option<MemoryEnergy>,
    /// Files that could not be written, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub unwritten: Vec<String>,
}

/// Names and numbers of a run that the statistics do not contain.
pub(super) struct Facts {
    pub device: String,
    pub policy: String,
    pub input: String,
    pub format: String,
    pub config_hash: String,
    pub last_accept: u64,
}

/// Combines the statistics of all channels.
pub(super) fn report(facts: Facts, part: &Part, channels: &[&ChannelStatistics]) -> MemoryReport {
    let sum = |of: fn(&ChannelStatistics) -> u64| channels.iter().map(|&c| of(c)).sum::<u64>();
    let end = channels.iter().map(|c| c.end()).max().unwrap_or(0);
    let known = part.currents.as_ref().filter(|currents| include_refresh(currents, part.refresh));
    let seconds = end as f64 * part.period_ns * 1e-9;
    let bytes = sum(|c| c.bytes[0] + c.bytes[1]);
    let organization = &part.organization;
    let per_clock = f64::from(organization.beat_bytes * organization.beats_per_cycle);
    let peak = per_clock * f64::from(part.channels) / part.period_ns;
    let sent = sum(|c| c.sent().iter().sum());
    let (reads, writes) = (sum(|c| c.accepted[0]), sum(|c| c.accepted[1]));
    let merged_writes = sum(|c| c.merged_writes);
    MemoryReport {
        unwritten: Vec::new(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        clock_ns: part.period_ns,
        requests: reads + writes,
        reads,
        writes,
        end_clock: end,
        last_accept_clock: facts.last_accept,
        simulated_seconds: seconds,
        bandwidth_gbytes_s: if end == 0 { 0.0 } else { bytes as f64 / seconds * 1e-9 },
        peak_gbytes_s: peak,
        unloaded_read_clocks: part.unloaded_read_clocks(),
        writes_left: writes - merged_writes - sum(|c| c.sent()[1]),
        writes_merged: merged_writes,
        reads_forwarded: sum(|c| c.forwarded),
        reads_merged: sum(|c| c.merged_reads),
        row_hit_rate: hit_rate(sent, sum(ChannelStatistics::activates)),
        read: latency(channels, 0, part.period_ns),
        write: latency(channels, 1, part.period_ns),
        time: time(channels, end),
        commands: CommandCounts {
            act: sum(ChannelStatistics::activates),
            pre: sum(ChannelStatistics::precharges),
            rd: sum(|c| c.sent()[0] - c.auto_precharges[0]),
            rda: sum(|c| c.auto_precharges[0]),
            wr: sum(|c| c.sent()[1] - c.auto_precharges[1]),
            wra: sum(|c| c.auto_precharges[1]),
            r#ref: sum(|c| c.refreshes),
            refb: sum(|c| c.banks.iter().map(|b| b.refreshes).sum()),
        },
        banks: banks(organization, channels, end),
        energy: known.map(|currents| {
            let timing = energy_timing(part.period_ns, &part.timing, part.refresh, organization);
            let each = channels.iter().map(|c| energy(currents, &timing, organization, c, end));
            memory_energy(each, seconds, bytes)
        }),
        device: facts.device,
        policy: facts.policy,
        input: facts.input,
        format: facts.format,
        config_hash: facts.config_hash,
    }
}

fn hit_rate(accesses: u64, activates: u64) -> f64 {
    if accesses == 0 { 0.0 } else { 1.0 - activates.min(accesses) as f64 / accesses as f64 }
}

fn latency(channels: &[&ChannelStatistics], side: usize, period_ns: f64) -> MemoryLatency {
    let mut all = linecard_sim::Histogram::default();
    channels.iter().for_each(|c| all.merge(&c.latency[side]));
    let count = all.count();
    let part = |n: usize| {
        let sum: u64 = channels.iter().map(|c| c.latency_parts(side)[n]).sum();
        if count == 0 { 0.0 } else { sum as f64 / count as f64 }
    };
    MemoryLatency {
        count,
        mean_clocks: all.mean(),
        mean_ns: all.mean() * period_ns,
        p50_clocks: all.quantile(0.5),
        p90_clocks: all.quantile(0.9),
        p99_clocks: all.quantile(0.99),
        max_clocks: all.max(),
        queue_clocks: part(0),
        bank_clocks: part(1),
        bus_clocks: part(2),
        refresh_clocks: part(3),
    }
}

fn time(channels: &[&ChannelStatistics], end: u64) -> MemoryTime {
    if end == 0 {
        return MemoryTime { idle: 1.0, ..MemoryTime::default() };
    }
    let all = end as f64 * channels.len() as f64;
    let share =
        |of: &dyn Fn(&ChannelStatistics) -> u64| channels.iter().map(|&c| of(c)).sum::<u64>() as f64 / all;
    let lost = |of: fn(&Lost) -> u64| share(&|c: &ChannelStatistics| of(&c.lost));
    MemoryTime {
        read: share(&|c| c.data_cycles[0]),
        write: share(&|c| c.data_cycles[1]),
        row_miss: lost(|l| l.row_miss),
        bank_conflict: lost(|l| l.bank_conflict),
        turnaround: lost(|l| l.turnaround),
        activate_window: lost(|l| l.activate_window),
        refresh: lost(|l| l.refresh),
        spacing: lost(|l| l.spacing),
        // A channel that ended earlier was idle from then on.
        idle: share(&|c| c.lost.idle + (end - c.end())),
    }
}

fn banks(organization: &Organization, channels: &[&ChannelStatistics], end: u64) -> Vec<BankUse> {
    let (per_rank, per_group) =
        (organization.banks / organization.ranks, organization.banks / organization.groups);
    let mut rows = Vec::new();
    for (channel, statistics) in channels.iter().enumerate() {
        for (bank, b) in statistics.banks.iter().enumerate() {
            let flat = bank as u32;
            rows.push(BankUse {
                channel: channel as u32,
                rank: flat / per_rank,
                bankgroup: flat % per_rank / per_group,
                bank: flat % per_group,
                reads: b.reads,
                writes: b.writes,
                activates: b.activates,
                precharges: b.precharges,
                row_hit_rate: hit_rate(b.reads + b.writes, b.activates),
                data_share: if end == 0 { 0.0 } else { b.data_cycles as f64 / end as f64 },
            });
        }
    }
    rows
}

fn memory_energy(
    channels: impl Iterator<Item = linecard_dram::energy::Energy>,
    seconds: f64,
    bytes: u64,
) -> MemoryEnergy {
    let mut e = MemoryEnergy {
        activate_nj: 0.0,
        read_nj: 0.0,
        write_nj: 0.0,
        refresh_nj: 0.0,
        open_standby_nj: 0.0,
        closed_standby_nj: 0.0,
        total_nj: 0.0,
        mean_power_mw: 0.0,
        pj_per_bit: 0.0,
    };
    for c in channels {
        e.activate_nj += c.activate_nj;
        e.read_nj += c.read_nj;
        e.write_nj += c.write_nj;
        e.refresh_nj += c.refresh_nj;
        e.open_standby_nj += c.open_standby_nj;
        e.closed_standby_nj += c.closed_standby_nj;
        e.total_nj += c.total_nj();
    }
    if seconds > 0.0 {
        e.mean_power_mw = e.total_nj * 1e-6 / seconds;
    }
    if bytes > 0 {
        e.pj_per_bit = e.total_nj * 1e3 / (bytes * 8) as f64;
    }
    e
}

impl Part {
    /// Returns the clocks of an unloaded read: one clock to the command queue, tRCD, read latency, burst.
    pub(super) fn unloaded_read_clocks(&self) -> u64 {
        let activate_to_read = self
            .timing
            .constraints
            .iter()
            .filter(|c| {
                c.before.contains(&linecard_dram::Command::Activate)
                    && c.after.contains(&linecard_dram::Command::Read)
            })
            .map(|c| c.cycles)
            .max()
            .unwrap_or(0);
        1 + activate_to_read + self.timing.read_latency + self.organization.data_cycles(self.access_bytes)
    }
}
