//! Exits that say themselves what becomes of the packet.

use super::graph::Graph;
use super::inst::{Does, Inst};
use crate::code::Kind;

/// Instructions of a tail that is copied to where control comes from.
const MOST_OF_A_TAIL: usize = 2;

/// Copies short tails into the blocks that go on to them alone, and puts constant actions into exits.
pub(super) fn constant_exits(graph: &mut Graph) {
    let tails: Vec<usize> = graph.alive().filter(|&block| is_tail(graph, block)).collect();
    let before = graph.predecessors();
    for tail in tails {
        let insts = graph.blocks[tail].insts.clone();
        let from = before[tail].iter().copied().filter(|&from| {
            from != tail
                && graph.blocks[from].returns == graph.blocks[tail].returns
                && graph.successors(from).count() == 1
        });
        for block in from.collect::<Vec<_>>() {
            let own = &mut graph.blocks[block];
            own.insts.pop_if(|last| last.ends());
            own.insts.extend(insts.iter().cloned());
            (own.falls, own.jumps, own.tail) = (None, None, Some(tail));
        }
    }
    graph.reach();
    for block in graph.blocks.iter_mut().filter(|block| block.alive && !block.returns) {
        if let Some(made) = action(&block.insts) {
            block.insts.remove(made);
            if let Some(exit) = block.insts.last_mut() {
                exit.exit_of_constant();
            }
        }
    }
}

fn is_tail(graph: &Graph, block: usize) -> bool {
    let insts = &graph.blocks[block].insts;
    let ends = insts.last().is_some_and(|last| last.op.kind == Kind::Exit);
    // What falls into it from a branch could not be told apart from what jumps there.
    let entered = |from: usize| graph.blocks[from].falls == Some(block) && graph.successors(from).count() > 1;
    ends && insts.len() <= MOST_OF_A_TAIL && !graph.is_entry(block) && !graph.alive().any(entered)
}

/// Where the constant is made that an exit takes, if nothing else reads it.
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
