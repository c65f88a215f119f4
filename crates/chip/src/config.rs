//! A chip as plain data, resolved: no names to look up, no units to parse.
//!
//! Names stay where people read them (results, errors); everything else refers by number. Numbers are given out by
//! whoever builds the configuration, in the order of the lists here.

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

/// Everything that a chip is built from.
#[derive(Clone, Debug)]
pub struct ChipConfig {
    /// Clusters of engines.
    pub clusters: Vec<ClusterConfig>,
    /// Memories and accelerators.
    pub places: Vec<PlaceConfig>,
    /// Links between clusters and places.
    pub links: Vec<LinkConfig>,
    /// Names of the roles that programs and ports ask places by.
    pub roles: Vec<String>,
    /// For each cluster the place of each role: `targets[cluster][role]`.
    pub targets: Vec<Vec<Option<TargetConfig>>>,
    /// Where packets wait for threads.
    pub inboxes: Vec<InboxConfig>,
    /// Pools of cells that packets stand in between a port and a thread.
    pub pools: Vec<PoolConfig>,
    /// Ports, inward and outward.
    pub ports: Vec<PortConfig>,
    /// The order in which packets leave.
    pub order: OrderConfig,
    /// Where packets are kept; `None` where they stay in the receive buffer until they leave.
    pub packets: Option<PacketMemoryConfig>,
    /// The transmit buffer that programs fill and ports send from, cell by cell; `None` where ports send packets whole.
    pub transmit: Option<TransmitBufferConfig>,
    /// A packet always waits, and arrivals have no times: what the chip can do.
    pub saturated: bool,
    /// Seed of every random stream of the chip.
    pub seed: u64,
}

/// Engines that are alike and take from the same inboxes.
#[derive(Clone, Debug)]
pub struct ClusterConfig {
    /// Name in results, such as `island.3`.
    pub name: String,
    /// What it is one of, such as `island`.
    pub group: String,
    /// Clock of the engines, Hz.
    pub clock_hz: u64,
    /// Engines.
    pub engines: u32,
    /// Threads of an engine.
    pub threads: u32,
    /// How many of them are in use, engine by engine; all of them, without.
    pub in_use: Option<Vec<u32>>,
    /// Cycles lost when an engine goes from one thread to another.
    pub switch_cycles: u32,
    /// Cycles of the engine to issue an operation on a place, beside the program's.
    pub issue_cycles: u32,
    /// The same for one that the thread does not wait for.
    pub post_cycles: u32,
    /// Share of the instructions that are taken branches, and cycles lost with each.
    pub branch_share: f64,
    /// See `branch_share`.
    pub branch_lost_cycles: u32,
    /// Posted operations that a thread may have under way before it waits, at least 1.
    pub posted: u32,
    /// Inboxes that its threads take from, the first before the others.
    pub takes: Vec<usize>,
    /// Its threads take no packets but blocks of at most so many cells, and move them to the transmit slots of ports.
    pub block_cells: Option<u16>,
    /// Number of the program that its threads run.
    pub program: usize,
    /// Which of its ready threads an engine runs next.
    pub next_thread: NextThread,
    /// What each engine has between its threads and memories.
    pub data_cache: Option<DataCacheConfig>,
}

impl ClusterConfig {
    /// Threads in use of an engine.
    pub fn threads_of(&self, engine: u32) -> u32 {
        match &self.in_use {
            Some(each) => each.get(engine as usize).copied().unwrap_or(0).min(self.threads),
            None => self.threads,
        }
    }

    /// Threads in use of all engines.
    pub fn all_threads(&self) -> u32 {
        (0..self.engines).map(|engine| self.threads_of(engine)).sum()
    }
}

/// Which of its ready threads an engine runs next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NextThread {
    /// The next by number.
    #[default]
    RoundRobin,
    /// The one that has been ready for longest.
    FirstReady,
}

