//! An engine: runs one of its threads at a time, without preemption, and selects the next ready one in
//! round-robin order.
//!
//! The end of a wait is mostly known when the wait begins. The engine keeps these wake-ups in its own list:
//! while it runs another thread they need no event, and an idle engine has one event for the first of them.

use crate::config::{ClusterConfig, NextThread};
use crate::counts::DataCacheCounts;
use crate::data_cache::DataCache;
use crate::features::Features;
use crate::packet::NOBODY;
use crate::thread::NEVER;
use crate::wakes::Wakes;
use linecard_sim::{Clock, Ticks};
use std::collections::VecDeque;

#[derive(Debug)]
pub(crate) struct Engine {
    pub cluster: u16,
    pub first_thread: u32,
    pub clock: Clock,
    /// Cycles to issue an access, and a posted one; whether either is more than zero.
    pub issue_cycles: [u32; 2],
    pub issues_take_cycles: bool,
    /// Some of its instructions are taken branches.
    pub has_branches: bool,
    /// It needs nothing that only the event loop with all features has ([`Features::ALL`]).
    pub plain: bool,
    /// The running thread, or [`NOBODY`].
    pub running: u32,
    /// It has at most 64 threads, which take turns by number.
    few_in_turn: bool,
    /// Ready threads, one bit each: the first 64, and the rest, of which there are mostly none.
    ready: u64,
    more_ready: Box<[u64]>,
    /// The same threads in the order in which they became ready, if that order decides which is next.
    in_order: Option<VecDeque<u32>>,
    /// The cache between its threads and memories.
    pub data_cache: Option<Box<DataCache>>,
    /// The thread that ran last, counted from the first.
    last: u32,
    /// Time to switch to another thread.
    pub switch: Ticks,
    /// Pending wake-ups.
    wakes: Wakes,
    /// The thread that the idle engine will run next, if nothing else happens to the engine until that thread
    /// wakes up, or [`NOBODY`]; and when it wakes up, which is not in the list. The thread computes first, and the engine's event is at the
    /// end of that computation.
    pub next_up: u32,
    pub next_up_at: Ticks,
    /// Time spent on instructions and switches that has been assigned, and its end.
    busy: u64,
    busy_until: Ticks,
    /// Threads that wait for a block to send (on the real machine, a loop), the time in which the engine had no
    /// other thread, and since when.
    pub polling: u32,
    polled: u64,
    polls_since: Option<Ticks>,
}

impl Engine {
    /// Returns an engine whose threads take turns by number and whose accesses take no cycles to issue.
    pub fn new(cluster: u16, clock: Clock, first_thread: u32, threads: u32) -> Self {
        let threads = threads.max(1);
        Self {
            cluster,
            clock,
            first_thread,
            issue_cycles: [0; 2],
            issues_take_cycles: false,
            has_branches: false,
            plain: threads <= 64,
            running: NOBODY,
            few_in_turn: threads <= 64,
            ready: 0,
            more_ready: vec![0; threads.div_ceil(64) as usize - 1].into(),
            in_order: None,
            data_cache: None,
            last: threads - 1,
            switch: 0,
            wakes: Wakes::new(threads as usize),
            next_up: NOBODY,
            next_up_at: NEVER,
            busy: 0,
            busy_until: 0,
            polling: 0,
            polled: 0,
            polls_since: None,
        }
    }

    /// Sets the choice of the next thread, and the costs of switches, accesses and branches, from the cluster's
    /// configuration.
    pub fn of_cluster(
        mut self,
        cluster: &ClusterConfig,
        switch: Ticks,
        has_branches: bool,
        data_cache: Option<DataCache>,
    ) -> Self {
        if cluster.next_thread == NextThread::FirstReady {
            self.in_order = Some(VecDeque::new());
            self.wakes = self.wakes.in_order_of_entry();
        }
        self.data_cache = data_cache.map(Box::new);
        self.issue_cycles = [cluster.issue_cycles, cluster.post_cycles];
        self.issues_take_cycles = self.issue_cycles != [0; 2];
        (self.switch, self.has_branches) = (switch, has_branches);
        self.few_in_turn &= self.in_order.is_none();
        self.plain = self.few_in_turn && self.data_cache.is_none() && !has_branches;
        self
    }

    #[inline(always)]
    pub fn set_ready<F: Features>(&mut self, thread: u32) {
        if !F::ALL || self.few_in_turn {
            self.ready |= 1 << (thread - self.first_thread);
        } else {
            self.set_ready_of_many(thread);
        }
    }

    /// Returns whether the order in which its threads became ready decides which is next.
    pub fn keeps_order(&self) -> bool {
        self.in_order.is_some()
    }

    /// As `set_ready`, if one word is not enough.
    fn set_ready_of_many(&mut self, thread: u32) {
        if let Some(in_order) = &mut self.in_order {
            return in_order.push_back(thread);
        }
        let number = thread - self.first_thread;
        *self.ready_word(number as usize / 64) |= 1 << (number % 64);
    }

    fn ready_word(&mut self, word: usize) -> &mut u64 {
        if word == 0 { &mut self.ready } else { &mut self.more_ready[word - 1] }
    }

    /// Takes the next ready thread after the one that ran last, or returns [`NOBODY`]; the thread runs now.
    #[inline(always)]
    pub fn take_ready<F: Features>(&mut self) -> u32 {
        if !F::ALL || self.few_in_turn {
            let after = self.ready & (u64::MAX << self.last << 1);
            let bits = if after != 0 { after } else { self.ready };
            if bits == 0 {
                return NOBODY;
            }
            self.last = bits.trailing_zeros();
            self.ready &= !(1 << self.last);
        } else {
            match self.take_ready_of_many() {
                Some(next) => self.last = next,
                None => return NOBODY,
            }
        }
        self.running = self.first_thread + self.last;
        self.running
    }

