//! Common parts of the applications of the IXP1200: receive a packet cell by cell, and send packets block by
//! block.

use crate::admission::{Admitted, NotIp, Protocols};
use linecard_program::PacketHead;
use linecard_program::script::{Access, Action, Block, PacketInfo, RoleId, Step, Steps};

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

/// The two loops. Their steps are written down once, and copied for each packet and block.
#[derive(Clone, Debug)]
pub struct Io {
    costs: IoCosts,
    roles: IoRoles,
    not_ip: NotIp,
    /// Steps of the input loop before the first cell, and after the last one.
    before_cells: Vec<Step>,
    after_cells: Vec<Step>,
    /// Steps of the cells, up to the longest packet so far; the steps of the first cell, and of each later one.
    cells: Vec<Step>,
    first_cell_steps: usize,
    later_cell_steps: usize,
    /// Steps of a block of one cell: not the first of its packet or the first, then not the last or the last.
    blocks: [[Vec<Step>; 2]; 2],
}

/// Bytes of a word of SRAM, scratchpad and hash unit.
pub(crate) const WORD_BYTES: u16 = 4;
/// Bytes of a queue descriptor or a free-list entry in SRAM.
const DESCRIPTOR_BYTES: u16 = 8;
/// Header bytes that a program writes back from registers (Hasan 2003, section 5.2), which is also the most
/// that one instruction moves between registers and DRAM.
pub(crate) const REGISTER_BYTES: u8 = 32;

impl Io {
    /// Returns the loops of a chip; `not_ip` is the treatment of frames that are not IP.
    pub fn new(costs: IoCosts, roles: IoRoles, not_ip: NotIp) -> Self {
        Self {
            costs,
            roles,
            not_ip,
            before_cells: before_cells(&roles),
            after_cells: after_cells(&costs, &roles),
            cells: Vec::new(),
            first_cell_steps: cell(&costs, &roles, 0).len(),
            later_cell_steps: cell(&costs, &roles, 1).len(),
            blocks: [false, true].map(|first| [false, true].map(|last| block(&costs, &roles, first, last))),
        }
    }

    /// Appends the costs of the first cell of a packet in any application.
    pub fn receive(&self, steps: &mut Steps) {
        flag_accesses(&self.roles, self.costs.input_cell_scratch, steps);
        steps.compute(self.costs.input_first_cell_cycles);
    }

    /// Returns whether the program processes a packet; any other ends here, or is forwarded by its flow.
    pub(crate) fn accept(
        &mut self,
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
    pub fn store_and_enqueue(&mut self, head: &PacketHead, port: u16, steps: &mut Steps) {
        for step in steps.append(&self.before_cells) {
            if let Action::Admit { port: admits } = &mut step.action {
                *admits = port;
            }
        }
        let cells = head.cells() as usize;
        let count = self.first_cell_steps + (cells - 1) * self.later_cell_steps;
        if self.cells.len() < count {
            let cell = |number| cell(&self.costs, &self.roles, number);
            self.cells = (0..cells as u16).flat_map(cell).collect();
        }
        steps.append(&self.cells[..count]);
        for step in steps.append(&self.after_cells) {
            if let Action::Link { queue, .. } = &mut step.action {
                *queue = port;
            }
        }
    }

    /// Appends the output program of every application: one block, for any port.
    pub fn block(&self, block: &Block, steps: &mut Steps) {
        let written = &self.blocks[usize::from(block.first_cell == 0)][usize::from(block.last)];
        for step in steps.append(written) {
            match &mut step.action {
                Action::Link { queue, .. } => *queue = block.port,
                Action::ReadBlock { .. } => {
                    step.cycles += self.costs.output_blocked_cell_cycles * (u32::from(block.cells) - 1);
                }
                _ => {}
            }
        }
    }
}

/// Returns the steps that a program writes down.
fn written(write: impl FnOnce(&mut Steps)) -> Vec<Step> {
    let mut steps = Steps::default();
    write(&mut steps);
    steps.list().to_vec()
}

/// Returns the steps of the input loop before the first cell of a packet.
fn before_cells(roles: &IoRoles) -> Vec<Step> {
    written(|steps| {
        steps.push(0, Action::Admit { port: 0 });
        // Popping the free list is one SRAM access with hardware support (Hasan 2003, section 5.2).
        steps.access(roles.descriptors, Access::Read, WORD_BYTES, 0);
        steps.push(0, Action::Allocate);
    })
}

/// Returns the steps that store a cell of a packet.
fn cell(costs: &IoCosts, roles: &IoRoles, cell: u16) -> Vec<Step> {
    written(|steps| {
        if cell > 0 {
            flag_accesses(roles, costs.input_cell_scratch, steps);
            steps.compute(costs.input_later_cell_cycles);
        }
        let registers = if cell == 0 { REGISTER_BYTES } else { 0 };
        let role = roles.packets;
        steps.push(0, Action::Cell { role, write: true, posted: true, cell, registers });
        steps.push(0, Action::Room);
    })
}

/// Returns the steps of the input loop after the last cell of a packet.
fn after_cells(costs: &IoCosts, roles: &IoRoles) -> Vec<Step> {
    written(|steps| {
        steps.push(0, Action::Join);
        flag_accesses(roles, costs.enqueue_scratch, steps);
        steps.compute(costs.enqueue_cycles);
        match roles.queues {
            Some((role, cycles)) => steps.push(cycles, Action::Link { role, queue: 0, enqueue: true }),
            None => steps.access(roles.descriptors, Access::Write, DESCRIPTOR_BYTES, 0),
        }
        steps.push(0, Action::Enqueue);
    })
}

/// Returns the steps of a block of one cell.
fn block(costs: &IoCosts, roles: &IoRoles, first: bool, last: bool) -> Vec<Step> {
    written(|steps| {
        if first {
            flag_accesses(roles, costs.output_first_block_scratch, steps);
            steps.compute(costs.output_first_block_cycles);
            match roles.queues {
                Some((role, cycles)) => steps.push(cycles, Action::Link { role, queue: 0, enqueue: false }),
                None => steps.access(roles.descriptors, Access::Read, DESCRIPTOR_BYTES, 0),
            }
        } else {
            flag_accesses(roles, costs.output_later_block_scratch, steps);
            steps.compute(costs.output_later_block_cycles);
        }
        steps.push(0, Action::ReadBlock { role: roles.packets });
        steps.push(0, Action::Transmit);
        if last {
            // The buffer returns to the free list.
            steps.access(roles.descriptors, Access::Write, WORD_BYTES, 0);
        }
    })
}

/// Appends accesses to flags, one after another.
fn flag_accesses(roles: &IoRoles, accesses: u32, steps: &mut Steps) {
    for _ in 0..accesses {
        steps.access(roles.flags, Access::Read, WORD_BYTES, 0);
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
