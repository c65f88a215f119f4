//! The steps of a program on one packet: the one form of every program that runs on a chip.
//!
//! A chip calls a program once for each packet, when a thread takes it. The program does real work (looks a
//! route up, translates an address, runs a C function) and writes down its costs: cycles of the engine, and
//! operations on memories and units. The chip then executes the steps in simulated time. The state of a program
//! changes in the order in which threads take packets. Locks and atomic operations cost what contention adds;
//! spinning is not simulated.
//!
//! A program names memories and units by *role* (`table`, `flags`); the chip's file binds each role to one.
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

mod actions;
mod steps;

pub use actions::{Access, Action, NEVER_KEPT, NOT_USED, RoleId, Way};
pub use steps::{Step, Steps};

use crate::PacketHead;

/// Cells of one packet that an output thread moves to the transmit buffer at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Number of the output port among the sending ports.
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

/// The facts about a packet that a program can use, in addition to its header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketInfo {
    /// Number in the order of arrival.
    pub number: u64,
    /// Equal for packets of one flow.
    pub flow_hash: u32,
    /// Port that received it.
    pub input_port: u16,
    /// Number of the inbox from which its thread took it.
    pub inbox: u16,
    /// Number of the thread in the chip.
    pub thread: u32,
}

impl PacketInfo {
    /// Returns the output port of a packet without a lookup: the same for packets of one flow. Numbers beyond
    /// the last port wrap around.
    #[inline]
    pub fn flow_port(&self) -> u16 {
        (self.flow_hash >> 7) as u16
    }
}

/// A packet program.
pub trait PacketProgram {
    /// Processes one packet and appends its costs to `steps`, which is empty. The last action must be
    /// [`Action::Send`], [`Action::Put`], [`Action::Drop`], [`Action::Store`], [`Action::Depart`],
    /// [`Action::Enqueue`], [`Action::Leave`], [`Action::Finish`] or [`Action::More`]. One of these may come
    /// earlier only in front of the steps with which [`Action::Place`] may continue. None of them may follow
    /// [`Action::Lend`].
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps);

    /// Continues with a packet at [`Action::More`]: appends further steps to `steps`, which is empty. `answer`
    /// is the result of the last [`Action::Recall`].
    fn more(&mut self, part: u8, answer: u32, head: &mut PacketHead, steps: &mut Steps) {
        let _ = (part, answer, head, steps);
    }

    /// Appends the costs of sending a block to `steps`, which is empty, with [`Action::ReadBlock`] and
    /// [`Action::Transmit`]. Does nothing unless the program sends block by block.
    fn block(&mut self, block: &Block, steps: &mut Steps) {
        let _ = (block, steps);
    }

    /// Returns whether the program sends block by block ([`Action::Admit`], [`Action::Enqueue`],
    /// [`PacketProgram::block`]).
    fn sends_blocks(&self) -> bool {
        false
    }

    /// Appends the costs of sending a stored packet ([`Action::Store`]) to `steps`, which is empty. Does
    /// nothing unless the program stores packets.
    fn resume(&mut self, head: &PacketHead, steps: &mut Steps) {
        let _ = (head, steps);
    }

    /// Returns whether the program fills the transmit buffer itself ([`Action::Place`], [`Action::Move`],
    /// [`Action::Depart`]).
    fn fills_transmit_buffer(&self) -> bool {
        false
    }

    /// Returns whether its steps name operations of the program ([`Steps::comes_from`]).
    fn names_operations(&self) -> bool {
        false
    }

    /// Returns the number of locks that the program is known to use before it starts, numbered from 0; it may
    /// use more.
    fn locks(&self) -> u32 {
        0
    }

    /// A thread that had taken packets finds none: its earlier packets are done.
    fn rests(&mut self, thread: u32) {
        let _ = thread;
    }

    /// Discards the counters (the end of warm-up).
    fn restart_counters(&mut self) {}

    /// Returns the counters of the program itself as (metric, unit, value): table hits, rules matched, …
    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        Vec::new()
    }
}
