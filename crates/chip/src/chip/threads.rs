//! Engines run threads: who is next, until when, and what it waits for.

use super::issued::After;
use super::{Chip, Timer};
use crate::account::Account;
use crate::engine::Engine;
use crate::packet::{NONE, Packets};
use crate::rate::WORK_ENDS;
use crate::recording::{Recording, StateSpan};
use crate::thread::{NEVER, Posted, State, Thread};
use linecard_program::script::{Access, Action, RoleId, Step};
use linecard_sim::Ticks;

impl Chip {
    #[inline(always)]
    pub(super) fn engine_event(&mut self, engine: usize, now: Ticks) {
        if self.waits_on(engine, now) {
            return;
        }
        self.engines[engine].wakes_up(now);
        let mut runs = self.engines[engine].running;
        match runs {
            Some(thread) => self.threads[thread as usize].spent = true,
            None => runs = self.next_thread(engine, now),
        }
        let mut extra = 0;
        while let Some(thread) = runs {
            if self.proceed(thread, engine, now, extra) {
                return;
            }
            runs = self.next_thread(engine, now);
            extra = match runs {
                Some(next) if next != thread => {
                    self.clusters[self.threads[next as usize].cluster as usize].switch
                }
                _ => 0,
            };
        }
        let e = &mut self.engines[engine];
        e.rests(now);
        if let Some(at) = e.first_wake() {
            self.agenda.schedule(self.sources.first_engine + engine, at);
        }
    }

    /// An engine that rests wakes for one thread, which goes from an access to the next without an instruction between
    /// them: threads of the IXP1200 mostly do. The same as running the thread, without the search for others. Whether all
    /// has been done.
    #[inline(always)]
    fn waits_on(&mut self, engine: usize, now: Ticks) -> bool {
        let e = &mut self.engines[engine];
        let Some(thread) = e.wakes_for_one(now) else { return false };
        let t = &self.threads[thread as usize];
        let Some(Step {
            cycles: 0,
            action: Action::Access { role, kind, posted: false, bytes, address, .. },
        }) = t.steps.get(t.next as usize)
        else {
            return false;
        };
        if t.wake != now || !t.steps.is_without_origins() {
            return false;
        }
        let Some(wake) = self.access_at_once(thread, role, kind, bytes, address, now) else { return false };
        let e = &mut self.engines[engine];
        e.ran_through(thread, wake);
        let first = e.first_wake().unwrap_or(wake);
        if first > now {
            e.rests(now);
            self.agenda.schedule(self.sources.first_engine + engine, first);
        }
        first > now
    }

    /// Make an access of a thread where it arrives in the order of issue at a place that answers at once; the thread waits
    /// until the end, which is returned.
    #[inline(always)]
    pub(super) fn access_at_once(
        &mut self,
        thread: u32,
        role: RoleId,
        kind: Access,
        bytes: u16,
        address: u32,
        now: Ticks,
    ) -> Option<Ticks> {
        let t = &mut self.threads[thread as usize];
        let target = self.targets[t.targets as usize + usize::from(role.0)].as_ref()?;
        if !target.answers_thread {
            return None;
        }
        let address = target.base + u64::from(address);
        let done = self.places[usize::from(target.place)].serve(
            now + target.issue,
            kind,
            address,
            u32::from(bytes),
        )?;
        let wake = done + target.back;
        enter(t, target.state, now, &mut self.account, &mut self.recording, &self.packets);
        (t.wake, t.posted) = (wake, Posted::No);
        t.next += 1;
        t.spent = false;
        Some(wake)
    }

    /// The thread that an engine runs now, after whatever it ran. Threads whose wait is over by now become ready.
    #[inline(always)]
    fn next_thread(&mut self, engine: usize, now: Ticks) -> Option<u32> {
        let e = &mut self.engines[engine];
        e.running = None;
        wake_due(e, now, &mut self.threads, &mut self.account, &mut self.recording, &self.packets);
        let thread = e.take_ready()?;
        let t = &mut self.threads[thread as usize];
        enter(t, State::COMPUTE, now, &mut self.account, &mut self.recording, &self.packets);
        Some(thread)
    }

    /// Threads of an engine whose wait is over by now are ready, in the order in which they became so.
    pub(super) fn wake_due(&mut self, engine: usize, now: Ticks) {
        let e = &mut self.engines[engine];
        wake_due(e, now, &mut self.threads, &mut self.account, &mut self.recording, &self.packets);
    }

