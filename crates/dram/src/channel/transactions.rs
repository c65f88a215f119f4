//! Requests that wait in front of the command queues: one list per command queue, oldest first, in a common
//! pool.

use super::by_bank::ByBank;
use super::messages::Transaction;
use crate::Cycle;

/// No entry of the pool.
pub(super) const NONE: u16 = u16::MAX;

/// A request inside the controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub transaction: Transaction,
    pub accept: Cycle,
    /// Total cycles lost to refresh when it was accepted.
    pub refreshed: Cycle,
    /// Order of acceptance.
    order: u64,
    /// Next younger request of its list.
    next: u16,
    /// Its position in the filter.
    hash: u16,
    /// First of the reads that share its data; an index into the list of merged reads.
    pub merged: u32,
}

impl Slot {
    /// Returns the slot of a request that waits in no list.
    pub fn alone(transaction: &Transaction, accept: Cycle, refreshed: Cycle) -> Self {
        Self { transaction: *transaction, accept, refreshed, order: 0, next: NONE, hash: 0, merged: u32::MAX }
    }
}

/// The pool and the lists: one per command queue, with reads and writes in separate lists or not.
#[derive(Clone, Debug)]
pub(super) struct Transactions {
    slots: Vec<Slot>,
    /// The first free entry; the others are linked like a list.
    free: u16,
    /// Head and tail, by kind and command queue.
    lists: [ByBank<(u16, u16)>; 2],
    /// Command queues for which a request of the kind waits.
    waiting: [u64; 2],
    lengths: [u32; 2],
    accepted: u64,
    /// Number of pending requests per hash of their block: a count of zero needs no search.
    filter: Box<[u16; FILTER]>,
}

const FILTER: usize = 1 << 10;

impl Transactions {
    pub fn new(capacity: usize) -> Self {
        Self {
            slots: Vec::with_capacity(capacity),
            free: NONE,
            lists: std::array::from_fn(|_| ByBank::new(|_| (NONE, NONE))),
            waiting: [0; 2],
            lengths: [0; 2],
            accepted: 0,
            filter: Box::new([0; FILTER]),
        }
    }

    #[inline]
    pub fn slot(&self, id: u16) -> &Slot {
        &self.slots[usize::from(id)]
    }

    /// Returns row and column of a request.
    #[inline]
    pub fn place(&self, id: u16) -> (u32, u32) {
        let Transaction { row, column, .. } = self.slot(id).transaction;
        (row, column)
    }

    #[inline]
    pub fn slot_mut(&mut self, id: u16) -> &mut Slot {
        &mut self.slots[usize::from(id)]
    }

    #[inline]
    pub fn len(&self, kind: usize) -> u32 {
        self.lengths[kind]
    }

    /// Returns the command queues for which a request of the kind waits.
    #[inline]
    pub fn waiting(&self, kind: usize) -> u64 {
        self.waiting[kind]
    }

    #[inline]
    fn hash(block: u64) -> usize {
        (block.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - FILTER.ilog2())) as usize
    }

    /// Returns whether a pending request may have this block.
    #[inline]
    pub fn may_hold(&self, block: u64) -> bool {
        self.filter[Self::hash(block)] != 0
    }

    /// Puts a request in the pool.
    #[inline]
    pub fn hold(&mut self, transaction: &Transaction, accept: Cycle, refreshed: Cycle) -> u16 {
        let hash = Self::hash(transaction.block);
        self.filter[hash] += 1;
        let (hash, order) = (hash as u16, self.accepted);
        let slot = Slot { order, hash, ..Slot::alone(transaction, accept, refreshed) };
        self.accepted += 1;
        let id = self.free;
        if id == NONE {
            self.slots.push(slot);
            return (self.slots.len() - 1) as u16;
        }
        self.free = std::mem::replace(&mut self.slots[usize::from(id)], slot).next;
        id
    }

    /// Appends a request of the pool to the list of a command queue.
    #[inline]
    pub fn push(&mut self, kind: usize, queue: usize, id: u16) {
        let (head, tail) = &mut self.lists[kind][queue];
        if *head == NONE {
            *head = id;
            self.waiting[kind] |= 1 << queue;
        } else {
            self.slots[usize::from(*tail)].next = id;
        }
        *tail = id;
        self.lengths[kind] += 1;
    }

    /// Returns the oldest request of the kind whose command queue is in `room`, and that queue.
    #[inline]
    pub fn oldest(&self, kind: usize, room: u64) -> Option<(usize, u16)> {
        let mut queues = self.waiting[kind] & room;
        let mut best: Option<(usize, u16)> = None;
        let mut best_order = u64::MAX;
        while queues != 0 {
            let queue = queues.trailing_zeros() as usize;
            queues &= queues - 1;
            let head = self.lists[kind][queue].0;
            let order = self.slots[usize::from(head)].order;
            if order < best_order {
                (best, best_order) = (Some((queue, head)), order);
            }
        }
        best
    }

    /// Removes the oldest request of a list; its slot remains allocated.
    #[inline]
    pub fn take(&mut self, kind: usize, queue: usize) {
        let (head, tail) = &mut self.lists[kind][queue];
        let next = self.slots[usize::from(*head)].next;
        *head = next;
        if next == NONE {
            *tail = NONE;
            self.waiting[kind] &= !(1 << queue);
        }
        self.lengths[kind] -= 1;
    }

    /// Frees a slot.
    #[inline]
    pub fn release(&mut self, id: u16) {
        let slot = &mut self.slots[usize::from(id)];
        self.filter[usize::from(slot.hash) % FILTER] -= 1;
        slot.next = std::mem::replace(&mut self.free, id);
    }

    /// Returns the waiting request of this block and direction in a list.
    pub fn find(&self, kind: usize, queue: usize, block: u64, write: bool) -> Option<u16> {
        let mut id = self.lists[kind][queue].0;
        while id != NONE {
            let slot = &self.slots[usize::from(id)];
            if slot.transaction.block == block && slot.transaction.write == write {
                return Some(id);
            }
            id = slot.next;
        }
        None
    }

    /// Returns every request that still waits in a list of this kind, in no order.
    pub fn remaining(&self, kind: usize) -> impl Iterator<Item = &Slot> {
        self.lists[kind].iter().flat_map(move |&(head, _)| {
            std::iter::successors((head != NONE).then(|| self.slot(head)), move |slot| {
                (slot.next != NONE).then(|| self.slot(slot.next))
            })
        })
    }
}
