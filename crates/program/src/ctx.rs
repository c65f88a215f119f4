//! The program's side of the machine: one method an op.

use crate::{Block, DropReason, NetworkKind, Op, PacketHead, PacketId, Path, Source, Unit};
use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// Most bytes that an instruction moves between components (Spalink 2000, section 2.1).
pub const TRANSFER_BYTES: u32 = 32;

/// What passes between one thread's program and the machine.
#[derive(Debug)]
pub struct Mailbox {
    op: Cell<Op>,
    cycles: Cell<u32>,
    reply: Cell<u32>,
    block: Cell<Block>,
    head: Cell<PacketHead>,
}

impl Default for Mailbox {
    fn default() -> Self {
        let block = Block { packet: PacketId(0), port: 0, first_cell: 0, cells: 0, last: false, slot: 0 };
        Self {
            op: Cell::new(Op::Join),
            cycles: Cell::new(0),
            reply: Cell::new(0),
            block: Cell::new(block),
            head: Cell::new(PacketHead::default()),
        }
    }
}

impl Mailbox {
    /// The machine takes the op that the program stopped at, and the compute cycles that came before it.
    #[inline]
    pub fn take(&self) -> (Op, u32) {
        (self.op.get(), self.cycles.take())
    }

    /// The machine answers an op that has a number for an answer.
    #[inline]
    pub fn answer(&self, reply: u32) {
        self.reply.set(reply);
    }

    /// The machine answers [`Op::Receive`].
    #[inline]
    pub fn answer_packet(&self, packet: PacketId, head: PacketHead) {
        self.reply.set(packet.0);
        self.head.set(head);
    }

    /// The machine answers [`Op::NextBlock`].
    #[inline]
    pub fn answer_block(&self, block: Block) {
        self.block.set(block);
    }

    /// The header of the packet received last, as the program left it.
    #[inline]
    pub fn head(&self) -> PacketHead {
        self.head.get()
    }
}

/// A thread's handle on the machine it runs on.
#[derive(Clone, Debug)]
pub struct Ctx {
    mailbox: Rc<Mailbox>,
}

/// Hands one op over at its first poll and is ready at its second.
struct Ask<'a> {
    mailbox: &'a Mailbox,
    op: Op,
    asked: bool,
}

impl Future for Ask<'_> {
    type Output = u32;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u32> {
        if self.asked {
            return Poll::Ready(self.mailbox.reply.get());
        }
        self.asked = true;
        self.mailbox.op.set(self.op);
        Poll::Pending
    }
}

impl Ctx {
    /// A handle that talks through `mailbox`.
    pub fn new(mailbox: Rc<Mailbox>) -> Self {
        Self { mailbox }
    }

    #[inline]
    fn ask(&self, op: Op) -> Ask<'_> {
        Ask { mailbox: &self.mailbox, op, asked: false }
    }

    /// Spend `cycles` engine cycles before the next op.
    #[inline]
    pub fn compute(&self, cycles: u32) {
        self.mailbox.cycles.set(self.mailbox.cycles.get() + cycles);
    }

    /// The next packet of the thread's input port; its header is then in [`Ctx::head`].
    #[inline]
    pub async fn receive(&self) -> PacketId {
        PacketId(self.ask(Op::Receive).await)
    }

    /// Header of the packet received last.
    #[inline]
    pub fn head(&self) -> PacketHead {
        self.mailbox.head.get()
    }

    /// Change the header; it leaves with the packet.
    #[inline]
    pub fn set_head(&self, head: PacketHead) {
        debug_assert!(head.network == NetworkKind::Ipv4 || head == self.head());
        self.mailbox.head.set(head);
    }

    /// Read `words` words of a unit.
    #[inline]
    pub async fn read(&self, unit: Unit, words: u32) {
        self.ask(Op::Access { unit, words }).await;
    }

    /// Write `words` words of a unit.
    #[inline]
    pub async fn write(&self, unit: Unit, words: u32) {
        self.ask(Op::Access { unit, words }).await;
    }

    /// Write `words` words of a unit without waiting.
    #[inline]
    pub async fn post(&self, unit: Unit, words: u32) {
        self.ask(Op::Post { unit, words }).await;
    }

    /// Move `bytes` bytes along a path; more than an instruction moves take several, one after the other.
    #[inline]
    pub async fn transfer(&self, path: Path, bytes: u32) {
        let mut moved = 0;
        while moved < bytes {
            let part = (bytes - moved).min(TRANSFER_BYTES);
            self.transfer_part(path, part, moved > 0).await;
            moved += part;
        }
    }

    /// One instruction's worth of a move; `again` when it continues the part before.
    #[inline]
    pub async fn transfer_part(&self, path: Path, bytes: u32, again: bool) {
        self.ask(Op::Transfer { path, bytes, again }).await;
    }

    /// Whether the result of this flow's lookup is in the result cache.
    #[inline]
    pub async fn recall(&self) -> bool {
        self.ask(Op::Recall).await != 0
    }

    /// Let the queue manager link one more packet into the list of `queue`.
    #[inline]
    pub async fn link(&self, queue: u16) {
        self.ask(Op::Queue { queue, enqueue: true }).await;
    }

    /// Let the queue manager take the first packet out of the list of `queue`.
    #[inline]
    pub async fn unlink(&self, queue: u16) {
        self.ask(Op::Queue { queue, enqueue: false }).await;
    }

    /// Take a lock, waiting for it if needed.
    #[inline]
    pub async fn lock(&self, lock: u32) {
        self.ask(Op::Lock(lock)).await;
    }

    /// Give a lock back.
    #[inline]
    pub async fn unlock(&self, lock: u32) {
        self.ask(Op::Unlock(lock)).await;
    }

    /// Wait until `queue` takes one more packet.
    #[inline]
    pub async fn admit(&self, queue: u16) {
        self.ask(Op::Admit { queue }).await;
    }

    /// Wait for buffer space; `false` when the packet fits no buffer of this machine.
    #[inline]
    pub async fn allocate(&self, packet: PacketId, queue: u16) -> bool {
        self.ask(Op::Allocate { packet, queue }).await == 0
    }

    /// Write one cell of a packet to its buffer (posted).
    #[inline]
    pub async fn write_cell(&self, packet: PacketId, cell: u16, source: Source) {
        self.ask(Op::WriteCell { packet, cell, source }).await;
    }

    /// Wait for the posted transfers.
    #[inline]
    pub async fn join(&self) {
        self.ask(Op::Join).await;
    }

    /// Put a packet at the end of an output queue.
    #[inline]
    pub async fn enqueue(&self, packet: PacketId, queue: u16) {
        self.ask(Op::Enqueue { packet, queue }).await;
    }

    /// Let a packet leave at once, by a port that is never busy.
    #[inline]
    pub async fn depart(&self, packet: PacketId) {
        self.ask(Op::Depart { packet }).await;
    }

    /// Drop a packet.
    #[inline]
    pub async fn discard(&self, packet: PacketId, reason: DropReason) {
        self.ask(Op::Discard { packet, reason }).await;
    }

    /// The next block that one of the thread's ports may send.
    #[inline]
    pub async fn next_block(&self) -> Block {
        self.ask(Op::NextBlock).await;
        self.mailbox.block.get()
    }

    /// Read a block into the transmit buffer.
    #[inline]
    pub async fn read_block(&self, block: Block) {
        self.ask(Op::ReadBlock(block)).await;
    }

    /// Hand a block to its port.
    #[inline]
    pub async fn transmit(&self, block: Block) {
        self.ask(Op::Transmit(block)).await;
    }
}
