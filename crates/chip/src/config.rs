//! A chip as plain data with all names and units resolved.
//!
//! Names remain where people read them (results, errors); parts refer to each other by number. The author of
//! the configuration assigns the numbers, in the order of the lists here.

pub use crate::place::ServerConfig;

use crate::dispatch::DispatchRule;
use crate::place::{Banked, Kind};
pub use crate::scheduler::config::{
    ClassConfig, GroupConfig, Member, SchedulerConfig, ShaperConfig, ShareConfig,
};
use linecard_buffers::AllocatorConfig;
use linecard_dram::channel::{Policy, RefreshMode};
use linecard_dram::{Device, FieldMap, RowMap, SlotConfig, packet_buffer};
use std::sync::Arc;

/// The configuration of a chip.
#[derive(Clone, Debug)]
pub struct ChipConfig {
    /// Clusters of engines.
    pub clusters: Vec<ClusterConfig>,
    /// Memories and accelerators.
    pub places: Vec<PlaceConfig>,
    /// Links between clusters and memories or units.
    pub links: Vec<LinkConfig>,
    /// Names of the roles by which programs and ports refer to memories and units.
    pub roles: Vec<String>,
    /// The memory or unit of each role, by cluster: `targets[cluster][role]`.
    pub targets: Vec<Vec<Option<TargetConfig>>>,
    /// Queues in which packets wait for threads.
    pub inboxes: Vec<InboxConfig>,
    /// Pools of cells that hold packets between a port and a thread.
    pub pools: Vec<PoolConfig>,
    /// Ports, receive and transmit.
    pub ports: Vec<PortConfig>,
    /// The order in which packets leave.
    pub order: OrderConfig,
    /// The memory that keeps packets; `None` if they stay in the receive buffer until they leave.
    pub packets: Option<PacketMemoryConfig>,
    /// The transmit buffer that programs fill and ports send from, cell by cell; `None` if ports send whole
    /// packets.
    pub transmit: Option<TransmitBufferConfig>,
    /// A packet always waits, and arrivals have no times: the run measures the capacity of the chip.
    pub saturated: bool,
    /// Seed of every random stream of the chip.
    pub seed: u64,
}

/// Engines that are alike and take packets from the same inboxes.
#[derive(Clone, Debug)]
pub struct ClusterConfig {
    /// Name in results, such as `island.3`.
    pub name: String,
    /// Group in results, such as `island`.
    pub group: String,
    /// Clock of the engines, Hz.
    pub clock_hz: u64,
    /// Engines.
    pub engines: u32,
    /// Threads of an engine.
    pub threads: u32,
    /// Threads in use, by engine; `None` uses all of them.
    pub in_use: Option<Vec<u32>>,
    /// Cycles lost when an engine switches to another thread.
    pub switch_cycles: u32,
    /// Cycles of the engine to issue an access or an operation, beside the program's.
    pub issue_cycles: u32,
    /// The same for a posted one.
    pub post_cycles: u32,
    /// Fraction of the instructions that are taken branches, and cycles lost with each.
    pub branch_share: f64,
    /// See `branch_share`.
    pub branch_lost_cycles: u32,
    /// Most posted operations that a thread may have outstanding before it waits, at least 1.
    pub posted: u32,
    /// Inboxes from which its threads take packets, in order of priority.
    pub takes: Vec<usize>,
    /// If set, its threads take blocks of at most this number of cells instead of packets, and move them to the
    /// transmit slots of ports.
    pub block_cells: Option<u16>,
    /// Number of the program that its threads run.
    pub program: usize,
    /// The ready thread that an engine runs next.
    pub next_thread: NextThread,
    /// The data cache of each engine, between its threads and memories.
    pub data_cache: Option<DataCacheConfig>,
}

impl ClusterConfig {
    /// Returns the threads in use of an engine.
    pub fn threads_of(&self, engine: u32) -> u32 {
        match &self.in_use {
            Some(each) => each.get(engine as usize).copied().unwrap_or(0).min(self.threads),
            None => self.threads,
        }
    }

    /// Returns the threads in use of all engines.
    pub fn all_threads(&self) -> u32 {
        (0..self.engines).map(|engine| self.threads_of(engine)).fold(0, u32::saturating_add)
    }
}

/// The ready thread that an engine runs next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NextThread {
    /// The next one by number.
    #[default]
    RoundRobin,
    /// The one that has been ready for longest.
    FirstReady,
}

/// The line of a set that a cache evicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacement {
    /// The one used least recently.
    #[default]
    LeastRecent,
    /// One drawn at random.
    Random,
}

