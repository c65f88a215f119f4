//! `vanilla_ip`: the forwarding program of the IXP1200 evaluation, instruction by instruction.
//!
//! Source: Spalink 2000, Figures 3 and 5. Every 64-byte piece (MP) of a packet goes through the whole input loop, as the
//! report does it: to DRAM, header to registers, hash, routing entry, the function, header back to DRAM. The packet is
//! put into its queue with its last piece. Ports, FIFO slots and contexts are assigned statically.

use crate::io::{WORD_BYTES, accept_ipv4};
use crate::route::RouteTable;
use crate::transfer::{instructions, transfer};
use linecard_program::script::{Access, Action, Block, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_program::{DropReason, PacketHead};
use std::rc::Rc;

/// Instructions and scratchpad accesses of a step of Figure 5; its other accesses are the program's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Instructions.
    pub cycles: u32,
    /// Scratchpad accesses.
    pub scratch: u32,
}

/// The steps of Figure 5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VanillaCosts {
    /// until_ready_rcv
    pub until_ready_receive: Step,
    /// move IN_FIFO to DRAM
    pub fifo_to_dram: Step,
    /// move DRAM to Reg_Hdr
    pub header_to_registers: Step,
    /// hash
    pub hash: Step,
    /// move SRAM to Reg_Entry
    pub entry_to_registers: Step,
    /// Reg_Entry.Func
    pub function: Step,
    /// if End_Of_Packet
    pub end_of_packet: Step,
    /// enqueue
    pub enqueue: Step,
    /// until_ready_snd
    pub until_ready_send: Step,
    /// if Start_Of_Packet
    pub start_of_packet: Step,
    /// dequeue
    pub dequeue: Step,
    /// move DRAM to OUT_FIFO
    pub dram_to_fifo: Step,
    /// start_transfer
    pub start_transfer: Step,
}

/// An operation of an extension, done for every piece of a packet (Spalink 2000, section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtensionOp {
    /// Register instructions.
    Compute(u32),
    /// Bytes from DRAM to registers.
    DramRead(u32),
    /// Bytes from registers to DRAM.
    DramWrite(u32),
    /// Bytes from SRAM to registers, or back.
    Sram(u32),
    /// Scratchpad accesses.
    Scratch(u32),
    /// Hashes.
    Hash(u32),
}

/// Which loops run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// Input threads put packets into queues, output threads send them.
    Both,
    /// Input threads only; a packet leaves at the end of the loop.
    Input,
    /// Input threads run the output loop; a packet leaves at its end.
    Output,
}

/// The application's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VanillaConfig {
    /// What the steps cost.
    pub costs: VanillaCosts,
    /// Whether packets come from ports. Otherwise every iteration sees the same packet "without any delay or port
    /// interaction" (section 3.1): no until_ready_rcv, and no scratchpad access when it is moved to DRAM.
    pub real_ports: bool,
    /// Which loops run.
    pub loops: Loops,
    /// What is done beside the forwarding function.
    pub extension: Vec<ExtensionOp>,
}

/// What the program calls its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VanillaRoles {
    /// Receive buffer to DRAM.
    pub fifo_to_dram: RoleId,
    /// DRAM to transmit buffer.
    pub dram_to_fifo: RoleId,
    /// DRAM to registers.
    pub dram_to_engine: RoleId,
    /// Registers to DRAM.
    pub engine_to_dram: RoleId,
    /// Memory of routing entries and queue pointers.
    pub table: RoleId,
    /// Memory of ready flags, mutexes and the state of ports.
    pub flags: RoleId,
    /// Hash unit.
    pub hash: RoleId,
}

/// Bytes of a piece of a packet.
const PIECE_BYTES: u16 = 64;
/// Bytes of its header that are moved to registers.
const HEADER_BYTES: u16 = 32;
/// Bytes of a routing entry: two addresses, an Ethernet address, queue and function (section 2.2).
const ENTRY_BYTES: u16 = 16;
/// Bytes of a queue's pointer.
const POINTER_BYTES: u16 = 4;

/// The forwarding application.
#[derive(Clone, Debug)]
pub struct VanillaIp {
    config: Rc<VanillaConfig>,
    roles: VanillaRoles,
    table: Rc<RouteTable>,
}

/// A step that is being written: its instructions are spread evenly before, between and behind its accesses. Figure 5 gives
/// their numbers only.
struct Pace<'a> {
    steps: &'a mut Steps,
    roles: VanillaRoles,
    cycles: u32,
    accesses: u32,
}

/// The instructions before the next of so many accesses.
fn share(cycles: &mut u32, accesses: &mut u32) -> u32 {
    let part = *cycles / (*accesses + 1);
    *cycles -= part;
    *accesses -= 1;
    part
}

impl Pace<'_> {
    /// The instructions before the next access.
    fn before_access(&mut self) {
        let cycles = share(&mut self.cycles, &mut self.accesses);
        self.steps.compute(cycles);
    }

    fn scratch(&mut self, accesses: u32) {
        for _ in 0..accesses {
            self.before_access();
            self.steps.access(self.roles.flags, Access::Read, WORD_BYTES, 0);
        }
    }

    fn sram(&mut self, bytes: u16) {
        self.before_access();
        self.steps.access(self.roles.table, Access::Read, bytes, 0);
    }

    fn transfer(&mut self, path: RoleId, bytes: u16) {
        let Self { steps, cycles, accesses, .. } = self;
        transfer(path, bytes, |_| share(cycles, accesses), steps);
    }

    /// Give a mutex back, which nobody waits for.
    fn release(&mut self) {
        self.before_access();
        self.steps.post(self.roles.flags, Access::Write, WORD_BYTES, 0);
    }

    /// The instructions behind the last access.
    fn end(self) {
        self.steps.compute(self.cycles);
    }
}

