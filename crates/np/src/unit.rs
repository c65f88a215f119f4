//! A unit: one access after another, with a fixed latency on top.

use linecard_sim::Ticks;
use std::collections::VecDeque;

pub(crate) struct Unit {
    latency: Ticks,
    per_word: Ticks,
    free: Ticks,
    pub busy: Ticks,
    pub accesses: u64,
    /// Results on their way: when, and to which thread. In order of time, since the latency is fixed.
    line: VecDeque<(Ticks, u32)>,
}

impl Unit {
    pub fn new(latency: Ticks, per_word: Ticks, threads: usize) -> Self {
        Self { latency, per_word, free: 0, busy: 0, accesses: 0, line: VecDeque::with_capacity(threads) }
    }

    /// A thread asks for `words` words. Returns when the unit must be woken, if that is new.
    #[inline]
    pub fn access(&mut self, thread: u32, words: u32, now: Ticks) -> Option<Ticks> {
        let service = self.per_word * Ticks::from(words);
        let start = self.free.max(now);
        self.free = start + service;
        self.busy += service;
        self.accesses += 1;
        let done = start + service.max(self.latency);
        let done = self.line.back().map_or(done, |&(last, _)| done.max(last));
        self.line.push_back((done, thread));
        (self.line.len() == 1).then_some(done)
    }

    /// The thread whose result is due at `now`.
    #[inline]
    pub fn take_due(&mut self, now: Ticks) -> Option<u32> {
        let &(at, thread) = self.line.front()?;
        (at <= now).then(|| {
            self.line.pop_front();
            thread
        })
    }

    #[inline]
    pub fn next(&self) -> Option<Ticks> {
        self.line.front().map(|&(at, _)| at)
    }
}
