//! What a program does with one packet, as a list of steps: the one form of every program that runs on a chip.
//!
//! A program is asked once for each packet, when a thread takes it up. It does its work for real (looks a route up,
//! translates an address, runs a C function) and writes down what that costs: cycles of the engine and operations on
//! places. The chip then carries the steps out in simulated time. State of a program changes in the order in which
//! packets are taken up; locks and atomics cost what contention makes them cost; spinning is not simulated.
//!
//! A program names places by *role* (`table`, `flags`); which memory or accelerator that is, the chip's file says.
//!
//! ```
//! use linecard_program::script::{Access, Action, PacketInfo, PacketProgram, RoleId, Steps};
//! use linecard_program::PacketHead;
//!
//! struct Count;
//!
//! impl PacketProgram for Count {
//!     fn packet(&mut self, _: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
//!         steps.compute(12);
//!         steps.access(RoleId(0), Access::Add, 4, info.flow_hash % 1024 * 4);
//!         steps.push(0, Action::Send { port: 0, class: 0 });
//!     }
//! }
//! ```

use crate::{DropReason, PacketHead};

/// What a program calls a place; an index into the names of its roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RoleId(pub u8);

/// What is done to a word of a memory, or asked of an accelerator.
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
    /// Whatever an accelerator does: hash, look up, encrypt.
    Ask,
    /// A read or write that goes on where the access before ended, in an open row of DRAM: the second half of a move that
    /// takes two instructions.
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

    /// The name in files and tables.
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

    /// Whether a memory holds something new afterwards.
    pub fn writes(self) -> bool {
        !matches!(self, Access::Read | Access::Ask | Access::Continue)
    }
}

/// A way of packets' bytes between buffers, places and registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the receive buffer to a place.
    Receive,
    /// From a place to the transmit buffer.
    Transmit,
    /// From the receive buffer to the transmit buffer.
    Across,
    /// From a place to the registers of the engine.
    Read,
    /// From the registers to a place.
    Write,
}

impl Way {
    /// Whether bytes leave the receive buffer.
    #[inline]
    pub fn from_receive(self) -> bool {
        matches!(self, Way::Receive | Way::Across)
    }

    /// Whether bytes come to the transmit buffer.
    #[inline]
    pub fn to_transmit(self) -> bool {
        matches!(self, Way::Transmit | Way::Across)
    }

    /// What it is for the place.
    #[inline]
    pub fn access(self) -> Access {
        match self {
            Way::Receive | Way::Write => Access::Write,
            Way::Transmit | Way::Across | Way::Read => Access::Read,
        }
    }
}

/// What was read is not used, or so much later that it does not matter.
pub const NOT_USED: u8 = u8::MAX;

/// A place in a queue for a packet that is never kept in memory for its port's sake.
pub const NEVER_KEPT: u16 = u16::MAX;

