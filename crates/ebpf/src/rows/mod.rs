//! Rows: the schedule of a program on a processor with several lanes, computed before it runs.
//!
//! It is a static list scheduler over basic blocks, for machines that execute one row of several instructions
//! per cycle, in order. It models the compiler of such a machine. Operations of the hardware itself are
//! removed, pairs become one instruction, and rows are filled from other blocks. Each step can be disabled:
//! [`Rules`]. The executed program does not change; only the cost of its blocks follows from their rows.
//!
//! Assumptions on the machine: stack and registers begin at zero, every access to the packet is checked, copies
//! of six bytes and arithmetic of three operands are instructions, an exit can contain its action, helpers keep
//! their arguments. Rows execute as a whole: all of a row is read before any of it is written.

mod dead;
mod dominate;
mod exits;
mod graph;
mod inst;
mod motion;
mod place;
mod rules;
mod simplify;
mod table;
#[cfg(test)]
mod tests;
mod values;

pub use rules::Rules;

use crate::MOST_LANES;
use crate::code::Code;
use graph::{Block, Graph};
use inst::Does;
use std::collections::{BTreeMap, BTreeSet};
use table::Table;

/// The source of an exit's action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitAction {
    /// The exit contains it.
    Constant,
    /// r0 contains it.
    Register,
}

/// The rows of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRows {
    /// First operation.
    pub first: u32,
    /// Number of rows.
    pub rows: u32,
    /// Instructions that remain of it and of the blocks joined to it.
    pub instructions: u32,
    /// Exit, if the program ends in it.
    pub exit: Option<ExitAction>,
}

/// The schedule of a program.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Blocks, in the order of the program.
    pub blocks: Vec<BlockRows>,
    /// Rows of all blocks.
    pub total: u32,
    /// Reachable operations, before any were removed.
    pub operations: u32,
    /// The cost of each operation per execution. With [`Rows::jumped`], the sum over a packet's operations is
    /// the number of rows of the executed blocks. If the hardware compares with the packet's end and the packet
    /// is too short, the packet pays the whole block of the comparison and nothing behind it.
    pub executed: Vec<Charge>,
    /// The additional cost of each operation when its jump is taken: the same tail costs more on some paths
    /// than on others.
    pub jumped: Vec<Charge>,
}

/// A cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charge {
    /// Rows.
    pub rows: u32,
    /// Whether an exit takes its action from r0.
    pub asks: bool,
}

impl Charge {
    fn least(self, other: Self) -> Self {
        Self { rows: self.rows.min(other.rows), asks: self.asks && other.asks }
    }

    fn without(self, paid: Self) -> Self {
        Self { rows: self.rows - paid.rows, asks: self.asks && !paid.asks }
    }
}

impl Rows {
    /// Schedules the programs that begin at `entries`, with the functions that they call, for 1 to
    /// [`MOST_LANES`] lanes.
    ///
    /// A list scheduler may be worse with more lanes. A schedule for fewer lanes is also valid for more, so the
    /// best of all is taken.
    #[must_use]
    pub fn new(code: &Code, entries: &[u32], lanes: u32, rules: Rules) -> Self {
        let mut graph = Graph::new(code, entries);
        let operations = graph.blocks.iter().map(|block| block.insts.len() as u32).sum();
        simplified(&mut graph, rules);
        let tried = (1..=lanes.clamp(1, MOST_LANES)).map(|lanes| {
            let mut graph = graph.clone();
            let rows = scheduled(&mut graph, lanes, rules);
            told(code, &graph, &rows, operations)
        });
        tried.reduce(|best, next| if next.total <= best.total { next } else { best }).unwrap_or_default()
    }
}

/// The steps before rows are filled.
fn simplified(graph: &mut Graph, rules: Rules) {
    let found = values::follow(graph);
    if rules.zeroing {
        simplify::zeroing(graph, &found);
    }
    if rules.bound_checks {
        simplify::bound_checks(graph, &found);
    }
    let clean = |graph: &mut Graph| {
        graph.reach();
        if rules.clean_up {
            dead::remove(graph);
            graph.merge();
        }
    };
    clean(graph);
    if rules.path_exits {
        exits::path_exits(graph);
        clean(graph);
    }
    if rules.wide_copies {
        let wanted = dead::wanted(graph);
        simplify::wide_copies(graph, &wanted);
    }
    if rules.constant_exits {
        exits::constant_exits(graph);
        clean(graph);
    }
    if rules.three_operands {
        simplify::three_operands(graph);
    }
    if rules.kept_arguments {
        simplify::kept_arguments(graph);
    }
    clean(graph);
}

