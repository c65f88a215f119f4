//! Removes instructions whose result is never read.

use super::graph::Graph;
use super::inst::{ARGUMENTS, Does, Inst};

/// Registers that are read later at the end of each block.
pub(super) fn wanted(graph: &Graph) -> Vec<u16> {
    let mut before = vec![0u16; graph.blocks.len()];
    let mut after = before.clone();
    let alive: Vec<usize> = graph.alive().collect();
    loop {
        let mut changed = false;
        for &block in alive.iter().rev() {
            after[block] = graph.successors(block).fold(0, |all, to| all | before[to]);
            let now =
                graph.blocks[block].insts.iter().rev().fold(after[block], |wanted, inst| front(inst, wanted));
            changed |= now != before[block];
            before[block] = now;
        }
        if !changed {
            return after;
        }
    }
}

/// Returns the registers that are live before an instruction, from those that are live after it.
pub(super) fn front(inst: &Inst, wanted: u16) -> u16 {
    let lost = if inst.does == Does::Call { ARGUMENTS } else { 0 };
    inst.reads | (wanted & !(inst.writes | lost))
}

/// Removes loads, moves and arithmetic whose results are never read.
pub(super) fn remove(graph: &mut Graph) {
    loop {
        let after = wanted(graph);
        let mut changed = false;
        for (block, mut wanted) in graph.blocks.iter_mut().zip(after).filter(|(block, _)| block.alive) {
            let mut kept = Vec::with_capacity(block.insts.len());
            for inst in std::mem::take(&mut block.insts).into_iter().rev() {
                if inst.is_pure() && inst.writes & wanted == 0 {
                    changed = true;
                    continue;
                }
                wanted = front(&inst, wanted);
                kept.push(inst);
            }
            kept.reverse();
            block.insts = kept;
        }
        if !changed {
            return;
        }
    }
}