/// What a thread does after the cycles of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing: the step is its cycles.
    Nothing,
    /// Read, write or ask, and wait for the answer, or go on at once (`posted`).
    Access {
        /// Where.
        role: RoleId,
        /// What.
        kind: Access,
        /// Whether the thread goes on.
        posted: bool,
        /// How much.
        bytes: u16,
        /// Byte offset within what the role is bound to.
        address: u32,
        /// Cycles of the program until what was read is used, at least 1; [`NOT_USED`] where it is not. Where an engine has a
        /// cache, a hit holds its thread up by this.
        used_after: u8,
    },
    /// Bytes of a memory have been written by others since the thread's engine may have read them last: what its cache has of
    /// them is no longer true.
    Forget {
        /// Which memory.
        role: RoleId,
        /// How many.
        bytes: u16,
        /// The first of them.
        address: u32,
    },
    /// Move one cell of the packet between the port buffers and its place in the memory of a role.
    Cell {
        /// Which memory.
        role: RoleId,
        /// Into the memory, or out of it.
        write: bool,
        /// Whether the thread goes on.
        posted: bool,
        /// Which cell of the packet.
        cell: u16,
        /// Bytes of it that come from registers, a transfer of their own; the rest comes from the receive buffer.
        registers: u8,
    },
    /// Wait until fewer posted operations are under way than the thread may have.
    Room,
    /// Wait until the output queue of a port takes one more packet, and have that place for this one. On chips whose output
    /// threads send block by block.
    Admit {
        /// Output port; numbers beyond the last begin again.
        port: u16,
    },
    /// Wait for room in the packet memory. A packet that fits nowhere is given up, and the thread is free.
    Allocate,
    /// The packet is complete in memory: it goes to the end of the queue in which it has a place, and the thread is free.
    Enqueue,
    /// Read all cells of the thread's block from a memory to the transmit buffer, side by side, and wait.
    ReadBlock {
        /// Which memory.
        role: RoleId,
    },
    /// Hand the thread's block over to its port.
    Transmit,
    /// Ask a result cache for the packet's flow and wait; the answer is 1 if its result is there.
    Recall {
        /// Which.
        role: RoleId,
    },
    /// Let a queue manager put a packet into the lists of an output queue, or take the first one out, and wait.
    Link {
        /// Which manager.
        role: RoleId,
        /// Output queue.
        queue: u16,
        /// Whether a packet is put in.
        enqueue: bool,
    },
    /// The program goes on from here, with what it knows by now ([`PacketProgram::more`]).
    More {
        /// Which part of it.
        part: u8,
    },
    /// The packet leaves at once, by a port that is never busy; the thread is free.
    Leave {
        /// Output port; numbers beyond the last begin again.
        port: u16,
    },
    /// The packet ends here, as the program means it to: it was worked on, and is not lost. The thread is free.
    Finish,
    /// Move part of a cell of the packet and wait. The cell has left the receive buffer, or is complete in the transmit
    /// buffer, with its `last` move.
    Move {
        /// Where the packet's bytes are kept on the way, or what carries them.
        role: RoleId,
        /// From where to where.
        way: Way,
        /// Which cell of the packet.
        cell: u16,
        /// Bytes to move, at most a cell.
        bytes: u8,
        /// Whether the cell is done with it.
        last: bool,
    },
    /// Take the packet's place in an output queue, behind the earlier ones of its flow, and wait for that. Where packets
    /// of the port are to be kept in memory, the program goes on with its step number `kept`.
    Place {
        /// Output port; numbers beyond the last begin again.
        port: u16,
        /// Where to go on then; [`NEVER_KEPT`] for a packet that is not to be kept.
        kept: u16,
        /// Whether the thread of such a packet goes on with it from memory to the port, in the place that it has; else the
        /// packet takes its place when a thread takes it up again.
        stays: bool,
    },
    /// The packet is complete in memory and waits for a thread that sends it ([`PacketProgram::resume`]); this one is
    /// free.
    Store,
    /// All of the packet has been moved to the transmit buffer; the thread is free.
    Depart,
    /// Wait for everything posted.
    Join,
    /// Wait for a lock.
    Lock(u32),
    /// Give a lock back.
    Unlock(u32),
    /// Hand the packet over to the threads that take from an inbox; the thread is then free.
    Put {
        /// Number of the inbox in the chip.
        inbox: u8,
    },
    /// The same where the inbox has room, and the thread is then free; where it has none, the program goes on.
    Offer {
        /// Number of the inbox in the chip.
        inbox: u8,
    },
    /// Hand the packet over and go on for it beside the thread that takes it up: computing, accesses, locks and
    /// [`Action::Join`] may follow, and with the last of them the thread is free.
    Lend {
        /// Number of the inbox in the chip.
        inbox: u8,
    },
    /// Wait until whoever has lent the packet is done with it.
    Alone,
    /// Hand the packet over to an output queue; the thread is then free.
    Send {
        /// Output port; numbers beyond the last begin again.
        port: u16,
        /// Class of the port's queues; likewise.
        class: u8,
    },
    /// Give the packet up; the thread is then free.
    Drop(DropReason),
}

impl Action {
    /// Whether the thread goes on while the operation is under way.
    #[inline]
    pub fn is_posted(&self) -> bool {
        matches!(self, Action::Access { posted: true, .. } | Action::Cell { posted: true, .. })
    }

    /// Whether the engine issues an operation on a place.
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

/// Cycles of an engine, then an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Cycles of the engine before the action.
    pub cycles: u32,
    /// What then happens.
    pub action: Action,
}

/// Of steps that have not said which operation they are of.
const NO_ORIGIN: u32 = u32::MAX;
/// Cycles of one step at most; what goes beyond is a step of its own. Costs of what follows have room above it.
const MOST_CYCLES: u32 = 1 << 30;