/// Which line of a set makes room for another.
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
    /// Each thread has one of its own; otherwise the threads of an engine share one.
    pub per_thread: bool,
    /// Groups of places that it stands in front of; atomic operations pass it by.
    pub of: Vec<String>,
    /// Sets.
    pub sets: u32,
    /// Lines of a set.
    pub ways: u32,
    /// Bytes of a line, a power of two.
    pub line_bytes: u32,
    /// Which line of a set makes room.
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
    /// What it is one of, such as `ctm`.
    pub group: String,
    /// How it serves.
    pub kind: PlaceKind,
}

/// How a place serves accesses.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a chip has few places, and a box would be in the way of whoever writes one"
)]
pub enum PlaceKind {
    /// One queue in front of one or several servers.
    Server(ServerConfig),
    /// Banks, each a server.
    Banked(Banked),
    /// Any other kind that knows when an access is done when it arrives. Chips ask memories of the kinds above so often that
    /// they are known by name.
    Of(Arc<dyn Kind>),
    /// DRAM behind controllers with queues.
    Dram(DramConfig),
    /// A cache in front of another place.
    Cached(CacheConfig),
    /// DRAM with a fixed number of slots for accesses of any size.
    Slots(SlotsConfig),
    /// DRAM behind packet-buffer controllers.
    PacketBuffer(PacketBufferConfig),
    /// A cache of lookup results.
    Results(ResultCacheConfig),
    /// What puts packets into lists and takes them out, with a memory of its own.
    QueueManager(QueueManagerConfig),
}

/// DRAM behind controllers that serve one access after another, of up to a row (Hasan 2003, section 4).
#[derive(Clone, Debug)]
pub struct PacketBufferConfig {
    /// Clock of the device, Hz.
    pub clock_hz: u64,
    /// Timing and organisation of one channel.
    pub device: Device,
    /// What is served next, and when rows are closed and opened.
    pub rules: packet_buffer::Policy,
    /// Which banks are refreshed when.
    pub refresh: RefreshMode,
    /// Rows to banks.
    pub rows: RowMap,
    /// Whether the two writes of a cell that comes partly from registers are requests of their own, or one turn of the
    /// controller.
    pub halves_apart: bool,
    /// Least bytes of a cell that are two writes at all.
    pub halves_from_bytes: u32,
    /// Parts side by side.
    pub channels: u32,
    /// Bytes after which an address goes on in the next part, a power of two.
    pub interleave_bytes: u32,
    /// From the chip to the controller and back, in all; picoseconds.
    pub latency_ps: u64,
}

/// A cache of lookup results, by digest of the flow (Girish 2008, chapter 5).
#[derive(Clone, Debug)]
pub struct ResultCacheConfig {
    /// What an access costs.
    pub port: ServerConfig,
    /// Shape and policy; not an oracle.
    pub configuration: linecard_flowcache::Configuration,
    /// What makes a flow.
    pub key: linecard_flowcache::Key,
    /// What makes its digest.
    pub digester: linecard_flowcache::Digester,
    /// Seed of the policies that draw.
    pub seed: u64,
}

/// A queue manager with a memory of its own (Kumar 2006).
#[derive(Clone, Debug)]
pub struct QueueManagerConfig {
    /// Which.
    pub kind: linecard_queueing::Kind,
    /// Its numbers; threads and queues are those of the chip.
    pub settings: linecard_queueing::Settings,
}

/// DRAM whose controller has so many accesses in hand, side by side in banks (Girish 2008, section 3.2).
#[derive(Clone, Copy, Debug)]
pub struct SlotsConfig {
    /// Clock of the DRAM, Hz.
    pub clock_hz: u64,
    /// Banks, slots, timing.
    pub slots: SlotConfig,
    /// Which bank an address lies in.
    pub interleaving: Interleaving,
    /// Bytes of a bank, a power of two.
    pub bank_bytes: u64,
    /// When engines stand still; `None` where they never do.
    pub back_pressure: Option<BackPressure>,
}

/// An engine stands still when one of its threads asks for an access while so many requests are outstanding (Girish 2008,
/// section 3.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackPressure {
    /// Outstanding requests.
    pub requests: u32,
    /// Bytes of an access that are one request; a larger access is several.
    pub request_bytes: u32,
}

