//! Exits that contain the verdict of the packet.

use super::graph::{Block, Graph};
use super::inst::{Does, Inst};
use super::values::Ends;
use crate::code::Kind;
use std::collections::BTreeMap;

/// Copies the end of the program for the paths with a constant action, as an exit of that action: one per
/// action, which branches share; code with no other successor ends with it. The end itself stays for the other
/// paths.
pub(super) fn path_exits(graph: &mut Graph) {
    let ends = Ends::new(graph);
    let before = graph.predecessors();
    for tail in graph.alive().filter(|&block| only_ends(graph, block)).collect::<Vec<_>>() {
        let own = graph.blocks[tail].clone();
        let ways: Vec<(usize, Option<i64>)> =
            before[tail].iter().map(|&from| (from, ends.action(from, &own.insts))).collect();
        // A branch that falls through into the tail pays the least of all paths, which is the cost of an exit that
        // contains its action.
        let falls =
            |from: usize| graph.blocks[from].falls == Some(tail) && graph.successors(from).count() > 1;
        if ways.iter().any(|&(from, action)| action.is_none() && falls(from)) {
            continue;
        }
        let Some(mut exit) = own.insts.last().cloned() else { continue };
        exit.exit_of_constant();
        let mut exits = BTreeMap::new();
        for (from, action) in ways {
            let Some(action) = action else { continue };
            if graph.successors(from).count() == 1 {
                let own = &mut graph.blocks[from];
                own.insts.pop_if(|last| last.ends());
                own.insts.push(exit.clone());
                (own.falls, own.jumps, own.tail) = (None, None, Some(tail));
                continue;
            }
            let to = *exits.entry(action).or_insert_with(|| {
                graph.blocks.push(Block { insts: vec![exit.clone()], tail: Some(tail), ..own.clone() });
                graph.blocks.len() - 1
            });
            let Block { falls, jumps, .. } = &mut graph.blocks[from];
            for way in [falls, jumps].into_iter().filter(|way| **way == Some(tail)) {
                *way = Some(to);
            }
        }
    }
    graph.reach();
}

/// Returns whether a block only computes an action that it does not know, and ends the program with it.
fn only_ends(graph: &Graph, block: usize) -> bool {
    let own = &graph.blocks[block];
    let Some((exit, rest)) = own.insts.split_last() else { return false };
    let ends = exit.op.kind == Kind::Exit && !own.returns && !graph.is_entry(block);
    ends && rest.iter().all(Inst::is_pure)
}

/// Moves constant actions into the exits directly behind them.
pub(super) fn constant_exits(graph: &mut Graph) {
    for block in graph.blocks.iter_mut().filter(|block| block.alive && !block.returns) {
        if let Some(made) = action(&block.insts) {
            block.insts.remove(made);
            if let Some(exit) = block.insts.last_mut() {
                exit.exit_of_constant();
            }
        }
    }
}

/// Returns where the constant of an exit's action is made, if no other instruction reads it.
fn action(insts: &[Inst]) -> Option<usize> {
    let (exit, rest) = insts.split_last()?;
    if exit.op.kind != Kind::Exit || exit.does != (Does::Exit { constant: false }) {
        return None;
    }
    let made = rest.iter().rposition(|inst| inst.writes & 1 == 1)?;
    let read = rest[made + 1..].iter().any(|inst| inst.reads & 1 == 1);
    let constant = matches!(rest[made].op.kind, Kind::MovI | Kind::MovWI);
    (constant && !read).then_some(made)
}
