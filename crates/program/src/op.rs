//! What a program can ask of a machine.

use crate::PacketId;

/// A shared unit that serves accesses of a number of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Unit {
    /// External SRAM: tables, queue descriptors, free lists.
    Sram,
    /// On-chip scratchpad memory.
    Scratch,
    /// Hash unit.
    Hash,
    /// Cache of lookup results; machines need not have one.
    ResultCache,
}

impl Unit {
    /// Every unit, in order of its number.
    pub const ALL: [Unit; 4] = [Unit::Sram, Unit::Scratch, Unit::Hash, Unit::ResultCache];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Sram => "sram",
            Unit::Scratch => "scratch",
            Unit::Hash => "hash",
            Unit::ResultCache => "result_cache",
        }
    }
}

/// Where the data of a packet-buffer write comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The receive buffer: one transfer of up to 64 bytes.
    ReceiveBuffer,
    /// Modified header from registers, 32 bytes, and the remaining bytes of the cell from the receive buffer
    /// (Hasan 2003, section 5.2: a 32-byte write for the header and a 32-byte write for the remaining cell).
    HeaderAndReceiveBuffer,
    /// Registers: transfers of up to 32 bytes.
    Registers,
}

/// Between which components an instruction moves data: one at a time, at most 32 bytes, and the thread waits
/// (Spalink 2000, Table 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Path {
    /// Receive buffer to DRAM.
    FifoToDram,
    /// DRAM to transmit buffer.
    DramToFifo,
    /// Receive buffer to registers.
    FifoToEngine,
    /// Registers to transmit buffer.
    EngineToFifo,
    /// DRAM to registers.
    DramToEngine,
    /// Registers to DRAM.
    EngineToDram,
}

impl Path {
    /// Every path, in order of its number.
    pub const ALL: [Path; 6] = [
        Path::FifoToDram,
        Path::DramToFifo,
        Path::FifoToEngine,
        Path::EngineToFifo,
        Path::DramToEngine,
        Path::EngineToDram,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Path::FifoToDram => "fifo_to_dram",
            Path::DramToFifo => "dram_to_fifo",
            Path::FifoToEngine => "fifo_to_engine",
            Path::EngineToFifo => "engine_to_fifo",
            Path::DramToEngine => "dram_to_engine",
            Path::EngineToDram => "engine_to_dram",
        }
    }
}

/// Why a packet is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DropReason {
    /// No prefix of the forwarding table covers the destination.
    NoRoute,
    /// The time to live has run out.
    TtlExpired,
    /// A firewall template says so.
    FirewallRule,
    /// The program handles IPv4 only.
    NotIpv4,
    /// The receive buffer of the port was full.
    ReceiveBufferFull,
    /// The packet is larger than a buffer or than the packet-buffer memory.
    TooLarge,
    /// The translation table is full.
    NatTableFull,
}

impl DropReason {
    /// Every reason, in order of its number.
    pub const ALL: [DropReason; 7] = [
        DropReason::NoRoute,
        DropReason::TtlExpired,
        DropReason::FirewallRule,
        DropReason::NotIpv4,
        DropReason::ReceiveBufferFull,
        DropReason::TooLarge,
        DropReason::NatTableFull,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            DropReason::NoRoute => "no_route",
            DropReason::TtlExpired => "ttl_expired",
            DropReason::FirewallRule => "firewall_rule",
            DropReason::NotIpv4 => "not_ipv4",
            DropReason::ReceiveBufferFull => "receive_buffer_full",
            DropReason::TooLarge => "too_large",
            DropReason::NatTableFull => "nat_table_full",
        }
    }
}

/// Cells of one packet that an output thread moves to the transmit buffer in one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The packet.
    pub packet: PacketId,
    /// Output port.
    pub port: u16,
    /// First cell of the block, counted from the packet's first.
    pub first_cell: u16,
    /// Cells in the block, at least 1.
    pub cells: u16,
    /// Whether the block ends the packet.
    pub last: bool,
    /// Transmit slot of the port that the block fills.
    pub slot: u8,
}

/// One request of a program. The machine answers each in simulated time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Wait for the next packet of the thread's input port.
    Receive,
    /// Read or write `words` words of a unit and wait.
    Access {
        /// The unit.
        unit: Unit,
        /// Words moved (for the hash unit: hashes).
        words: u32,
    },
    /// As [`Op::Access`], but the thread goes on: a write that nobody needs to hear of.
    Post {
        /// The unit.
        unit: Unit,
        /// Words moved.
        words: u32,
    },
    /// Move `bytes` bytes along a path and wait. `again` says that they follow those of the transfer before, in an
    /// open row of DRAM: the second half of a move of 64 bytes.
    Transfer {
        /// From where to where.
        path: Path,
        /// Bytes to move.
        bytes: u32,
        /// Whether they continue the transfer before.
        again: bool,
    },
    /// Look the flow of the received packet up in the result cache and wait. Answers 1 when its result is there, 0
    /// when not; the cache's policy then decides whether it comes in. On machines with a result cache only.
    Recall,
    /// Let the queue manager put a packet into the lists of an output queue, or take the first one out, and wait. The
    /// machine's own queue is [`Op::Enqueue`]'s. On machines with a queue manager only.
    Queue {
        /// Output queue.
        queue: u16,
        /// Whether a packet is put in.
        enqueue: bool,
    },
    /// Wait for a lock.
    Lock(u32),
    /// Give a lock back; does not wait.
    Unlock(u32),
    /// Wait until the output queue takes one more packet.
    Admit {
        /// Output queue.
        queue: u16,
    },
    /// Wait for buffer space for the packet. Answers 0, or 1 when no buffer of this machine can ever hold it.
    Allocate {
        /// The packet.
        packet: PacketId,
        /// Output queue the packet will join (allocators that keep queues apart use it).
        queue: u16,
    },
    /// Write one cell of a packet to its buffer. Posted: the thread waits only when it has too many under way.
    WriteCell {
        /// The packet.
        packet: PacketId,
        /// Which cell.
        cell: u16,
        /// Where its bytes come from.
        source: Source,
    },
    /// Wait until the thread's posted transfers are done.
    Join,
    /// Put the packet at the end of an output queue. Does not wait (the descriptor accesses are ops of their own).
    Enqueue {
        /// The packet.
        packet: PacketId,
        /// Output queue.
        queue: u16,
    },
    /// The packet leaves at once, by a port that is never busy.
    Depart {
        /// The packet.
        packet: PacketId,
    },
    /// Give the packet up. Frees its buffer, its place in the queue and its packet table entry. On a machine with
    /// per-queue caches, not after [`Op::Allocate`] has given space: the stream of cells has no gaps.
    Discard {
        /// The packet.
        packet: PacketId,
        /// Why.
        reason: DropReason,
    },
    /// Wait for the next block that one of the thread's ports may send.
    NextBlock,
    /// Read the cells of a block from the packet buffer into the transmit buffer, all under way together.
    ReadBlock(Block),
    /// Hand a block in the transmit buffer to the port. Does not wait.
    Transmit(Block),
}
