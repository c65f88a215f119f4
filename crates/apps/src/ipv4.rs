//! `ipv4_forward`: IPv4 forwarding by parallel threads on an IXP2400, and where it keeps the parts of a packet.
//!
//! Source: Girish 2008, section 3.3 (the steps), 3.5 (the schemes), 4.3 and 4.4 (dynamic buffering). A thread
//! moves the mpackets from the receive buffer to the packet buffer, reads the header, hashes the destination,
//! reads the table in SRAM, writes the header back, and moves the mpackets to the transmit buffer, one access
//! at a time.

use crate::admission::{Admitted, NotIp, Protocols};
use crate::checksum::update;
use crate::route::RouteTable;
use linecard_program::script::{Access, Action, NEVER_KEPT, PacketInfo, PacketProgram, RoleId, Steps, Way};
use linecard_program::{CELL_BYTES, DropReason, PacketHead};
use std::rc::Rc;

/// Where the parts of a packet are kept while it is processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferingScheme {
    /// All parts in DRAM.
    Base,
    /// Header buffering: the header in the scratchpad, the rest of the first mpacket in DRAM.
    Hb,
    /// First cell buffering: the first mpacket in the scratchpad.
    Fcb,
    /// First cell and tail buffering: the first and the last mpacket in the scratchpad.
    FcbTb,
    /// Dynamic buffering (chapter 4): the first mpacket in the scratchpad, the others in the receive buffer until the
    /// lookup; then from buffer to buffer, or to DRAM while the output port is congested.
    Dynamic,
    /// The same, but a thread keeps a packet of a congested port until it is in the transmit buffer.
    Detour,
}

impl BufferingScheme {
    /// All schemes.
    pub const ALL: [BufferingScheme; 6] = [
        BufferingScheme::Base,
        BufferingScheme::Hb,
        BufferingScheme::Fcb,
        BufferingScheme::FcbTb,
        BufferingScheme::Dynamic,
        BufferingScheme::Detour,
    ];

    /// Returns the name in presets and tables, which is the thesis's own.
    pub fn name(self) -> &'static str {
        match self {
            BufferingScheme::Base => "BASE",
            BufferingScheme::Hb => "HB",
            BufferingScheme::Fcb => "FCB",
            BufferingScheme::FcbTb => "FCB+TB",
            BufferingScheme::Dynamic => "DYNAMIC",
            BufferingScheme::Detour => "DETOUR",
        }
    }

    /// Returns whether it tests the queues of ports before it moves a packet.
    pub fn looks_at_queues(self) -> bool {
        matches!(self, BufferingScheme::Dynamic | BufferingScheme::Detour)
    }

    /// Returns the bytes of scratchpad per thread, with headers of `header_bytes` (sections 3.5 and 3.5.1).
    pub fn scratch_bytes(self, header_bytes: u32) -> u32 {
        match self {
            BufferingScheme::Base => 0,
            BufferingScheme::Hb => header_bytes,
            BufferingScheme::Fcb | BufferingScheme::Dynamic | BufferingScheme::Detour => CELL_BYTES,
            BufferingScheme::FcbTb => 2 * CELL_BYTES,
        }
    }

    /// Returns the bytes in the scratchpad, of a cell of `bytes`.
    #[inline]
    fn in_scratch(self, cell: u16, cells: u16, bytes: u16, header_bytes: u16) -> u16 {
        match self {
            BufferingScheme::Hb if cell == 0 => header_bytes.min(bytes),
            BufferingScheme::Fcb | BufferingScheme::Dynamic | BufferingScheme::Detour if cell == 0 => bytes,
            BufferingScheme::FcbTb if cell == 0 || cell + 1 == cells => bytes,
            _ => 0,
        }
    }
}

/// The application's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4Config {
    /// Where packets are kept.
    pub scheme: BufferingScheme,
    /// Engine cycles per packet, beside those of its mpackets.
    pub packet_cycles: u32,
    /// Engine cycles per mpacket from the receive buffer to its memory.
    pub store_cycles: u32,
    /// Engine cycles per mpacket from its memory to the transmit buffer.
    pub load_cycles: u32,
    /// Engine cycles per mpacket directly from the receive buffer to the transmit buffer.
    pub direct_cycles: u32,
    /// Bytes of an access to the header.
    pub header_bytes: u16,
    /// Hashes per lookup.
    pub hashes: u32,
    /// Consecutive reads of the table in SRAM per lookup.
    pub table_reads: u32,
    /// Words of each of them.
    pub table_words: u32,
}

