//! Engines run threads: which thread is next, until when it runs, and what it waits for.

use super::issued::After;
use super::{Chip, Timer};
use crate::account::Account;
use crate::engine::Engine;
use crate::features::{Features, Full};
use crate::packet::{NOBODY, NONE, Packets};
use crate::place::Memory;
use crate::rate::WORK_ENDS;
use crate::recording::{Recording, StateSpan};
use crate::thread::{NEVER, Posted, State, Thread};
use linecard_program::script::{Action, Step};
use linecard_sim::Ticks;

impl Chip {
    #[inline(always)]
    pub(super) fn engine_event<F: Features>(&mut self, engine: usize, now: Ticks) {
        let e = &mut self.engines[engine];
        e.wakes_up(now);
        let mut thread = e.running;
        if thread != NOBODY {
            self.threads[thread as usize].spent = true;
        } else {
            thread = self.next_thread::<F>(engine, now);
        }
        let mut switch = 0;
        while thread != NOBODY {
            if self.proceed::<F>(thread, engine, now, switch) {
                return;
            }
            let next = self.next_thread::<F>(engine, now);
            switch = 0;
            if next != thread && next != NOBODY {
                switch = self.clusters[usize::from(self.engines[engine].cluster)].switch;
            }
            thread = next;
        }
        let e = &mut self.engines[engine];
        e.rests(now);
        let first = e.first_wake();
        if first != NEVER {
            self.agenda.schedule(self.sources.first_engine + engine, first);
        }
    }

    /// Returns the thread that an engine runs next, or [`NOBODY`]. Threads whose wait has ended become ready
    /// first.
    #[inline(always)]
    fn next_thread<F: Features>(&mut self, engine: usize, now: Ticks) -> u32 {
        let e = &mut self.engines[engine];
        e.running = NOBODY;
        wake_due::<F>(e, now, &mut self.threads, &mut self.account, &mut self.recording, &self.packets);
        let thread = e.take_ready::<F>();
        if thread != NOBODY {
            let t = &mut self.threads[thread as usize];
            enter::<F>(t, State::COMPUTE, now, &mut self.account, &mut self.recording, &self.packets);
        }
        thread
    }

    /// Makes the threads of an engine ready whose wait has ended, in the order in which their waits ended.
    pub(super) fn wake_due(&mut self, engine: usize, now: Ticks) {
        let e = &mut self.engines[engine];
        wake_due::<Full>(e, now, &mut self.threads, &mut self.account, &mut self.recording, &self.packets);
    }

    /// Runs a thread until it computes (`true`: the engine has a wake-up at the end) or waits (`false`).
    #[inline(always)]
    fn proceed<F: Features>(&mut self, thread: u32, engine: usize, now: Ticks, switch: Ticks) -> bool {
        loop {
            let t = &mut self.threads[thread as usize];
            let Some(step) = t.steps.get(t.next as usize) else {
                if self.ends_steps(thread, now) {
                    continue;
                }
                return false;
            };
            let mut until = now + switch;
            if !t.spent {
                if F::ALL {
                    let cycles = self.cycles_of(thread, engine, step);
                    until = until.saturating_add(self.engines[engine].clock.ticks(cycles));
                } else if step.cycles > 0 {
                    let clock = &self.engines[engine].clock;
                    until = until.saturating_add(clock.ticks(u64::from(step.cycles)));
                }
            }
            if until > now {
                let until = until.min(WORK_ENDS);
                self.engines[engine].work(now, until);
                self.agenda.schedule(self.sources.first_engine + engine, until);
                return true;
            }
            if let Action::Access { posted: false, .. } = step.action
                && self.access_at_once::<F>(thread, engine, step.action, now)
            {
                return false;
            }
            match self.act(thread, engine, step.action, now) {
                After::GoOn => {}
                After::Wait | After::Blocked => return false,
                After::Stall => return true,
            }
        }
    }

    /// A thread has reached the end of its steps and takes the next packet. Returns whether it has one.
    fn ends_steps(&mut self, thread: u32, now: Ticks) -> bool {
        let t = &mut self.threads[thread as usize];
        assert!(t.packet == NONE, "the steps of a packet end in one that leaves its thread free");
        t.block = None;
        if let Some((id, number)) = t.lent.take() {
            self.lent_no_more(id, number, now);
        }
        self.take(thread, now)
    }

    /// Returns the cycles of a step on an engine that spends cycles on the issue of accesses, or on taken
    /// branches.
    #[inline(always)]
    fn cycles_of(&mut self, thread: u32, engine: usize, step: Step) -> u64 {
        let Step { mut cycles, action } = step;
        let e = &self.engines[engine];
        if e.issues_take_cycles && action.is_issued() {
            let issue = if action.is_posted() { e.post_cycles } else { e.issue_cycles };
            if issue > 0 && !self.goes_through_cache(thread, engine, action) {
                cycles += issue;
            }
        }
        let e = &self.engines[engine];
        match e.has_branches.then(|| &mut self.clusters[usize::from(e.cluster)].branches) {
            Some(Some(branches)) => branches.cycles(cycles),
            _ => u64::from(cycles),
        }
    }