/// A data cache in each engine of a cluster, in front of memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataCacheConfig {
    /// Each thread has a separate cache; otherwise the threads of an engine share one.
    pub per_thread: bool,
    /// Groups of memories that it caches; atomic operations bypass it.
    pub of: Vec<String>,
    /// Sets.
    pub sets: u32,
    /// Lines of a set.
    pub ways: u32,
    /// Bytes of a line, a power of two.
    pub line_bytes: u32,
    /// The line of a set that it evicts.
    pub replacement: Replacement,
    /// Cycles from a load that hits to its value.
    pub latency_cycles: u32,
    /// A thread leaves its engine to others for these cycles; otherwise it keeps the engine.
    pub leaves_engine: bool,
}

/// A memory or an accelerator.
#[derive(Clone, Debug)]
pub struct PlaceConfig {
    /// Name in results, such as `ctm.3`.
    pub name: String,
    /// Group in results, such as `ctm`.
    pub group: String,
    /// How it serves accesses.
    pub kind: PlaceKind,
}

/// How a memory or a unit serves accesses.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a chip has few places, and a box would be in the way of whoever writes one"
)]
pub enum PlaceKind {
    /// One queue in front of one or more servers.
    Server(ServerConfig),
    /// Banks, each a server.
    Banked(Banked),
    /// Any other kind that knows the completion time of an access at its arrival. The kinds above are used so
    /// often that they have variants of their own.
    Of(Arc<dyn Kind>),
    /// DRAM behind controllers with queues.
    Dram(DramConfig),
    /// A cache in front of another memory.
    Cached(CacheConfig),
    /// DRAM with a fixed number of slots for accesses of any size.
    Slots(SlotsConfig),
    /// DRAM behind packet-buffer controllers.
    PacketBuffer(PacketBufferConfig),
    /// A cache of lookup results.
    Results(ResultCacheConfig),
    /// A manager of packet lists, with a separate memory.
    QueueManager(QueueManagerConfig),
}

/// DRAM behind controllers that serve one access after another, each of at most a row (Hasan 2003, section 4).
#[derive(Clone, Debug)]
pub struct PacketBufferConfig {
    /// Clock of the device, Hz.
    pub clock_hz: u64,
    /// Timing and organisation of one channel.
    pub device: Device,
    /// Which access is next, and when rows are closed and opened.
    pub rules: packet_buffer::Policy,
    /// Which banks are refreshed, and when.
    pub refresh: RefreshMode,
    /// The map from rows to banks.
    pub rows: RowMap,
    /// Whether the two writes of a cell that comes partly from registers are separate requests, or one access
    /// of the controller.
    pub halves_apart: bool,
    /// A cell of at least this number of bytes is two writes.
    pub halves_from_bytes: u32,
    /// Parallel channels.
    pub channels: u32,
    /// Block of addresses in one channel before the next channel follows; bytes, a power of two.
    pub interleave_bytes: u32,
    /// Latency from the chip to the controller and back, total; picoseconds.
    pub latency_ps: u64,
}

/// A cache of lookup results, by digest of the flow (Girish 2008, chapter 5).
#[derive(Clone, Debug)]
pub struct ResultCacheConfig {
    /// The cost of an access.
    pub port: ServerConfig,
    /// Shape and policy; not an oracle.
    pub configuration: linecard_flowcache::Configuration,
    /// The header fields that identify a flow.
    pub key: linecard_flowcache::Key,
    /// The digest of a flow.
    pub digester: linecard_flowcache::Digester,
    /// Seed of the policies that draw random numbers.
    pub seed: u64,
}

/// A queue manager with a separate memory (Kumar 2006).
#[derive(Clone, Debug)]
pub struct QueueManagerConfig {
    /// The kind of the manager.
    pub kind: linecard_queueing::Kind,
    /// Its numbers; threads and queues are those of the chip.
    pub settings: linecard_queueing::Settings,
}

/// DRAM whose controller serves several accesses in parallel in banks (Girish 2008, section 3.2).
#[derive(Clone, Copy, Debug)]
pub struct SlotsConfig {
    /// Clock of the DRAM, Hz.
    pub clock_hz: u64,
    /// Banks, slots, timing.
    pub slots: SlotConfig,
    /// The bank of an address.
    pub interleaving: Interleaving,
    /// Bytes of a bank, a power of two.
    pub bank_bytes: u64,
    /// When engines stall; `None` if they never do.
    pub back_pressure: Option<BackPressure>,
}

/// An engine stalls when one of its threads issues an access while this number of requests is outstanding
/// (Girish 2008, section 3.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackPressure {
    /// Outstanding requests.
    pub requests: u32,
    /// Bytes of a request; a larger access counts as several.
    pub request_bytes: u32,
}