/// The steps of one packet, in order. Kept and used again from packet to packet.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    list: Vec<Step>,
    /// Operations of the program that steps are of, by step, where it says so; it may be shorter than the list.
    origins: Vec<u32>,
    pending: u32,
    /// What the program wants to know again when it goes on ([`Action::More`]).
    pub memo: u32,
}

impl Steps {
    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.list.clear();
        self.origins.clear();
        self.pending = 0;
    }

    /// Cycles before whatever comes next.
    #[inline]
    pub fn compute(&mut self, cycles: u32) {
        match self.pending.checked_add(cycles).filter(|&sum| sum <= MOST_CYCLES) {
            Some(sum) => self.pending = sum,
            None => self.compute_long(cycles),
        }
    }

    /// The same where it is too much for one step.
    #[cold]
    fn compute_long(&mut self, cycles: u32) {
        let mut left = u64::from(std::mem::take(&mut self.pending)) + u64::from(cycles);
        while left > u64::from(MOST_CYCLES) {
            self.list.push(Step { cycles: MOST_CYCLES, action: Action::Nothing });
            left -= u64::from(MOST_CYCLES);
        }
        self.pending = left as u32;
    }

    /// An action after `cycles` more cycles.
    #[inline]
    pub fn push(&mut self, cycles: u32, action: Action) {
        self.compute(cycles);
        let cycles = std::mem::take(&mut self.pending);
        self.list.push(Step { cycles, action });
    }

    /// Steps that follow each other.
    #[inline]
    pub fn append(&mut self, steps: &[Step]) {
        let Some((first, rest)) = steps.split_first() else { return };
        self.push(first.cycles, first.action);
        self.list.extend_from_slice(rest);
    }

    /// An access that the thread waits for.
    #[inline]
    pub fn access(&mut self, role: RoleId, kind: Access, bytes: u16, address: u32) {
        self.push(0, Action::Access { role, kind, posted: false, bytes, address, used_after: 1 });
    }

    /// An access that the thread does not wait for.
    #[inline]
    pub fn post(&mut self, role: RoleId, kind: Access, bytes: u16, address: u32) {
        self.push(0, Action::Access { role, kind, posted: true, bytes, address, used_after: NOT_USED });
    }

    /// What the access of a number reads is used so many cycles later.
    pub fn used_after(&mut self, number: usize, cycles: u8) {
        if let Some(Step { action: Action::Access { used_after, .. }, .. }) = self.list.get_mut(number) {
            *used_after = cycles;
        }
    }

    /// So many cycles more before the action of the step of a number.
    pub fn hold_up(&mut self, number: usize, cycles: u32) {
        if let Some(step) = self.list.get_mut(number) {
            step.cycles += cycles;
        }
    }

    /// The last step is that of an operation of the program: what its thread waits for it counts there.
    #[inline]
    pub fn comes_from(&mut self, operation: u32) {
        self.origins.resize(self.list.len(), NO_ORIGIN);
        if let Some(last) = self.origins.last_mut() {
            *last = operation;
        }
    }

    /// The operation that a step is of, if its program said so.
    #[inline]
    pub fn origin(&self, number: usize) -> Option<u32> {
        self.origins.get(number).copied().filter(|&origin| origin != NO_ORIGIN)
    }

    /// Whether no step has said what it is of.
    #[inline]
    pub fn is_without_origins(&self) -> bool {
        self.origins.is_empty()
    }

    /// Another action in the place of the last one, which keeps its cycles.
    pub fn replace_last(&mut self, action: Action) {
        if let Some(last) = self.list.last_mut() {
            last.action = action;
        }
    }

    /// An action in front of that of the step of a number, which keeps its cycles.
    pub fn insert(&mut self, at: usize, action: Action) {
        self.list.insert(at, Step { cycles: 0, action });
        if at < self.origins.len() {
            self.origins.insert(at, NO_ORIGIN);
        }
    }

    /// Let the first [`Action::Place`] go on with the step that comes next, where the packet is kept.
    pub fn when_kept_from_here(&mut self) {
        let here = self.list.len() as u16;
        let place = self.list.iter_mut().find_map(|step| match &mut step.action {
            Action::Place { kept, .. } => Some(kept),
            _ => None,
        });
        if let Some(kept) = place {
            *kept = here;
        }
    }

    /// The steps so far; cycles that no action has followed yet are not among them.
    pub fn list(&self) -> &[Step] {
        &self.list
    }

    /// The step of a number.
    #[inline]
    pub fn get(&self, number: usize) -> Option<Step> {
        self.list.get(number).copied()
    }
}

