//! Fills free slots from blocks that execute equally often, and puts branches in one row.

use super::graph::{Block, Graph};
use super::inst::{Does, Inst};
use super::place::{Range, overlap};
use super::table::Table;

/// Most blocks whose instructions fill the slots of one; further ones contribute little.
const MOST_BLOCKS: usize = 16;

/// The effects between two points of the program.
#[derive(Default)]
struct Between {
    written: u16,
    loads: Vec<Range>,
    stores: Vec<Range>,
    /// A function is called.
    wall: bool,
}

impl Between {
    fn add(&mut self, inst: &Inst) {
        self.written |= inst.writes;
        self.loads.extend(&inst.loads);
        self.stores.extend(&inst.stores);
        self.wall |= inst.is_wall();
    }

    /// Returns whether an instruction may move across all of it.
    fn lets(&self, inst: &Inst) -> bool {
        let free =
            |of: &[Range], by: &[Range]| !of.iter().any(|a| by.iter().any(|b| overlap(a, None, b, None)));
        let movable = inst.is_pure() || inst.does == Does::Store;
        movable
            && !self.wall
            && inst.reads & self.written == 0
            && free(&self.stores, &inst.loads)
            && free(&self.stores, &inst.stores)
            && free(&self.loads, &inst.stores)
    }
}

/// Fills free slots of a block's rows with instructions of later blocks that execute equally often.
pub(super) fn fill(graph: &mut Graph, block: usize, table: &mut Table, later: &[Option<usize>]) {
    let mut between = Between::default();
    let mut at = block;
    for _ in 0..MOST_BLOCKS {
        let Some(next) = later[at] else { return };
        for other in inside(graph, at, next) {
            graph.blocks[other].insts.iter().for_each(|inst| between.add(inst));
        }
        let insts = std::mem::take(&mut graph.blocks[next].insts);
        let mut left = Vec::with_capacity(insts.len());
        for inst in insts {
            if between.lets(&inst) && table.fill(&inst) {
                between.written &= !inst.writes;
                continue;
            }
            between.add(&inst);
            left.push(inst);
        }
        graph.blocks[next].insts = left;
        at = next;
    }
}

/// Returns the blocks on the paths between two blocks, without these two.
fn inside(graph: &Graph, from: usize, to: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut open: Vec<usize> = graph.successors(from).collect();
    while let Some(block) = open.pop() {
        if block != to && !found.contains(&block) {
            found.push(block);
            open.extend(graph.successors(block));
        }
    }
    found
}

/// Places the branch of the following block beside that of a block, with lower priority, if the following block has
/// at most one other instruction, a move; then that of the next one, and so on. Those blocks then need no rows of
/// their own.
pub(super) fn side_by_side(
    graph: &mut Graph,
    block: usize,
    table: &mut Table,
    before: &[Vec<usize>],
    entered: &[u16],
) {
    let (mut at, mut elsewhere) = (block, 0);
    let ends = |block: &Block| block.insts.last().is_some_and(|last| last.does == Does::Branch);
    while ends(&graph.blocks[at]) || at != block {
        let Block { falls: Some(next), jumps: Some(jumps), .. } = graph.blocks[at] else { return };
        let alone = before[next] == [at] && !graph.is_entry(next) && next != block;
        let (moved, branch) = match &graph.blocks[next].insts[..] {
            [branch] if branch.does == Does::Branch => (None, branch.clone()),
            [mov, branch] if mov.does == Does::Move && branch.does == Does::Branch => {
                (Some(mov.clone()), branch.clone())
            }
            _ => return,
        };
        // Results that are moved in front of branches must not be needed at their targets.
        elsewhere |= entered[jumps];
        let lost = moved.as_ref().is_some_and(|moved| moved.writes & elsewhere != 0);
        let mut tried = table.clone();
        if !alone || lost || !moved.is_none_or(|moved| tried.fill(&moved)) || !tried.join(&branch) {
            return;
        }
        *table = tried;
        graph.blocks[next].insts.clear();
        at = next;
    }
}
