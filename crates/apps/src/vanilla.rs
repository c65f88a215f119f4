//! `vanilla_ip`: the forwarding program of the IXP1200 evaluation, instruction by instruction.
//!
//! Source: Spalink 2000, Figures 3 and 5. Every 64-byte piece (MP) of a packet goes through the whole input loop, as the
//! report does it: to DRAM, header to registers, hash, routing entry, the function, header back to DRAM. The packet is
//! put into its queue with its last piece. Ports, FIFO slots and contexts are assigned statically.

use crate::io::accept_ipv4;
use crate::route::RouteTable;
use linecard_program::{
    Application, Ctx, DropReason, PacketHead, PacketId, Path, Program, TRANSFER_BYTES, Unit,
};
use std::rc::Rc;

/// Instructions and scratchpad accesses of a step of Figure 5; its other accesses are the program's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Instructions.
    pub cycles: u32,
    /// Scratchpad accesses.
    pub scratch: u32,
}

/// The steps of Figure 5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VanillaCosts {
    /// until_ready_rcv
    pub until_ready_receive: Step,
    /// move IN_FIFO to DRAM
    pub fifo_to_dram: Step,
    /// move DRAM to Reg_Hdr
    pub header_to_registers: Step,
    /// hash
    pub hash: Step,
    /// move SRAM to Reg_Entry
    pub entry_to_registers: Step,
    /// Reg_Entry.Func
    pub function: Step,
    /// if End_Of_Packet
    pub end_of_packet: Step,
    /// enqueue
    pub enqueue: Step,
    /// until_ready_snd
    pub until_ready_send: Step,
    /// if Start_Of_Packet
    pub start_of_packet: Step,
    /// dequeue
    pub dequeue: Step,
    /// move DRAM to OUT_FIFO
    pub dram_to_fifo: Step,
    /// start_transfer
    pub start_transfer: Step,
}

/// An operation of an extension, done for every piece of a packet (Spalink 2000, section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionOp {
    /// Register instructions.
    Compute(u32),
    /// Bytes from DRAM to registers.
    DramRead(u32),
    /// Bytes from registers to DRAM.
    DramWrite(u32),
    /// Bytes from SRAM to registers, or back.
    Sram(u32),
    /// Scratchpad accesses.
    Scratch(u32),
    /// Hashes.
    Hash(u32),
}

/// Which loops run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// Input threads put packets into queues, output threads send them.
    Both,
    /// Input threads only; a packet leaves at the end of the loop.
    Input,
    /// Input threads run the output loop; a packet leaves at its end.
    Output,
}

/// The application's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VanillaConfig {
    /// What the steps cost.
    pub costs: VanillaCosts,
    /// Whether packets come from ports. Otherwise every iteration sees the same packet "without any delay or port
    /// interaction" (section 3.1): no until_ready_rcv, and no scratchpad access when it is moved to DRAM.
    pub real_ports: bool,
    /// Which loops run.
    pub loops: Loops,
    /// What is done beside the forwarding function.
    pub extension: Vec<ExtensionOp>,
}

/// Bytes of a piece of a packet.
const PIECE_BYTES: u32 = 64;
/// Words of a routing entry: two addresses, an Ethernet address, queue and function (section 2.2).
const ENTRY_WORDS: u32 = 4;
/// Words of a queue's pointer.
const POINTER_WORDS: u32 = 1;

/// The forwarding application.
pub struct VanillaIp {
    config: Rc<VanillaConfig>,
    table: Rc<RouteTable>,
}

impl VanillaIp {
    /// Forward by `table`.
    pub fn new(config: VanillaConfig, table: RouteTable) -> Self {
        Self { config: Rc::new(config), table: Rc::new(table) }
    }
}

