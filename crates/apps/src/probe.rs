//! `probe`: one transfer after another and nothing else, to measure what transfers take and what a memory can move.
//!
//! Source: Spalink 2000, Table 1 and section 3.2, which measure latencies and the bandwidth of DRAM like this. A packet
//! stands for a transfer: it is received, the transfer is made, it leaves.

use crate::io::WORD_BYTES;
use crate::transfer::transfer;
use linecard_program::PacketHead;
use linecard_program::script::{Access, Action, PacketInfo, PacketProgram, RoleId, Steps};

/// The probing application.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    role: RoleId,
    /// Moved by instructions of at most 32 bytes, one after another; otherwise in words, by one access.
    by_instructions: bool,
    bytes: u16,
}

impl Probe {
    /// Transfers of `bytes` bytes between components, by the path that `role` names; beyond 32 bytes they take several
    /// instructions, one after another.
    pub fn of_path(role: RoleId, bytes: u16) -> Self {
        Self { role, by_instructions: true, bytes }
    }

    /// Accesses of `bytes` bytes of a unit, in whole words.
    pub fn of_unit(role: RoleId, bytes: u16) -> Self {
        Self { role, by_instructions: false, bytes: bytes.next_multiple_of(WORD_BYTES) }
    }
}

impl PacketProgram for Probe {
    fn packet(&mut self, _: &mut PacketHead, _: &PacketInfo, steps: &mut Steps) {
        match self.by_instructions {
            true => transfer(self.role, self.bytes, |_| 0, steps),
            false => steps.access(self.role, Access::Read, self.bytes, 0),
        }
        steps.push(0, Action::Leave { port: 0 });
    }

    /// Its packets leave by themselves; the threads that send have nothing to do.
    fn sends_blocks(&self) -> bool {
        true
    }
}
