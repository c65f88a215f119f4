//! The targets of pointers in registers: a forward analysis over all paths.
//!
//! Packet, stack, context and values of maps do not overlap. Offsets are tracked while they are known
//! constants, also through the stack if eight bytes are saved there.

use super::graph::Graph;
use super::inst::{Does, Inst};
use super::place::{Place, Range};
use crate::code::Kind;
use std::collections::BTreeMap;

/// The known part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Unknown,
    Constant(i64),
    /// Into a place, at an offset if it is known: from the packet's first byte, from the stack's last.
    Pointer(Place, Option<i64>),
    /// The end of the packet.
    DataEnd,
}

/// Which way a comparison of the packet with its end goes where the packet is long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// On to the next instruction.
    Falls,
    /// It jumps.
    Jumps,
}

/// Registers, and values saved on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    registers: [Value; 11],
    aside: BTreeMap<i64, Value>,
}

/// Offsets of `data`, `data_end` and `data_meta` in `struct xdp_md`.
const DATA: i64 = 0;
const DATA_END: i64 = 4;
const DATA_META: i64 = 8;
const FRAME: usize = 10;

impl State {
    fn start(is_program: bool) -> Self {
        let mut registers = [Value::Unknown; 11];
        if is_program {
            registers[1] = Value::Pointer(Place::Context, Some(0));
        }
        registers[FRAME] = Value::Pointer(Place::Stack, Some(0));
        Self { registers, aside: BTreeMap::new() }
    }

    fn get(&self, register: u8) -> Value {
        self.registers.get(usize::from(register)).copied().unwrap_or(Value::Unknown)
    }

    /// Keeps the common knowledge of both. Returns whether that changed it.
    fn meet(&mut self, other: &Self) -> bool {
        let before = self.clone();
        for (own, other) in self.registers.iter_mut().zip(&other.registers) {
            *own = both(*own, *other);
        }
        self.aside.retain(|offset, value| {
            let Some(other) = other.aside.get(offset) else { return false };
            *value = both(*value, *other);
            true
        });
        *self != before
    }

    /// Returns the bytes that an instruction accesses through a register.
    fn range(&self, inst: &Inst) -> Range {
        let (base, offset) = (inst.base(), i64::from(inst.op.to));
        let by = Some((base, offset));
        let found = |place, from| Range { place, from, bytes: inst.bytes(), by };
        match self.get(base) {
            Value::Pointer(place, from) => found(place, from.map(|from| from + offset)),
            _ => found(Place::Anything, None),
        }
    }

    fn place(&self, register: u8) -> Range {
        match self.get(register) {
            Value::Pointer(place, _) => Range::of(place),
            _ => Range::of(Place::Anything),
        }
    }

    /// Updates the saved values after a store.
    fn forget(&mut self, range: &Range) {
        match (range.place, range.from) {
            (Place::Stack, Some(from)) => {
                self.aside.retain(|&at, _| at + 8 <= from || from + range.bytes <= at);
            }
            (Place::Stack | Place::Anything, _) => self.aside.clear(),
            _ => {}
        }
    }

    /// Bytes that a helper reads and writes.
    fn helper(&self, number: u32) -> (Vec<Range>, Vec<Range>) {
        let anything = || vec![Range::of(Place::Anything)];
        match number {
            1 => (vec![self.place(2)], vec![]),
            2 => (vec![self.place(2), self.place(3)], vec![Range::of(Place::Map)]),
            3 => (vec![self.place(2)], vec![Range::of(Place::Map)]),
            5 | 7 | 8 | 23 | 51 | 118 | 125 | 160 | 208 => (vec![], vec![]),
            25 => (vec![self.place(4), Range::of(Place::Packet)], vec![]),
            28 => (vec![self.place(1), self.place(3)], vec![]),
            44 | 54 | 65 => (vec![], vec![Range::of(Place::Packet), Range::of(Place::Context)]),
            _ => (anything(), anything()),
        }
    }