/// Bytes of a word of scratchpad and SRAM.
const WORD_BYTES: u16 = 4;

/// The roles of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4Roles {
    /// Memory that keeps packets.
    pub packets: RoleId,
    /// Scratchpad.
    pub scratch: RoleId,
    /// Hash unit.
    pub hash: RoleId,
    /// Forwarding table.
    pub table: RoleId,
    /// Path from the receive to the transmit buffer.
    pub direct: RoleId,
}

/// Moves packets from the receive buffer to their memory, and from there to the transmit buffer.
#[derive(Clone, Copy, Debug)]
pub struct Carrier {
    /// Costs.
    pub config: Ipv4Config,
    /// Roles of its accesses.
    pub roles: Ipv4Roles,
}

impl Carrier {
    /// Returns the bytes of a cell, and the part of them in the scratchpad.
    fn cell(&self, packet_bytes: u32, cell: u16) -> (u8, u8) {
        let bytes = (packet_bytes - u32::from(cell) * CELL_BYTES).min(CELL_BYTES) as u16;
        let cells = linecard_program::cells_of(packet_bytes) as u16;
        let scratch = self.config.scheme.in_scratch(cell, cells, bytes, self.config.header_bytes);
        (bytes as u8, scratch as u8)
    }

    /// Moves a cell between a buffer and its memory: first the part in the scratchpad, then the rest.
    fn kept_cell(&self, way: Way, packet_bytes: u32, cell: u16, steps: &mut Steps) {
        let (bytes, scratch) = self.cell(packet_bytes, cell);
        let Ipv4Roles { packets, scratch: memory, .. } = self.roles;
        if scratch > 0 {
            steps.push(0, Action::Move { role: memory, way, cell, bytes: scratch, last: scratch == bytes });
        }
        if scratch < bytes {
            let rest = bytes - scratch;
            steps.push(0, Action::Move { role: packets, way, cell, bytes: rest, last: true });
        }
    }

    /// Moves a whole cell by one role.
    fn whole_cell(&self, role: RoleId, way: Way, packet_bytes: u32, cell: u16, steps: &mut Steps) {
        let (bytes, _) = self.cell(packet_bytes, cell);
        steps.push(0, Action::Move { role, way, cell, bytes, last: true });
    }

    /// Returns the words of the first `bytes` bytes.
    fn words(bytes: u16) -> u16 {
        bytes.div_ceil(WORD_BYTES) * WORD_BYTES
    }

    /// Moves a packet; `decide` processes its header and returns its port, or drops it. The header is then in
    /// DRAM, or in the scratchpad.
    pub fn carry(
        &self,
        head: &mut PacketHead,
        steps: &mut Steps,
        decide: impl FnOnce(&mut PacketHead, bool, &mut Steps) -> Option<u16>,
    ) {
        match self.config.scheme {
            scheme if scheme.looks_at_queues() => self.dynamic(head, steps, decide),
            _ => self.buffered(head, steps, decide),
        }
    }

    /// Sends a packet from memory: each cell from its memory.
    pub fn resume(&self, head: &PacketHead, steps: &mut Steps) {
        for cell in 0..head.cells() as u16 {
            steps.compute(self.config.load_cycles);
            self.kept_cell(Way::Transmit, head.bytes, cell, steps);
        }
        steps.push(0, Action::Depart);
    }

    /// Moves the whole packet to DRAM and scratchpad, then does the lookup, then sends (section 3.3).
    fn buffered(
        &self,
        head: &mut PacketHead,
        steps: &mut Steps,
        decide: impl FnOnce(&mut PacketHead, bool, &mut Steps) -> Option<u16>,
    ) {
        let (bytes, cells) = (head.bytes, head.cells() as u16);
        for cell in 0..cells {
            steps.compute(self.config.store_cycles);
            self.kept_cell(Way::Receive, bytes, cell, steps);
        }
        let in_dram = self.config.scheme == BufferingScheme::Base;
        let Some(port) = decide(head, in_dram, steps) else { return };
        steps.push(0, Action::Place { port, kept: NEVER_KEPT, stays: false });
        for cell in 0..cells {
            steps.compute(self.config.load_cycles);
            self.kept_cell(Way::Transmit, bytes, cell, steps);
        }
        steps.push(0, Action::Depart);
    }

