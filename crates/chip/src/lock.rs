//! A lock of a program: threads get it in the order in which they ask for it.

use linecard_sim::Ticks;
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(crate) struct Lock {
    owner: Option<u32>,
    waiting: VecDeque<u32>,
    /// The start of the time in which it is held, and the time before it, since the last restart.
    since: Ticks,
    held: Ticks,
}

impl Lock {
    /// A thread asks for the lock. Returns whether it has it; otherwise it waits.
    pub fn take(&mut self, thread: u32, now: Ticks) -> bool {
        if self.owner.is_some() {
            self.waiting.push_back(thread);
            return false;
        }
        (self.owner, self.since) = (Some(thread), now);
        true
    }

    /// A thread releases the lock. Returns the thread that has it next.
    ///
    /// # Panics
    ///
    /// If the thread does not hold it: an error in its program.
    pub fn release(&mut self, thread: u32, now: Ticks) -> Option<u32> {
        assert_eq!(self.owner, Some(thread), "a thread released a lock that it does not hold");
        self.owner = self.waiting.pop_front();
        if self.owner.is_none() {
            self.held += now - self.since;
        }
        self.owner
    }

    /// Returns whether a thread holds it.
    pub fn is_held(&self) -> bool {
        self.owner.is_some()
    }

    /// Returns the time in which it was held since the last restart.
    pub fn held(&self, now: Ticks) -> Ticks {
        self.held + if self.is_held() { now - self.since } else { 0 }
    }

    /// Discards the time before `now`.
    pub fn restart(&mut self, now: Ticks) {
        (self.since, self.held) = (now, 0);
    }
}