    /// Updates the state by an instruction.
    fn after(&mut self, inst: &Inst) {
        let op = inst.op;
        let made = match inst.does {
            Does::Load => self.loaded(inst),
            Does::Store | Does::Atomic => {
                let range = self.range(inst);
                self.forget(&range);
                if let (Kind::Stx8, Place::Stack, Some(from)) = (op.kind, range.place, range.from) {
                    self.aside.insert(from, self.get(op.src));
                }
                Value::Unknown
            }
            Does::Move => match op.kind {
                Kind::MovR => self.get(op.src),
                Kind::MovI => Value::Constant(op.imm),
                Kind::Const => constant(op.imm),
                Kind::MovWI => Value::Constant(i64::from(op.imm as u32)),
                _ => Value::Unknown,
            },
            Does::Alu => self.computed(op.kind, op.dst, op.src, op.imm),
            Does::Helper => {
                let (_, written) = self.helper(op.imm as u32);
                written.iter().for_each(|range| self.forget(range));
                if written.iter().any(|range| matches!(range.place, Place::Packet | Place::Anything)) {
                    self.forget_packet();
                }
                self.registers[1..6].fill(Value::Unknown);
                if matches!(op.imm, 1 | 195) { Value::Pointer(Place::Map, Some(0)) } else { Value::Unknown }
            }
            Does::Call => {
                self.aside.clear();
                self.forget_packet();
                self.registers[1..6].fill(Value::Unknown);
                Value::Unknown
            }
            Does::Branch | Does::Goto | Does::Exit { .. } => return,
        };
        for register in 0..FRAME {
            if inst.writes >> register & 1 == 1 {
                self.registers[register] = made;
            }
        }
    }

    fn loaded(&self, inst: &Inst) -> Value {
        let range = self.range(inst);
        match (range.place, range.from, inst.op.kind) {
            (Place::Context, Some(DATA), Kind::Ld4) => Value::Pointer(Place::Packet, Some(0)),
            (Place::Context, Some(DATA_END), Kind::Ld4) => Value::DataEnd,
            (Place::Context, Some(DATA_META), Kind::Ld4) => Value::Pointer(Place::Packet, None),
            (Place::Stack, Some(from), Kind::Ld8) => self.aside.get(&from).copied().unwrap_or(Value::Unknown),
            _ => Value::Unknown,
        }
    }

    fn computed(&self, kind: Kind, dst: u8, src: u8, imm: i64) -> Value {
        let (left, right) = match kind {
            Kind::AddI => (self.get(dst), Value::Constant(imm)),
            Kind::SubI => (self.get(dst), Value::Constant(imm.wrapping_neg())),
            Kind::AddR => (self.get(dst), self.get(src)),
            Kind::SubR => match self.get(src) {
                Value::Constant(by) => (self.get(dst), Value::Constant(by.wrapping_neg())),
                Value::Unknown => (self.get(dst), Value::Unknown),
                _ => return Value::Unknown,
            },
            _ => return Value::Unknown,
        };
        match (left, right) {
            (Value::Constant(a), Value::Constant(b)) => Value::Constant(a.wrapping_add(b)),
            (Value::Pointer(place, Some(at)), Value::Constant(by))
            | (Value::Constant(by), Value::Pointer(place, Some(at))) => {
                Value::Pointer(place, at.checked_add(by))
            }
            (Value::Pointer(place, _), Value::Constant(_) | Value::Unknown)
            | (Value::Constant(_) | Value::Unknown, Value::Pointer(place, _)) => Value::Pointer(place, None),
            _ => Value::Unknown,
        }
    }

    /// The packet has moved: pointers into it must be loaded again.
    fn forget_packet(&mut self) {
        let stale = |value: &Value| matches!(value, Value::Pointer(Place::Packet, _) | Value::DataEnd);
        let values = self.registers.iter_mut().chain(self.aside.values_mut());
        values.filter(|value| stale(value)).for_each(|value| *value = Value::Unknown);
    }

    /// Returns whether a branch compares a known byte of the packet with its end.
    fn check(&self, inst: &Inst) -> Option<Check> {
        use Check::{Falls, Jumps};
        let known = |register| matches!(self.get(register), Value::Pointer(Place::Packet, Some(_)));
        let end = |register| self.get(register) == Value::DataEnd;
        let op = inst.op;
        let (packet_first, end_first) = match op.kind {
            Kind::JgtR | Kind::JgeR => (Falls, Jumps),
            Kind::JltR | Kind::JleR => (Jumps, Falls),
            _ => return None,
        };
        match (known(op.dst) && end(op.src), end(op.dst) && known(op.src)) {
            (true, _) => Some(packet_first),
            (_, true) => Some(end_first),
            _ => None,
        }
    }
}

