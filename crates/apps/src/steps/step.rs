//! A step of a list: how often it is done, and what it does.

use super::access::ListedAccess;
use linecard_program::script::RoleId;

/// How often a step is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// Once a packet; behind [`Does::Enqueue`] once a block.
    Packet,
    /// Once for each cell; steps of this kind that follow each other are done in turn, cell by cell.
    Cell,
    /// The same, for the packet's first cell only.
    FirstCell,
    /// The same, without the packet's first cell.
    LaterCell,
}

impl Each {
    /// Whether it is done for the cell of a number.
    #[inline(always)]
    pub(super) fn takes(self, cell: u16) -> bool {
        match self {
            Each::Packet | Each::Cell => true,
            Each::FirstCell => cell == 0,
            Each::LaterCell => cell > 0,
        }
    }
}

/// Where a packet goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutPort {
    /// Where the lookup said; without one, by flow.
    Chosen,
    /// This port.
    Port(u16),
}

/// What becomes of a thread that hands its packet over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterPut {
    /// It is free; where the inbox is full it waits first.
    Free,
    /// It is free; where the inbox is full it keeps the packet and does the next step.
    FreeIfRoom,
    /// It does the next steps, beside the thread that takes the packet up.
    GoesOn,
}

/// What a step does after its cycles.
#[derive(Clone, Debug)]
pub enum Does {
    /// Nothing.
    Compute,
    /// An access of a place, or a transfer.
    Reach(ListedAccess),
    /// Several; the step's cycles are spread evenly before, between and behind their instructions.
    Spread(Vec<ListedAccess>),
    /// The cell moves from the receive buffer into a memory, or out of it.
    Cell {
        /// Which memory.
        role: RoleId,
        /// Into it, or out of it.
        write: bool,
        /// Whether the thread goes on at once.
        posted: bool,
    },
    /// Wait for what was posted.
    Join,
    /// Wait for a lock.
    Lock(u32),
    /// Give it back.
    Unlock(u32),
    /// Packets with a damaged header or without hops left are dropped, and frames that are not IP go where they are to.
    Check,
    /// Find the output port of the longest prefix; one read for each level of the table. Packets that [`Does::Check`] drops,
    /// and those that match no route, are dropped.
    LookUp {
        /// Which memory holds the table, and bytes of a read; without one the lookup makes no accesses.
        reads: Option<(RoleId, u16)>,
    },
    /// Hand over to another inbox.
    Put {
        /// Which.
        inbox: u8,
        /// And then.
        then: AfterPut,
    },
    /// Wait until whoever has lent the packet is done with it.
    Alone,
    /// Hand over to an output queue.
    Send {
        /// Which port.
        port: OutPort,
        /// Which class of its queues.
        class: u8,
    },
    /// Wait for a place in the queue of the output port, on chips whose output threads send block by block.
    Admit,
    /// Put the packet into that queue. The steps behind it are done by output threads, for each block of cells.
    Enqueue,
    /// Hand the block over to its port.
    Transmit,
    /// The packet leaves at once: by the port that was looked up, or else the first.
    Leave,
    /// The packet ends here, as it is meant to.
    Finish,
    /// Give the packet up.
    Drop,
}

/// A step of the list.
#[derive(Clone, Debug)]
pub struct ListedStep {
    /// How often.
    pub each: Each,
    /// Share of the packets for which it is done, 0 to 1, drawn by packet and step.
    pub share: f64,
    /// How many times one after another.
    pub times: u32,
    /// Cycles before what it does.
    pub cycles: u32,
    /// What it does.
    pub does: Does,
}

impl ListedStep {
    /// Whether the packet is somebody else's behind it.
    pub(super) fn lends(&self) -> bool {
        matches!(self.does, Does::Put { then: AfterPut::GoesOn, .. })
    }

    /// Whether nothing comes behind it.
    pub(super) fn is_last_word(&self) -> bool {
        let ends = matches!(
            self.does,
            Does::Put { then: AfterPut::Free, .. }
                | Does::Send { .. }
                | Does::Enqueue
                | Does::Leave
                | Does::Finish
                | Does::Drop
        );
        // Every packet has a first cell, and not every one a second.
        ends && self.each.takes(0) && self.share >= 1.0 && self.times > 0
    }
}
