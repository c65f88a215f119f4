//! The operations of an XDP program with their costs on a cluster, as far as they are known before it runs.

use super::costs::EbpfCosts;
use super::operands::{Operands, Price, Prices};
use super::operations::{Cycles, Does, cycles, does, merge};
use super::profile::Accesses;
use super::region::Placed;
use linecard_ebpf::{Kind, Machine, Op, RegionId, wanted_after};

/// Facts about an operation that are known before its execution; one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Priced {
    /// Its own cycles, and those of all operations up to and including it. An access counts as one of a region that
    /// belongs to the engine, until its region is known.
    pub own: u32,
    pub sum: u32,
    /// The target of a jump, its additional cost if it is taken, and a further one if it is taken because of the
    /// upper halves alone.
    pub target: u32,
    pub taken: u32,
    pub taken_upper: u32,
    /// Cycles of all operations before the target ([`Priced::sum`]).
    pub before_target: u32,
    /// Cycles of its access to the packet, or to another region that a memory holds.
    pub packet: Reached,
    pub map: Reached,
    /// Difference in cycles from a local load, of a load of the packet whose bytes an earlier load fetches.
    pub merged: i32,
    /// Bytes of the packet that its load fetches, and how many of them precede its own; 0 if another load fetches
    /// them.
    pub span: u8,
    pub ahead: u8,
    /// Whether it loads, and whether it calls a helper, which makes the accesses.
    pub loads: bool,
    pub helper: bool,
    pub leaves: Leaves,
}

/// Cycles of an access to a memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    /// Cycles before the access, as a difference from a local access, which is part of [`Priced::own`].
    pub before: i32,
    pub after: u32,
    /// Whether the thread waits for it.
    pub waits: bool,
}

impl Reached {
    fn new(price: &Price, local: u32, waits: bool) -> Self {
        Self { before: price.before as i32 - local as i32, after: price.after, waits }
    }

    /// Returns the difference in cycles of a number of accesses from local ones; negative differences wrap around.
    pub fn cycles_of(&self, accesses: u64) -> u64 {
        let each = i64::from(self.before) + i64::from(self.after);
        accesses.wrapping_mul(each as u64)
    }
}

/// How control leaves an operation if it does not go on to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// To a target in the code.
    Jumps,
    /// To a function of the program.
    Calls,
    /// From the end of a function or of the program.
    Returns,
    /// By a tail call.
    Otherwise,
}

impl Priced {
    /// Returns the cycles of all operations before it.
    #[inline(always)]
    pub fn before(&self) -> u32 {
        self.sum.wrapping_sub(self.own)
    }
}

/// A program's operations with their costs on a cluster.
#[derive(Clone, Debug)]
pub(super) struct PricedCode {
    pub ops: Vec<Priced>,
    /// Cycles of every packet, and bytes that a helper reads in one cycle; 0 for any number.
    pub each_packet: u32,
    pub helper_bytes: u32,
    /// The location of each region, by number; `None` if its accesses only take cycles.
    pub regions: Vec<Option<Placed>>,
    /// Facts about each of these regions.
    pub held: Vec<Option<Held>>,
    pub costs: EbpfCosts,
}

/// A region that a memory holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub number: RegionId,
    pub placed: Placed,
    /// Whether its words have a single writer at a time: per-CPU values, records of ring buffers until they are
    /// submitted, and stacks.
    pub private: bool,
    /// The first count of its role ([`Accesses::first`]).
    pub counts: usize,
}

impl PricedCode {
    /// Returns the code of a machine; `private` are the regions whose words have a single writer at a time, by number.
    pub fn new(
        machine: &Machine,
        costs: &EbpfCosts,
        regions: Vec<Option<Placed>>,
        private: Vec<bool>,
    ) -> Self {
        let code = machine.code();
        let count = code.ops().len() as u32;
        let originals: Vec<Op> = (0..count).map(|index| code.original(index)).collect();
        let merged = merge(&originals, costs.merge_bytes);
        let operands = Operands::new(machine, &originals, &merged);
        let cycles = match costs.rows {
            #[cfg(feature = "rows")]
            Some(rows) => super::by_rows::by_rows(code, machine.starts(), &originals, costs, rows),
            _ => by_class(&originals, &operands, costs),
        };
        let wanted = wanted_after(code);
        let mut sum = 0u32;
        let priced = originals.iter().enumerate().map(|(index, op)| {
            let (cycles, part, does) = (&cycles[index], &merged[index], does(op));
            let prices = Prices::new(op, operands.holds(index), costs);
            let own = cycles.own + prices.local;
            sum = sum.wrapping_add(own);
            let needs_result = match does {
                Does::Loads | Does::Calls => true,
                // Compilers request the old value even if no operation reads it.
                Does::Atomic { result } => result && wanted[index] & op.writes() != 0,
                Does::Stores | Does::Computes => false,
            };
            let reached = |price, waits| Reached::new(price, prices.local, needs_result || waits);
            Priced {
                own,
                sum,
                target: op.to as u32,
                taken: cycles.taken,
                taken_upper: cycles.taken_upper,
                before_target: 0,
                packet: reached(&prices.packet, costs.waits_for_packet_writes),
                map: reached(&prices.map, costs.waits_for_writes),
                merged: prices.packet.merged as i32 - prices.local as i32,
                span: part.span,
                ahead: part.ahead,
                loads: does == Does::Loads,
                helper: does == Does::Calls,
                leaves: match op.kind {
                    Kind::Call => Leaves::Calls,
                    Kind::Exit => Leaves::Returns,
                    Kind::Ja => Leaves::Jumps,
                    _ if op.jumps() => Leaves::Jumps,
                    _ => Leaves::Otherwise,
                },
            }
        });
        let mut ops: Vec<Priced> = priced.collect();
        for index in 0..ops.len() {
            if let Some(target) = ops.get(ops[index].target as usize) {
                ops[index].before_target = target.before();
            }
        }
        let accesses = Accesses::new(ops.len(), &regions);
        let held = (0..).zip(&regions).zip(private).map(|((number, placed), private)| {
            let counts = accesses.first(usize::from(number));
            placed.map(|placed| Held { number: RegionId(number), placed, private, counts })
        });
        Self {
            held: held.collect(),
            ops,
            each_packet: costs.rows.map_or(costs.cycles.enter_cycles, |rows| rows.each_packet),
            helper_bytes: costs.rows.map_or(0, |rows| rows.helper_bytes),
            regions,
            costs: costs.clone(),
        }
    }

    /// See [`EbpfCosts::masked_index`].
    pub fn masks_indices(&self) -> bool {
        self.costs.masked_index
    }
}

/// Returns the cycles of each operation by its class and its operands.
fn by_class(ops: &[Op], operands: &Operands, costs: &EbpfCosts) -> Vec<Cycles> {
    ops.iter().enumerate().map(|(index, op)| cycles(op, operands.holds(index), costs)).collect()
}
