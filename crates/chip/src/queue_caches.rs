//! Wide accesses through per-queue caches (ADAPT).
//!
//! Source: Hasan 2003, section 4.5, adapted there from a scheme for high-end routers. Each output queue is a
//! stream of cells. Arriving cells enter the queue's input cache (the paper's prefix); one wide access writes a
//! full block of cells to DRAM. Departing cells come from the queue's output cache (the suffix), which is
//! filled from DRAM a block at a time. Only valid bytes are moved. If output waits for a block that is not
//! full, and the queue has no other block in DRAM, the block is handed over inside the chip. Without that the
//! end of a queue would stay for ever. The paper does not mention the case; the results count how often it
//! happens.

use std::collections::VecDeque;

/// A block of cells in a queue's stream.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// Cells written to the input cache, one bit each.
    written: u32,
    consumed: u8,
    bytes: u16,
    /// First cell of the block in the packet buffer.
    address: u32,
    bypassed: bool,
}

/// One queue's caches. Block counters only grow; the position of a block in the ring is its number modulo the
/// ring's length.
#[derive(Debug)]
struct Queue {
    ring: Vec<Block>,
    /// Cells reserved for packets.
    allocated: u64,
    /// Blocks whose write to DRAM has been issued, and has completed.
    write_asked: u64,
    write_done: u64,
    /// Blocks whose read from DRAM has been issued, and has completed.
    read_asked: u64,
    read_done: u64,
    /// Blocks that have left the caches.
    consumed: u64,
    writers: VecDeque<u32>,
    readers: VecDeque<u32>,
}

/// A DRAM access that the caches issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WideTransfer {
    pub write: bool,
    /// First cell in the packet buffer.
    pub cell: u32,
    pub bytes: u32,
}

/// The result of a write of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// The input cache is full.
    NoRoom,
    /// It is in the input cache.
    Stored,
    /// It is in a block that was handed over inside the chip: readers may find it now.
    HandedOver,
}

/// The caches of all queues.
#[derive(Debug)]
pub(crate) struct QueueCaches {
    queues: Vec<Queue>,
    block_cells: u32,
    /// Capacity of each cache in blocks.
    blocks: u64,
    pub bypassed_blocks: u64,
    pub written_blocks: u64,
}

impl QueueCaches {
    /// `ring_cells`: cells of packet buffer of each queue, a multiple of `block_cells` (at most 32).
    pub fn new(queues: u32, ring_cells: u32, block_cells: u32, blocks: u32) -> Self {
        let queue = || Queue {
            // Packets need not begin at a block boundary, so their cells may touch one more block.
            ring: vec![Block::default(); (ring_cells / block_cells) as usize + 1],
            allocated: 0,
            write_asked: 0,
            write_done: 0,
            read_asked: 0,
            read_done: 0,
            consumed: 0,
            writers: VecDeque::new(),
            readers: VecDeque::new(),
        };
        Self {
            queues: (0..queues).map(|_| queue()).collect(),
            block_cells,
            blocks: u64::from(blocks),
            bypassed_blocks: 0,
            written_blocks: 0,
        }
    }

    /// Reserves the next `cells` cells of the queue's stream for a packet. Returns the position of the first.
    pub fn append(&mut self, queue: u16, cells: u32) -> u64 {
        let q = &mut self.queues[queue as usize];
        q.allocated += u64::from(cells);
        q.allocated - u64::from(cells)
    }

    /// Writes a cell to the input cache; without room the thread waits.
    #[inline]
    pub fn write(&mut self, queue: u16, position: u64, cell: u32, bytes: u32, thread: u32) -> Written {
        let (number, index) = self.place(position);
        let q = &mut self.queues[queue as usize];
        if number >= q.write_done + self.blocks {
            q.writers.push_back(thread);
            return Written::NoRoom;
        }
        let at = number as usize % q.ring.len();
        let block = &mut q.ring[at];
        block.address = cell - index;
        block.written |= 1 << index;
        block.bytes += bytes.next_multiple_of(8) as u16;
        if block.bypassed { Written::HandedOver } else { Written::Stored }
    }

