//! Linear allocation in a separate region for each output queue.
//!
//! Source: Hasan 2003, section 4.5: wide accesses through caches need the packets of each output queue to be
//! consecutive. Packets of a queue leave in order, so a region is a ring with a head and a tail.

use crate::placement::Placement;

/// A ring of cells for each queue.
#[derive(Clone, Debug)]
pub struct PerQueue {
    rings: Vec<Ring>,
    ring_cells: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    /// Start of the next packet.
    tail: u32,
    used: u32,
}

impl PerQueue {
    pub(crate) fn new(cells: u32, queues: u32) -> Self {
        Self { rings: vec![Ring::default(); queues as usize], ring_cells: cells / queues }
    }

    #[inline]
    pub(crate) fn allocate(&mut self, cells: u32, queue: u16) -> Placement {
        if cells > self.ring_cells {
            return Placement::TooLarge;
        }
        let ring = &mut self.rings[queue as usize];
        if ring.used + cells > self.ring_cells {
            return Placement::Wait;
        }
        let first = u32::from(queue) * self.ring_cells + ring.tail;
        ring.used += cells;
        ring.tail = (ring.tail + cells) % self.ring_cells;
        Placement::At(first)
    }

    /// Frees packets of a queue, which must be in the order of their allocation; only their number is kept.
    #[inline]
    pub(crate) fn release(&mut self, first: u32, cells: u32) {
        let ring = &mut self.rings[(first / self.ring_cells) as usize];
        debug_assert_eq!(
            (first % self.ring_cells + ring.used) % self.ring_cells,
            ring.tail,
            "a packet left its queue out of order"
        );
        ring.used -= cells;
    }

    #[inline]
    pub(crate) fn next_cell(&self, cell: u32) -> u32 {
        let next = cell + 1;
        if next.is_multiple_of(self.ring_cells) { next - self.ring_cells } else { next }
    }

    pub(crate) fn cells_in_use(&self) -> u32 {
        self.rings.iter().map(|r| r.used).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Placement::{At, TooLarge, Wait};

    /// Two queues of 4 cells: cells 0..4 and 4..8.
    #[test]
    fn each_queue_fills_its_own_ring_in_order() {
        let mut a = PerQueue::new(8, 2);
        assert_eq!(
            [(3, 0), (2, 1), (2, 0), (1, 0)].map(|(c, q)| a.allocate(c, q)),
            [At(0), At(4), Wait, At(3)]
        );
        a.release(0, 3);
        assert_eq!(a.allocate(2, 0), At(0));
        assert_eq!([3, 4, 7].map(|c| a.next_cell(c)), [0, 5, 4]);
        assert_eq!(a.allocate(5, 1), TooLarge);
        assert_eq!(a.cells_in_use(), 5);
    }
}
