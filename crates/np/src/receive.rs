//! The input side's waiting room, and the output queues.
//!
//! Each flow belongs to one input thread of its port, which takes its packets one after another: packets of a flow
//! keep their order without any waiting for turns.

use linecard_program::{PacketHead, PacketId};
use linecard_sim::Ticks;
use std::collections::VecDeque;

/// What waits for one input thread.
#[derive(Default)]
pub(crate) struct Lane {
    /// Packets in the receive buffer (paced mode), with their number and time of arrival.
    pub waiting: VecDeque<(PacketHead, u64, Ticks)>,
    /// Whether the thread waits for a packet.
    pub thread_waits: bool,
}

/// An output queue: packets in order, and the bound on those in transit.
pub(crate) struct OutputQueue {
    pub packets: VecDeque<PacketId>,
    /// Packets admitted that have not left.
    pub in_transit: u32,
    /// Input threads that wait for room.
    pub waiting: VecDeque<u32>,
    /// Next cell of the packet at the head.
    pub next_cell: u16,
}
