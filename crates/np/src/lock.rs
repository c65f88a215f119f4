//! Locks: an owner and a queue of threads.

use std::collections::VecDeque;

#[derive(Default)]
pub(crate) struct Lock {
    owner: Option<u32>,
    waiting: VecDeque<u32>,
}

impl Lock {
    /// Whether `thread` has the lock now; otherwise it waits.
    #[inline]
    pub fn take(&mut self, thread: u32) -> bool {
        match self.owner {
            None => {
                self.owner = Some(thread);
                true
            }
            Some(_) => {
                self.waiting.push_back(thread);
                false
            }
        }
    }

    /// Give the lock to the thread that has waited longest; returns that thread.
    #[inline]
    pub fn give(&mut self, thread: u32) -> Option<u32> {
        assert_eq!(self.owner, Some(thread), "a thread gave back a lock that it does not hold");
        self.owner = self.waiting.pop_front();
        self.owner
    }
}
