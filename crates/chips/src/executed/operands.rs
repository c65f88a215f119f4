//! Facts about the operands of eBPF operations that are known before execution, and the costs of accesses that follow
//! from them.

use super::costs::EbpfCosts;
use super::operations::{Does, FRAME, Part, bytes, does, is_lookup, of_constant};
use super::rules::{of, when};
use linecard_ebpf::{Kind, Machine, MapKind, Op, handled, upper_wanted_after};

/// The longest values of arrays whose elements are found by a shift and a mask.
const SMALL_VALUE_BYTES: u32 = 64;

/// The conditions that hold for the operands of each operation.
pub(super) struct Operands(Vec<u32>);

impl Operands {
    pub fn new(machine: &Machine, ops: &[Op], parts: &[Part]) -> Self {
        let small: Vec<bool> = machine
            .maps()
            .map(|map| map.kind == MapKind::Array && map.value_bytes <= SMALL_VALUE_BYTES)
            .collect();
        let depth = frame_depth(ops);
        let upper = upper_wanted_after(machine.code());
        let holds = |(index, op): (usize, &Op)| {
            let flag = |holds: bool, bit: u32| if holds { bit } else { 0 };
            let (bytes, within) = (bytes(op), i64::from(parts[index].within));
            // A load of at most four bytes may lie in two words of an access, one of eight always lies in two.
            let crosses = if bytes == 8 { within % 4 != 0 } else { within % 4 + bytes > 4 };
            let lookup = is_lookup(op);
            let is_small = |map: usize| small.get(map).copied().unwrap_or(false);
            of_constant(op)
                | flag(op.writes() != 0 && op.writes() & upper[index] == 0, when::UPPER_DEAD)
                | flag(matches!(bytes, 1 | 2), when::NARROW)
                | flag(bytes == 8, when::EIGHT)
                | flag(crosses, when::CROSSES)
                | flag(op.to != 0, when::OFFSET)
                | flag(parts[index].span > 32, when::OVER_32)
                | flag(depth + i64::from(op.to) >= 32, when::ABOVE_32)
                | flag(lookup && map_of(ops, index).is_some_and(is_small), when::SMALL_ARRAY)
                | flag(lookup && key_of(ops, index) == Some(-depth), when::KEY_LOWEST)
        };
        Self(ops.iter().enumerate().map(holds).collect())
    }

    pub fn holds(&self, index: usize) -> u32 {
        self.0[index]
    }
}

/// Returns the bytes of the stack below the frame register that the operations access, in whole words.
fn frame_depth(ops: &[Op]) -> i64 {
    let reached = |(index, op): (usize, &Op)| {
        let base = if does(op) == Does::Loads { op.src } else { op.dst };
        match op.kind {
            Kind::AddI if index > 0 && is_frame(&ops[index - 1], op.dst) => -op.imm,
            _ if bytes(op) > 0 && base == FRAME => -i64::from(op.to),
            _ => 0,
        }
    };
    let deepest = ops.iter().enumerate().map(reached).max().unwrap_or(0);
    (deepest.max(0) + 3) & !3
}

/// Returns whether an operation copies the frame register to another.
fn is_frame(op: &Op, to: u8) -> bool {
    op.kind == Kind::MovR && op.src == FRAME && op.dst == to
}

/// Returns the operations before a call, the last one first, up to where other paths may join.
fn in_front(ops: &[Op], call: usize) -> impl Iterator<Item = &Op> {
    let straight = |op: &&Op| {
        !op.jumps() && !matches!(op.kind, Kind::Ja | Kind::Call | Kind::Helper | Kind::Exit | Kind::End)
    };
    ops[..call].iter().rev().take_while(straight)
}

/// Returns the map whose address is in r1 at a call.
fn map_of(ops: &[Op], call: usize) -> Option<usize> {
    let op = in_front(ops, call).find(|op| op.writes() & 1 << 1 != 0)?;
    if op.kind == Kind::Const { handled(op.imm as u64) } else { None }
}

/// Returns the offset from the frame register that is in r2 at a call.
fn key_of(ops: &[Op], call: usize) -> Option<i64> {
    let mut written = in_front(ops, call).filter(|op| op.writes() & 1 << 2 != 0);
    let last = written.next()?;
    let offset = if last.kind == Kind::AddI { last.imm } else { 0 };
    let copy = if last.kind == Kind::AddI { written.next()? } else { last };
    is_frame(copy, 2).then_some(offset)
}

/// Cycles around an access.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Price {
    pub before: u32,
    pub after: u32,
    /// Cycles of a load whose bytes an earlier load fetches.
    pub merged: u32,
}

/// Costs of a load, a store or an atomic operation by the region it accesses; zero for other operations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prices {
    /// Cycles if no memory holds the region.
    pub local: u32,
    pub packet: Price,
    /// Cycles for the value of a map.
    pub map: Price,
}

impl Prices {
    pub fn new(op: &Op, holds: u32, costs: &EbpfCosts) -> Self {
        use Kind as K;
        let c = &costs.cycles;
        let by_rule = |of: u32, of_class: u32| costs.rules.cycles(of, holds).unwrap_or(of_class);
        let on_stack =
            |base: u8, of: u32, of_class: u32| if base == FRAME { by_rule(of, of_class) } else { of_class };
        match op.kind {
            K::Atomic4 | K::Atomic8 => {
                let price = Price { before: by_rule(of::ATOMIC, c.atomic_cycles), ..Price::default() };
                Self { local: c.atomic_cycles, packet: price, map: price }
            }
            K::St1 | K::St2 | K::St4 | K::St8 | K::Stx1 | K::Stx2 | K::Stx4 | K::Stx8 => {
                let before = |before| Price { before, ..Price::default() };
                Self {
                    local: on_stack(op.dst, of::STACK_STORE, c.local_store_cycles),
                    packet: before(by_rule(of::PACKET_STORE, c.packet_store_cycles)),
                    map: before(c.map_store_cycles),
                }
            }
            _ if does(op) == Does::Loads => {
                let (packet, map) = match op.kind {
                    K::Ld8 => (c.packet_result8_cycles, c.map_result8_cycles),
                    _ => (c.packet_result_cycles, c.map_result_cycles),
                };
                Self {
                    local: on_stack(op.src, of::STACK_LOAD, c.local_load_cycles),
                    packet: Price {
                        before: by_rule(of::PACKET_READ, c.packet_address_cycles),
                        after: by_rule(of::PACKET_LOAD, packet),
                        merged: by_rule(of::PACKET_LOAD, c.packet_merged_cycles),
                    },
                    map: Price {
                        before: if op.to == 0 { 0 } else { c.map_address_cycles },
                        after: by_rule(of::MAP_LOAD, map),
                        merged: 0,
                    },
                }
            }
            _ => Self::default(),
        }
    }
}
