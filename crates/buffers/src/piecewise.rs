//! Piece-wise linear allocation: a frontier inside the page allocated last, pages from a pool.
//!
//! Source: Hasan 2003, section 4.1 (pages of 2 KiB). A packet that does not fit in the rest of the page takes a
//! new page; a page returns to the pool when its last cell is freed. Cost: a pop per page, a counter per page.
//! There is internal fragmentation at the end of each page.

use crate::placement::Placement;
use crate::pool::{Pool, PoolOrder};

const NONE: u32 = u32::MAX;

/// A frontier inside the most recently allocated page.
#[derive(Clone, Debug)]
pub struct Piecewise {
    pool: Pool,
    /// Cells in use, by page.
    used: Vec<u32>,
    page_cells: u32,
    /// The most recently allocated page, and the first free cell in it.
    page: u32,
    offset: u32,
}

impl Piecewise {
    pub(crate) fn new(cells: u32, page_cells: u32, order: PoolOrder) -> Self {
        let pages = cells / page_cells;
        let mut members: Vec<u32> = (0..pages).collect();
        if order == PoolOrder::Lifo {
            members.reverse();
        }
        Self {
            pool: Pool::new(members, order),
            used: vec![0; pages as usize],
            page_cells,
            page: NONE,
            offset: 0,
        }
    }

    #[inline]
    pub(crate) fn allocate(&mut self, cells: u32, _queue: u16) -> Placement {
        if cells > self.page_cells {
            return Placement::TooLarge;
        }
        if self.page == NONE || self.offset + cells > self.page_cells {
            let Some(page) = self.pool.take() else { return Placement::Wait };
            // The previous page may have become empty while the frontier was in it.
            if self.page != NONE && self.used[self.page as usize] == 0 {
                self.pool.put(self.page);
            }
            (self.page, self.offset) = (page, 0);
        }
        let first = self.page * self.page_cells + self.offset;
        self.offset += cells;
        self.used[self.page as usize] += cells;
        Placement::At(first)
    }

    #[inline]
    pub(crate) fn release(&mut self, first: u32, cells: u32) {
        let page = first / self.page_cells;
        let used = &mut self.used[page as usize];
        *used -= cells;
        if *used == 0 && page != self.page {
            self.pool.put(page);
        }
    }

    #[inline]
    pub(crate) fn next_cell(&self, cell: u32) -> u32 {
        cell + 1
    }

    pub(crate) fn cells_in_use(&self) -> u32 {
        (self.used.len() - self.pool.len()) as u32 * self.page_cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Placement::{At, TooLarge, Wait};

    /// 3 pages of 4 cells. State after each step: page, offset; cells in use by page; pool.
    #[test]
    fn a_page_returns_as_soon_as_it_is_empty() {
        let mut a = Piecewise::new(12, 4, PoolOrder::Fifo);
        assert_eq!(a.allocate(3, 0), At(0)); // 0,3; [3 . .]; 1 2
        assert_eq!(a.allocate(2, 0), At(4)); // 1,2; [3 2 .]; 2     one cell of page 0 is lost
        assert_eq!(a.allocate(4, 0), At(8)); // 2,4; [3 2 4]; -
        assert_eq!(a.allocate(1, 0), Wait);
        a.release(4, 2); //                     2,4; [3 . 4]; 1     page 1 is free although page 0 is not
        assert_eq!(a.allocate(1, 0), At(4)); // 1,1; [3 1 4]; -
        a.release(4, 1); //                     1,1; [3 . 4]; -     the frontier keeps its page
        assert_eq!(a.allocate(3, 0), At(5)); // 1,4; [3 3 4]; -
        a.release(0, 3); //                     1,4; [. 3 4]; 0
        assert_eq!(a.allocate(5, 0), TooLarge);
        assert_eq!(a.cells_in_use(), 8);
    }

    #[test]
    fn a_page_that_emptied_under_the_frontier_is_not_lost() {
        let mut a = Piecewise::new(8, 4, PoolOrder::Fifo);
        assert_eq!(a.allocate(3, 0), At(0));
        a.release(0, 3);
        assert_eq!(a.allocate(2, 0), At(4)); // page 0 returns to the pool now
        assert_eq!(a.allocate(4, 0), At(0));
    }
}