impl Application for VanillaIp {
    fn name(&self) -> &'static str {
        "vanilla_ip"
    }

    fn locks(&self) -> u32 {
        0
    }

    fn input(&self, ctx: Ctx) -> Program {
        match self.config.loops {
            Loops::Output => Box::pin(output_alone(ctx, Rc::clone(&self.config))),
            _ => Box::pin(input(ctx, Rc::clone(&self.config), Rc::clone(&self.table))),
        }
    }

    fn output(&self, ctx: Ctx) -> Program {
        Box::pin(output(ctx, Rc::clone(&self.config)))
    }

    fn restart_counters(&self) {}

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        Vec::new()
    }
}

/// A step under way: its instructions are spread evenly before, between and behind its accesses. Figure 5 gives their
/// numbers only.
struct Pace<'a> {
    ctx: &'a Ctx,
    cycles: u32,
    accesses: u32,
}

impl<'a> Pace<'a> {
    /// A step with its scratchpad accesses and `others`.
    fn new(ctx: &'a Ctx, step: Step, others: u32) -> Self {
        Self { ctx, cycles: step.cycles, accesses: step.scratch + others }
    }

    /// The instructions before the next access.
    fn before_access(&mut self) {
        let part = self.cycles / (self.accesses + 1);
        self.ctx.compute(part);
        self.cycles -= part;
        self.accesses -= 1;
    }

    async fn scratch(&mut self, accesses: u32) {
        for _ in 0..accesses {
            self.before_access();
            self.ctx.read(Unit::Scratch, 1).await;
        }
    }

    async fn sram(&mut self, words: u32) {
        self.before_access();
        self.ctx.read(Unit::Sram, words).await;
    }

    /// A move of up to 64 bytes: an access for each 32.
    async fn transfer(&mut self, path: Path, bytes: u32) {
        let mut moved = 0;
        while moved < bytes {
            self.before_access();
            let part = (bytes - moved).min(TRANSFER_BYTES);
            self.ctx.transfer_part(path, part, moved > 0).await;
            moved += part;
        }
    }

    /// Give a mutex back, which nobody waits for.
    async fn release(&mut self) {
        self.before_access();
        self.ctx.post(Unit::Scratch, 1).await;
    }

    /// The instructions behind the last access.
    fn end(self) {
        self.ctx.compute(self.cycles);
    }
}

async fn input(ctx: Ctx, config: Rc<VanillaConfig>, table: Rc<RouteTable>) {
    loop {
        let packet = ctx.receive().await;
        if !accept_ipv4(&ctx, packet).await {
            continue;
        }
        let mut head = ctx.head();
        for _ in 0..head.cells() {
            receive_piece(&ctx, &config).await;
        }
        let Some(port) = table.lookup(head.destination).0 else {
            ctx.discard(packet, DropReason::NoRoute).await;
            continue;
        };
        forwarded(&mut head);
        ctx.set_head(head);
        finish(&ctx, &config, packet, port).await;
    }
}

/// A piece to DRAM, and the forwarding function on it.
async fn receive_piece(ctx: &Ctx, config: &VanillaConfig) {
    let costs = &config.costs;
    let mut to_dram = costs.fifo_to_dram;
    if config.real_ports {
        let mut ready = Pace::new(ctx, costs.until_ready_receive, 0);
        ready.scratch(costs.until_ready_receive.scratch).await;
        ready.end();
    } else {
        to_dram.scratch = 0;
    }
    let mut pace = Pace::new(ctx, to_dram, PIECE_BYTES / TRANSFER_BYTES);
    pace.scratch(to_dram.scratch).await;
    pace.transfer(Path::FifoToDram, PIECE_BYTES).await;
    pace.end();
    let mut pace = Pace::new(ctx, costs.header_to_registers, 1);
    pace.transfer(Path::DramToEngine, TRANSFER_BYTES).await;
    pace.end();
    let mut pace = Pace::new(ctx, costs.hash, 0);
    pace.scratch(costs.hash.scratch).await;
    pace.end();
    let mut pace = Pace::new(ctx, costs.entry_to_registers, 1);
    pace.sram(ENTRY_WORDS).await;
    pace.end();
    extend(ctx, &config.extension).await;
    // 34 bytes of Ethernet and IP header: two transfers.
    let mut pace = Pace::new(ctx, costs.function, PIECE_BYTES / TRANSFER_BYTES);
    pace.transfer(Path::EngineToDram, PIECE_BYTES).await;
    pace.end();
    ctx.compute(costs.end_of_packet.cycles);
}

