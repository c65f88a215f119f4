//! Engines run threads: who is next, and until when.

use super::{ENGINES, Machine};
use crate::engine::Activity;
use crate::thread::State;
use crate::watch::Watch;
use linecard_sim::Ticks;
use std::task::{Context, Waker};

impl<O: Watch> Machine<O> {
    #[inline(always)]
    pub(super) fn engine_event(&mut self, engine: usize, now: Ticks) {
        let mut switch = 0;
        if let Some(bit) = self.engines[engine].running {
            let thread = self.engines[engine].first_thread + u32::from(bit);
            if !self.issue(thread, now) && self.go_on(thread, engine, now) {
                return;
            }
            self.engines[engine].running = None;
            switch = self.switch;
        }
        while let Some(thread) = self.engines[engine].take_ready() {
            self.enter(thread, State::Compute, now);
            if self.engines[engine].clock.state() != Activity::Busy as usize {
                self.engines[engine].clock.enter(Activity::Busy as usize, now);
            }
            if switch > 0 {
                let cycles = self.poll(thread);
                self.agenda
                    .schedule(ENGINES + engine, now + switch + self.engine_period * Ticks::from(cycles));
                return;
            }
            if self.go_on(thread, engine, now) {
                return;
            }
            self.engines[engine].running = None;
            switch = self.switch;
        }
        let resting = self.engines[engine].resting();
        self.engines[engine].clock.enter(resting as usize, now);
    }

    /// Run a thread's program until it computes (the engine is then woken when its next op is due: `true`) or
    /// waits (`false`). Ops without compute before them are issued on the spot.
    #[inline(always)]
    pub(super) fn go_on(&mut self, thread: u32, engine: usize, now: Ticks) -> bool {
        loop {
            let cycles = self.poll(thread);
            if cycles > 0 {
                self.agenda.schedule(ENGINES + engine, now + self.engine_period * Ticks::from(cycles));
                return true;
            }
            if self.issue(thread, now) {
                return false;
            }
        }
    }

    /// Run a thread's program to its next op; returns the compute cycles before it.
    #[inline(always)]
    pub(super) fn poll(&mut self, thread: u32) -> u32 {
        let t = &mut self.threads[thread as usize];
        let mut context = Context::from_waker(Waker::noop());
        let finished = t.program.as_mut().poll(&mut context).is_ready();
        assert!(!finished, "a packet program returned; programs loop for ever");
        let (op, cycles) = t.mailbox.take();
        t.op = op;
        match &mut self.branches {
            Some(branches) if cycles > 0 => branches.cycles(cycles),
            _ => cycles,
        }
    }

    /// A thread's wait is over.
    #[inline(always)]
    pub(super) fn make_ready(&mut self, thread: u32, now: Ticks) {
        self.enter(thread, State::WaitThreadSlot, now);
        let engine = self.threads[thread as usize].engine as usize;
        self.engines[engine].set_ready(thread);
        if self.engines[engine].running.is_none() {
            self.agenda.schedule(ENGINES + engine, now);
        }
    }

    #[inline(always)]
    pub(super) fn wait(&mut self, thread: u32, state: State, now: Ticks) -> bool {
        self.enter(thread, state, now);
        true
    }

    #[inline(always)]
    pub(super) fn enter(&mut self, thread: u32, state: State, now: Ticks) {
        let clock = &mut self.threads[thread as usize].clock;
        let (before, since) = (clock.state(), clock.since());
        clock.enter(state as usize, now);
        if O::WATCHES_THREADS {
            let ps = |t: Ticks| {
                (u128::from(t) * 1_000_000_000_000 / u128::from(self.timebase.ticks_per_second())) as u64
            };
            let engine = self.threads[thread as usize].engine;
            let observer = self.memory.controller.observer_mut();
            observer.thread(engine, thread, State::name(before), ps(since), ps(now));
        }
    }
}
