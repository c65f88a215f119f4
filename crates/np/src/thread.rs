//! A hardware thread: its program, what it waits for, and where its time went.

use linecard_program::{Mailbox, Op, PacketId, Program};
use linecard_sim::{StateClock, Ticks};
use std::collections::VecDeque;
use std::rc::Rc;

/// What a thread is doing; the index of its [`StateClock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    /// Its instructions run.
    Compute,
    /// Its wait is over, but its engine runs another thread.
    WaitThreadSlot,
    /// Waits for SRAM.
    WaitSram,
    /// Waits for the scratchpad.
    WaitScratch,
    /// Waits for the hash unit.
    WaitHash,
    /// Waits for the result cache.
    WaitResultCache,
    /// Waits for a transfer between registers and the receive or transmit buffer.
    WaitFifo,
    /// Waits for the packet buffer's DRAM.
    WaitDram,
    /// Waits for a lock.
    WaitLock,
    /// Waits for the queue manager.
    WaitQueueManager,
    /// Waits for room in an output queue.
    WaitQueueRoom,
    /// Waits for buffer space.
    WaitBuffer,
    /// Waits for a packet to arrive.
    Receive,
    /// Waits for a block to send.
    Poll,
}

impl State {
    pub const COUNT: usize = 14;

    /// The name in tables.
    pub fn name(index: usize) -> &'static str {
        [
            "compute",
            "wait thread slot",
            "wait sram",
            "wait scratch",
            "wait hash",
            "wait result cache",
            "wait fifo",
            "wait dram",
            "wait lock",
            "wait queue manager",
            "wait queue room",
            "wait buffer space",
            "wait packet",
            "wait block",
        ][index]
    }

    /// Whether a thread in this state attends to a packet.
    pub fn attends(index: usize) -> bool {
        index < State::Receive as usize
    }
}

/// What a thread does for the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Receives packets.
    Input,
    /// Sends to the output ports of a bit set.
    Output { ports: u64, last_port: u8 },
}

/// Waiting on packet-buffer transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// Not waiting.
    None,
    /// Until fewer than the posted limit are under way.
    Room,
    /// Until none is under way.
    All,
}

pub(crate) struct Thread {
    pub program: Program,
    pub mailbox: Rc<Mailbox>,
    pub engine: u16,
    pub role: Role,
    /// The op to issue when the compute before it is done, or the one that waits.
    pub op: Op,
    pub clock: StateClock<{ State::COUNT }>,
    /// What the clock had counted when the thread received its packet.
    pub at_receive: [Ticks; State::COUNT],
    /// Transfers whose data have not all been moved.
    pub under_way: u32,
    /// When the posted transfers that have been moved are back with the thread.
    pub returning: VecDeque<Ticks>,
    pub transfer: Transfer,
    /// The packet received last.
    pub packet: PacketId,
}