/// Which address bits choose the bank (Girish 2008, section 3.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interleaving {
    /// The highest: all cells of a packet lie in one bank.
    HighOrder,
    /// Those above the cell: cells of a packet lie in banks one after the other.
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
    /// From an address within the part to channel, bank, row and column.
    pub map: FieldMap,
    /// Bytes of one access of the device.
    pub access_bytes: u32,
    /// Parts side by side.
    pub channels: u32,
    /// Bytes after which an address goes on in the next part.
    pub interleave_bytes: u32,
    /// From the chip to the controller and back, in all; picoseconds.
    pub latency_ps: u64,
}

/// A cache that writes back and allocates on writes.
#[derive(Clone, Debug)]
pub struct CacheConfig {
    /// The cache's own pipe: what every access costs, hit or miss.
    pub port: ServerConfig,
    /// Bytes of a line, a power of two.
    pub line_bytes: u32,
    /// Sets.
    pub sets: u32,
    /// Lines of a set.
    pub ways: u32,
    /// Which line of a set makes room.
    pub replacement: Replacement,
    /// Of these, the ways that lines which ports bring in may take; at least 1.
    pub port_ways: u32,
    /// Number of the place behind it.
    pub behind: usize,
}

/// A link: bytes one after another, then a latency.
#[derive(Clone, Debug)]
pub struct LinkConfig {
    /// Name in results.
    pub name: String,
    /// From one end to the other, picoseconds.
    pub latency_ps: u64,
    /// For which each byte keeps it busy, femtoseconds.
    pub byte_fs: u64,
}

/// How a cluster reaches the place of a role.
#[derive(Clone, Debug)]
pub struct TargetConfig {
    /// Number of the place.
    pub place: usize,
    /// First byte of the role's data in the place.
    pub base: u64,
    /// From the thread to the first link or the place, picoseconds.
    pub issue_ps: u64,
    /// From the place back to the thread, picoseconds.
    pub back_ps: u64,
    /// Links on the way, in order.
    pub links: Vec<usize>,
}

/// Where packets wait for threads, and which thread gets one.
#[derive(Clone, Debug)]
pub struct InboxConfig {
    /// Name in results.
    pub name: String,
    /// The rule.
    pub rule: DispatchRule,
    /// Packets that may wait in it; whoever puts one more waits. Nothing for packets of ports, which wait in their
    /// receive buffer.
    pub capacity: Option<u32>,
    /// Packets that have been taken out of it and have not ended (left, been dropped, or finished), at most: further ones
    /// wait in it. As many as come, without.
    pub window: Option<u32>,
}

/// Cells of a receive buffer.
#[derive(Clone, Debug)]
pub struct PoolConfig {
    /// Name in results.
    pub name: String,
    /// Cells.
    pub cells: u32,
    /// When they are free again.
    pub release: Release,
}

/// When the cells of a packet in the receive buffer are free for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// Each as soon as it has been moved.
    Cell,
    /// All of them, when the last has been moved.
    Packet,
}

/// A buffer that programs move packets to, cell by cell, and that ports send them from. A cell is free when its port has
/// sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitBufferConfig {
    /// Cells, more than output ports.
    pub cells: u32,
    /// When cells are taken.
    pub room: TransmitRoom,
    /// When packets are kept in memory; `None` where programs keep all of them there anyway.
    pub watermarks: Option<Watermarks>,
}

/// When a packet takes cells of the transmit buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransmitRoom {
    /// Each when its move begins. So that no packet can fill the buffer against an earlier one of its port, one cell a
    /// port is kept for packets at the head of their queues.
    Cell,
    /// All of them before the first move, packets of a port in the order of their places. One that is larger than the
    /// buffer is dropped.
    Packet,
}

/// What watermarks look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looked {
    /// Bytes that stand in the transmit buffer.
    Buffer,
    /// Bytes of the packets that have their place in the queue and have not been sent, in the buffer or on their way to
    /// it.
    Queue,
}

/// Bytes of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watermarks {
    /// Which of its bytes.
    pub of: Looked,
    /// Beyond so many, its packets are kept in memory.
    pub high_bytes: u32,
    /// From so many on down, they no longer are.
    pub low_bytes: u32,
}

