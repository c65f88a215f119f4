//! A step of a list: how often it executes, and its action.

use super::access::ListedAccess;
use linecard_program::script::RoleId;

/// How often a step executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// Once per packet; after [`Does::Enqueue`] once per block.
    Packet,
    /// Once per cell; consecutive steps of this kind execute in turn, cell by cell.
    Cell,
    /// The same, for the packet's first cell only.
    FirstCell,
    /// The same, without the packet's first cell.
    LaterCell,
}

impl Each {
    /// Returns whether it executes for the cell of a number.
    #[inline(always)]
    pub(super) fn takes(self, cell: u16) -> bool {
        match self {
            Each::Packet | Each::Cell => true,
            Each::FirstCell => cell == 0,
            Each::LaterCell => cell > 0,
        }
    }
}

/// The output port of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutPort {
    /// The result of the lookup; without one, the port of the flow.
    Chosen,
    /// This port.
    Port(u16),
}

/// The state of a thread after it hands its packet over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterPut {
    /// It is free; if the inbox is full it waits first.
    Free,
    /// It is free; if the inbox is full it keeps the packet and executes the next step.
    FreeIfRoom,
    /// It executes the next steps, in parallel with the thread that takes the packet.
    GoesOn,
}

/// The action of a step after its cycles.
#[derive(Clone, Debug)]
pub enum Does {
    /// None.
    Compute,
    /// An access of a memory or a unit, or a transfer.
    Reach(ListedAccess),
    /// Several accesses; the step's cycles are spread evenly before, between and after their instructions.
    Spread(Vec<ListedAccess>),
    /// The cell moves from the receive buffer to a memory, or from a memory.
    Cell {
        /// The role of the memory.
        role: RoleId,
        /// Whether it is written, or read.
        write: bool,
        /// Whether the thread continues at once.
        posted: bool,
    },
    /// Wait for posted operations.
    Join,
    /// Wait for a lock.
    Lock(u32),
    /// Release it.
    Unlock(u32),
    /// Drop packets with a damaged header or an expired time to live, and treat frames that are not IP as
    /// configured.
    Check,
    /// Find the output port of the longest prefix, with one read per level of the table. Packets that
    /// [`Does::Check`] drops, and those without a route, are dropped.
    LookUp {
        /// The role of the table's memory, and bytes per read; without one the lookup makes no accesses.
        reads: Option<(RoleId, u16)>,
    },
    /// Hand the packet over to another inbox.
    Put {
        /// The number of the inbox.
        inbox: u8,
        /// The next state of the thread.
        then: AfterPut,
    },
    /// Wait until the thread that lent the packet is done with it.
    Alone,
    /// Hand the packet over to an output queue.
    Send {
        /// The port.
        port: OutPort,
        /// The class of its queues.
        class: u8,
    },
    /// Wait for room in the queue of the output port, on chips whose output threads send block by block.
    Admit,
    /// Put the packet in that queue. Output threads execute the following steps, once per block of cells.
    Enqueue,
    /// Hand the block over to its port.
    Transmit,
    /// The packet leaves at once: by the port of the lookup, or the first.
    Leave,
    /// The packet ends here by decision of the program.
    Finish,
    /// Drop the packet.
    Drop,
}

/// A step of the list.
#[derive(Clone, Debug)]
pub struct ListedStep {
    /// How often it executes.
    pub each: Each,
    /// Fraction of the packets for which it executes, 0 to 1, drawn by packet and step.
    pub share: f64,
    /// Number of repetitions.
    pub times: u32,
    /// Cycles before its action.
    pub cycles: u32,
    /// Further 1/10,000 of a cycle, in the mean over repetitions and packets.
    pub fraction: u32,
    /// Action.
    pub does: Does,
}

/// The parts of a cycle that [`ListedStep::fraction`] counts.
pub const CYCLE_PARTS: u32 = 10_000;

impl ListedStep {
    /// Returns whether the packet belongs to another thread after it.
    pub(super) fn lends(&self) -> bool {
        matches!(self.does, Does::Put { then: AfterPut::GoesOn, .. })
    }

    /// Returns whether it ends the processing of every packet, so that no step may follow it.
    pub fn is_last_word(&self) -> bool {
        let ends = matches!(
            self.does,
            Does::Put { then: AfterPut::Free, .. }
                | Does::Send { .. }
                | Does::Enqueue
                | Does::Leave
                | Does::Finish
                | Does::Drop
        );
        // Every packet has a first cell, but not every one a second.
        ends && self.each.takes(0) && self.share >= 1.0 && self.times > 0
    }
}
