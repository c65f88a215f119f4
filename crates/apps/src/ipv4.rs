//! `ipv4_forward`: IPv4 forwarding by parallel threads on an IXP2400, and where it keeps the parts of a packet.
//!
//! Source: Girish 2008, section 3.3 (the steps), 3.5 (the schemes), 4.3 and 4.4 (dynamic buffering). A thread moves the
//! mpackets from the receive buffer to the packet buffer, reads the header, hashes the destination, reads the table in
//! SRAM, writes the header back, and moves the mpackets to the transmit buffer, one access at a time.

use crate::checksum::update;
use crate::io::accept_ipv4;
use crate::route::RouteTable;
use linecard_program::{Application, CELL_BYTES, Ctx, DropReason, Move, PacketId, Program, Unit};
use std::cell::Cell;
use std::rc::Rc;

/// Where the parts of a packet are kept while it is processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferingScheme {
    /// All in DRAM.
    Base,
    /// Header buffering: the header in the scratchpad, the rest of the first mpacket in DRAM.
    Hb,
    /// First cell buffering: the first mpacket in the scratchpad.
    Fcb,
    /// First cell and tail buffering: the first and the last mpacket in the scratchpad.
    FcbTb,
    /// Dynamic buffering (chapter 4): the first mpacket in the scratchpad, the others in the receive buffer until the
    /// lookup; then from buffer to buffer, or to DRAM while the output port is congested.
    Dynamic,
}

impl BufferingScheme {
    /// Every scheme.
    pub const ALL: [BufferingScheme; 5] = [
        BufferingScheme::Base,
        BufferingScheme::Hb,
        BufferingScheme::Fcb,
        BufferingScheme::FcbTb,
        BufferingScheme::Dynamic,
    ];

    /// The name in presets and tables: the thesis's own.
    pub fn name(self) -> &'static str {
        match self {
            BufferingScheme::Base => "BASE",
            BufferingScheme::Hb => "HB",
            BufferingScheme::Fcb => "FCB",
            BufferingScheme::FcbTb => "FCB+TB",
            BufferingScheme::Dynamic => "DYNAMIC",
        }
    }

    /// Bytes of scratchpad that a thread needs, with headers of `header_bytes` (sections 3.5 and 3.5.1).
    pub fn scratch_bytes(self, header_bytes: u32) -> u32 {
        match self {
            BufferingScheme::Base => 0,
            BufferingScheme::Hb => header_bytes,
            BufferingScheme::Fcb | BufferingScheme::Dynamic => CELL_BYTES,
            BufferingScheme::FcbTb => 2 * CELL_BYTES,
        }
    }

    /// Of a cell of `bytes`, those that are kept in the scratchpad.
    #[inline]
    fn in_scratch(self, cell: u16, cells: u16, bytes: u16, header_bytes: u16) -> u16 {
        match self {
            BufferingScheme::Hb if cell == 0 => header_bytes.min(bytes),
            BufferingScheme::Fcb | BufferingScheme::Dynamic if cell == 0 => bytes,
            BufferingScheme::FcbTb if cell == 0 || cell + 1 == cells => bytes,
            _ => 0,
        }
    }
}

/// The application's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4Config {
    /// Where packets are kept.
    pub scheme: BufferingScheme,
    /// Engine cycles of a packet, beside those of its mpackets.
    pub packet_cycles: u32,
    /// Engine cycles of an mpacket on its way from the receive buffer to where it is kept.
    pub store_cycles: u32,
    /// Engine cycles of an mpacket on its way from there to the transmit buffer.
    pub load_cycles: u32,
    /// Bytes of an access to the header.
    pub header_bytes: u16,
    /// Hashes of a lookup.
    pub hashes: u32,
    /// Reads of the table in SRAM that a lookup takes, one after the other.
    pub table_reads: u32,
    /// Words of each of them.
    pub table_words: u32,
}

/// The forwarding application.
pub struct Ipv4Forward {
    config: Ipv4Config,
    table: Rc<RouteTable>,
    lookups: Rc<Cell<u64>>,
}

impl Ipv4Forward {
    /// Forward by `table`: it says where packets go; what a lookup costs is the hash scheme's of the thesis, in `config`.
    pub fn new(config: Ipv4Config, table: RouteTable) -> Self {
        Self { config, table: Rc::new(table), lookups: Rc::default() }
    }
}

impl Application for Ipv4Forward {
    fn name(&self) -> &'static str {
        "ipv4_forward"
    }

    fn locks(&self) -> u32 {
        0
    }

    fn input(&self, ctx: Ctx) -> Program {
        let thread = Thread {
            ctx,
            config: self.config,
            table: Rc::clone(&self.table),
            lookups: Rc::clone(&self.lookups),
        };
        match self.config.scheme {
            BufferingScheme::Dynamic => Box::pin(dynamic(thread)),
            _ => Box::pin(buffered(thread)),
        }
    }

    /// There are no output threads: every thread does all of a packet's work.
    fn output(&self, ctx: Ctx) -> Program {
        self.input(ctx)
    }

    fn restart_counters(&self) {
        self.lookups.set(0);
    }

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        vec![("lookups", "lookups", self.lookups.get() as f64)]
    }
}

