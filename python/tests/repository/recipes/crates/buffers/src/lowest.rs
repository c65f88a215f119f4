//! Buffers of 32 cells, the lowest free one first.

use crate::Placement;
use std::collections::BTreeSet;

const CELLS: u32 = 32;

/// Free buffers, in order.
#[derive(Clone, Debug)]
pub struct Lowest {
    free: BTreeSet<u32>,
    buffers: u32,
}

impl Lowest {
    pub(crate) fn new(cells: u32) -> Self {
        Self { free: (0..cells / CELLS).collect(), buffers: cells / CELLS }
    }

    pub(crate) fn allocate(&mut self, cells: u32, _: u16) -> Placement {
        if cells > CELLS {
            return Placement::TooLarge;
        }
        self.free.pop_first().map_or(Placement::Wait, |buffer| Placement::At(buffer * CELLS))
    }

    pub(crate) fn release(&mut self, first: u32, _: u32) {
        self.free.insert(first / CELLS);
    }

    pub(crate) fn next_cell(&self, cell: u32) -> u32 {
        cell + 1
    }

    pub(crate) fn cells_in_use(&self) -> u32 {
        (self.buffers - self.free.len() as u32) * CELLS
    }
}
