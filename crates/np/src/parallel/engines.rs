//! Engines run threads: who is next, and until when. As in [`crate::Machine`], but an engine can stand still.

use super::{ENGINES, ParallelMachine, Step};
use crate::engine::Activity;
use crate::thread::State;
use linecard_sim::Ticks;
use std::task::{Context, Waker};

impl ParallelMachine {
    #[inline(always)]
    pub(super) fn engine_event(&mut self, engine: usize, now: Ticks) {
        let mut switch = 0;
        if let Some(bit) = self.engines[engine].running {
            let thread = self.engines[engine].first_thread + u32::from(bit);
            let step = match self.issue(thread, now) {
                Step::GoOn => self.go_on(thread, engine, now),
                step => step,
            };
            if self.keeps(engine, step, now) {
                return;
            }
            switch = self.switch;
        }
        while let Some(thread) = self.engines[engine].take_ready() {
            self.enter(thread, State::Compute, now);
            if self.engines[engine].clock.state() != Activity::Busy as usize {
                self.engines[engine].clock.enter(Activity::Busy as usize, now);
            }
            if switch > 0 {
                let cycles = self.poll(thread);
                let until = now + switch + self.engine_period * Ticks::from(cycles);
                self.agenda.schedule(ENGINES + engine, until);
                return;
            }
            let step = self.go_on(thread, engine, now);
            if self.keeps(engine, step, now) {
                return;
            }
            switch = self.switch;
        }
        self.engines[engine].clock.enter(Activity::Idle as usize, now);
    }

    /// Whether the engine stays with its thread.
    #[inline(always)]
    fn keeps(&mut self, engine: usize, step: Step, now: Ticks) -> bool {
        match step {
            Step::GoOn => true,
            Step::Stall => {
                self.engines[engine].clock.enter(Activity::Idle as usize, now);
                true
            }
            Step::Wait => {
                self.engines[engine].running = None;
                false
            }
        }
    }

    /// Run a thread's program until it computes (the engine is then woken when its next op is due: `GoOn`) or waits.
    /// Ops without compute before them are issued on the spot.
    #[inline(always)]
    fn go_on(&mut self, thread: u32, engine: usize, now: Ticks) -> Step {
        loop {
            let cycles = self.poll(thread);
            if cycles > 0 {
                let until = now + self.engine_period * Ticks::from(cycles);
                self.agenda.schedule(ENGINES + engine, until);
                return Step::GoOn;
            }
            match self.issue(thread, now) {
                Step::GoOn => {}
                step => return step,
            }
        }
    }

    /// Run a thread's program to its next op; returns the compute cycles before it.
    #[inline(always)]
    fn poll(&mut self, thread: u32) -> u32 {
        let t = &mut self.threads[thread as usize];
        let mut context = Context::from_waker(Waker::noop());
        let finished = t.program.as_mut().poll(&mut context).is_ready();
        assert!(!finished, "a packet program returned; programs loop for ever");
        let (op, cycles) = t.mailbox.take();
        t.op = op;
        cycles
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
    pub(super) fn wait(&mut self, thread: u32, state: State, now: Ticks) -> Step {
        self.enter(thread, state, now);
        Step::Wait
    }

    #[inline(always)]
    pub(super) fn enter(&mut self, thread: u32, state: State, now: Ticks) {
        self.threads[thread as usize].clock.enter(state as usize, now);
    }
}