/// The address bits that select the bank (Girish 2008, section 3.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interleaving {
    /// The highest: all cells of a packet are in one bank.
    HighOrder,
    /// Those above the cell: consecutive cells of a packet are in consecutive banks.
    MiddleOrder,
}

/// DRAM.
#[derive(Clone, Debug)]
pub struct DramConfig {
    /// Clock of the device, Hz.
    pub clock_hz: u64,
    /// Timing and organisation of one channel.
    pub device: Device,
    /// The controller's rules.
    pub policy: Policy,
    /// The map from an address within the channel to rank, bank, row and column.
    pub map: FieldMap,
    /// Bytes of one access of the device.
    pub access_bytes: u32,
    /// Parallel channels.
    pub channels: u32,
    /// Block of addresses in one channel before the next channel follows; bytes.
    pub interleave_bytes: u32,
    /// Latency from the chip to the controller and back, total; picoseconds.
    pub latency_ps: u64,
}

/// A write-back cache that allocates on reads and writes.
#[derive(Clone, Debug)]
pub struct CacheConfig {
    /// The cache's own pipe: the cost of every access, hit or miss.
    pub port: ServerConfig,
    /// Bytes of a line, a power of two.
    pub line_bytes: u32,
    /// Sets.
    pub sets: u32,
    /// Lines of a set.
    pub ways: u32,
    /// The line of a set that it evicts.
    pub replacement: Replacement,
    /// Ways of a set that accesses of ports may fill; at least 1.
    pub port_ways: u32,
    /// Number of the memory behind it.
    pub behind: usize,
}

/// A link: bytes cross it one after another, and then take its latency.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// Name in results.
    pub name: String,
    /// Latency from one end to the other, picoseconds.
    pub latency_ps: u64,
    /// Time for which each byte occupies it, femtoseconds.
    pub byte_fs: u64,
}

/// The route of a cluster to the memory or unit of a role.
#[derive(Clone, Debug)]
pub struct TargetConfig {
    /// Number of the memory or unit.
    pub place: usize,
    /// First byte of the role's data in the memory.
    pub base: u64,
    /// Latency from the thread to the first link or the memory, picoseconds.
    pub issue_ps: u64,
    /// Latency from the memory back to the thread, picoseconds.
    pub back_ps: u64,
    /// Links of the route, in order.
    pub links: Vec<usize>,
}

/// A queue in which packets wait for threads, and its rule of dispatch.
#[derive(Clone, Debug)]
pub struct InboxConfig {
    /// Name in results.
    pub name: String,
    /// The rule.
    pub rule: DispatchRule,
    /// Packets that may wait in it; a thread with one more waits. `None` for packets of ports, which wait in
    /// their receive buffer.
    pub capacity: Option<u32>,
    /// Most packets that have left it and have not ended (departed, dropped or finished); further packets wait
    /// in it. `None` means no limit.
    pub window: Option<u32>,
}

/// The cells of a receive buffer.
#[derive(Clone, Debug)]
pub struct PoolConfig {
    /// Name in results.
    pub name: String,
    /// Cells.
    pub cells: u32,
    /// When they are free again.
    pub release: Release,
}

/// When the cells of a packet in the receive buffer are free again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// Each cell when it has been moved.
    Cell,
    /// All cells when the last has been moved.
    Packet,
}

/// A buffer to which programs move packets cell by cell, and from which ports send them. A cell is free when
/// its port has sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitBufferConfig {
    /// Cells, more than output ports.
    pub cells: u32,
    /// When packets take cells.
    pub room: TransmitRoom,
    /// When packets are kept in memory; `None` if programs keep all of them there.
    pub watermarks: Option<Watermarks>,
}

/// When a packet takes cells of the transmit buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransmitRoom {
    /// Each cell when its move begins. One cell per port is reserved for packets at the head of their queues,
    /// so that no packet can block an earlier one of its port.
    Cell,
    /// All cells before the first move, packets of a port in the order of the queue. A packet larger than the
    /// buffer is dropped.
    Packet,
}

/// The level that watermarks are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    /// Bytes in the transmit buffer.
    Buffer,
    /// Bytes of the packets in the queue that have not been sent, in the buffer or on their way to it.
    Queue,
}

/// Watermarks on the bytes of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watermarks {
    /// Which of its bytes.
    pub of: Looked,
    /// Above this level, its packets are kept in memory.
    pub high_bytes: u32,
    /// At this level or below, its packets are kept in memory no longer.
    pub low_bytes: u32,
}

