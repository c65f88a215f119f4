//! The actions of the steps of a packet.

use crate::DropReason;

/// The name that a program uses for a memory or a unit: an index into the names of its roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RoleId(pub u8);

/// The operation on a word of a memory, or the request to an accelerator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Access {
    /// Read.
    Read,
    /// Write.
    Write,
    /// Atomic addition.
    Add,
    /// Atomic test and set.
    TestAndSet,
    /// Atomic exchange.
    Swap,
    /// A request to an accelerator: hash, look up, encrypt.
    Ask,
    /// A read or write that continues where the access before ended, in an open row of DRAM: the second half of
    /// a move of two instructions.
    Continue,
}

impl Access {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Access; 7] = [
        Access::Read,
        Access::Write,
        Access::Add,
        Access::TestAndSet,
        Access::Swap,
        Access::Ask,
        Access::Continue,
    ];

    /// Returns the name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Add => "add",
            Access::TestAndSet => "test_and_set",
            Access::Swap => "swap",
            Access::Ask => "ask",
            Access::Continue => "continue",
        }
    }

    /// Returns whether it changes the contents of a memory.
    pub fn writes(self) -> bool {
        !matches!(self, Access::Read | Access::Ask | Access::Continue)
    }
}

/// The path of packet bytes between buffers, memories and registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the receive buffer to a memory.
    Receive,
    /// From a memory to the transmit buffer.
    Transmit,
    /// From the receive buffer to the transmit buffer.
    Across,
    /// From a memory to the registers of the engine.
    Read,
    /// From the registers to a memory.
    Write,
}

impl Way {
    /// Returns whether bytes leave the receive buffer.
    #[inline]
    pub fn from_receive(self) -> bool {
        matches!(self, Way::Receive | Way::Across)
    }

    /// Returns whether bytes enter the transmit buffer.
    #[inline]
    pub fn to_transmit(self) -> bool {
        matches!(self, Way::Transmit | Way::Across)
    }

    /// Returns the kind of access to the memory.
    #[inline]
    pub fn access(self) -> Access {
        match self {
            Way::Receive | Way::Write => Access::Write,
            Way::Transmit | Way::Across | Way::Read => Access::Read,
        }
    }
}

/// The value read is not used, or is used so late that it does not matter.
pub const NOT_USED: u8 = u8::MAX;

/// `kept` of a packet that is never kept in memory while its port is congested.
pub const NEVER_KEPT: u16 = u16::MAX;

