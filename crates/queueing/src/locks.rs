//! Zero-cost locks: threads get a queue in the order of their requests.
//!
//! The document models a synchronisation server without delay for every manager but the queuing cache (section
//! 4.1.2).

use crate::operation::Operation;
use crate::settings::Locking;

const NOBODY: u32 = u32::MAX;

/// Locks of all queues, or of both ends of all queues.
#[derive(Debug)]
pub struct Locks {
    locking: Locking,
    held: Vec<bool>,
    first: Vec<u32>,
    last: Vec<u32>,
    behind: Vec<u32>,
}

impl Locks {
    /// Returns unlocked locks.
    pub fn new(locking: Locking, queues: u32, threads: u32) -> Self {
        let locks = queues as usize * 2;
        Self {
            locking,
            held: vec![false; locks],
            first: vec![NOBODY; locks],
            last: vec![NOBODY; locks],
            behind: vec![NOBODY; threads as usize],
        }
    }

    #[inline]
    fn of(&self, operation: Operation) -> usize {
        let end = match self.locking {
            Locking::End => operation.end() as usize,
            Locking::Queue => 0,
        };
        operation.queue() as usize * 2 + end
    }

    /// Takes the lock for a thread, or appends the thread to the waiting ones. Returns whether it has the lock.
    #[inline]
    pub fn take(&mut self, thread: u32, operation: Operation) -> bool {
        let lock = self.of(operation);
        if !self.held[lock] {
            self.held[lock] = true;
            return true;
        }
        self.behind[thread as usize] = NOBODY;
        match self.first[lock] {
            NOBODY => self.first[lock] = thread,
            _ => self.behind[self.last[lock] as usize] = thread,
        }
        self.last[lock] = thread;
        false
    }

    /// Releases a lock. Returns the thread that gets it.
    #[inline]
    pub fn release(&mut self, operation: Operation) -> Option<u32> {
        let lock = self.of(operation);
        match self.first[lock] {
            NOBODY => {
                self.held[lock] = false;
                None
            }
            next => {
                self.first[lock] = self.behind[next as usize];
                Some(next)
            }
        }
    }
}
