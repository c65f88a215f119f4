//! Input ports: packets that wait for a thread, threads that wait for a packet, and the order of the port.
//!
//! Several threads may serve a port; packets leave the input side in the order in which the port gave them out,
//! as hardware that hands packets of a port to threads has them enqueued in order.

use linecard_program::{PacketHead, PacketId};
use linecard_sim::Ticks;
use std::collections::VecDeque;

#[derive(Default)]
pub(crate) struct InputPort {
    /// Packets in the receive buffer (paced mode).
    pub waiting: VecDeque<(PacketHead, u64, Ticks)>,
    pub cells: u32,
    /// Threads that wait for a packet.
    pub threads: VecDeque<u32>,
    next_ticket: u64,
    serving: u64,
    /// Threads that hold a packet whose turn has not come, with their tickets.
    out_of_turn: Vec<(u64, u32)>,
}

impl InputPort {
    pub fn ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket - 1
    }

    /// Whether it is the turn of `ticket`; otherwise the thread waits.
    #[inline]
    pub fn is_turn(&mut self, ticket: u64, thread: u32) -> bool {
        if ticket == self.serving {
            return true;
        }
        self.out_of_turn.push((ticket, thread));
        false
    }

    /// The packet whose turn it was has been enqueued or dropped. Returns the thread whose turn it is now.
    #[inline]
    pub fn turn_done(&mut self) -> Option<u32> {
        self.serving += 1;
        let index = self.out_of_turn.iter().position(|&(ticket, _)| ticket == self.serving)?;
        Some(self.out_of_turn.swap_remove(index).1)
    }
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
