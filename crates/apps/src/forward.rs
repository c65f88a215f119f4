//! `l3fwd16`: IP forwarding on 16 ports.
//!
//! Source: Hasan 2003, section 5.2. Longest-prefix match on the destination, update of time to live and
//! checksum, one FIFO queue per output port; for IPv6, whose header has no checksum, the hop limit. Of the
//! first cell, 32 bytes of modified header come from registers and the rest from the receive buffer; later
//! cells move whole.

use crate::admission::Protocols;
use crate::checksum::update;
use crate::io::{Io, ResultCacheUse, WORD_BYTES};
use crate::route::RouteTable;
use linecard_program::script::{Access, Action, Block, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_program::{DropReason, NetworkKind, PacketHead};
use std::rc::Rc;

/// The forwarding application.
#[derive(Clone, Debug)]
pub struct L3Forward {
    io: Io,
    table: Rc<RouteTable>,
    table_role: RoleId,
    cache: Option<ResultCacheUse>,
    lookups: u64,
    reads: u64,
}

impl L3Forward {
    /// Returns a program that forwards by `table`, in the memory of role `table_role`, if the result cache does
    /// not know the route.
    pub fn new(io: Io, table: Rc<RouteTable>, table_role: RoleId, cache: Option<ResultCacheUse>) -> Self {
        Self { io, table, table_role, cache, lookups: 0, reads: 0 }
    }

    /// Looks the route up, unless it is `known`, and completes the packet.
    fn forward(&mut self, head: &mut PacketHead, known: bool, steps: &mut Steps) {
        let (port, reads) = self.table.route(head);
        if !known {
            self.lookups += 1;
            self.reads += u64::from(reads);
            for _ in 0..reads {
                steps.access(self.table_role, Access::Read, WORD_BYTES, 0);
            }
            if let Some(cache) = &self.cache {
                cache.remember(steps);
            }
        }
        let Some(port) = port else {
            return steps.push(0, Action::Drop(DropReason::NoRoute));
        };
        // The time to live shares a 16-bit word with the protocol.
        let word = |ttl: u8| u16::from_be_bytes([ttl, head.protocol]);
        if head.network == NetworkKind::Ipv4 {
            head.checksum = update(head.checksum, word(head.ttl), word(head.ttl - 1));
        }
        head.ttl -= 1;
        self.io.store_and_enqueue(head, port, steps);
    }
}

impl PacketProgram for L3Forward {
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        self.io.receive(steps);
        if !self.io.accept(Protocols::Ip, head, info, steps) {
            return;
        }
        match &self.cache {
            Some(cache) => cache.recall(0, steps),
            None => self.forward(head, false, steps),
        }
    }

    fn more(&mut self, _: u8, known: u32, head: &mut PacketHead, steps: &mut Steps) {
        self.forward(head, known != 0, steps);
    }

    fn block(&mut self, block: &Block, steps: &mut Steps) {
        self.io.block(block, steps);
    }

    fn sends_blocks(&self) -> bool {
        true
    }

    fn restart_counters(&mut self) {
        (self.lookups, self.reads) = (0, 0);
    }

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        let mean = if self.lookups == 0 { 0.0 } else { self.reads as f64 / self.lookups as f64 };
        vec![("lookups", "lookups", self.lookups as f64), ("reads_per_lookup", "reads", mean)]
    }
}
