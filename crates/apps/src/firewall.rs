//! `firewall`: packets matched against a list of templates.
//!
//! Source: Hasan 2003, section 5.2. Header fields are extracted, then a linked list of templates in SRAM is walked;
//! the first one that matches decides, and a packet that matches none is forwarded. Drops are counted.

use crate::io::{IoCosts, accept_ipv4, output, receive, store_and_enqueue};
use crate::recall::{ResultCacheUse, recall, remember};
use linecard_program::{Application, Ctx, DropReason, PacketHead, Program, Source, Unit};
use std::cell::Cell;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// What a template decides.
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
    /// What it decides.
    pub verdict: Verdict,
}

impl Template {
    /// Whether a packet matches.
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

/// Words of SRAM that a template takes: two prefixes, two port ranges, protocol, verdict, link.
const TEMPLATE_WORDS: u32 = 6;

/// The filtering application.
pub struct Firewall {
    costs: IoCosts,
    config: Rc<FirewallConfig>,
    cache: Option<ResultCacheUse>,
    walked: Rc<Cell<(u64, u64)>>,
}

impl Firewall {
    /// Filter by the templates of `config`, where the result cache does not know the verdict.
    pub fn new(costs: IoCosts, config: FirewallConfig, cache: Option<ResultCacheUse>) -> Self {
        Self { costs, config: Rc::new(config), cache, walked: Rc::default() }
    }
}

impl Application for Firewall {
    fn name(&self) -> &'static str {
        "firewall"
    }

    fn locks(&self) -> u32 {
        0
    }

    fn input(&self, ctx: Ctx) -> Program {
        Box::pin(input(ctx, self.costs, Rc::clone(&self.config), self.cache, Rc::clone(&self.walked)))
    }

    fn output(&self, ctx: Ctx) -> Program {
        Box::pin(output(ctx, self.costs))
    }

    fn restart_counters(&self) {
        self.walked.set((0, 0));
    }

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        let (packets, templates) = self.walked.get();
        let mean = if packets == 0 { 0.0 } else { templates as f64 / packets as f64 };
        vec![("packets_matched", "packets", packets as f64), ("templates_per_packet", "templates", mean)]
    }
}

async fn input(
    ctx: Ctx,
    costs: IoCosts,
    config: Rc<FirewallConfig>,
    cache: Option<ResultCacheUse>,
    walked: Rc<Cell<(u64, u64)>>,
) {
    loop {
        let packet = receive(&ctx, &costs).await;
        ctx.compute(config.extract_cycles);
        if !accept_ipv4(&ctx, packet).await {
            continue;
        }
        let head = ctx.head();
        let first = config.templates.iter().position(|template| template.matches(&head));
        if !recall(&ctx, cache).await {
            let read = first.map_or(config.templates.len(), |place| place + 1);
            for _ in 0..read {
                ctx.read(Unit::Sram, TEMPLATE_WORDS).await;
                ctx.compute(config.template_cycles);
            }
            let (packets, templates) = walked.get();
            walked.set((packets + 1, templates + read as u64));
            remember(&ctx, cache).await;
        }
        let verdict = first.map_or(Verdict::Forward, |place| config.templates[place].verdict);
        if verdict == Verdict::Drop {
            ctx.discard(packet, DropReason::FirewallRule).await;
            continue;
        }
        // Two ports: a flow leaves by the side that its addresses draw.
        let side = (head.source ^ head.destination).wrapping_mul(0x9e37_79b1) >> 16;
        store_and_enqueue(&ctx, &costs, packet, side as u16 % config.ports, Source::HeaderAndReceiveBuffer)
            .await;
    }
}
