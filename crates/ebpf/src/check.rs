//! Checks a program before it runs: the reachable code, its unsupported helpers and maps, and instructions that
//! may read an unwritten register.
//!
//! The last check depends on the path, and the kernel's verifier follows the paths one by one. Here,
//! instructions for which some path leaves a register unwritten are guarded, and test the register when they
//! execute.

use crate::code::{Code, Kind, Op};
use crate::executor::reads;
use crate::helpers::{helper_name, supported};
use crate::object::{MapKind, Object, Reference};

/// All registers but the frame pointer.
const ALL: u16 = (1 << 10) - 1;
/// All but the one argument of a program.
const OF_PROGRAM: u16 = ALL & !(1 << 1);
/// Registers that a call leaves undefined besides its result.
const ARGUMENTS: u16 = 0b11_1110;
/// Most problems that are listed.
const MOST_PROBLEMS: usize = 20;

/// Guards operations that may read an unwritten register, and lists the unsupported needs of the programs that
/// begin at `entries`.
pub(crate) fn check(code: &mut Code, object: &Object, entries: &[u32]) -> Vec<String> {
    let unwritten = flow(code, entries);
    let mut problems = Vec::new();
    let mut guarded = Vec::new();
    for (index, state) in (0u32..).zip(&unwritten) {
        let Some(state) = *state else { continue };
        let op = code.original(index);
        problems.extend(
            problem(code, object, index, op)
                .map(|found| format!("{found}, at {}", object.place(code, index))),
        );
        if reads(op) & state != 0 {
            guarded.push((index, op));
        }
    }
    for (index, op) in std::mem::take(&mut code.guarded) {
        code.ops[index as usize] = op;
    }
    for &(index, op) in &guarded {
        code.ops[index as usize] = Op { kind: Kind::Guarded, ..op };
    }
    code.guarded = guarded;
    problems.dedup();
    problems.truncate(MOST_PROBLEMS);
    problems
}

fn problem(code: &Code, object: &Object, index: u32, op: Op) -> Option<String> {
    match op.kind {
        Kind::Illegal => Some(code.problem(index).unwrap_or("no instruction").to_owned()),
        Kind::End => Some("code that ends without an exit".to_owned()),
        Kind::Helper if !supported(op.imm as u32) => {
            Some(format!("the helper {}, which is not supported", helper_name(op.imm as u32)))
        }
        Kind::Const => {
            let (section, slot) = code.place(index);
            let Some(Reference::Map(map)) = object.code.get(section)?.references.get(&slot) else {
                return None;
            };
            let definition = object.maps().get(*map)?;
            let inner = definition.inner.as_ref().map_or(definition.kind, |inner| inner.kind);
            [definition.kind, inner].iter().find(|kind| matches!(kind, MapKind::Other(_))).map(|kind| {
                format!("the map `{}`, whose kind {} is not supported", definition.name, kind.name())
            })
        }
        _ => None,
    }
}

/// Returns for each reachable operation the registers that some path leaves unwritten.
fn flow(code: &Code, entries: &[u32]) -> Vec<Option<u16>> {
    let mut flow = Flow { states: vec![None; code.ops.len()], open: Vec::new() };
    for &entry in entries {
        flow.reach(entry, OF_PROGRAM);
    }
    while let Some(index) = flow.open.pop() {
        let op = code.original(index);
        let after = flow.states[index as usize].unwrap_or(ALL) & !op.writes();
        match op.kind {
            Kind::Exit | Kind::Illegal | Kind::End => {}
            Kind::Ja => flow.reach(op.to as u32, after),
            Kind::Call => {
                flow.reach(op.to as u32, ALL);
                flow.reach(index + 1, after | ARGUMENTS | 1);
            }
            Kind::Helper => flow.reach(index + 1, (after | ARGUMENTS) & !1),
            _ => {
                if op.jumps() {
                    flow.reach(op.to as u32, after);
                }
                flow.reach(index + 1, after);
            }
        }
    }
    flow.states
}

/// What is known before each operation, and the operations whose state must be followed again.
struct Flow {
    states: Vec<Option<u16>>,
    open: Vec<u32>,
}

impl Flow {
    fn reach(&mut self, index: u32, state: u16) {
        let Some(known) = self.states.get_mut(index as usize) else { return };
        let merged = known.unwrap_or(0) | state;
        if *known != Some(merged) {
            *known = Some(merged);
            self.open.push(index);
        }
    }
}