/// Rows of each block, and its instructions.
fn scheduled(graph: &mut Graph, lanes: u32, rules: Rules) -> Vec<(u32, u32)> {
    let later = if rules.motion { dominate::equivalents(graph) } else { vec![] };
    let before = graph.predecessors();
    let after = dead::wanted(graph);
    let entered: Vec<u16> = graph
        .blocks
        .iter()
        .zip(after)
        .map(|(block, after)| block.insts.iter().rev().fold(after, |wanted, inst| dead::front(inst, wanted)))
        .collect();
    let mut rows = vec![(0, 0); graph.blocks.len()];
    for block in graph.alive().collect::<Vec<_>>() {
        let mut table = Table::new(lanes, rules);
        graph.blocks[block].insts.iter().for_each(|inst| {
            table.put(inst);
        });
        if rules.motion && rules.renaming {
            motion::fill(graph, block, &mut table, &later);
        }
        if rules.side_by_side {
            motion::side_by_side(graph, block, &mut table, &before, &entered);
        }
        rows[block] = (table.len(), table.used());
    }
    rows
}

/// Returns the end of a block, with respect to the program's action.
fn exit(block: &Block) -> Option<ExitAction> {
    match block.insts.last()?.does {
        Does::Exit { constant } if !block.returns => {
            Some(if constant { ExitAction::Constant } else { ExitAction::Register })
        }
        _ => None,
    }
}

/// Returns the cost of a path through a block.
fn charge(graph: &Graph, rows: &[(u32, u32)], block: usize) -> Charge {
    Charge { rows: rows[block].0, asks: exit(&graph.blocks[block]) == Some(ExitAction::Register) }
}

fn told(code: &Code, graph: &Graph, rows: &[(u32, u32)], operations: u32) -> Rows {
    let none = vec![Charge::default(); code.ops().len()];
    let mut told = Rows { operations, executed: none.clone(), jumped: none, ..Rows::default() };
    // The least cost of blocks with the same tail, which is the cost of executing the tail's operations.
    let mut least: BTreeMap<usize, Charge> = BTreeMap::new();
    let replaced = |block: usize| graph.blocks[block].replaces(&graph.blocks);
    let executed: BTreeSet<usize> = graph.alive().map(|block| replaced(block).unwrap_or(block)).collect();
    let kept = |block: usize| graph.blocks[block].tail.filter(|tail| executed.contains(tail));
    for block in graph.alive() {
        if let Some(tail) = kept(block) {
            let own = charge(graph, rows, block);
            let all = if graph.blocks[tail].alive { own.least(charge(graph, rows, tail)) } else { own };
            least.entry(tail).and_modify(|least| *least = least.least(all)).or_insert(all);
        }
    }
    for block in graph.alive() {
        let own = &graph.blocks[block];
        let (height, instructions) = rows[block];
        told.blocks.push(BlockRows { first: own.leader, rows: height, instructions, exit: exit(own) });
        told.total += height;
        let whole = charge(graph, rows, block);
        let paid = kept(block).and_then(|tail| least.get(&tail).copied());
        let first = own.leader as usize;
        told.executed[first] = match (least.get(&replaced(block).unwrap_or(block)), paid) {
            (Some(&least), _) => least,
            (None, Some(paid)) => whole.without(paid),
            (None, None) => whole,
        };
        // The rest of a tail is reached by jumps only.
        let Some(&least) = least.get(&block) else { continue };
        for from in graph.alive().filter(|&from| graph.blocks[from].jumps == Some(block)) {
            if let Some(jump) = graph.blocks[from].jump {
                told.jumped[jump as usize] = whole.without(least);
            }
        }
    }
    told.blocks.sort_by_key(|block| block.first);
    told
}