/// The action of a thread after the cycles of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// None: the step is only its cycles.
    Nothing,
    /// Access a memory or a unit and wait for the result, or continue at once (`posted`).
    Access {
        /// The role of the memory or unit.
        role: RoleId,
        /// The kind of access.
        kind: Access,
        /// Whether the thread continues at once.
        posted: bool,
        /// Bytes of the access.
        bytes: u16,
        /// Byte offset within the memory that the role is bound to.
        address: u32,
        /// Cycles of the program until the value read is used, at least 1; [`NOT_USED`] if it is not. If the
        /// engine has a data cache, a hit may stall its thread then.
        used_after: u8,
    },
    /// Others may have written bytes of a memory since the thread's engine last read them: its data cache
    /// discards its copies.
    Forget {
        /// The role of the memory.
        role: RoleId,
        /// The number of bytes.
        bytes: u16,
        /// The address of the first.
        address: u32,
    },
    /// Move one cell of the packet between the port buffers and the packet's location in the memory of a role.
    Cell {
        /// The role of the memory.
        role: RoleId,
        /// Whether the move writes the memory, or reads it.
        write: bool,
        /// Whether the thread continues at once.
        posted: bool,
        /// Number of the cell in the packet.
        cell: u16,
        /// Bytes of it that come from registers as a separate transfer; the rest comes from the receive buffer.
        registers: u8,
    },
    /// Wait until the thread may post one more operation.
    Room,
    /// Wait until the output queue of a port has room for one more packet, and reserve it for this one. For
    /// chips whose output threads send block by block.
    Admit {
        /// Output port; numbers beyond the last wrap around.
        port: u16,
    },
    /// Wait for room in the packet memory. A packet that can never fit is dropped, and the thread is free.
    Allocate,
    /// The packet is complete in memory: it joins the queue in which it has reserved room, and the thread is
    /// free.
    Enqueue,
    /// Read all cells of the thread's block in parallel from a memory to the transmit buffer, and wait.
    ReadBlock {
        /// The role of the memory.
        role: RoleId,
    },
    /// Hand the thread's block over to its port.
    Transmit,
    /// Query a result cache for the packet's flow and wait; the answer is 1 if it holds the result.
    Recall {
        /// The role of the cache.
        role: RoleId,
    },
    /// Let a queue manager put a packet into the lists of an output queue, or remove the first one, and wait.
    Link {
        /// The role of the manager.
        role: RoleId,
        /// Output queue.
        queue: u16,
        /// Whether a packet is put in, or removed.
        enqueue: bool,
    },
    /// The program continues from here, with what it knows by now ([`super::PacketProgram::more`]).
    More {
        /// The part of the program that continues.
        part: u8,
    },
    /// The packet leaves at once by a port that is never busy; the thread is free.
    Leave {
        /// Output port; numbers beyond the last wrap around.
        port: u16,
    },
    /// The packet ends here by decision of the program, and is not lost. The thread is free.
    Finish,
    /// Move part of a cell of the packet and wait. After the `last` move, the cell has left the receive buffer,
    /// or is complete in the transmit buffer.
    Move {
        /// The memory that keeps the packet's bytes on the way, or the unit that transfers them.
        role: RoleId,
        /// Source and destination.
        way: Way,
        /// Number of the cell in the packet.
        cell: u16,
        /// Bytes to move, at most a cell.
        bytes: u8,
        /// Whether the cell is then complete.
        last: bool,
    },
    /// Enter the packet's output queue behind the earlier packets of its flow, and wait for that. If packets of
    /// the port are to be kept in memory, the program continues with its step number `kept`.
    Place {
        /// Output port; numbers beyond the last wrap around.
        port: u16,
        /// The next step in that case; [`NEVER_KEPT`] for a packet that is never kept.
        kept: u16,
        /// Whether the packet keeps its position in the queue and its thread moves it from memory to the port.
        /// Otherwise the packet enters the queue when a thread takes it again.
        stays: bool,
    },
    /// The packet is complete in memory and waits for a thread that sends it ([`super::PacketProgram::resume`]); this
    /// thread is free.
    Store,
    /// The whole packet has been moved to the transmit buffer; the thread is free.
    Depart,
    /// Wait for all posted operations.
    Join,
    /// Wait for a lock.
    Lock(u32),
    /// Release a lock.
    Unlock(u32),
    /// Hand the packet over to the threads of an inbox; the thread is then free.
    Put {
        /// Number of the inbox in the chip.
        inbox: u8,
    },
    /// As `Put` if the inbox has room; if it is full, the program continues with the next step.
    Offer {
        /// Number of the inbox in the chip.
        inbox: u8,
    },
    /// Wait for room in an inbox, and keep it for the packet until the thread puts the packet in.
    Reserve {
        /// Number of the inbox in the chip.
        inbox: u8,
        /// If the inbox is full, the program skips this number of steps and continues; 0 to wait for room.
        else_skips: u8,
    },
    /// Hand the packet over and continue in parallel with the thread that takes it: computation, accesses,
    /// locks and [`Action::Join`] may follow. After the last of them the thread is free.
    Lend {
        /// Number of the inbox in the chip.
        inbox: u8,
    },
    /// Wait until the thread that lent the packet is done with it.
    Alone,
    /// Hand the packet over to an output queue; the thread is then free.
    Send {
        /// Output port; numbers beyond the last wrap around.
        port: u16,
        /// Class of the port's queues; also wraps around.
        class: u8,
    },
    /// Drop the packet; the thread is then free.
    Drop(DropReason),
}

impl Action {
    /// Returns whether the thread continues while the operation is outstanding.
    #[inline]
    pub fn is_posted(&self) -> bool {
        matches!(self, Action::Access { posted: true, .. } | Action::Cell { posted: true, .. })
    }

    /// Returns whether the engine issues an operation on a memory or a unit.
    #[inline]
    pub fn is_issued(self) -> bool {
        matches!(
            self,
            Action::Access { .. }
                | Action::Cell { .. }
                | Action::Move { .. }
                | Action::ReadBlock { .. }
                | Action::Recall { .. }
                | Action::Link { .. }
        )
    }
}
