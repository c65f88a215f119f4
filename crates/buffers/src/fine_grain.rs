//! Single 64-byte cells from a pool; a packet takes the cells that it fills.
//!
//! Source: Hasan 2003, sections 4.1, 6.2 (packets draw from the two pools in turn) and 6.3. There is no
//! fragmentation. But after some allocations the pool holds the cells in random order, so the cells of a packet
//! are in different rows. Therefore the pool starts in a random order, the state that it reaches by itself
//! after some time.

use crate::placement::Placement;
use crate::pool::{Pool, PoolOrder};
use linecard_sim::stream;

/// Cells from one or two pools, linked into packets.
#[derive(Clone, Debug)]
pub struct FineGrain {
    pools: Vec<Pool>,
    cells_per_pool: u32,
    /// The cell that follows each cell in its packet.
    links: Vec<u32>,
    turn: usize,
}

impl FineGrain {
    pub(crate) fn new(cells: u32, pools: u32, order: PoolOrder, seed: u64) -> Self {
        let cells_per_pool = cells / pools;
        let mut random = stream(seed, "fine-grain pool");
        let mut pool = |p: u32| {
            let mut members: Vec<u32> = (p * cells_per_pool..(p + 1) * cells_per_pool).collect();
            random.shuffle(&mut members);
            Pool::new(members, order)
        };
        let pools: Vec<Pool> = (0..pools).map(&mut pool).collect();
        Self { pools, cells_per_pool, links: vec![0; cells as usize], turn: 0 }
    }

    #[inline]
    pub(crate) fn allocate(&mut self, cells: u32, _queue: u16) -> Placement {
        if cells > self.cells_per_pool {
            return Placement::TooLarge;
        }
        let pools = self.pools.len();
        let pool = &mut self.pools[self.turn];
        if pool.len() < cells as usize {
            return Placement::Wait;
        }
        self.turn = (self.turn + 1) % pools;
        let mut first = 0;
        let mut previous = None;
        for _ in 0..cells {
            let Some(cell) = pool.take() else { unreachable!("counted above") };
            match previous.replace(cell) {
                Some(before) => self.links[before as usize] = cell,
                None => first = cell,
            }
        }
        Placement::At(first)
    }

    #[inline]
    pub(crate) fn release(&mut self, first: u32, cells: u32) {
        let mut cell = first;
        for _ in 0..cells {
            self.pools[(cell / self.cells_per_pool) as usize].put(cell);
            cell = self.links[cell as usize];
        }
    }

    #[inline]
    pub(crate) fn next_cell(&self, cell: u32) -> u32 {
        self.links[cell as usize]
    }

    pub(crate) fn cells_in_use(&self) -> u32 {
        self.links.len() as u32 - self.pools.iter().map(|p| p.len() as u32).sum::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_takes_as_many_cells_as_it_fills_from_the_pool_whose_turn_it_is() {
        let mut a = FineGrain::new(8, 2, PoolOrder::Lifo, 1);
        let Placement::At(first) = a.allocate(3, 0) else { panic!() };
        let second = a.next_cell(first);
        let third = a.next_cell(second);
        assert_eq!([first / 4, second / 4, third / 4], [0, 0, 0], "one packet, one pool");
        let Placement::At(other) = a.allocate(2, 0) else { panic!() };
        assert_eq!([other / 4, a.next_cell(other) / 4], [1, 1], "the next packet, the other pool");
        assert_eq!(a.cells_in_use(), 5);
        assert_eq!(a.allocate(2, 0), Placement::Wait, "pool 0 has one cell left");
        a.release(first, 3);
        // The cell freed last is allocated first.
        assert_eq!(a.allocate(1, 0), Placement::At(third));
        assert_eq!(a.allocate(5, 0), Placement::TooLarge);
    }
}
