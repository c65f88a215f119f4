//! Removes operations of the hardware itself, and joins pairs of instructions.

use super::graph::Graph;
use super::inst::{ARGUMENTS, Does, Inst};
use super::place::{Place, on_stack};
use super::values::{Check, Found};
use crate::code::Kind;
use std::collections::BTreeSet;

/// Removes stores of the constant 0 to bytes of the stack without an earlier store, in the order of the
/// program: the stack is cleared for every packet. Code in loops is not removed.
pub(super) fn zeroing(graph: &mut Graph, found: &Found) {
    let loops: Vec<(u32, u32)> = {
        let last = |block: usize| graph.blocks[block].insts.last().map_or(0, |inst| inst.at);
        let back = |block: usize| {
            let leader = graph.blocks[block].leader;
            let targets = graph.successors(block).map(|to| graph.blocks[to].leader);
            targets.filter(move |&to| to <= leader).map(move |to| (to, last(block)))
        };
        graph.alive().flat_map(back).collect()
    };
    let (mut stored, mut unknown) = (BTreeSet::new(), false);
    // Functions have separate stack frames, which may be used more than once.
    for block in graph.blocks.iter_mut().filter(|block| block.alive && !block.returns) {
        block.insts.retain(|inst| {
            let [range] = inst.stores[..] else { return true };
            if !matches!(range.place, Place::Stack | Place::Anything) {
                return true;
            }
            let Some(from) = range.from.filter(|&from| on_stack(from, range.bytes)) else {
                unknown = true;
                return true;
            };
            let bytes = from..from + range.bytes;
            let repeated = loops.iter().any(|&(from, to)| (from..=to).contains(&inst.at));
            let cleared = !unknown && !repeated && bytes.clone().all(|byte| !stored.contains(&byte));
            stored.extend(bytes);
            !(cleared && found.zeros.contains(&inst.at))
        });
    }
}

/// Takes out comparisons of a known byte of the packet with its end: the hardware checks every access.
pub(super) fn bound_checks(graph: &mut Graph, found: &Found) {
    for block in graph.blocks.iter_mut().filter(|block| block.alive) {
        let Some(last) = block.insts.last_mut() else { continue };
        match found.checks.get(&last.at) {
            Some(Check::Falls) => {
                block.insts.pop();
                block.jumps = None;
            }
            Some(Check::Jumps) => {
                (last.does, last.reads) = (Does::Goto, 0);
                block.falls = None;
            }
            None => {}
        }
    }
}

/// Copies of 2, 4 or 6 bytes, each piece loaded and stored at once, become one load and one store.
pub(super) fn wide_copies(graph: &mut Graph, wanted: &[u16]) {
    for (block, &wanted) in graph.blocks.iter_mut().zip(wanted).filter(|(block, _)| block.alive) {
        let insts = &block.insts;
        let mut kept = Vec::with_capacity(insts.len());
        let mut at = 0;
        while at < insts.len() {
            let pieces = [6, 4, 3, 2].into_iter().find(|&pieces| is_copy(&insts[at..], pieces, wanted));
            let Some(pieces) = pieces else {
                kept.push(insts[at].clone());
                at += 1;
                continue;
            };
            let run = &insts[at..at + 2 * pieces];
            for inst in [one(run.iter().step_by(2)), one(run.iter().skip(1).step_by(2))].into_iter().flatten()
            {
                kept.push(inst);
            }
            at += 2 * pieces;
        }
        block.insts = kept;
    }
}

/// Returns whether pieces, each a load and the store of its value, are adjacent at both source and destination.
fn is_copy(insts: &[Inst], pieces: usize, wanted: u16) -> bool {
    let Some(run) = insts.get(..2 * pieces) else { return false };
    let pairs: Vec<(&Inst, &Inst)> = run.chunks(2).map(|pair| (&pair[0], &pair[1])).collect();
    let moves = |&(load, store): &(&Inst, &Inst)| {
        load.does == Does::Load
            && store.does == Does::Store
            && load.writes == 1 << store.op.src
            && store.op.kind as u8 >= Kind::Stx1 as u8
            && load.bytes() == store.bytes()
            && load.writes & (1 << load.base() | 1 << store.base()) == 0
            && (load.base(), store.base()) == (pairs[0].0.base(), pairs[0].1.base())
    };
    let total: i64 = pairs.iter().map(|(load, _)| load.bytes()).sum();
    if !pairs.iter().all(moves) || !matches!(total, 2 | 4 | 6) {
        return false;
    }
    let up = pairs.windows(2).all(|pair| {
        let (first, second) = (pair[0], pair[1]);
        let bytes = first.0.bytes() as i32;
        second.0.op.to == first.0.op.to + bytes && second.1.op.to == first.1.op.to + bytes
    });
    let down = pairs.windows(2).all(|pair| {
        let (first, second) = (pair[0], pair[1]);
        let bytes = second.0.bytes() as i32;
        first.0.op.to == second.0.op.to + bytes && first.1.op.to == second.1.op.to + bytes
    });
    // The loaded value is not needed elsewhere.
    let wanted =
        insts[2 * pieces..].iter().rev().fold(wanted, |wanted, inst| super::dead::front(inst, wanted));
    let loaded = pairs.iter().fold(0, |all, (load, _)| all | load.writes);
    (up || down) && loaded & wanted == 0
}

