//! Moves requests of a channel from the transaction queues to the command queues.

use super::Transaction;
use super::controller::{Channel, READS, WRITES};
use super::policy::Writes;

impl Channel {
    /// Returns whether the next clock moves a transaction, or begins or ends a drain of writes.
    #[inline(always)]
    pub(super) fn would_move(&self) -> bool {
        let Writes::Split { high, idle, .. } = self.policy.writes else {
            return self.transactions.waiting(READS) & self.room != 0;
        };
        let starts = self.draining == 0 && self.starts_draining(high, idle);
        if self.draining == 0 && !starts {
            return self.transactions.waiting(READS) & self.room != 0;
        }
        match self.transactions.oldest(WRITES, self.room) {
            None => starts,
            Some((queue, id)) if starts => !self.waits_for_read(queue, id) || self.is_stuck(),
            Some(_) => true,
        }
    }

    pub(super) fn starts_draining(&self, high: u32, idle: u32) -> bool {
        let writes = self.transactions.len(WRITES);
        writes >= high || (writes > idle && self.in_queues == 0)
    }

    pub(super) fn waits_for_read(&self, queue: usize, write: u16) -> bool {
        let block = self.transactions.slot(write).transaction.block;
        let issuing = self.queues[queue].slots().iter().any(|&id| {
            let t = &self.transactions.slot(id).transaction;
            t.block == block && !t.write
        });
        issuing || self.transactions.find(READS, queue, block, false).is_some()
    }

    /// Returns whether a write waits for a read that waits for the writes: without this test the channel would
    /// deadlock.
    pub(super) fn is_stuck(&self) -> bool {
        self.in_queues == 0 && self.transactions.len(READS) > 0
    }

    /// Moves the oldest transaction whose command queue has room. Returns that queue if it then requests
    /// another kind of command.
    #[inline(always)]
    pub(super) fn move_one(&mut self) -> Option<usize> {
        if let Writes::Split { high, low, idle } = self.policy.writes {
            if self.draining == 0 && self.starts_draining(high, idle) {
                let writes = self.transactions.len(WRITES);
                self.draining = if writes >= high && writes > low { writes - low } else { writes };
            }
            if self.draining > 0 {
                let (queue, id) = self.transactions.oldest(WRITES, self.room)?;
                if !self.waits_for_read(queue, id) {
                    self.draining -= 1;
                    return self.move_from(WRITES, queue, id);
                }
                self.draining = 0;
                if !self.is_stuck() {
                    return None;
                }
            }
        }
        let (queue, id) = self.transactions.oldest(READS, self.room)?;
        self.move_from(READS, queue, id)
    }

    #[inline(always)]
    pub(super) fn move_from(&mut self, kind: usize, queue: usize, id: u16) -> Option<usize> {
        self.transactions.take(kind, queue);
        self.put(queue, id).then_some(queue)
    }

    /// Puts a request in a command queue. Returns whether the queue then requests other kinds of commands.
    #[inline(always)]
    pub(super) fn put(&mut self, queue: usize, id: u16) -> bool {
        let Transaction { row, bank, write, .. } = self.transactions.slot(id).transaction;
        let q = &mut self.queues[queue];
        let matters = q.push(id, row, write, self.rows[bank as usize].open);
        q.bank = bank;
        if q.len() == self.policy.command_queue {
            self.room &= !(1 << queue);
        }
        self.occupied |= 1 << queue;
        self.in_queues += 1;
        matters && self.consider(queue)
    }
}