    /// As `take_ready`, if one word is not enough; counted from the first thread.
    fn take_ready_of_many(&mut self) -> Option<u32> {
        if let Some(in_order) = &mut self.in_order {
            return in_order.pop_front().map(|thread| thread - self.first_thread);
        }
        let words = 1 + self.more_ready.len();
        let (word, bit) = (self.last as usize / 64, self.last % 64);
        let after = *self.ready_word(word) & (u64::MAX << bit << 1);
        let (word, bits) = if after != 0 {
            (word, after)
        } else {
            let mut next = (1..=words).map(|step| (word + step) % words);
            next.find_map(|w| Some((w, *self.ready_word(w))).filter(|&(_, bits)| bits != 0))?
        };
        let bit = bits.trailing_zeros();
        *self.ready_word(word) &= !(1 << bit);
        Some(word as u32 * 64 + bit)
    }

    /// Schedules the wake-up of a thread, in place of a later one. Of wake-ups at one time, the first one entered
    /// comes first if the order of becoming ready matters, otherwise that of the lower thread.
    #[inline(always)]
    pub fn wake_at<F: Features>(&mut self, thread: u32, at: Ticks) {
        let number = (thread - self.first_thread) as usize;
        if !F::ALL || self.in_order.is_none() {
            self.wakes.set(number, at);
        } else {
            self.wakes.set_in_order(number, at);
        }
    }

    /// Returns the time of the first wake-up, or [`NEVER`].
    #[inline(always)]
    pub fn first_wake(&self) -> Ticks {
        self.wakes.next
    }

    /// Returns the thread of the first wake-up.
    #[inline(always)]
    pub fn first_to_wake(&self) -> u32 {
        self.first_thread + self.wakes.first() as u32
    }

    /// Expects the thread of the first wake-up to run next ([`Engine::next_up`]), unless another one wakes up at the
    /// same time. Returns whether it does. The wake-up leaves the list.
    #[inline(always)]
    pub fn expect(&mut self, thread: u32) -> bool {
        let at = self.wakes.next;
        let only = self.wakes.remove_only((thread - self.first_thread) as usize);
        if only {
            (self.next_up, self.next_up_at) = (thread, at);
        }
        only
    }

    /// Another thread may run before the expected one, whose wake-up returns to the list.
    pub fn expect_nobody(&mut self) {
        let thread = std::mem::replace(&mut self.next_up, NOBODY);
        let number = (thread - self.first_thread) as usize;
        if self.next_up_at < self.wakes.of(number) {
            self.wakes.set(number, self.next_up_at);
        }
    }

    /// Runs the thread that was expected to be next ([`Engine::next_up`]). Returns it.
    #[inline(always)]
    pub fn run_next_up(&mut self) -> u32 {
        self.running = std::mem::replace(&mut self.next_up, NOBODY);
        self.last = self.running - self.first_thread;
        self.running
    }

    /// Returns when a thread wakes up, or [`NEVER`].
    #[inline(always)]
    pub fn wake_of(&self, thread: u32) -> Ticks {
        let listed = self.wakes.of((thread - self.first_thread) as usize);
        if thread == self.next_up { listed.min(self.next_up_at) } else { listed }
    }

    /// Takes the first wake-up, if its time has come.
    #[inline(always)]
    pub fn take_due<F: Features>(&mut self, now: Ticks) -> Option<(Ticks, u32)> {
        let at = self.wakes.next;
        if at > now {
            return None;
        }
        let ordered = F::ALL && self.in_order.is_some();
        let number = if ordered { self.wakes.pop_in_order() } else { self.wakes.pop() };
        Some((at, self.first_thread + number as u32))
    }

    /// Marks the engine busy from now until `until`.
    #[inline]
    pub fn work(&mut self, now: Ticks, until: Ticks) {
        self.busy += until - now;
        self.busy_until = until;
    }

    /// Returns the busy time since the last restart.
    pub fn busy(&self, now: Ticks) -> u64 {
        self.busy - self.busy_until.saturating_sub(now)
    }

    /// Marks the engine idle from now on.
    #[inline]
    pub fn rests(&mut self, now: Ticks) {
        self.wakes_up(now);
        if self.polling > 0 {
            self.polls_since = Some(now);
        }
    }

    /// The engine looks for a thread to run.
    #[inline]
    pub fn wakes_up(&mut self, now: Ticks) {
        if let Some(since) = self.polls_since {
            self.polled += now - since;
            self.polls_since = None;
        }
    }

    /// Returns the time since the last restart in which it had only threads that poll.
    pub fn polled(&self, now: Ticks) -> u64 {
        self.polled + self.polls_since.map_or(0, |since| now - since)
    }

    /// Discards the counts before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.polled = 0;
        self.polls_since = self.polls_since.map(|_| now);
        self.busy = self.busy_until.saturating_sub(now);
        if let Some(cache) = &mut self.data_cache {
            cache.used = DataCacheCounts::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Full;

    #[test]
    fn threads_take_turns_across_words() {
        let clock = linecard_sim::Timebase::fine(&[1_000_000_000]).unwrap().clock(1_000_000_000);
        let mut engine = Engine::new(0, clock, 10, 130);
        for thread in [10, 73, 74, 139] {
            engine.set_ready::<Full>(thread);
        }
        assert_eq!(engine.take_ready::<Full>(), 10);
        engine.set_ready::<Full>(10);
        assert_eq!([(); 5].map(|()| engine.take_ready::<Full>()), [73, 74, 139, 10, NOBODY]);
    }
}