/// A port: its receive side and its transmit side.
#[derive(Clone, Debug)]
pub struct PortConfig {
    /// Name in results, such as `eth.0`.
    pub name: String,
    /// Group in results.
    pub group: String,
    /// Bytes of a frame on the wire beside its own: preamble, gap, and check sequence if sizes do not include
    /// it.
    pub overhead_bytes: u32,
    /// The receive side.
    pub receive: Option<ReceiveConfig>,
    /// The transmit side.
    pub transmit: Option<TransmitConfig>,
}

/// The receive side of a port.
#[derive(Clone, Debug)]
pub struct ReceiveConfig {
    /// Rate of the wire in bits per second.
    pub bits_per_second: u64,
    /// Whether latencies begin with the first bit of a frame and not with its last, and so include its time on
    /// the wire.
    pub from_first_bit: bool,
    /// Number of the pool that holds its packets.
    pub pool: usize,
    /// Number of the inbox that its packets join.
    pub inbox: usize,
    /// Number of the link that cells cross to a thread, which waits for them; `None` if the thread has them at
    /// once.
    pub bus: Option<usize>,
}

/// The transmit side of a port.
#[derive(Clone, Debug)]
pub struct TransmitConfig {
    /// Rate of the wire in bits per second; 0 for a port that is never busy.
    pub bits_per_second: u64,
    /// Capacity of the queue of a class, in packets.
    pub queue_packets: u32,
    /// What happens to a packet whose queue is full.
    pub when_full: WhenFull,
    /// The classes, each with a queue, and the rule by which they send.
    pub scheduler: SchedulerConfig,
    /// Cells of the buffer between the queues and the wire, for packets that come from a memory.
    pub buffer_cells: u32,
    /// Slots that output threads fill, block by block; only on chips with output threads.
    pub slots: Option<TransmitSlotsConfig>,
    /// Number of the link that cells cross from the slots to the port; `None` if the port has them at once.
    pub bus: Option<usize>,
}

/// Transmit slots of a port. Each holds a block until the block has been handed over and has drained; then the
/// block goes on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitSlotsConfig {
    /// Slots of the port, 1 to 128.
    pub slots: u32,
    /// Time from the end of a block's move to the end of the handshake; picoseconds.
    pub handshake_ps: u64,
    /// Time for which each cell occupies its slot after that; picoseconds.
    pub drain_cell_ps: u64,
}

/// What happens to a packet whose queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// It is dropped. If output threads send blocks, the test comes when the packet is complete in memory, and
    /// counts the packets that wait there for a thread.
    Drop,
    /// Its thread waits for room. If output threads send blocks, the test comes before the packet is stored,
    /// and counts the admitted packets that have not left.
    Wait,
}

/// The order in which packets enter the output queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderConfig {
    /// The packets among which order is kept.
    pub kept: OrderKept,
    /// Packets that may wait for earlier ones; a thread with one more waits.
    pub window: u32,
}

/// The packets among which order is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKept {
    /// Packets of a flow.
    Flow,
    /// Packets that arrived at one port.
    Port,
    /// None: packets leave when they are done.
    Nothing,
}

/// The memory that keeps packets.
#[derive(Clone, Debug)]
pub struct PacketMemoryConfig {
    /// The role that names the memory.
    pub role: usize,
    /// Where packets are placed in it.
    pub placement: PlacementRule,
    /// Programs allocate room ([`linecard_program::script::Action::Allocate`]); otherwise packets get it at
    /// arrival.
    pub placed_by_programs: bool,
    /// Caches of the output queues, between threads and the memory.
    pub wide: Option<WideConfig>,
    /// Ports write packets to memory before threads get them; otherwise programs move cells themselves.
    pub received_by_ports: bool,
    /// Ports read packets from memory; otherwise programs have moved their cells.
    pub sent_by_ports: bool,
}

/// Two caches for each output queue, which move whole blocks of cells to and from memory (ADAPT of Hasan 2003,
/// section 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WideConfig {
    /// Cells of a block, 1 to 32.
    pub block_cells: u32,
    /// Capacity in blocks of each of a queue's two caches.
    pub blocks: u32,
    /// Time to move a cell between a thread and a cache; picoseconds.
    pub cell_ps: u64,
}

/// Where packets are placed in their memory.
#[derive(Clone, Debug)]
pub enum PlacementRule {
    /// An allocator of buffers or pages.
    Allocator(AllocatorConfig),
    /// Each packet begins in a bank drawn at random, and there is always room ([`PlaceKind::Slots`] only).
    RandomBank,
}
