//! Linear allocation: one frontier advances through the whole memory and wraps around.
//!
//! Source: Hasan 2003, section 4.1. The memory is divided into pages (4 KiB) with a counter of free cells each.
//! If the frontier reaches a page that is not empty, it waits; it never skips a page. Cost: an addition, and a
//! counter per page. A single packet that stays can stop all allocation.

use crate::placement::Placement;

/// A frontier that waits for the next page to empty.
#[derive(Clone, Debug)]
pub struct Linear {
    /// Cells in use, by page.
    used: Vec<u32>,
    page_cells: u32,
    cells: u32,
    frontier: u32,
}

impl Linear {
    pub(crate) fn new(cells: u32, page_cells: u32) -> Self {
        Self { used: vec![0; (cells / page_cells) as usize], page_cells, cells, frontier: 0 }
    }

    #[inline]
    pub(crate) fn allocate(&mut self, cells: u32, _queue: u16) -> Placement {
        // A packet must not end in the page in which it starts after a full turn.
        if cells > self.cells - self.page_cells {
            return Placement::TooLarge;
        }
        let first = self.frontier;
        if !self.room_for(first, cells) {
            return Placement::Wait;
        }
        self.count(first, cells, |used, n| used + n);
        self.frontier = (first + cells) % self.cells;
        Placement::At(first)
    }

    /// Returns whether every page that the frontier enters is empty; the page that it is already in does not
    /// count.
    fn room_for(&self, first: u32, cells: u32) -> bool {
        let pages = self.used.len() as u32;
        let entered = |page: u32| self.used[(page % pages) as usize] == 0;
        let start = first.div_ceil(self.page_cells);
        let end = (first + cells).div_ceil(self.page_cells);
        (start..end).all(entered)
    }

    #[inline]
    pub(crate) fn release(&mut self, first: u32, cells: u32) {
        self.count(first, cells, |used, n| used - n);
    }

    /// Updates the counters of the pages of a packet.
    #[inline]
    fn count(&mut self, first: u32, cells: u32, change: impl Fn(u32, u32) -> u32) {
        let (mut cell, mut left) = (first, cells);
        while left > 0 {
            let page = (cell / self.page_cells) as usize;
            let here = left.min(self.page_cells - cell % self.page_cells);
            self.used[page] = change(self.used[page], here);
            cell = (cell + here) % self.cells;
            left -= here;
        }
    }

    #[inline]
    pub(crate) fn next_cell(&self, cell: u32) -> u32 {
        if cell + 1 == self.cells { 0 } else { cell + 1 }
    }

    pub(crate) fn cells_in_use(&self) -> u32 {
        self.used.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Placement::{At, TooLarge, Wait};

    /// 4 pages of 4 cells. State after each step: frontier; cells in use by page.
    #[test]
    fn the_frontier_waits_and_never_skips() {
        let mut a = Linear::new(16, 4);
        assert_eq!(a.allocate(3, 0), At(0)); // 3;  [3 0 0 0]
        assert_eq!(a.allocate(3, 0), At(3)); // 6;  [4 2 0 0]
        assert_eq!(a.allocate(9, 0), At(6)); // 15; [4 4 4 3]
        assert_eq!(a.allocate(2, 0), Wait); // would enter page 0, which holds cells
        a.release(3, 3); //                     15; [3 2 4 3]
        assert_eq!(a.allocate(2, 0), Wait); // page 0 still holds the first packet
        assert_eq!(a.allocate(1, 0), At(15)); // 0; [3 2 4 4]: page 3 is the frontier's own
        a.release(6, 9); //                     0;  [3 0 0 1]
        assert_eq!(a.allocate(1, 0), Wait); // pages 1 and 2 are empty, but it does not skip page 0
        a.release(0, 3); //                     0;  [0 0 0 1]
        assert_eq!(a.allocate(12, 0), At(0)); // 12; [4 4 4 1]
        assert_eq!(a.cells_in_use(), 13);
        assert_eq!(a.allocate(13, 0), TooLarge);
    }
}
