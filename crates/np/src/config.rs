//! A machine as plain data, resolved: no names, no units to parse.

use linecard_buffers::AllocatorConfig;
use linecard_dram::{Organization, RowMap, Timing, packet_buffer::Policy};

/// Everything that a machine is built from.
#[derive(Clone, Debug)]
pub struct MachineConfig {
    /// Engines and their threads.
    pub engine: EngineConfig,
    /// SRAM, scratchpad, hash unit, result cache, in the order of `linecard_program::Unit::ALL`.
    pub units: [UnitConfig; 4],
    /// Transfers of one instruction each.
    pub paths: PathsConfig,
    /// What the result cache keeps; `None` for a machine without one.
    pub result_cache: Option<ResultCacheConfig>,
    /// What enqueues and dequeues; `None` where programs do so in SRAM.
    pub queue_manager: Option<QueueManagerConfig>,
    /// The packet buffer.
    pub memory: MemoryConfig,
    /// Input side.
    pub receive: ReceiveConfig,
    /// Output side.
    pub output: OutputConfig,
}

/// Engines.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// Clock, Hz.
    pub clock_hz: u64,
    /// Engines that run input threads; they come first.
    pub input_engines: u32,
    /// Engines that run output threads.
    pub output_engines: u32,
    /// Threads of an engine, 1 to 64.
    pub threads: u32,
    /// Cycles lost when an engine goes from one thread to another.
    pub switch_cycles: u32,
    /// Issue slots lost to taken branches.
    pub branch: BranchConfig,
    /// Packet-buffer writes that a thread may have under way before it waits; 1 waits for each.
    pub posted_writes: u32,
}

/// Taken branches and the empty issue slots behind them.
#[derive(Clone, Copy, Debug)]
pub struct BranchConfig {
    /// Share of the instructions that are taken branches; 0 for none.
    pub share: f64,
    /// Cycles lost with each.
    pub lost_cycles: u32,
    /// Seed of where they are.
    pub seed: u64,
}

/// Of what transfers between components are made, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub struct PathsConfig {
    /// From a thread to a unit.
    pub issue_ps: u64,
    /// From a unit back to the thread.
    pub return_ps: u64,
    /// To fetch the data of a transfer from registers.
    pub pull_engine_ps: u64,
    /// To deliver them to registers.
    pub push_engine_ps: u64,
    /// To fetch them from the receive buffer.
    pub pull_fifo_ps: u64,
    /// To deliver them to the transmit buffer.
    pub push_fifo_ps: u64,
    /// For which a transfer to or from registers needs the receive or transmit buffer itself.
    pub fifo_ps: u64,
    /// What an access of DRAM costs beside its bytes.
    pub dram_access_ps: u64,
    /// Peak of the DRAM's bus.
    pub dram_bytes_per_second: u64,
}

/// A unit: a server with a queue.
#[derive(Clone, Copy, Debug)]
pub struct UnitConfig {
    /// Picoseconds from the issue of an access to its result, when the unit is idle.
    pub latency_ps: u64,
    /// Picoseconds for which an access keeps the unit busy, for each word.
    pub word_ps: u64,
    /// Picoseconds for which an access keeps the unit busy, whatever its words.
    pub access_ps: u64,
    /// Picoseconds to the unit and back, on top.
    pub transit_ps: u64,
}

/// A cache of lookup results, by digest of the flow.
#[derive(Clone, Debug)]
pub struct ResultCacheConfig {
    /// Shape and policy; not an oracle.
    pub configuration: linecard_flowcache::Configuration,
    /// What makes a flow.
    pub key: linecard_flowcache::Key,
    /// What makes its digest.
    pub digester: linecard_flowcache::Digester,
    /// Seed of the policies that draw.
    pub seed: u64,
}

/// A queue manager with a memory of its own.
#[derive(Clone, Debug)]
pub struct QueueManagerConfig {
    /// Which.
    pub kind: linecard_queueing::Kind,
    /// Its numbers; threads and queues are those of the machine.
    pub settings: linecard_queueing::Settings,
}

/// How cells reach the packet buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferPath {
    /// Threads move cells to and from DRAM.
    Direct,
    /// Threads move cells to and from per-queue caches, and these move blocks to and from DRAM (ADAPT).
    Wide {
        /// Cells in a block.
        block_cells: u32,
        /// Blocks of room in each of a queue's two caches.
        blocks: u32,
        /// Picoseconds to move a cell between a thread and a cache.
        cell_ps: u64,
    },
}

/// The packet buffer.
#[derive(Clone, Debug)]
pub struct MemoryConfig {
    /// DRAM clock, Hz.
    pub clock_hz: u64,
    /// How the DRAM is divided.
    pub organization: Organization,
    /// DRAM timing.
    pub timing: Timing,
    /// Rows to banks.
    pub row_map: RowMap,
    /// The controller's rules.
    pub policy: Policy,
    /// Whether the two writes of a packet's first cell are requests of their own, or one turn of the controller.
    pub halves_apart: bool,
    /// Where cells are placed.
    pub allocator: AllocatorConfig,
    /// Picoseconds from a thread to the controller and back, in all, beside the controller's own time.
    pub latency_ps: u64,
    /// How cells get there.
    pub path: BufferPath,
}

/// When packets arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveMode {
    /// Every input thread always finds a packet (Hasan 2003, section 5.3).
    Ready,
    /// Packets arrive at their own times and are dropped when their port's buffer is full.
    Paced {
        /// Cells of receive buffer of each port.
        buffer_cells: u32,
    },
}

/// Input side.
#[derive(Clone, Copy, Debug)]
pub struct ReceiveConfig {
    /// Input ports; threads are mapped to them statically, in turn.
    pub ports: u32,
    /// Of those the last ones, which get ten times as much traffic each.
    pub fast_ports: u32,
    /// Picoseconds for which a cell occupies the bus between MACs and chip, in or out (paced); 0 for no limit.
    pub bus_cell_ps: u64,
    /// When packets arrive.
    pub mode: ReceiveMode,
}

/// Output side.
#[derive(Clone, Copy, Debug)]
pub struct OutputConfig {
    /// Output ports, 1 to 64, with one queue each; mapped to threads statically, in turn.
    pub ports: u32,
    /// Cells that a thread moves in a turn (t of Hasan 2003, section 4.3).
    pub block_cells: u32,
    /// Transmit slots of a port; each takes a block.
    pub slots: u32,
    /// Picoseconds from the end of a block's move until its slot has been handed over.
    pub handshake_ps: u64,
    /// Picoseconds for which each cell keeps its slot after that.
    pub drain_cell_ps: u64,
    /// Of the ports the last ones, with slots that cells leave sooner.
    pub fast_ports: u32,
    /// Picoseconds for which each cell keeps a slot of those.
    pub fast_drain_cell_ps: u64,
    /// Packets that may be in transit to a queue; input threads wait for room.
    pub queue_packets: u32,
}