    /// Does the lookup first; then moves the packet from buffer to buffer, or to DRAM to be sent later (section
    /// 4.3).
    fn dynamic(
        &self,
        head: &mut PacketHead,
        steps: &mut Steps,
        decide: impl FnOnce(&mut PacketHead, bool, &mut Steps) -> Option<u16>,
    ) {
        let (bytes, cells) = (head.bytes, head.cells() as u16);
        let Ipv4Roles { packets, scratch, direct, .. } = self.roles;
        let Ipv4Config { scheme, store_cycles, load_cycles, direct_cycles, .. } = self.config;
        let stays = scheme == BufferingScheme::Detour;
        steps.compute(store_cycles);
        self.whole_cell(scratch, Way::Receive, bytes, 0, steps);
        let Some(port) = decide(head, false, steps) else { return };
        steps.push(0, Action::Place { port, kept: NEVER_KEPT, stays });
        steps.compute(load_cycles);
        self.whole_cell(scratch, Way::Transmit, bytes, 0, steps);
        for cell in 1..cells {
            steps.compute(direct_cycles);
            self.whole_cell(direct, Way::Across, bytes, cell, steps);
        }
        steps.push(0, Action::Depart);
        steps.when_kept_from_here();
        // The first cell stays in the scratchpad, where the lookup read it.
        for cell in 1..cells {
            steps.compute(store_cycles);
            self.whole_cell(packets, Way::Receive, bytes, cell, steps);
        }
        match stays {
            true => self.resume(head, steps),
            false => steps.push(0, Action::Store),
        }
    }
}

/// The forwarding application.
#[derive(Clone, Debug)]
pub struct Ipv4Forward {
    carrier: Carrier,
    table: Rc<RouteTable>,
    not_ip: NotIp,
    lookups: u64,
}

impl Ipv4Forward {
    /// Returns a program that forwards by `table`, which determines the port of a packet; the costs of a lookup
    /// are those of the thesis's hash scheme, in the carrier's configuration.
    pub fn new(carrier: Carrier, table: Rc<RouteTable>, not_ip: NotIp) -> Self {
        Self { carrier, table, not_ip, lookups: 0 }
    }

    /// Moves the header to registers, hashes, reads the table, writes the header back. Returns `None` if the
    /// packet is dropped.
    fn look_up(
        &mut self,
        head: &mut PacketHead,
        info: &PacketInfo,
        header_in_dram: bool,
        steps: &mut Steps,
    ) -> Option<u16> {
        let Carrier { config, roles } = self.carrier;
        let bytes = config.header_bytes.min(head.bytes as u16);
        let header = |way, kind, steps: &mut Steps| match header_in_dram {
            true => {
                let bytes = bytes as u8;
                steps.push(0, Action::Move { role: roles.packets, way, cell: 0, bytes, last: false });
            }
            false => steps.access(roles.scratch, kind, Carrier::words(bytes), 0),
        };
        header(Way::Read, Access::Read, steps);
        steps.compute(config.packet_cycles);
        match self.not_ip.admit(Protocols::Ipv4, head) {
            Admitted::Worked => {}
            Admitted::Passed => return Some(info.flow_port()),
            Admitted::Ended(reason) => {
                steps.push(0, Action::Drop(reason));
                return None;
            }
        }
        self.lookups += 1;
        for _ in 0..config.hashes {
            steps.access(roles.hash, Access::Ask, WORD_BYTES, 0);
        }
        for read in 0..config.table_reads {
            // Bucket and entry have separate addresses, which depend on the destination.
            let address = head.destination.wrapping_mul(0x9e37_79b1).wrapping_add(read << 16) >> 12 << 2;
            steps.access(roles.table, Access::Read, config.table_words as u16 * WORD_BYTES, address);
        }
        let Some(port) = self.table.lookup(head.destination).0 else {
            steps.push(0, Action::Drop(DropReason::NoRoute));
            return None;
        };
        // The time to live shares a 16-bit word with the protocol.
        let word = |ttl: u8| u16::from_be_bytes([ttl, head.protocol]);
        head.checksum = update(head.checksum, word(head.ttl), word(head.ttl - 1));
        head.ttl -= 1;
        header(Way::Write, Access::Write, steps);
        Some(port)
    }
}

impl PacketProgram for Ipv4Forward {
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        let carrier = self.carrier;
        carrier.carry(head, steps, |head, in_dram, steps| self.look_up(head, info, in_dram, steps));
    }

    fn resume(&mut self, head: &PacketHead, steps: &mut Steps) {
        self.carrier.resume(head, steps);
    }

    fn fills_transmit_buffer(&self) -> bool {
        true
    }

    fn restart_counters(&mut self) {
        self.lookups = 0;
    }

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        vec![("lookups", "lookups", self.lookups as f64)]
    }
}
