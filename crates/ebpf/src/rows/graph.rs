//! Basic blocks and the control flow between them.

use super::inst::{Does, Inst};
use crate::code::{Code, Kind};
use std::collections::{BTreeMap, BTreeSet};

/// A block: instructions that are executed together.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// First operation in the program.
    pub leader: u32,
    pub insts: Vec<Inst>,
    /// The successor without a jump, and the successor by its jump.
    pub falls: Option<usize>,
    pub jumps: Option<usize>,
    /// The operation that jumps.
    pub jump: Option<u32>,
    /// Whether it belongs to a function, whose exit returns.
    pub returns: bool,
    /// Whether it can be reached.
    pub alive: bool,
    /// The tail whose instructions were copied to its end.
    pub tail: Option<usize>,
}

impl Block {
    /// Returns the tail that this block replaces on some paths: a copy of the tail with no instructions before it.
    pub fn replaces(&self, blocks: &[Self]) -> Option<usize> {
        self.tail.filter(|&tail| blocks[tail].leader == self.leader)
    }
}

/// An entry of control.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub block: usize,
    /// A program, or a function of it.
    pub is_program: bool,
}

/// The blocks of a program and of the functions that it calls.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub blocks: Vec<Block>,
    pub entries: Vec<Entry>,
}

/// The first operation of each block, and that of each function.
struct Leaders {
    starts: BTreeSet<u32>,
    seen: BTreeMap<u32, bool>,
    functions: BTreeSet<u32>,
}

impl Leaders {
    fn of(code: &Code, programs: &[u32]) -> Self {
        let mut leaders = Self { starts: BTreeSet::new(), seen: BTreeMap::new(), functions: BTreeSet::new() };
        programs.iter().for_each(|&entry| leaders.walk(code, entry, false));
        let mut known = BTreeSet::new();
        while let Some(&function) = leaders.functions.difference(&known).next() {
            known.insert(function);
            leaders.walk(code, function, true);
        }
        leaders
    }

    /// Follows control flow from an operation, but not into functions.
    fn walk(&mut self, code: &Code, entry: u32, returns: bool) {
        self.starts.insert(entry);
        let mut open = vec![entry];
        while let Some(index) = open.pop() {
            if index as usize >= code.ops().len() || self.seen.contains_key(&index) {
                continue;
            }
            self.seen.insert(index, returns);
            let op = code.original(index);
            match op.kind {
                Kind::Exit | Kind::Illegal | Kind::End => {}
                Kind::Ja => {
                    self.starts.insert(op.to as u32);
                    open.push(op.to as u32);
                }
                _ => {
                    if op.kind == Kind::Call {
                        self.functions.insert(op.to as u32);
                    }
                    if op.jumps() {
                        self.starts.extend([op.to as u32, index + 1]);
                        open.push(op.to as u32);
                    }
                    open.push(index + 1);
                }
            }
        }
    }
}

impl Graph {
    /// Returns the blocks that programs and their functions can reach.
    pub fn new(code: &Code, programs: &[u32]) -> Self {
        let leaders = Leaders::of(code, programs);
        let mut blocks: Vec<Block> = Vec::new();
        let mut number = BTreeMap::new();
        let mut open = None;
        for (&index, &returns) in &leaders.seen {
            if leaders.starts.contains(&index) || open != Some(index) {
                number.insert(index, blocks.len());
                blocks.push(Block {
                    leader: index,
                    insts: vec![],
                    falls: None,
                    jumps: None,
                    jump: None,
                    returns,
                    alive: true,
                    tail: None,
                });
            }
            let inst = Inst::new(index, code.original(index));
            open = if inst.ends() { None } else { Some(index + 1) };
            if let Some(block) = blocks.last_mut() {
                block.insts.push(inst);
            }
        }
        for block in &mut blocks {
            let Some(last) = block.insts.last() else { continue };
            let (next, to) = (number.get(&(last.at + 1)).copied(), number.get(&(last.op.to as u32)).copied());
            block.jump = last.ends().then_some(last.at);
            (block.falls, block.jumps) = match last.does {
                Does::Exit { .. } => (None, None),
                Does::Goto => (None, to),
                Does::Branch => (next, to),
                _ => (next, None),
            };
        }
        let entry = |at: &u32, is_program| number.get(at).map(|&block| Entry { block, is_program });
        let programs = programs.iter().filter_map(|at| entry(at, true));
        let functions = leaders.functions.iter().filter_map(|at| entry(at, false));
        let entries = programs.chain(functions).collect();
        Self { blocks, entries }
    }

    /// Returns the blocks that may follow a block.
    pub fn successors(&self, block: usize) -> impl Iterator<Item = usize> + use<> {
        let Block { falls, jumps, .. } = self.blocks[block];
        falls.into_iter().chain(jumps.filter(|&to| Some(to) != falls))
    }

    /// Blocks in front of each that can be reached; control from outside counts as one more.
    pub fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); self.blocks.len()];
        for block in self.alive() {
            for to in self.successors(block) {
                found[to].push(block);
            }
        }
        found
    }

    /// Numbers of the blocks that can be reached.
    pub fn alive(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.blocks.len()).filter(|&block| self.blocks[block].alive)
    }

    /// Returns whether control enters at a block.
    pub fn is_entry(&self, block: usize) -> bool {
        self.entries.iter().any(|entry| entry.block == block)
    }

    /// Drops blocks that nothing reaches.
    pub fn reach(&mut self) {
        let mut reached = vec![false; self.blocks.len()];
        let mut open: Vec<usize> = self.entries.iter().map(|entry| entry.block).collect();
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut reached[block], true) {
                open.extend(self.successors(block));
            }
        }
        for (block, reached) in self.blocks.iter_mut().zip(reached) {
            block.alive = reached;
        }
    }

    /// Merges two blocks if control has no other way out of the first or into the second.
    pub fn merge(&mut self) {
        let mut before: Vec<usize> = self.predecessors().iter().map(Vec::len).collect();
        for entry in &self.entries {
            before[entry.block] += 1;
        }
        let replaced: BTreeSet<usize> =
            self.alive().filter_map(|block| self.blocks[block].replaces(&self.blocks)).collect();
        for block in 0..self.blocks.len() {
            while self.blocks[block].alive {
                let mut next = self.successors(block);
                let (Some(to), None) = (next.next(), next.next()) else { break };
                if before[to] != 1 || to == block {
                    break;
                }
                let taken = std::mem::take(&mut self.blocks[to].insts);
                self.blocks[to].alive = false;
                let Block { falls, jumps, jump, tail, .. } = self.blocks[to];
                let tail = tail.or_else(|| replaced.contains(&to).then_some(to));
                let into = &mut self.blocks[block];
                into.insts.pop_if(|last| last.ends());
                into.insts.extend(taken);
                (into.falls, into.jumps, into.jump, into.tail) = (falls, jumps, jump, tail);
            }
        }
    }
}
