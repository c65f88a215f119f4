//! What a machine measured.

use crate::paths::PathCounts;
use linecard_dram::packet_buffer::Statistics;
use linecard_sim::{Histogram, Ticks};

/// Mean time of a packet in one way.
#[derive(Clone, Debug)]
pub struct PartTime {
    /// `compute`, `wait dram`, …
    pub part: &'static str,
    /// Ticks summed over all packets.
    pub ticks: u128,
}

/// Everything counted while statistics were on. Times are ticks of the machine's timebase.
#[derive(Clone, Debug)]
pub struct Counts {
    /// Length of the measurement.
    pub duration: Ticks,
    /// Packets that arrived, dropped ones included.
    pub packets_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Packets that left.
    pub packets_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Packets dropped, by `DropReason` number.
    pub drops: [u64; linecard_program::DropReason::ALL.len()],
    /// From arrival until the last cell has left its slot.
    pub latency: Histogram,
    /// Where that time went.
    pub packet_time: Vec<PartTime>,
    /// Busy, polling and idle time of each engine.
    pub engines: Vec<[Ticks; 3]>,
    /// Whether each engine runs input threads.
    pub engine_is_input: Vec<bool>,
    /// Busy time and accesses of each unit, in the order of `Unit::ALL`.
    pub units: [(Ticks, u64); 4],
    /// Time for which cells crossed the bus between MACs and chip.
    pub bus: Ticks,
    /// What the DRAM did for transfers of one instruction each.
    pub paths: PathCounts,
    /// Lookups that the result cache answered, and all; `None` for a machine without one.
    pub result_cache: Option<(u64, u64)>,
    /// What the queue manager did; `None` for a machine without one.
    pub queue_manager: Option<linecard_queueing::Usage>,
    /// The DRAM controller's counters, in cycles of its clock.
    pub dram: Statistics,
    /// DRAM cycles of the measurement.
    pub dram_cycles: u64,
    /// Share of the time for which the transmit slots of each output port were taken.
    pub transmit_use: Vec<f64>,
    /// Share of the time for which each input thread held a packet.
    pub input_thread_use: Vec<f64>,
    /// Packets in the machine and its receive buffers when statistics started, and at the end: what came in less what
    /// left and was dropped is the difference.
    pub inside_at_start: u64,
    /// See `inside_at_start`.
    pub inside_at_end: u64,
    /// Mean packets in transit.
    pub packets_inside: f64,
    /// Mean cells of packet buffer in use.
    pub cells_in_use: f64,
    /// Blocks of the wide path handed over inside the chip, and written to DRAM.
    pub wide_blocks: Option<(u64, u64)>,
}