    /// Serves an access of a thread immediately, if it arrives in the order of issue at a memory that knows its
    /// completion time. The thread then waits until the completion. Returns whether it did.
    #[inline(always)]
    fn access_at_once<F: Features>(
        &mut self,
        thread: u32,
        engine: usize,
        access: Action,
        now: Ticks,
    ) -> bool {
        let Action::Access { role, kind, bytes, address, .. } = access else { return false };
        let t = &mut self.threads[thread as usize];
        let target = &self.targets[t.targets as usize + usize::from(role.0)];
        if !target.answers_thread {
            return false;
        }
        let place = &mut self.places[usize::from(target.place)];
        let address = target.base + u64::from(address);
        let Some(done) = place.serve(now + target.issue, kind, address, u32::from(bytes)) else {
            return false;
        };
        let wake = done + target.back;
        if F::ALL {
            enter::<F>(t, target.state, now, &mut self.account, &mut self.recording, &self.packets);
        } else {
            self.account.waits(t, target.state, now, wake);
        }
        (t.wake, t.posted) = (wake, Posted::No);
        t.next += 1;
        t.spent = false;
        self.engines[engine].wake_at::<F>(thread, wake);
        true
    }

    /// The thread's wait ends at `at`.
    #[inline(always)]
    pub(super) fn wake_at(&mut self, thread: u32, at: Ticks) {
        let t = &mut self.threads[thread as usize];
        t.wake = at;
        let engine = t.engine as usize;
        if t.moving.is_some() {
            // Buffers change when the cell has been moved, and not when its engine next runs.
            let now = self.agenda.now();
            if at > now {
                self.set_timer(at, Timer::Moved(thread));
            } else {
                self.moved_now(thread, now);
            }
        }
        self.engines[engine].wake_at::<Full>(thread, at);
        self.wake_engine(engine, at);
    }

    #[inline(always)]
    pub(super) fn wake_engine(&mut self, engine: usize, at: Ticks) {
        if self.engines[engine].running == NOBODY {
            let source = self.sources.first_engine + engine;
            if self.agenda.pending(source).is_none_or(|first| at < first) {
                self.agenda.schedule(source, at);
            }
        }
    }

    /// A thread's wait has ended.
    #[inline(always)]
    pub(super) fn make_ready(&mut self, thread: u32, now: Ticks) {
        let t = &self.threads[thread as usize];
        if !t.steps.is_without_origins() {
            count_stall(t, now, &mut self.account);
        }
        self.enter(thread, State::READY, now);
        let engine = self.threads[thread as usize].engine as usize;
        self.engines[engine].set_ready::<Full>(thread);
        self.wake_engine(engine, now);
    }

    #[inline(always)]
    pub(super) fn enter(&mut self, thread: u32, state: State, now: Ticks) {
        let t = &mut self.threads[thread as usize];
        enter::<Full>(t, state, now, &mut self.account, &mut self.recording, &self.packets);
    }

    /// Enters the time up to `now`, so that the account can be closed.
    pub(super) fn settle(&mut self, thread: u32, now: Ticks) {
        let t = &self.threads[thread as usize];
        if t.since < now {
            self.enter(thread, t.state, now);
        }
    }
}

/// Makes the threads of an engine ready whose wait has ended, in the order in which their waits ended.
#[inline(always)]
fn wake_due<F: Features>(
    e: &mut Engine,
    now: Ticks,
    threads: &mut [Thread],
    account: &mut Account,
    recording: &mut Option<Box<Recording>>,
    packets: &Packets,
) {
    while let Some((at, thread)) = e.take_due(now) {
        let t = &mut threads[thread as usize];
        if t.wake == at {
            if F::ALL && !t.steps.is_without_origins() {
                count_stall(t, at, account);
            }
            (t.wake, t.posted) = (NEVER, Posted::No);
            enter::<F>(t, State::READY, at, account, recording, packets);
            e.set_ready::<F>(thread);
        }
    }
}

/// A thread is in a new state from `now` on; the account gets the time in the previous state.
#[inline(always)]
fn enter<F: Features>(
    t: &mut Thread,
    state: State,
    now: Ticks,
    account: &mut Account,
    recording: &mut Option<Box<Recording>>,
    packets: &Packets,
) {
    if now > t.since {
        account.spent[t.spent_at as usize + usize::from(t.state.0)] += u128::from(now - t.since);
        if F::ALL
            && let Some(recording) = recording
        {
            let packet = (t.packet != NONE).then(|| packets[t.packet].number);
            let span = StateSpan { thread: t.number, state: t.state.0, packet, from: t.since, to: now };
            recording.span(span);
        }
        t.since = now;
    }
    t.state = state;
}

/// Counts the wait of a thread for the operation of its program that caused it.
#[cold]
fn count_stall(t: &Thread, now: Ticks, account: &mut Account) {
    if let Some(operation) = t.waits_for() {
        account.stalled(usize::from(t.cluster), operation as usize, now - t.since);
    }
}
