//! A machine of parallel threads as plain data.

use crate::config::UnitConfig;
use linecard_dram::SlotConfig;

/// Everything that the machine is built from.
#[derive(Clone, Debug)]
pub struct ParallelConfig {
    /// Clock of the engines, Hz.
    pub engine_hz: u64,
    /// Engines.
    pub engines: u32,
    /// Threads of an engine, 1 to 64.
    pub threads: u32,
    /// Cycles lost when an engine goes from one thread to another.
    pub switch_cycles: u32,
    /// One SRAM channel.
    pub sram: UnitConfig,
    /// SRAM channels, 1 to 4; accesses go to them in turn.
    pub sram_channels: u32,
    /// Scratchpad.
    pub scratch: UnitConfig,
    /// Hash unit.
    pub hash: UnitConfig,
    /// Path from the receive to the transmit buffer.
    pub direct: UnitConfig,
    /// DRAM.
    pub dram: DramConfig,
    /// How packets come and go.
    pub ports: Ports,
    /// Seed of where packets are placed.
    pub seed: u64,
}

/// The packet buffer.
#[derive(Clone, Copy, Debug)]
pub struct DramConfig {
    /// DRAM clock, Hz.
    pub clock_hz: u64,
    /// Banks, slots, timing.
    pub slots: SlotConfig,
    /// Where the cells of a packet lie.
    pub interleaving: Interleaving,
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

/// How packets come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ports {
    /// A packet always waits, and ports are never busy: what the machine can do.
    Ready,
    /// Packets come at their times and are dropped when the receive buffer has no room for all of their cells.
    Paced(PacedPorts),
}

/// Buffers and links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacedPorts {
    /// Cells of the receive buffer.
    pub rbuf_cells: u32,
    /// When they are free again.
    pub release: Release,
    /// Cells of the transmit buffer, more than ports.
    pub tbuf_cells: u32,
    /// Output ports, 1 to 64.
    pub ports: u32,
    /// Bit/s of one output port.
    pub port_bps: u64,
    /// When packets are kept in the packet buffer; `None` where programs keep all of them there anyway.
    pub watermarks: Option<Watermarks>,
}

/// When the cells of a packet in the receive buffer are free for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// Each as soon as it has been moved.
    Cell,
    /// All of them, when the last has been moved.
    Packet,
}

/// Bytes that a port has in the transmit buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watermarks {
    /// Beyond so many, its packets are kept in the packet buffer.
    pub high_bytes: u32,
    /// From so many on down, they no longer are.
    pub low_bytes: u32,
}
