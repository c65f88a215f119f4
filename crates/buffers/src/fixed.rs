//! Fixed-size buffers, whatever the size of the packet.
//!
//! Source: Hasan 2003, sections 5.2 (a shared stack of 2 KiB buffers), 6.2 (two pools, one in the odd and one in
//! the even banks, drawn from alternately) and 6.3. Cost: one pop or push. Internal fragmentation is large for
//! small packets.

use crate::placement::Placement;
use crate::pool::{Pool, PoolOrder};

/// Buffers of one size from one or two pools.
#[derive(Clone, Debug)]
pub struct Fixed {
    pools: Vec<Pool>,
    buffer_cells: u32,
    buffers_per_pool: u32,
    turn: usize,
}

impl Fixed {
    pub(crate) fn new(cells: u32, buffer_cells: u32, pools: u32, order: PoolOrder) -> Self {
        let buffers_per_pool = cells / buffer_cells / pools;
        let pool = |p: u32| {
            let first = p * buffers_per_pool;
            Pool::new((first..first + buffers_per_pool).rev().collect(), order)
        };
        Self { pools: (0..pools).map(pool).collect(), buffer_cells, buffers_per_pool, turn: 0 }
    }

    #[inline]
    pub(crate) fn allocate(&mut self, cells: u32, _queue: u16) -> Placement {
        if cells > self.buffer_cells {
            return Placement::TooLarge;
        }
        match self.pools[self.turn].take() {
            Some(buffer) => {
                self.turn = (self.turn + 1) % self.pools.len();
                Placement::At(buffer * self.buffer_cells)
            }
            None => Placement::Wait,
        }
    }

    #[inline]
    pub(crate) fn release(&mut self, first: u32, _cells: u32) {
        let buffer = first / self.buffer_cells;
        self.pools[(buffer / self.buffers_per_pool) as usize].put(buffer);
    }

    #[inline]
    pub(crate) fn next_cell(&self, cell: u32) -> u32 {
        cell + 1
    }

    pub(crate) fn cells_in_use(&self) -> u32 {
        let free: usize = self.pools.iter().map(Pool::len).sum();
        (self.pools.len() as u32 * self.buffers_per_pool - free as u32) * self.buffer_cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Placement::{At, TooLarge, Wait};

    /// 8 buffers of 4 cells in two pools: pool 0 holds cells 0..16, pool 1 cells 16..32.
    #[test]
    fn two_pools_in_turn_each_a_stack() {
        let mut a = Fixed::new(32, 4, 2, PoolOrder::Lifo);
        // Each stack pops its lowest buffer first; pools alternate.
        assert_eq!([1, 4, 2].map(|c| a.allocate(c, 0)), [At(0), At(16), At(4)]);
        a.release(0, 1); // pool 0: [12, 8, 0]
        assert_eq!(a.allocate(1, 0), At(20)); // pool 1's turn
        assert_eq!(a.allocate(1, 0), At(0)); // the one freed last
        assert_eq!(a.allocate(5, 0), TooLarge);
        assert_eq!(a.cells_in_use(), 16);
    }

    #[test]
    fn waits_for_the_pool_whose_turn_it_is() {
        let mut a = Fixed::new(8, 4, 2, PoolOrder::Lifo);
        assert_eq!([1, 1, 1].map(|c| a.allocate(c, 0)), [At(0), At(4), Wait]);
        a.release(4, 1);
        assert_eq!(a.allocate(1, 0), Wait); // strict alternation: pool 0 is still empty
        a.release(0, 1);
        assert_eq!(a.allocate(1, 0), At(0));
    }
}
