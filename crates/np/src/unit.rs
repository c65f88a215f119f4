//! A unit: one access after another, with a fixed latency on top.

use crate::config::UnitConfig;
use linecard_sim::{Ticks, Timebase};
use std::collections::VecDeque;

pub(crate) struct Unit {
    latency: Ticks,
    per_word: Ticks,
    per_access: Ticks,
    transit: Ticks,
    free: Ticks,
    pub busy: Ticks,
    pub accesses: u64,
    /// Results on their way: when, and to which thread. In order of time, since the latency is fixed.
    line: VecDeque<(Ticks, u32)>,
}

impl Unit {
    pub fn new(config: &UnitConfig, timebase: &Timebase, threads: usize) -> Self {
        let ticks = |ps| timebase.ticks_from_ps(ps);
        Self {
            latency: ticks(config.latency_ps),
            per_word: ticks(config.word_ps),
            per_access: ticks(config.access_ps),
            transit: ticks(config.transit_ps),
            free: 0,
            busy: 0,
            accesses: 0,
            line: VecDeque::with_capacity(threads),
        }
    }

    /// A thread asks for `words` words. Returns when the unit must be woken, if that is new.
    #[inline]
    pub fn access(&mut self, thread: u32, words: u32, now: Ticks) -> Option<Ticks> {
        let (start, service) = self.serve(words, now);
        // The way there delays all accesses alike, so that it may as well come after the service.
        let done = start + service.max(self.latency) + self.transit;
        let done = self.line.back().map_or(done, |&(last, _)| done.max(last));
        self.line.push_back((done, thread));
        (self.line.len() == 1).then_some(done)
    }

    /// An access that nobody waits for.
    pub fn post(&mut self, words: u32, now: Ticks) {
        self.serve(words, now);
    }

    /// When an access begins to be served, and for how long.
    #[inline(always)]
    fn serve(&mut self, words: u32, now: Ticks) -> (Ticks, Ticks) {
        let service = self.per_access + self.per_word * Ticks::from(words);
        let start = self.free.max(now);
        self.free = start + service;
        self.busy += service;
        self.accesses += 1;
        (start, service)
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
