//! `probe`: one transfer after another and nothing else, to measure what transfers take and what a memory can move.
//!
//! Source: Spalink 2000, Table 1 and section 3.2, which measure latencies and the bandwidth of DRAM like this. A packet
//! stands for a transfer: it is received, the transfer is made, it leaves.

use linecard_program::{Application, Ctx, Path, Program, Unit};

/// What is probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probed {
    /// A path between components.
    Path(Path),
    /// A unit.
    Unit(Unit),
}

/// The probing application.
pub struct Probe {
    what: Probed,
    bytes: u32,
}

impl Probe {
    /// Transfers of `bytes` bytes; beyond 32 bytes a path takes several instructions, one after another.
    pub fn new(what: Probed, bytes: u32) -> Self {
        Self { what, bytes }
    }
}

impl Application for Probe {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn locks(&self) -> u32 {
        0
    }

    fn input(&self, ctx: Ctx) -> Program {
        let (what, bytes) = (self.what, self.bytes);
        Box::pin(async move {
            loop {
                let packet = ctx.receive().await;
                match what {
                    Probed::Path(path) => ctx.transfer(path, bytes).await,
                    Probed::Unit(unit) => ctx.read(unit, bytes.div_ceil(4)).await,
                }
                ctx.depart(packet).await;
            }
        })
    }

    fn output(&self, ctx: Ctx) -> Program {
        Box::pin(async move {
            loop {
                ctx.next_block().await;
            }
        })
    }

    fn restart_counters(&self) {}

    fn counters(&self) -> Vec<(&'static str, &'static str, f64)> {
        Vec::new()
    }
}
