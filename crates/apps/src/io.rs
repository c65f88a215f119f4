//! Common parts of the applications of the IXP1200: receive a packet cell by cell, and send packets block by
//! block.

use crate::admission::{Admitted, NotIp, Protocols};
use linecard_program::PacketHead;
use linecard_program::script::{Access, Action, Block, PacketInfo, RoleId, Steps};

/// Costs of the input and output loops: engine cycles, and scratchpad accesses (ready flags, state of ports and
/// of queues), one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoCosts {
    /// First cell of a packet on the input side, without the application's own work.
    pub input_first_cell_cycles: u32,
    /// Each later cell on the input side.
    pub input_later_cell_cycles: u32,
    /// Scratchpad accesses per cell on the input side.
    pub input_cell_scratch: u32,
    /// Putting a packet into its output queue.
    pub enqueue_cycles: u32,
    /// Scratchpad accesses of that.
    pub enqueue_scratch: u32,
    /// First block of a packet on the output side, with its first cell.
    pub output_first_block_cycles: u32,
    /// Scratchpad accesses of that.
    pub output_first_block_scratch: u32,
    /// Each later block, with its first cell.
    pub output_later_block_cycles: u32,
    /// Scratchpad accesses of that.
    pub output_later_block_scratch: u32,
    /// Each further cell of a block.
    pub output_blocked_cell_cycles: u32,
}

/// The roles of the loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoRoles {
    /// Memory that keeps packets.
    pub packets: RoleId,
    /// Memory of queue descriptors and of the free list.
    pub descriptors: RoleId,
    /// Memory of ready flags and of the state of ports and queues.
    pub flags: RoleId,
    /// Queue manager, and the cycles that software spends on one of its operations; `None` on chips without
    /// one, whose programs access descriptors themselves.
    pub queues: Option<(RoleId, u32)>,
}

/// The two loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// Costs.
    pub costs: IoCosts,
    /// Roles of their accesses.
    pub roles: IoRoles,
    /// The treatment of frames that are not IP.
    pub not_ip: NotIp,
}

/// Bytes of a word of SRAM, scratchpad and hash unit.
pub(crate) const WORD_BYTES: u16 = 4;
/// Bytes of a queue descriptor or a free-list entry in SRAM.
const DESCRIPTOR_BYTES: u16 = 8;
/// Header bytes that a program writes back from registers (Hasan 2003, section 5.2), which is also the most
/// that one instruction moves between registers and DRAM.
pub(crate) const REGISTER_BYTES: u8 = 32;

impl Io {
    /// Appends the costs of the first cell of a packet in any application.
    pub fn receive(&self, steps: &mut Steps) {
        self.scratch(self.costs.input_cell_scratch, steps);
        steps.compute(self.costs.input_first_cell_cycles);
    }

    /// Returns whether the program processes a packet; any other ends here, or is forwarded by its flow.
    pub(crate) fn accept(
        &self,
        protocols: Protocols,
        head: &PacketHead,
        info: &PacketInfo,
        steps: &mut Steps,
    ) -> bool {
        match self.not_ip.admit(protocols, head) {
            Admitted::Worked => return true,
            Admitted::Passed => self.store_and_enqueue(head, info.flow_port(), steps),
            Admitted::Ended(reason) => steps.push(0, Action::Drop(reason)),
        }
        false
    }

    /// Stores the packet in memory and puts it in the queue of a port: the common end of every input program.
    /// The cycles of its first cell have been spent. Its first bytes come from registers.
    pub fn store_and_enqueue(&self, head: &PacketHead, port: u16, steps: &mut Steps) {
        let Self { costs, roles, .. } = self;
        steps.push(0, Action::Admit { port });
        // Popping the free list is one SRAM access with hardware support (Hasan 2003, section 5.2).
        steps.access(roles.descriptors, Access::Read, WORD_BYTES, 0);
        steps.push(0, Action::Allocate);
        for cell in 0..head.cells() as u16 {
            if cell > 0 {
                self.scratch(costs.input_cell_scratch, steps);
                steps.compute(costs.input_later_cell_cycles);
            }
            let registers = if cell == 0 { REGISTER_BYTES } else { 0 };
            let role = roles.packets;
            steps.push(0, Action::Cell { role, write: true, posted: true, cell, registers });
            steps.push(0, Action::Room);
        }
        steps.push(0, Action::Join);
        self.scratch(costs.enqueue_scratch, steps);
        steps.compute(costs.enqueue_cycles);
        match roles.queues {
            Some((role, cycles)) => {
                steps.compute(cycles);
                steps.push(0, Action::Link { role, queue: port, enqueue: true });
            }
            None => steps.access(roles.descriptors, Access::Write, DESCRIPTOR_BYTES, 0),
        }
        steps.push(0, Action::Enqueue);
    }

    /// Appends the output program of every application: one block, for any port.
    pub fn block(&self, block: &Block, steps: &mut Steps) {
        let Self { costs, roles, .. } = self;
        if block.first_cell == 0 {
            self.scratch(costs.output_first_block_scratch, steps);
            steps.compute(costs.output_first_block_cycles);
            match roles.queues {
                Some((role, cycles)) => {
                    steps.compute(cycles);
                    steps.push(0, Action::Link { role, queue: block.port, enqueue: false });
                }
                None => steps.access(roles.descriptors, Access::Read, DESCRIPTOR_BYTES, 0),
            }
        } else {
            self.scratch(costs.output_later_block_scratch, steps);
            steps.compute(costs.output_later_block_cycles);
        }
        steps.compute(costs.output_blocked_cell_cycles * (u32::from(block.cells) - 1));
        steps.push(0, Action::ReadBlock { role: roles.packets });
        steps.push(0, Action::Transmit);
        if block.last {
            // The buffer returns to the free list.
            steps.access(roles.descriptors, Access::Write, WORD_BYTES, 0);
        }
    }

    fn scratch(&self, accesses: u32, steps: &mut Steps) {
        for _ in 0..accesses {
            steps.access(self.roles.flags, Access::Read, WORD_BYTES, 0);
        }
    }
}

/// The result cache in front of a lookup: it returns the result for a packet of a recent flow. Source: Girish
/// 2008, section 5.2.1. The program hashes the key to a digest and queries the cache; on a miss it performs its
/// lookup and writes the result back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultCacheUse {
    /// The role of the cache.
    pub results: RoleId,
    /// The unit that computes digests.
    pub hash: RoleId,
    /// Hashes per digest.
    pub hashes: u32,
}

impl ResultCacheUse {
    /// Queries the cache; the program then continues with `part`.
    pub(crate) fn recall(&self, part: u8, steps: &mut Steps) {
        steps.access(self.hash, Access::Ask, WORD_BYTES * self.hashes as u16, 0);
        steps.push(0, Action::Recall { role: self.results });
        steps.push(0, Action::More { part });
    }

    /// Writes the result of a lookup back.
    pub(crate) fn remember(&self, steps: &mut Steps) {
        steps.access(self.results, Access::Write, WORD_BYTES, 0);
    }
}