    /// Takes cells from the output cache. Returns `false` if they are not all there, and the thread waits.
    #[inline]
    pub fn read(&mut self, queue: u16, position: u64, cells: u32, thread: u32) -> bool {
        let q = &self.queues[queue as usize];
        let (first, last) = (position, position + u64::from(cells) - 1);
        let present = |p: u64| {
            let (number, index) = self.place(p);
            let block = q.ring[number as usize % q.ring.len()];
            number < q.read_done && (!block.bypassed || block.written & (1 << index) != 0)
        };
        if !(present(first) && (first..=last).all(present)) {
            self.queues[queue as usize].readers.push_back(thread);
            return false;
        }
        for p in first..=last {
            let (number, _) = self.place(p);
            let q = &mut self.queues[queue as usize];
            let at = number as usize % q.ring.len();
            q.ring[at].consumed += 1;
        }
        let q = &mut self.queues[queue as usize];
        while q.consumed < q.read_done {
            let at = q.consumed as usize % q.ring.len();
            if u32::from(q.ring[at].consumed) < self.block_cells {
                break;
            }
            q.ring[at] = Block::default();
            q.consumed += 1;
        }
        true
    }

    /// Returns the next DRAM access of a queue, if it can be issued now. After every change, call until it
    /// returns `None`.
    #[inline]
    pub fn next_transfer(&mut self, queue: u16) -> Option<WideTransfer> {
        let full = (1u64 << self.block_cells) as u32 - 1;
        let q = &mut self.queues[queue as usize];
        let length = q.ring.len();
        let block = q.ring[q.write_asked as usize % length];
        if q.write_asked < q.write_done + self.blocks && block.written == full {
            q.write_asked += 1;
            self.written_blocks += 1;
            return Some(WideTransfer { write: true, cell: block.address, bytes: u32::from(block.bytes) });
        }
        if q.read_asked < q.write_done && q.read_asked < q.consumed + self.blocks {
            let block = q.ring[q.read_asked as usize % length];
            q.read_asked += 1;
            return Some(WideTransfer { write: false, cell: block.address, bytes: u32::from(block.bytes) });
        }
        None
    }

    /// Hands the block that a reader waits for over inside the chip, if the queue has no block in DRAM.
    #[inline]
    pub fn bypass(&mut self, queue: u16) -> bool {
        let q = &mut self.queues[queue as usize];
        let idle =
            q.write_asked == q.write_done && q.write_done == q.read_asked && q.read_asked == q.read_done;
        let begun = q.write_done * u64::from(self.block_cells) < q.allocated;
        if q.readers.is_empty() || !idle || !begun {
            return false;
        }
        let at = q.write_done as usize % q.ring.len();
        q.ring[at].bypassed = true;
        for counter in [&mut q.write_asked, &mut q.write_done, &mut q.read_asked, &mut q.read_done] {
            *counter += 1;
        }
        self.bypassed_blocks += 1;
        true
    }

    /// A DRAM access has completed.
    #[inline]
    pub fn done(&mut self, queue: u16, write: bool) {
        let q = &mut self.queues[queue as usize];
        if write {
            q.write_done += 1;
        } else {
            q.read_done += 1;
        }
    }

    /// Returns the threads that waited for the queue and may try again, readers first.
    pub fn take_waiting(&mut self, queue: u16, into: &mut Vec<u32>) {
        let q = &mut self.queues[queue as usize];
        into.extend(q.readers.drain(..).chain(q.writers.drain(..)));
    }

    #[inline]
    fn place(&self, position: u64) -> (u64, u32) {
        let block = u64::from(self.block_cells);
        (position / block, (position % block) as u32)
    }
}