    /// Run a thread until it computes (the engine is then woken at the end: `true`) or waits (`false`).
    #[inline(always)]
    fn proceed(&mut self, thread: u32, engine: usize, now: Ticks, extra: Ticks) -> bool {
        loop {
            let t = &mut self.threads[thread as usize];
            let Some(step) = t.steps.get(t.next as usize) else {
                assert!(t.packet == NONE, "the steps of a packet end in one that leaves its thread free");
                t.block = None;
                if let Some((id, number)) = t.lent.take() {
                    self.lent_no_more(id, number, now);
                }
                if self.take(thread, now) {
                    continue;
                }
                return false;
            };
            let mut until = now + extra;
            if !t.spent {
                let number = t.cluster as usize;
                let mut cluster = &mut self.clusters[number];
                let mut cycles = step.cycles;
                if cluster.issues_take_cycles && step.action.is_issued() {
                    let issue = match step.action.is_posted() {
                        true => cluster.post_cycles,
                        false => cluster.issue_cycles,
                    };
                    if issue > 0 && !self.goes_through_cache(thread, engine, step.action) {
                        cycles += issue;
                    }
                    cluster = &mut self.clusters[number];
                }
                let cycles = match &mut cluster.branches {
                    Some(branches) => branches.cycles(cycles),
                    None => u64::from(cycles),
                };
                if cycles > 0 {
                    until = until.saturating_add(cluster.clock.ticks(cycles));
                }
            }
            if until > now {
                let until = until.min(WORK_ENDS);
                self.engines[engine].work(now, until);
                self.agenda.schedule(self.sources.first_engine + engine, until);
                return true;
            }
            match self.act(thread, engine, step.action, now) {
                After::GoOn => {}
                After::Wait | After::Blocked => return false,
                After::Stall => return true,
            }
        }
    }

    /// The thread's wait is over at `at`.
    #[inline(always)]
    pub(super) fn wake_at(&mut self, thread: u32, at: Ticks) {
        let t = &mut self.threads[thread as usize];
        t.wake = at;
        let engine = t.engine as usize;
        if t.moving.is_some() {
            // Buffers change when the cell has been moved, and not when its engine finds the time to look.
            let now = self.agenda.now();
            if at > now {
                self.set_timer(at, Timer::Moved(thread));
            } else {
                self.moved_now(thread, now);
            }
        }
        self.engines[engine].wake_at(thread, at);
        self.wake_engine(engine, at);
    }

    #[inline(always)]
    pub(super) fn wake_engine(&mut self, engine: usize, at: Ticks) {
        if self.engines[engine].running.is_none() {
            let source = self.sources.first_engine + engine;
            if self.agenda.pending(source).is_none_or(|first| at < first) {
                self.agenda.schedule(source, at);
            }
        }
    }

    /// A thread's wait is over.
    #[inline(always)]
    pub(super) fn make_ready(&mut self, thread: u32, now: Ticks) {
        let t = &self.threads[thread as usize];
        if !t.steps.is_without_origins() {
            count_stall(t, now, &mut self.account);
        }
        self.enter(thread, State::READY, now);
        let engine = self.threads[thread as usize].engine as usize;
        self.engines[engine].set_ready(thread);
        self.wake_engine(engine, now);
    }

    #[inline(always)]
    pub(super) fn enter(&mut self, thread: u32, state: State, now: Ticks) {
        let t = &mut self.threads[thread as usize];
        enter(t, state, now, &mut self.account, &mut self.recording, &self.packets);
    }

    /// Enter what has passed up to `now`, so that the books can be closed.
    pub(super) fn settle(&mut self, thread: u32, now: Ticks) {
        let t = &self.threads[thread as usize];
        if t.since < now {
            self.enter(thread, t.state, now);
        }
    }
}

/// Threads of an engine whose wait is over by now are ready, in the order in which they became so.
#[inline(always)]
fn wake_due(
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
            if !t.steps.is_without_origins() {
                count_stall(t, at, account);
            }
            (t.wake, t.posted) = (NEVER, Posted::No);
            enter(t, State::READY, at, account, recording, packets);
            e.set_ready(thread);
        }
    }
}

/// A thread is in a state from `now` on; the time since it entered the one before goes into the books.
#[inline(always)]
fn enter(
    t: &mut Thread,
    state: State,
    now: Ticks,
    account: &mut Account,
    recording: &mut Option<Box<Recording>>,
    packets: &Packets,
) {
    if now > t.since {
        account.spent[t.spent_at as usize + usize::from(t.state.0)] += u128::from(now - t.since);
        if let Some(recording) = recording {
            let packet = (t.packet != NONE).then(|| packets[t.packet].number);
            let span = StateSpan { thread: t.number, state: t.state.0, packet, from: t.since, to: now };
            recording.span(span);
        }
        t.since = now;
    }
    t.state = state;
}

/// What a thread has waited for counts for the operation of its program that it is of.
#[cold]
fn count_stall(t: &Thread, now: Ticks, account: &mut Account) {
    if let Some(operation) = t.waits_for() {
        account.stalled(usize::from(t.cluster), operation as usize, now - t.since);
    }
}