/// A port: what comes in by it, and what goes out.
#[derive(Clone, Debug)]
pub struct PortConfig {
    /// Name in results, such as `eth.0`.
    pub name: String,
    /// What it is one of.
    pub group: String,
    /// What a frame takes on the wire beside its bytes: preamble, gap, and check sequence if sizes are without it.
    pub overhead_bytes: u32,
    /// The inward side.
    pub receive: Option<ReceiveConfig>,
    /// The outward side.
    pub transmit: Option<TransmitConfig>,
}

/// Inward side of a port.
#[derive(Clone, Debug)]
pub struct ReceiveConfig {
    /// Rate of the wire.
    pub bits_per_second: u64,
    /// Whether latencies begin with the first bit of a frame and not with its last: one pass of the wire more.
    pub from_first_bit: bool,
    /// Number of the pool that its packets stand in.
    pub pool: usize,
    /// Number of the inbox that they go to.
    pub inbox: usize,
    /// Number of the link that cells cross to a thread, which waits for them; `None` where they are at hand.
    pub bus: Option<usize>,
}

/// Outward side of a port.
#[derive(Clone, Debug)]
pub struct TransmitConfig {
    /// Rate of the wire; 0 for a port that is never busy.
    pub bits_per_second: u64,
    /// Packets that the queue of a class takes.
    pub queue_packets: u32,
    /// What happens to one more.
    pub when_full: WhenFull,
    /// The classes, each with a queue, and which is next.
    pub scheduler: SchedulerConfig,
    /// Cells that stand between the queues and the wire where packets come out of a memory.
    pub buffer_cells: u32,
    /// Slots that output threads fill, block by block; on chips with such threads only.
    pub slots: Option<TransmitSlotsConfig>,
    /// Number of the link that cells cross from the slots to the port; `None` where they are at hand.
    pub bus: Option<usize>,
}

/// Transmit slots of a port: each takes a block, and is taken until that has been handed over and has drained; then the
/// block goes on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitSlotsConfig {
    /// Slots of the port, 1 to 128.
    pub slots: u32,
    /// From the end of a block's move until its slot has been handed over; picoseconds.
    pub handshake_ps: u64,
    /// For which each cell keeps its slot after that; picoseconds.
    pub drain_cell_ps: u64,
}

/// What happens to a packet whose queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// It is dropped. Where output threads send blocks, that is when it is complete in memory and so many wait there for
    /// a thread.
    Drop,
    /// Its thread waits for room. Where output threads send blocks, that is before it is stored, while so many that were
    /// admitted have not left.
    Wait,
}

/// The order in which packets go to the output queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderConfig {
    /// What is kept in order.
    pub kept: OrderKept,
    /// Packets that may wait for earlier ones; a thread with one more waits.
    pub window: u32,
}

/// What is kept in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKept {
    /// Packets of a flow.
    Flow,
    /// Packets that came by one port.
    Port,
    /// Nothing: packets leave as they are done.
    Nothing,
}

/// Where packets are kept.
#[derive(Clone, Debug)]
pub struct PacketMemoryConfig {
    /// The role that names the memory.
    pub role: usize,
    /// Where packets are placed in it.
    pub placement: PlacementRule,
    /// Programs ask for room ([`linecard_program::script::Action::Allocate`]); otherwise packets have it when they come.
    pub placed_by_programs: bool,
    /// Caches of the output queues that stand between threads and the memory.
    pub wide: Option<WideConfig>,
    /// Ports write packets there before threads hear of them; otherwise programs move cells themselves.
    pub received_by_ports: bool,
    /// Ports read packets from there; otherwise programs have moved their cells.
    pub sent_by_ports: bool,
}

/// Two caches for each output queue, which move whole blocks of cells to and from the memory (ADAPT of Hasan 2003, section
/// 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WideConfig {
    /// Cells of a block, 1 to 32.
    pub block_cells: u32,
    /// Blocks of room in each of a queue's two caches.
    pub blocks: u32,
    /// To move a cell between a thread and a cache; picoseconds.
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
