//! `firewall`: matches packets against a list of templates.
//!
//! Source: Hasan 2003, section 5.2. The program extracts header fields and walks a linked list of templates in
//! SRAM. The first match decides; a packet without a match is forwarded. Drops are counted.

use crate::admission::Protocols;
use crate::io::{Io, ResultCacheUse};
use linecard_program::script::{Access, Action, Block, PacketInfo, PacketProgram, RoleId, Steps};
use linecard_program::{DropReason, PacketHead};
use std::ops::RangeInclusive;
use std::rc::Rc;

/// The decision of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Forward the packet.
    Forward,
    /// Drop it.
    Drop,
}

/// A template: a packet matches if every field does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Source network and prefix length.
    pub source: (u32, u8),
    /// Destination network and prefix length.
    pub destination: (u32, u8),
    /// Source ports.
    pub source_ports: RangeInclusive<u16>,
    /// Destination ports.
    pub destination_ports: RangeInclusive<u16>,
    /// IP protocol; `None` for any.
    pub protocol: Option<u8>,
    /// Decision.
    pub verdict: Verdict,
}

impl Template {
    /// Returns whether a packet matches.
    pub fn matches(&self, head: &PacketHead) -> bool {
        let within = |address: u32, (network, length): (u32, u8)| {
            length == 0 || (address ^ network) >> (32 - u32::from(length)) == 0
        };
        within(head.source, self.source)
            && within(head.destination, self.destination)
            && self.source_ports.contains(&head.source_port)
            && self.destination_ports.contains(&head.destination_port)
            && self.protocol.is_none_or(|p| p == head.protocol)
    }
}

/// The application's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirewallConfig {
    /// The list, in order.
    pub templates: Vec<Template>,
    /// Output ports.
    pub ports: u16,
    /// Cycles to extract the header fields.
    pub extract_cycles: u32,
    /// Cycles to compare a packet with one template.
    pub template_cycles: u32,
}

/// Bytes of a template in SRAM: two prefixes, two port ranges, protocol, verdict, link.
const TEMPLATE_BYTES: u16 = 24;

/// The filtering application.
#[derive(Clone, Debug)]
pub struct Firewall {
    io: Io,
    config: Rc<FirewallConfig>,
    templates: RoleId,
    cache: Option<ResultCacheUse>,
    packets: u64,
    walked: u64,
}

impl Firewall {
    /// Returns a filter with the templates of `config`, in the memory of role `templates`, which it walks if
    /// the result cache does not know the verdict.
    pub fn new(io: Io, config: FirewallConfig, templates: RoleId, cache: Option<ResultCacheUse>) -> Self {
        Self { io, config: Rc::new(config), templates, cache, packets: 0, walked: 0 }
    }

    /// Walks the templates, unless the verdict is `known`, and completes the packet.
    fn filter(&mut self, head: &PacketHead, known: bool, steps: &mut Steps) {
        let config = &self.config;
        let first = config.templates.iter().position(|template| template.matches(head));
        if !known {
            let read = first.map_or(config.templates.len(), |place| place + 1);
            for _ in 0..read {
                steps.access(self.templates, Access::Read, TEMPLATE_BYTES, 0);
                steps.compute(config.template_cycles);
            }
            self.packets += 1;
            self.walked += read as u64;
            if let Some(cache) = &self.cache {
                cache.remember(steps);
            }
        }
        let verdict = first.map_or(Verdict::Forward, |place| config.templates[place].verdict);
        if verdict == Verdict::Drop {
            return steps.push(0, Action::Drop(DropReason::FirewallRule));
        }
        // With two ports, a hash of its addresses selects a flow's output side.
        let side = (head.source ^ head.destination).wrapping_mul(0x9e37_79b1) >> 16;
        self.io.store_and_enqueue(head, side as u16 % config.ports, steps);
    }
}

impl PacketProgram for Firewall {
    fn packet(&mut self, head: &mut PacketHead, info: &PacketInfo, steps: &mut Steps) {
        self.io.receive(steps);
        steps.compute(self.config.extract_cycles);
        if !self.io.accept(Protocols::Ipv4, head, info, steps) {
            return;
        }
        match &self.cache {
            Some(cache) => cache.recall(0, steps),
            None => self.filter(head, false, steps),
        }
    }

    fn more(&mut self, _: u8, known: u32, head: &mut PacketHead, steps: &mut Steps) {
        self.filter(head, known != 0, steps);
    }

    fn block(&mut self, block: &Block, steps: &mut Steps) {
        self.io.block(block, steps);
    }

    fn sends_blocks(&self) -> bool {
        true
    }

    fn restart_counters(&mut self) {
        (self.packets, self.walked) = (0, 0);
    }

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        let mean = if self.packets == 0 { 0.0 } else { self.walked as f64 / self.packets as f64 };
        vec![("packets_matched", "packets", self.packets as f64), ("templates_per_packet", "templates", mean)]
    }
}
