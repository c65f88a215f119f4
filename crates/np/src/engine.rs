//! An engine: runs one of its threads at a time, and takes the next ready one in round-robin order.

use linecard_sim::StateClock;

/// What an engine is doing; the index of its [`StateClock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Activity {
    /// A thread's instructions run, or a switch.
    Busy,
    /// Nothing but threads that poll for work: on the real machine, a loop.
    Polling,
    /// Every thread waits for memory or a lock.
    Idle,
}

pub(crate) struct Engine {
    /// Number of the engine's first thread.
    pub first_thread: u32,
    /// The running thread, counted from the first.
    pub running: Option<u8>,
    /// Ready threads, a bit each.
    ready: u64,
    /// Threads that poll.
    polling: u32,
    /// The thread that ran last.
    last: u8,
    pub clock: StateClock<3>,
}

impl Engine {
    pub fn new(first_thread: u32, threads: u32) -> Self {
        Self {
            first_thread,
            running: None,
            ready: 0,
            polling: 0,
            last: threads as u8 - 1,
            clock: StateClock::new(Activity::Idle as usize),
        }
    }

    #[inline]
    pub fn set_ready(&mut self, thread: u32) {
        self.ready |= 1 << (thread - self.first_thread);
    }

    /// The next ready thread after the one that ran last.
    #[inline]
    pub fn take_ready(&mut self) -> Option<u32> {
        if self.ready == 0 {
            return None;
        }
        let after = self.ready & (u64::MAX << self.last << 1);
        let bit = if after != 0 { after } else { self.ready }.trailing_zeros();
        self.ready &= !(1 << bit);
        self.last = bit as u8;
        self.running = Some(bit as u8);
        Some(self.first_thread + bit)
    }

    pub fn poll_begins(&mut self) {
        self.polling += 1;
    }

    pub fn poll_ends(&mut self) {
        self.polling -= 1;
    }

    /// What an engine without a running thread does.
    #[inline]
    pub fn resting(&self) -> Activity {
        if self.polling > 0 { Activity::Polling } else { Activity::Idle }
    }
}