/// Returns the common knowledge of two values.
fn both(a: Value, b: Value) -> Value {
    match (a, b) {
        (a, b) if a == b => a,
        (Value::Pointer(one, _), Value::Pointer(other, _)) if one == other => Value::Pointer(one, None),
        _ => Value::Unknown,
    }
}

/// A 64-bit constant: addresses of data of the program are values of maps.
fn constant(imm: i64) -> Value {
    let region = imm as u64 >> 52;
    if (3..0xfff).contains(&region) { Value::Pointer(Place::Map, None) } else { Value::Constant(imm) }
}

/// The findings about the instructions of a graph.
pub(super) struct Found {
    /// Comparisons of the packet with its end, by operation.
    pub checks: BTreeMap<u32, Check>,
    /// Stores of the constant 0, by operation.
    pub zeros: Vec<u32>,
}

/// Follows values through a graph. Returns what is known at the start of each block.
fn starts(graph: &Graph) -> Vec<Option<State>> {
    let mut states: Vec<Option<State>> = vec![None; graph.blocks.len()];
    let mut open = Vec::new();
    for entry in &graph.entries {
        states[entry.block] = Some(State::start(entry.is_program));
        open.push(entry.block);
    }
    while let Some(block) = open.pop() {
        let Some(mut state) = states[block].clone() else { continue };
        graph.blocks[block].insts.iter().for_each(|inst| state.after(inst));
        for to in graph.successors(block) {
            let changed = match &mut states[to] {
                Some(known) => known.meet(&state),
                unknown => {
                    *unknown = Some(state.clone());
                    true
                }
            };
            if changed {
                open.push(to);
            }
        }
    }
    states
}

/// What is known at the end of each block.
pub(super) struct Ends(Vec<Option<State>>);

impl Ends {
    pub fn new(graph: &Graph) -> Self {
        let mut states = starts(graph);
        for (block, state) in graph.blocks.iter().zip(&mut states) {
            if let Some(state) = state {
                block.insts.iter().for_each(|inst| state.after(inst));
            }
        }
        Self(states)
    }

    /// Returns the action that r0 must hold at the end of a block that these instructions follow.
    pub fn action(&self, block: usize, insts: &[Inst]) -> Option<i64> {
        let mut state = self.0[block].clone()?;
        insts.iter().for_each(|inst| state.after(inst));
        match state.get(0) {
            Value::Constant(action) => Some(action),
            _ => None,
        }
    }
}

/// Follows values through a graph, and records the bytes that its instructions touch.
pub(super) fn follow(graph: &mut Graph) -> Found {
    let states = starts(graph);
    let mut found = Found { checks: BTreeMap::new(), zeros: Vec::new() };
    for (block, state) in graph.blocks.iter_mut().zip(states) {
        let Some(mut state) = state else { continue };
        for inst in &mut block.insts {
            note(inst, &state, &mut found);
            state.after(inst);
        }
    }
    found
}

fn note(inst: &mut Inst, state: &State, found: &mut Found) {
    match inst.does {
        Does::Load => inst.loads = vec![state.range(inst)],
        Does::Store => {
            inst.stores = vec![state.range(inst)];
            let zero = match inst.op.kind {
                Kind::St1 | Kind::St2 | Kind::St4 | Kind::St8 => inst.op.imm == 0,
                _ => state.get(inst.op.src) == Value::Constant(0),
            };
            if zero {
                found.zeros.push(inst.at);
            }
        }
        Does::Atomic => {
            inst.loads = vec![state.range(inst)];
            inst.stores = inst.loads.clone();
        }
        Does::Helper => (inst.loads, inst.stores) = state.helper(inst.op.imm as u32),
        Does::Branch => {
            if let Some(check) = state.check(inst) {
                found.checks.insert(inst.at, check);
            }
        }
        _ => {}
    }
}