/// Cells of one packet that an output thread moves to the transmit buffer in one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Number of the output port among those that send.
    pub port: u16,
    /// First cell of the block, counted from the packet's first.
    pub first_cell: u16,
    /// Cells in the block, at least 1.
    pub cells: u16,
    /// Whether the block ends the packet.
    pub last: bool,
    /// Transmit slot of the port that the block fills.
    pub slot: u8,
}

/// What a program is told of a packet beside its header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketInfo {
    /// Number in the order of arrival.
    pub number: u64,
    /// The same for packets of one flow.
    pub flow_hash: u32,
    /// Port it came by.
    pub input_port: u16,
    /// Number of the inbox that its thread has taken it from.
    pub inbox: u16,
    /// Number of the thread in the chip.
    pub thread: u32,
}

impl PacketInfo {
    /// The output port of a packet that no lookup sends anywhere: the same for packets of one flow. Numbers beyond the last
    /// port begin again.
    #[inline]
    pub fn flow_port(&self) -> u16 {
        (self.flow_hash >> 7) as u16
    }
}

/// A packet program.
pub trait PacketProgram {
    /// Does the work on one packet and appends what it costs to `steps`, which is empty. The last action must be
    /// [`Action::Send`], [`Action::Put`], [`Action::Drop`], [`Action::Store`], [`Action::Depart`], [`Action::Enqueue`],
    /// [`Action::Leave`], [`Action::Finish`] or [`Action::More`], and one of these
    /// stands earlier only in front of the steps that [`Action::Place`] may go on with. Behind [`Action::Lend`] none of them
    /// stands.
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps);

    /// Goes on with a packet at [`Action::More`]: appends further steps to `steps`, which is empty. `answer` is what the last
    /// [`Action::Recall`] found.
    fn more(&mut self, part: u8, answer: u32, head: &mut PacketHead, steps: &mut Steps) {
        let _ = (part, answer, head, steps);
    }

    /// Appends what it costs to send a block to `steps`, which is empty, with [`Action::ReadBlock`] and [`Action::Transmit`].
    /// Nothing unless the program sends block by block.
    fn block(&mut self, block: &Block, steps: &mut Steps) {
        let _ = (block, steps);
    }

    /// Whether the program sends block by block ([`Action::Admit`], [`Action::Enqueue`], [`PacketProgram::block`]).
    fn sends_blocks(&self) -> bool {
        false
    }

    /// Appends what it costs to send a packet that was stored ([`Action::Store`]) to `steps`, which is empty. Nothing
    /// unless the program stores packets.
    fn resume(&mut self, head: &PacketHead, steps: &mut Steps) {
        let _ = (head, steps);
    }

    /// Whether the program fills the transmit buffer itself ([`Action::Place`], [`Action::Move`], [`Action::Depart`]).
    fn fills_transmit_buffer(&self) -> bool {
        false
    }

    /// Whether its steps say which operations of the program they are of ([`Steps::comes_from`]).
    fn names_operations(&self) -> bool {
        false
    }

    /// Locks that the program is known to use before it starts, numbered from 0; it may use more.
    fn locks(&self) -> u32 {
        0
    }

    /// A thread that had taken packets finds none: those of before are done.
    fn rests(&mut self, thread: u32) {
        let _ = thread;
    }

    /// Forgets the counters (the end of warm-up).
    fn restart_counters(&mut self) {}

    /// Counters of the program itself, as (metric, unit, value): table hits, rules matched, …
    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cycle_is_lost_however_many_there_are() {
        let mut steps = Steps::default();
        for _ in 0..1_000 {
            steps.compute(10_000_000);
        }
        steps.push(7, Action::Join);
        let listed = steps.list();
        assert_eq!(listed.iter().map(|step| u64::from(step.cycles)).sum::<u64>(), 10_000_000_007);
        assert!(listed.iter().all(|step| step.cycles <= MOST_CYCLES));
        assert_eq!(listed.last().unwrap().action, Action::Join);
        assert!(listed[..listed.len() - 1].iter().all(|step| step.action == Action::Nothing));
    }
}
