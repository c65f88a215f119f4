//! Selects the next queue. One function decides the next access, its precharge or prefetch, and the end of a
//! batch: the three must agree on the next access.

use super::controller::{Controller, FIRST, Observer};
use super::policy::{BatchBreak, Queues};
use crate::Location;

/// Queue of even banks, or of reads.
pub(super) const EVEN: usize = 0;
/// Queue of odd banks.
pub(super) const ODD: usize = 1;
/// Reads under [`Queues::ReadWrite`].
pub(super) const READS: usize = 0;
/// Writes under [`Queues::ReadWrite`].
pub(super) const WRITES: usize = 1;

impl<O: Observer> Controller<O> {
    /// Returns the queue that a request joins.
    #[inline]
    pub(super) fn queue_of(&self, bank: u32, write: bool) -> usize {
        match self.policy.queues {
            // Without batching the order of arrival decides, as in one queue.
            Queues::ReadWrite if self.policy.batch == 0 => READS,
            Queues::ReadWrite => [READS, WRITES][usize::from(write)],
            Queues::OddEven if !write => FIRST,
            Queues::OddEven => [EVEN, ODD][(bank % 2) as usize],
        }
    }

    /// Returns the queue to serve after the access served last.
    #[inline]
    pub(super) fn next_queue(&self) -> Option<usize> {
        if self.last.more {
            return Some(self.last.queue);
        }
        let preferred = match self.policy.queues {
            Queues::OddEven if !self.queues[FIRST].is_empty() => FIRST,
            Queues::OddEven => 1 - self.last.parity,
            Queues::ReadWrite if self.batch_goes_on() => self.last.queue,
            Queues::ReadWrite => 1 - self.last.queue,
        };
        if !self.queues[preferred].is_empty() {
            return Some(preferred);
        }
        // No queue waits for another (see `Queues::OddEven`).
        let other = 1 - preferred.min(1);
        (!self.queues[other].is_empty()).then_some(other)
    }

    /// Section 4.2: a batch ends after k requests, when its queue is empty, or at a definite row miss.
    #[inline]
    fn batch_goes_on(&self) -> bool {
        self.queues[self.last.queue].front().is_some_and(|head| self.batch_goes_on_with(head.location))
    }

    /// Returns whether the batch continues with the head of its queue.
    #[inline(always)]
    pub(super) fn batch_goes_on_with(&self, head: Location) -> bool {
        let last = self.last.location;
        self.last.served < self.policy.batch
            && match self.policy.batch_break {
                BatchBreak::SameBankMiss => head.bank != last.bank || head.row == last.row,
                BatchBreak::AnyMiss => self.device.is_open(head.bank, head.row),
            }
    }
}
