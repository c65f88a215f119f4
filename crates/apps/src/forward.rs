//! `l3fwd16`: IPv4 forwarding on 16 ports.
//!
//! Source: Hasan 2003, section 5.2. Longest-prefix match on the destination, time to live and checksum updated, one
//! FIFO queue an output port. Of the first cell, 32 bytes of modified header come from registers and the rest from
//! the receive buffer; later cells move whole.

use crate::checksum::update;
use crate::io::{IoCosts, accept_ipv4, output, receive, store_and_enqueue};
use crate::recall::{ResultCacheUse, recall, remember};
use crate::route::RouteTable;
use linecard_program::{Application, Ctx, DropReason, Program, Source, Unit};
use std::cell::Cell;
use std::rc::Rc;

/// The forwarding application.
pub struct L3Forward {
    costs: IoCosts,
    table: Rc<RouteTable>,
    cache: Option<ResultCacheUse>,
    lookups: Rc<Cell<(u64, u64)>>,
}

impl L3Forward {
    /// Forward by `table`, where the result cache does not know the route.
    pub fn new(costs: IoCosts, table: RouteTable, cache: Option<ResultCacheUse>) -> Self {
        Self { costs, table: Rc::new(table), cache, lookups: Rc::default() }
    }
}

impl Application for L3Forward {
    fn name(&self) -> &'static str {
        "l3fwd16"
    }

    fn locks(&self) -> u32 {
        0
    }

    fn input(&self, ctx: Ctx) -> Program {
        Box::pin(input(ctx, self.costs, Rc::clone(&self.table), self.cache, Rc::clone(&self.lookups)))
    }

    fn output(&self, ctx: Ctx) -> Program {
        Box::pin(output(ctx, self.costs))
    }

    fn restart_counters(&self) {
        self.lookups.set((0, 0));
    }

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        let (lookups, reads) = self.lookups.get();
        let mean = if lookups == 0 { 0.0 } else { reads as f64 / lookups as f64 };
        vec![("lookups", "lookups", lookups as f64), ("reads_per_lookup", "reads", mean)]
    }
}

async fn input(
    ctx: Ctx,
    costs: IoCosts,
    table: Rc<RouteTable>,
    cache: Option<ResultCacheUse>,
    lookups: Rc<Cell<(u64, u64)>>,
) {
    loop {
        let packet = receive(&ctx, &costs).await;
        if !accept_ipv4(&ctx, packet).await {
            continue;
        }
        let mut head = ctx.head();
        let (port, reads) = table.lookup(head.destination);
        if !recall(&ctx, cache).await {
            let (n, sum) = lookups.get();
            lookups.set((n + 1, sum + u64::from(reads)));
            for _ in 0..reads {
                ctx.read(Unit::Sram, 1).await;
            }
            remember(&ctx, cache).await;
        }
        let Some(port) = port else {
            ctx.discard(packet, DropReason::NoRoute).await;
            continue;
        };
        // The time to live shares a 16-bit word with the protocol.
        let word = |ttl: u8| u16::from_be_bytes([ttl, head.protocol]);
        head.checksum = update(head.checksum, word(head.ttl), word(head.ttl - 1));
        head.ttl -= 1;
        ctx.set_head(head);
        store_and_enqueue(&ctx, &costs, packet, port, Source::HeaderAndReceiveBuffer).await;
    }
}
