//! What every application does alike: take a packet in cell by cell, and send packets block by block.

use linecard_program::{Ctx, DropReason, NetworkKind, PacketId, Source, Unit};

/// What the input and output loops cost: engine cycles, and scratchpad accesses (ready flags, state of ports and of
/// queues), one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoCosts {
    /// First cell of a packet on the input side, without the application's own work.
    pub input_first_cell_cycles: u32,
    /// Each later cell on the input side.
    pub input_later_cell_cycles: u32,
    /// Scratchpad accesses for each cell on the input side.
    pub input_cell_scratch: u32,
    /// Putting a packet into its output queue.
    pub enqueue_cycles: u32,
    /// Scratchpad accesses of that.
    pub enqueue_scratch: u32,
    /// First block of a packet on the output side, with its first cell.
    pub output_first_block_cycles: u32,
    /// Scratchpad accesses of that.
    pub output_first_block_scratch: u32,
    /// Each later block, with its first cell.
    pub output_later_block_cycles: u32,
    /// Scratchpad accesses of that.
    pub output_later_block_scratch: u32,
    /// Each further cell of a block.
    pub output_blocked_cell_cycles: u32,
    /// What software does for an operation of the queue manager; `None` on machines without one, whose programs write
    /// and read descriptors in SRAM.
    pub queue_manager_cycles: Option<u32>,
}

/// Words of SRAM that a queue descriptor or a free-list entry takes.
const DESCRIPTOR_WORDS: u32 = 2;

/// Take the received packet into the buffer and put it into `queue`: the common end of every input program. The
/// cycles of its first cell have been spent by the caller.
pub(crate) async fn store_and_enqueue(
    ctx: &Ctx,
    costs: &IoCosts,
    packet: PacketId,
    queue: u16,
    first: Source,
) {
    let cells = ctx.head().cells() as u16;
    ctx.admit(queue).await;
    // Popping the free list is one SRAM access with hardware support (Hasan 2003, section 5.2).
    ctx.read(Unit::Sram, 1).await;
    if !ctx.allocate(packet, queue).await {
        ctx.discard(packet, DropReason::TooLarge).await;
        return;
    }
    ctx.write_cell(packet, 0, first).await;
    for cell in 1..cells {
        scratch(ctx, costs.input_cell_scratch).await;
        ctx.compute(costs.input_later_cell_cycles);
        ctx.write_cell(packet, cell, Source::ReceiveBuffer).await;
    }
    ctx.join().await;
    scratch(ctx, costs.enqueue_scratch).await;
    ctx.compute(costs.enqueue_cycles);
    match costs.queue_manager_cycles {
        Some(cycles) => {
            ctx.compute(cycles);
            ctx.link(queue).await;
        }
        None => ctx.write(Unit::Sram, DESCRIPTOR_WORDS).await,
    }
    ctx.enqueue(packet, queue).await;
}

/// Receive a packet and spend what its first cell costs in any application.
pub(crate) async fn receive(ctx: &Ctx, costs: &IoCosts) -> PacketId {
    let packet = ctx.receive().await;
    scratch(ctx, costs.input_cell_scratch).await;
    ctx.compute(costs.input_first_cell_cycles);
    packet
}

async fn scratch(ctx: &Ctx, accesses: u32) {
    for _ in 0..accesses {
        ctx.read(Unit::Scratch, 1).await;
    }
}

/// Whether the received packet is IPv4 with hops left; drops it otherwise.
pub(crate) async fn accept_ipv4(ctx: &Ctx, packet: PacketId) -> bool {
    let head = ctx.head();
    let reason = match head.network {
        NetworkKind::Ipv4 if head.ttl > 1 => return true,
        NetworkKind::Ipv4 => DropReason::TtlExpired,
        NetworkKind::Ipv6 | NetworkKind::Other => DropReason::NotIpv4,
    };
    ctx.discard(packet, reason).await;
    false
}

/// The output program of every application: one block after another, whatever port it is for.
pub(crate) async fn output(ctx: Ctx, costs: IoCosts) {
    loop {
        let block = ctx.next_block().await;
        if block.first_cell == 0 {
            scratch(&ctx, costs.output_first_block_scratch).await;
            ctx.compute(costs.output_first_block_cycles);
            match costs.queue_manager_cycles {
                Some(cycles) => {
                    ctx.compute(cycles);
                    ctx.unlink(block.port).await;
                }
                None => ctx.read(Unit::Sram, DESCRIPTOR_WORDS).await,
            }
        } else {
            scratch(&ctx, costs.output_later_block_scratch).await;
            ctx.compute(costs.output_later_block_cycles);
        }
        ctx.compute(costs.output_blocked_cell_cycles * (u32::from(block.cells) - 1));
        ctx.read_block(block).await;
        ctx.transmit(block).await;
        if block.last {
            ctx.write(Unit::Sram, 1).await;
        }
    }
}
