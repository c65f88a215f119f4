//! Rows of one block, filled instruction by instruction.

use super::inst::{Does, Inst};
use super::place::{Range, overlap};
use super::rules::Rules;

/// An instruction's access to memory, and its row.
#[derive(Clone, Debug)]
struct Touch {
    row: u32,
    writes: bool,
    range: Range,
    root: Option<(u32, i64)>,
}

/// Rows that are being filled.
#[derive(Clone, Debug)]
pub(super) struct Table {
    lanes: u32,
    rules: Rules,
    /// Instructions of each row, and whether a helper is among them.
    rows: Vec<(u32, bool)>,
    /// For each register the row that computes its present value, and the last row that reads it.
    made: [Option<u32>; 11],
    read: [u32; 11],
    /// The register and the constant from which each register was derived.
    roots: [(u32, i64); 11],
    next_root: u32,
    touches: Vec<Touch>,
    /// The row after the last helper, and the row after the last call of a function.
    behind_helper: u32,
    behind_wall: u32,
}

impl Table {
    pub fn new(lanes: u32, rules: Rules) -> Self {
        let mut roots = [(0, 0); 11];
        (0..).zip(&mut roots).for_each(|(number, root)| *root = (number, 0));
        Self {
            lanes,
            rules,
            rows: vec![],
            made: [None; 11],
            read: [0; 11],
            roots,
            next_root: 11,
            touches: vec![],
            behind_helper: 0,
            behind_wall: 0,
        }
    }

    /// Rows so far.
    pub fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Instructions so far.
    pub fn used(&self) -> u32 {
        self.rows.iter().map(|(used, _)| used).sum()
    }

    /// Returns the first row for an instruction that its values and memory permit.
    pub fn earliest(&self, inst: &Inst, roots: bool) -> u32 {
        let mut row = self.behind_wall;
        for register in 0..11 {
            if inst.reads >> register & 1 == 1 {
                row = row.max(self.made[register].map_or(0, |made| made + 1));
            }
            if inst.writes >> register & 1 == 1 && !self.rules.renaming {
                row = row.max(self.made[register].map_or(0, |made| made + 1)).max(self.read[register]);
            }
        }
        let ranges = inst.loads.iter().map(|range| (false, range));
        for (writes, range) in ranges.chain(inst.stores.iter().map(|range| (true, range))) {
            let root = if roots { self.root(range) } else { None };
            for touch in &self.touches {
                if (touch.writes || writes) && overlap(&touch.range, touch.root, range, root) {
                    row = row.max(touch.row + u32::from(touch.writes));
                }
            }
        }
        if inst.does == Does::Helper {
            row = row.max(self.behind_helper);
        }
        if inst.is_wall() {
            row = row.max(self.len());
        }
        row
    }

    /// Returns the first row with room for an instruction, at or after `from`.
    fn room(&self, from: u32, inst: &Inst) -> u32 {
        let fits =
            |&(used, helper): &(u32, bool)| used < self.lanes && !(helper && inst.does == Does::Helper);
        let free = self.rows.iter().skip(from as usize).position(fits);
        free.map_or(self.len().max(from), |at| from + at as u32)
    }

    /// Puts an instruction in the first row with room; the end of the block goes into the last row.
    pub fn put(&mut self, inst: &Inst) -> u32 {
        let mut from = self.earliest(inst, true);
        if inst.ends() {
            let alone = self.rules.exit_alone && matches!(inst.does, Does::Exit { .. });
            from = from.max(if alone { self.len() } else { self.len().saturating_sub(1) });
        }
        let row = self.room(from, inst);
        self.place(inst, row, true);
        row
    }

    /// Puts an instruction of another block into an existing row. Returns whether there was room.
    pub fn fill(&mut self, inst: &Inst) -> bool {
        let row = self.room(self.earliest(inst, false), inst);
        if row < self.len() {
            self.place(inst, row, false);
            return true;
        }
        false
    }

    /// Puts a branch beside the one that ends the block. Returns whether there was room.
    pub fn join(&mut self, branch: &Inst) -> bool {
        let last = self.len().saturating_sub(1);
        let fits = self.earliest(branch, false) <= last && self.room(last, branch) == last;
        if fits && !self.rows.is_empty() {
            self.place(branch, last, false);
            return true;
        }
        false
    }

    fn place(&mut self, inst: &Inst, row: u32, roots: bool) {
        while self.len() <= row {
            self.rows.push((0, false));
        }
        let (used, helper) = &mut self.rows[row as usize];
        *used += 1;
        *helper |= inst.does == Does::Helper;
        for range in &inst.loads {
            let root = if roots { self.root(range) } else { None };
            self.touches.push(Touch { row, writes: false, range: *range, root });
        }
        for range in &inst.stores {
            let root = if roots { self.root(range) } else { None };
            self.touches.push(Touch { row, writes: true, range: *range, root });
        }
        for register in 0..11 {
            if inst.reads >> register & 1 == 1 {
                self.read[register] = self.read[register].max(row);
            }
            if inst.writes >> register & 1 == 1 {
                self.made[register] = Some(row);
                self.read[register] = 0;
                self.roots[register] = self.derived(inst);
            }
        }
        if inst.does == Does::Helper {
            self.behind_helper = row + 1;
        }
        if inst.is_wall() {
            self.behind_wall = row + 1;
        }
    }

    /// Records what the result of an instruction is derived from.
    fn derived(&mut self, inst: &Inst) -> (u32, i64) {
        use crate::code::Kind;
        let of = |register: u8| self.roots[usize::from(register)];
        match inst.op.kind {
            Kind::MovR => of(inst.op.src),
            Kind::AddI => {
                let (root, distance) = of(inst.left);
                (root, distance.wrapping_add(inst.op.imm))
            }
            _ => {
                self.next_root += 1;
                (self.next_root, 0)
            }
        }
    }

    fn root(&self, range: &Range) -> Option<(u32, i64)> {
        let (base, offset) = range.by?;
        let (root, distance) = self.roots[usize::from(base)];
        Some((root, distance.wrapping_add(offset)))
    }
}