impl VanillaIp {
    /// Forward by `table`.
    pub fn new(config: VanillaConfig, roles: VanillaRoles, table: RouteTable) -> Self {
        Self { config: Rc::new(config), roles, table: Rc::new(table) }
    }

    /// A step with its scratchpad accesses and `others`.
    fn pace<'a>(&self, step: Step, others: u32, steps: &'a mut Steps) -> Pace<'a> {
        Pace { steps, roles: self.roles, cycles: step.cycles, accesses: step.scratch + others }
    }

    /// A step of instructions and scratchpad accesses alone.
    fn plain(&self, step: Step, steps: &mut Steps) {
        let mut pace = self.pace(step, 0, steps);
        pace.scratch(step.scratch);
        pace.end();
    }

    /// A step with a move.
    fn moving(&self, step: Step, path: RoleId, bytes: u16, steps: &mut Steps) {
        let mut pace = self.pace(step, instructions(bytes), steps);
        pace.scratch(step.scratch);
        pace.transfer(path, bytes);
        pace.end();
    }

    /// A piece to DRAM, and the forwarding function on it.
    fn receive_piece(&self, steps: &mut Steps) {
        let Self { config, roles, .. } = self;
        let costs = &config.costs;
        let mut to_dram = costs.fifo_to_dram;
        if config.real_ports {
            self.plain(costs.until_ready_receive, steps);
        } else {
            to_dram.scratch = 0;
        }
        self.moving(to_dram, roles.fifo_to_dram, PIECE_BYTES, steps);
        self.moving(
            Step { scratch: 0, ..costs.header_to_registers },
            roles.dram_to_engine,
            HEADER_BYTES,
            steps,
        );
        self.plain(costs.hash, steps);
        let mut pace = self.pace(costs.entry_to_registers, 1, steps);
        pace.sram(ENTRY_BYTES);
        pace.end();
        self.extend(steps);
        // 34 bytes of Ethernet and IP header: two transfers.
        self.moving(Step { scratch: 0, ..costs.function }, roles.engine_to_dram, PIECE_BYTES, steps);
        steps.compute(costs.end_of_packet.cycles);
    }

    fn extend(&self, steps: &mut Steps) {
        let roles = self.roles;
        for &op in &self.config.extension {
            match op {
                ExtensionOp::Compute(cycles) => steps.compute(cycles),
                ExtensionOp::DramRead(bytes) => transfer(roles.dram_to_engine, bytes as u16, |_| 0, steps),
                ExtensionOp::DramWrite(bytes) => transfer(roles.engine_to_dram, bytes as u16, |_| 0, steps),
                ExtensionOp::Sram(bytes) => {
                    let bytes = (bytes as u16).next_multiple_of(WORD_BYTES);
                    steps.access(roles.table, Access::Read, bytes, 0);
                }
                ExtensionOp::Scratch(accesses) => {
                    for _ in 0..accesses {
                        steps.access(roles.flags, Access::Read, WORD_BYTES, 0);
                    }
                }
                ExtensionOp::Hash(hashes) => {
                    steps.access(roles.hash, Access::Ask, hashes as u16 * WORD_BYTES, 0);
                }
            }
        }
    }

    /// A step on a queue: a pointer in SRAM under a mutex in the scratchpad.
    fn locked(&self, step: Step, steps: &mut Steps) {
        let mut pace = self.pace(step, 1, steps);
        pace.scratch(step.scratch.saturating_sub(1));
        pace.sram(POINTER_BYTES);
        if step.scratch > 0 {
            pace.release();
        }
        pace.end();
    }

    /// A piece to the transmit buffer; the first of a packet is looked up in its queue.
    fn send_piece(&self, first: bool, steps: &mut Steps) {
        let costs = &self.config.costs;
        self.plain(costs.until_ready_send, steps);
        steps.compute(costs.start_of_packet.cycles);
        if first {
            self.locked(costs.dequeue, steps);
        }
        self.moving(Step { scratch: 0, ..costs.dram_to_fifo }, self.roles.dram_to_fifo, PIECE_BYTES, steps);
        self.plain(costs.start_transfer, steps);
    }

    fn receive(&self, head: &mut PacketHead, steps: &mut Steps) {
        if !accept_ipv4(head, steps) {
            return;
        }
        for _ in 0..head.cells() {
            self.receive_piece(steps);
        }
        let Some(port) = self.table.lookup(head.destination).0 else {
            return steps.push(0, Action::Drop(DropReason::NoRoute));
        };
        // Time to live and checksum as a router leaves them.
        let word = |ttl: u8| u16::from_be_bytes([ttl, head.protocol]);
        head.checksum = crate::checksum::update(head.checksum, word(head.ttl), word(head.ttl - 1));
        head.ttl -= 1;
        let both = self.config.loops == Loops::Both;
        if both {
            steps.push(0, Action::Admit { port });
        }
        self.locked(self.config.costs.enqueue, steps);
        steps.push(0, if both { Action::Enqueue } else { Action::Leave { port } });
    }
}

impl PacketProgram for VanillaIp {
    fn packet(&mut self, head: &mut PacketHead, _: &PacketInfo, steps: &mut Steps) {
        match self.config.loops {
            Loops::Both | Loops::Input => self.receive(head, steps),
            Loops::Output => {
                for piece in 0..head.cells() {
                    self.send_piece(piece == 0, steps);
                }
                steps.push(0, Action::Leave { port: 0 });
            }
        }
    }

    fn block(&mut self, block: &Block, steps: &mut Steps) {
        for piece in 0..block.cells {
            self.send_piece(block.first_cell + piece == 0, steps);
        }
        steps.push(0, Action::Transmit);
    }

    fn sends_blocks(&self) -> bool {
        true
    }
}