/// Returns one access in place of several, at the position of the first.
fn one<'a>(accesses: impl Iterator<Item = &'a Inst>) -> Option<Inst> {
    accesses.cloned().reduce(|mut all, next| {
        for (own, other) in
            all.loads.iter_mut().chain(&mut all.stores).zip(next.loads.iter().chain(&next.stores))
        {
            own.bytes += other.bytes;
            own.from = own.from.zip(other.from).map(|(a, b)| a.min(b));
            own.by = own.by.zip(other.by).map(|((base, a), (_, b))| (base, a.min(b)));
        }
        // The store uses the value of the joined load.
        if all.does == Does::Store {
            all.at = next.at;
        }
        all
    })
}

/// Joins a move and the arithmetic that changes the moved value to one instruction of three operands.
pub(super) fn three_operands(graph: &mut Graph) {
    for block in graph.blocks.iter_mut().filter(|block| block.alive) {
        let mut at = 0;
        while at < block.insts.len() {
            let Some(found) = changed_by(&block.insts, at) else {
                at += 1;
                continue;
            };
            let moved = block.insts[at].op.src;
            let inst = &mut block.insts[found];
            inst.left = moved;
            // The right operand, if it is a register, is a different register.
            let right = inst.reads & !inst.writes;
            inst.reads = right | 1 << moved;
            block.insts.remove(at);
        }
    }
}

/// Returns the arithmetic that is the first to use the value of a move.
fn changed_by(insts: &[Inst], at: usize) -> Option<usize> {
    let mov = &insts[at];
    if mov.does != Does::Move || !matches!(mov.op.kind, Kind::MovR | Kind::MovWR) {
        return None;
    }
    let (to, from) = (mov.writes, mov.reads);
    for (index, inst) in insts.iter().enumerate().skip(at + 1) {
        let wide = (Kind::AddI as u8..=Kind::Neg as u8).contains(&(inst.op.kind as u8));
        let word = (Kind::AddWI as u8..=Kind::NegW as u8).contains(&(inst.op.kind as u8));
        let same = if mov.op.kind == Kind::MovR { wide } else { word };
        if inst.does == Does::Alu && inst.writes == to && inst.left == inst.op.dst && same {
            let right = inst.reads & !(1 << inst.op.dst);
            let twice = right == 0 && inst.op.by_register();
            return if twice { None } else { Some(index) };
        }
        let lost = if matches!(inst.does, Does::Call) { ARGUMENTS } else { 0 };
        if inst.reads & to != 0 || (inst.writes | lost) & (to | from) != 0 || inst.is_wall() || inst.ends() {
            return None;
        }
    }
    None
}

/// Removes assignments of the present value to an argument register: helpers keep their arguments.
pub(super) fn kept_arguments(graph: &mut Graph) {
    type Made = (Kind, i64, u8, u32, u8, u32);
    for block in graph.blocks.iter_mut().filter(|block| block.alive) {
        let mut versions = [0u32; 11];
        let mut holds: [Option<Made>; 11] = [None; 11];
        block.insts.retain(|inst| {
            let target = inst.writes.trailing_zeros() as usize;
            let own =
                |register: u8| (1u16 << register & inst.reads != 0).then(|| versions[usize::from(register)]);
            let made = (
                inst.op.kind,
                inst.op.imm,
                inst.left,
                own(inst.left).unwrap_or(u32::MAX),
                inst.op.src,
                own(inst.op.src).unwrap_or(u32::MAX),
            );
            let constant = matches!(inst.does, Does::Move | Does::Alu) && inst.reads & inst.writes == 0;
            let key = match inst.does {
                Does::Move => (made.0, made.1, 0, 0, made.4, made.5),
                _ => made,
            };
            if constant && inst.writes & ARGUMENTS != 0 && holds[target] == Some(key) {
                return false;
            }
            for register in (0..11).filter(|register| inst.writes >> register & 1 == 1) {
                versions[register] += 1;
                holds[register] = if constant { Some(key) } else { None };
            }
            if inst.is_wall() {
                holds = [None; 11];
            }
            true
        });
    }
}