struct Thread {
    ctx: Ctx,
    config: Ipv4Config,
    table: Rc<RouteTable>,
    lookups: Rc<Cell<u64>>,
}

/// Bytes of a cell of a packet.
#[inline]
fn cell_bytes(packet_bytes: u32, cell: u16) -> u16 {
    (packet_bytes - u32::from(cell) * CELL_BYTES).min(CELL_BYTES) as u16
}

/// All of the packet in DRAM and scratchpad, then the lookup, then out (section 3.3).
async fn buffered(thread: Thread) {
    let Thread { ctx, config, .. } = &thread;
    loop {
        let packet = ctx.receive().await;
        let bytes = ctx.head().bytes;
        let cells = ctx.head().cells() as u16;
        for cell in 0..cells {
            ctx.compute(config.store_cycles);
            let size = cell_bytes(bytes, cell);
            let scratch = config.scheme.in_scratch(cell, cells, size, config.header_bytes);
            if scratch > 0 {
                ctx.move_cell(Move::RbufToScratch, cell, scratch, scratch == size).await;
            }
            if scratch < size {
                ctx.move_cell(Move::RbufToDram, cell, size - scratch, true).await;
            }
        }
        let in_dram = config.scheme == BufferingScheme::Base;
        let Some(port) = thread.look_up(packet, in_dram).await else { continue };
        ctx.place(port).await;
        for cell in 0..cells {
            ctx.compute(config.load_cycles);
            let size = cell_bytes(bytes, cell);
            let scratch = config.scheme.in_scratch(cell, cells, size, config.header_bytes);
            if scratch > 0 {
                ctx.move_cell(Move::ScratchToTbuf, cell, scratch, scratch == size).await;
            }
            if scratch < size {
                ctx.move_cell(Move::DramToTbuf, cell, size - scratch, true).await;
            }
        }
        ctx.depart(packet).await;
    }
}

/// The lookup first; then from buffer to buffer, or to DRAM and later out (section 4.3).
async fn dynamic(thread: Thread) {
    let Thread { ctx, config, .. } = &thread;
    loop {
        let (packet, stored) = ctx.receive_or_send().await;
        let bytes = ctx.head().bytes;
        let cells = ctx.head().cells() as u16;
        if stored {
            for cell in 0..cells {
                ctx.compute(config.load_cycles);
                ctx.move_cell(Move::DramToTbuf, cell, cell_bytes(bytes, cell), true).await;
            }
            ctx.depart(packet).await;
            continue;
        }
        let first = cell_bytes(bytes, 0);
        ctx.compute(config.store_cycles);
        ctx.move_cell(Move::RbufToScratch, 0, first, true).await;
        let Some(port) = thread.look_up(packet, false).await else { continue };
        if ctx.place(port).await {
            // A thread's place in the scratchpad is for the packet that it holds: the first cell goes to DRAM with the
            // others.
            ctx.read(Unit::Scratch, u32::from(first).div_ceil(4)).await;
            ctx.move_cell(Move::RegistersToDram, 0, first, true).await;
            for cell in 1..cells {
                ctx.compute(config.store_cycles);
                ctx.move_cell(Move::RbufToDram, cell, cell_bytes(bytes, cell), true).await;
            }
            ctx.store().await;
            continue;
        }
        ctx.compute(config.load_cycles);
        ctx.move_cell(Move::ScratchToTbuf, 0, first, true).await;
        for cell in 1..cells {
            ctx.compute(config.store_cycles + config.load_cycles);
            ctx.move_cell(Move::RbufToTbuf, cell, cell_bytes(bytes, cell), true).await;
        }
        ctx.depart(packet).await;
    }
}

impl Thread {
    /// Header to registers, hash, table, header back. `None` if the packet was dropped.
    async fn look_up(&self, packet: PacketId, header_in_dram: bool) -> Option<u16> {
        let Self { ctx, config, table, lookups } = self;
        let bytes = config.header_bytes.min(ctx.head().bytes as u16);
        let words = u32::from(bytes).div_ceil(4);
        match header_in_dram {
            true => ctx.move_cell(Move::DramToRegisters, 0, bytes, false).await,
            false => ctx.read(Unit::Scratch, words).await,
        }
        ctx.compute(config.packet_cycles);
        if !accept_ipv4(ctx, packet).await {
            return None;
        }
        lookups.set(lookups.get() + 1);
        ctx.read(Unit::Hash, config.hashes).await;
        for _ in 0..config.table_reads {
            ctx.read(Unit::Sram, config.table_words).await;
        }
        let mut head = ctx.head();
        let Some(port) = table.lookup(head.destination).0 else {
            ctx.discard(packet, DropReason::NoRoute).await;
            return None;
        };
        // The time to live shares a 16-bit word with the protocol.
        let word = |ttl: u8| u16::from_be_bytes([ttl, head.protocol]);
        head.checksum = update(head.checksum, word(head.ttl), word(head.ttl - 1));
        head.ttl -= 1;
        ctx.set_head(head);
        match header_in_dram {
            true => ctx.move_cell(Move::RegistersToDram, 0, bytes, false).await,
            false => ctx.write(Unit::Scratch, words).await,
        }
        Some(port)
    }
}