/// Time to live and checksum as a router leaves them.
fn forwarded(head: &mut PacketHead) {
    let word = |ttl: u8| u16::from_be_bytes([ttl, head.protocol]);
    head.checksum = crate::checksum::update(head.checksum, word(head.ttl), word(head.ttl - 1));
    head.ttl -= 1;
}

async fn finish(ctx: &Ctx, config: &VanillaConfig, packet: PacketId, port: u16) {
    if config.loops == Loops::Both {
        ctx.admit(port).await;
    }
    locked(ctx, config.costs.enqueue).await;
    if config.loops == Loops::Both {
        ctx.enqueue(packet, port).await;
    } else {
        ctx.depart(packet).await;
    }
}

/// A step on a queue: a pointer in SRAM under a mutex in the scratchpad.
async fn locked(ctx: &Ctx, step: Step) {
    let mut pace = Pace::new(ctx, step, 1);
    pace.scratch(step.scratch.saturating_sub(1)).await;
    pace.sram(POINTER_WORDS).await;
    if step.scratch > 0 {
        pace.release().await;
    }
    pace.end();
}

async fn extend(ctx: &Ctx, extension: &[ExtensionOp]) {
    for &op in extension {
        match op {
            ExtensionOp::Compute(cycles) => ctx.compute(cycles),
            ExtensionOp::DramRead(bytes) => ctx.transfer(Path::DramToEngine, bytes).await,
            ExtensionOp::DramWrite(bytes) => ctx.transfer(Path::EngineToDram, bytes).await,
            ExtensionOp::Sram(bytes) => ctx.read(Unit::Sram, bytes.div_ceil(4)).await,
            ExtensionOp::Scratch(accesses) => {
                for _ in 0..accesses {
                    ctx.read(Unit::Scratch, 1).await;
                }
            }
            ExtensionOp::Hash(hashes) => ctx.read(Unit::Hash, hashes).await,
        }
    }
}

/// A piece to the transmit buffer; the first of a packet is looked up in its queue.
async fn send_piece(ctx: &Ctx, costs: &VanillaCosts, first: bool) {
    let mut pace = Pace::new(ctx, costs.until_ready_send, 0);
    pace.scratch(costs.until_ready_send.scratch).await;
    pace.end();
    ctx.compute(costs.start_of_packet.cycles);
    if first {
        locked(ctx, costs.dequeue).await;
    }
    let mut pace = Pace::new(ctx, costs.dram_to_fifo, PIECE_BYTES / TRANSFER_BYTES);
    pace.transfer(Path::DramToFifo, PIECE_BYTES).await;
    pace.end();
    let mut pace = Pace::new(ctx, costs.start_transfer, 0);
    pace.scratch(costs.start_transfer.scratch).await;
    pace.end();
}

async fn output(ctx: Ctx, config: Rc<VanillaConfig>) {
    loop {
        let block = ctx.next_block().await;
        for piece in 0..block.cells {
            send_piece(&ctx, &config.costs, block.first_cell + piece == 0).await;
        }
        ctx.transmit(block).await;
    }
}

async fn output_alone(ctx: Ctx, config: Rc<VanillaConfig>) {
    loop {
        let packet = ctx.receive().await;
        for piece in 0..ctx.head().cells() {
            send_piece(&ctx, &config.costs, piece == 0).await;
        }
        ctx.depart(packet).await;
    }
}
