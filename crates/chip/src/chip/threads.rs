//! Engines run threads: which thread is next, until when it runs, and what it waits for.

use super::issued::After;
use super::{Chip, Cluster, Timer};
use crate::account::Account;
use crate::engine::Engine;
use crate::features::{Features, Full};
use crate::packet::{NOBODY, NONE, Packets};
use crate::rate::WORK_ENDS;
use crate::recording::{Recording, StateSpan};
use crate::target::Target;
use crate::thread::{NEVER, Posted, State, Thread};
use linecard_program::script::{Access, Action, Step};
use linecard_sim::Ticks;

/// Why an engine's loop needs the rest of the chip.
enum Needs {
    /// A thread's action is due.
    Acts(Action),
    /// A thread has reached the end of its steps; the engine needs this time to switch to it.
    Ends { switch: Ticks },
    /// Nothing: the engine computes, or no thread is ready.
    Nothing,
}

impl Chip {
    /// Runs an engine, whose event was taken last, until it computes or rests.
    #[inline(always)]
    pub(super) fn engine_event<F: Features>(&mut self, engine: usize, now: Ticks) {
        let e = &mut self.engines[engine];
        if e.next_up != NOBODY {
            run_next_up::<F>(
                e,
                now,
                &mut self.threads,
                &mut self.account,
                &mut self.recording,
                &self.packets,
            );
        }
        e.wakes_up(now);
        let mut thread = e.running;
        let mut switch = 0;
        loop {
            let needs;
            (thread, needs) = self.run_threads::<F>(engine, thread, switch, now);
            switch = 0;
            let waits = match needs {
                Needs::Nothing => return,
                Needs::Ends { switch: left } => {
                    switch = left;
                    !self.ends_steps(thread, now)
                }
                Needs::Acts(action) => match self.act(thread, engine, action, now) {
                    After::GoOn => false,
                    After::Wait | After::Blocked => true,
                    After::Stall => return,
                },
            };
            if waits {
                self.engines[engine].running = NOBODY;
            }
        }
    }

    /// Runs the threads of an engine as long as they compute and access memories that answer at once. `before` is
    /// the thread that ran last in this instant, or [`NOBODY`]; `switch` is the time to switch to the thread that
    /// runs. Returns the running thread and what it needs.
    #[inline(always)]
    fn run_threads<F: Features>(
        &mut self,
        engine: usize,
        mut before: u32,
        mut switch: Ticks,
        now: Ticks,
    ) -> (u32, Needs) {
        let Self { engines, threads, targets, places, clusters, account, recording, packets, agenda, .. } =
            self;
        let e = &mut engines[engine];
        loop {
            if e.running == NOBODY {
                wake_due::<F>(e, now, threads, account, recording, packets);
                if e.take_ready::<F>() == NOBODY {
                    e.rests(now);
                    let first = e.first_wake();
                    if first != NEVER {
                        let until = expects::<F>(e, first, threads, targets, clusters);
                        agenda.schedule_taken(until.unwrap_or(first));
                    }
                    return (NOBODY, Needs::Nothing);
                }
                switch = if e.running != before && before != NOBODY { e.switch } else { 0 };
                let t = &mut threads[e.running as usize];
                enter::<F>(t, State::COMPUTE, now, account, recording, packets);
            }
            let thread = e.running;
            let t = &mut threads[thread as usize];
            let Some(step) = t.steps.list().get(t.next as usize) else {
                return (thread, Needs::Ends { switch });
            };
            let mut until = now + switch;
            if !t.spent {
                if F::ALL && !t.loads.is_empty() {
                    let cycles = step.cycles;
                    let leaves = e.data_cache.as_ref().is_some_and(|cache| cache.leaves_engine());
                    let start = if leaves { now } else { until };
                    let (delay, last) = t.loads.delay(start, cycles, &e.clock, |load, ticks| {
                        // A thread that leaves the engine counts the stall when its wait ends.
                        if !leaves && let Some(operation) = t.steps.origin(load.step as usize) {
                            account.stalled(usize::from(t.cluster), operation as usize, ticks);
                        }
                    });
                    if leaves && let Some(load) = last {
                        enter::<F>(t, State(load.state), now, account, recording, packets);
                        (t.posted, t.waits_for_load) = (Posted::No, Some(load.step));
                        e.wake_at::<F>(thread, now + delay);
                        e.running = NOBODY;
                        before = thread;
                        continue;
                    }
                    until = until.saturating_add(delay);
                    t.waits_for_load = None;
                    t.loads.executed(cycles);
                }
                let cycles = cycles_of::<F>(t, e, step, targets, clusters);
                if cycles > 0 {
                    until = until.saturating_add(e.clock.ticks(cycles));
                }
            }
            if until > now {
                let until = until.min(WORK_ENDS);
                t.spent = true;
                e.work(now, until);
                agenda.schedule_taken(until);
                return (thread, Needs::Nothing);
            }
            if let Action::Access { role, kind, posted: false, bytes, address, .. } = step.action {
                let target = &targets[t.targets as usize + usize::from(role.0)];
                let address = target.base + u64::from(address);
                if target.answers_thread
                    && let Some(done) = places[usize::from(target.place)].serve_at(
                        now + target.issue,
                        kind,
                        address,
                        u32::from(bytes),
                    )
                {
                    // The completion time is known: the thread waits until then.
                    let wake = done + target.back;
                    if F::ALL && recording.is_some() {
                        enter::<F>(t, target.state, now, account, recording, packets);
                    } else {
                        account.waits::<F>(t, target.state, now, wake);
                    }
                    t.posted = Posted::No;
                    t.next += 1;
                    t.spent = false;
                    e.wake_at::<F>(thread, wake);
                    e.running = NOBODY;
                    before = thread;
                    continue;
                }
            }
            return (thread, Needs::Acts(step.action));
        }
    }

    /// Makes ready all threads of an engine whose waits have ended, in the order in which the waits ended.
    pub(super) fn wake_due(&mut self, engine: usize, now: Ticks) {
        let e = &mut self.engines[engine];
        wake_due::<Full>(e, now, &mut self.threads, &mut self.account, &mut self.recording, &self.packets);
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

    /// The thread's wait ends at `at`.
    #[inline(always)]
    pub(super) fn wake_at(&mut self, thread: u32, at: Ticks) {
        let t = &self.threads[thread as usize];
        let engine = t.engine as usize;
        if t.moving.is_some() {
            // Buffers change when the cell has been moved, and not when the engine next runs the thread.
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
        let e = &mut self.engines[engine];
        if e.running == NOBODY {
            let source = self.sources.first_engine + engine;
            if e.next_up != NOBODY {
                let is_before =
                    at < e.next_up_at || at == e.next_up_at && !self.agenda.has_passed(at, source);
                if is_before {
                    e.expect_nobody();
                    self.agenda.schedule(source, at);
                }
                return;
            }
            if self.agenda.pending(source).is_none_or(|first| at < first) {
                self.agenda.schedule(source, at);
            }
        }
    }

    /// Runs the threads that engines expected to be next and whose waits have ended by `now`, the present.
    pub(super) fn run_expected(&mut self, now: Ticks) {
        for (number, e) in self.engines.iter_mut().enumerate() {
            if e.next_up == NOBODY || e.next_up_at > now {
                continue;
            }
            let source = self.sources.first_engine + number;
            if !self.agenda.has_passed(e.next_up_at, source) {
                e.expect_nobody();
                self.agenda.schedule(source, now);
            } else if let Some(until) = self.agenda.pending(source) {
                let (threads, account) = (&mut self.threads, &mut self.account);
                run_next_up::<Full>(e, until, threads, account, &mut self.recording, &self.packets);
            }
        }
    }

    /// A thread looks for its first packet when its engine runs it; until then it has none.
    pub(super) fn start(&mut self, thread: u32) {
        let engine = self.threads[thread as usize].engine as usize;
        self.engines[engine].set_ready::<Full>(thread);
        self.wake_engine(engine, 0);
    }

    /// A thread's wait has ended.
    #[inline(always)]
    pub(super) fn make_ready(&mut self, thread: u32, now: Ticks) {
        let t = &self.threads[thread as usize];
        if !t.steps.is_without_origins() {
            count_stall(t, now, &mut self.account);
        }
        // A thread whose packet went on while it waited has no work until its engine runs it.
        let is_free = t.packet == NONE && t.lent.is_none() && t.block.is_none();
        self.enter(thread, if is_free { State::FREE } else { State::READY }, now);
        let engine = self.threads[thread as usize].engine as usize;
        if self.engines[engine].keeps_order() {
            // Threads whose waits have ended since the engine last looked became ready earlier.
            self.wake_due(engine, now);
        }
        self.engines[engine].set_ready::<Full>(thread);
        self.wake_engine(engine, now);
    }

    #[inline(always)]
    pub(super) fn enter(&mut self, thread: u32, state: State, now: Ticks) {
        let t = &mut self.threads[thread as usize];
        enter::<Full>(t, state, now, &mut self.account, &mut self.recording, &self.packets);
    }

    /// The packet of a thread changes: a recording names the earlier one for the time up to `now`.
    #[inline(always)]
    pub(super) fn ends_span(&mut self, thread: u32, now: Ticks) {
        if self.recording.is_some() {
            self.settle(thread, now);
        }
    }

    /// Enters the time up to `now`, so that the account can be closed.
    pub(super) fn settle(&mut self, thread: u32, now: Ticks) {
        let t = &self.threads[thread as usize];
        if t.since < now {
            self.enter(thread, t.state, now);
        }
    }
}

/// Makes ready all threads of an engine whose waits have ended, in the order in which the waits ended.
#[inline(always)]
fn wake_due<F: Features>(
    e: &mut Engine,
    now: Ticks,
    threads: &mut [Thread],
    account: &mut Account,
    recording: &mut Option<Box<Recording>>,
    packets: &Packets,
) {
    while let Some((at, thread)) = e.take_due::<F>(now) {
        wakes_up::<F>(&mut threads[thread as usize], at, account, recording, packets);
        e.set_ready::<F>(thread);
    }
}

/// The wait of a thread ended at `at`.
#[inline(always)]
fn wakes_up<F: Features>(
    t: &mut Thread,
    at: Ticks,
    account: &mut Account,
    recording: &mut Option<Box<Recording>>,
    packets: &Packets,
) {
    // A wait that has been entered to its end has been counted.
    if F::COSTS && at > t.since && !t.steps.is_without_origins() {
        count_stall(t, at, account);
    }
    t.posted = Posted::No;
    enter::<F>(t, State::READY, at, account, recording, packets);
}

/// An idle engine expects that the thread of its first wake-up runs next, if that thread computes first. Returns
/// the end of that computation.
#[inline(always)]
fn expects<F: Features>(
    e: &mut Engine,
    first: Ticks,
    threads: &[Thread],
    targets: &[Target],
    clusters: &mut [Cluster],
) -> Option<Ticks> {
    if F::ALL {
        return None;
    }
    let thread = e.first_to_wake();
    let t = &threads[thread as usize];
    let step = t.steps.list().get(t.next as usize).filter(|_| !t.spent)?;
    let cycles = cycles_of::<F>(t, e, step, targets, clusters);
    if cycles == 0 || !e.expect(thread) {
        return None;
    }
    Some(first.saturating_add(e.clock.ticks(cycles)).min(WORK_ENDS))
}

/// The thread that an engine expected to be next has run since the end of its wait, and computes until `until`.
#[inline(always)]
fn run_next_up<F: Features>(
    e: &mut Engine,
    until: Ticks,
    threads: &mut [Thread],
    account: &mut Account,
    recording: &mut Option<Box<Recording>>,
    packets: &Packets,
) {
    let at = e.next_up_at;
    e.wakes_up(at);
    let t = &mut threads[e.run_next_up() as usize];
    wakes_up::<F>(t, at, account, recording, packets);
    enter::<F>(t, State::COMPUTE, at, account, recording, packets);
    t.spent = true;
    e.work(at, until);
}

/// Returns the cycles of a step, with those that the engine spends on the issue of an access and on taken
/// branches.
#[inline(always)]
fn cycles_of<F: Features>(
    t: &Thread,
    e: &Engine,
    step: &Step,
    targets: &[Target],
    clusters: &mut [Cluster],
) -> u64 {
    let Step { mut cycles, action } = *step;
    if F::COSTS && e.issues_take_cycles && action.is_issued() {
        let issue = e.issue_cycles[usize::from(action.is_posted())];
        if issue > 0 && !(F::ALL && goes_through_cache(t, e, action, targets)) {
            cycles += issue;
        }
    }
    if F::ALL
        && e.has_branches
        && let Some(branches) = &mut clusters[usize::from(e.cluster)].branches
    {
        return branches.cycles(cycles);
    }
    u64::from(cycles)
}

/// Returns whether the cache of a thread's engine serves an action. Atomic operations always go to the memory.
#[inline(always)]
pub(super) fn goes_through_cache(t: &Thread, e: &Engine, action: Action, targets: &[Target]) -> bool {
    if e.data_cache.is_none() {
        return false;
    }
    let Action::Access { role, kind: Access::Read | Access::Write, .. } = action else { return false };
    targets[t.targets as usize + usize::from(role.0)].cached
}

/// A thread is in a new state from `now` on; the account receives the time in the previous state.
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
#[inline]
fn count_stall(t: &Thread, now: Ticks, account: &mut Account) {
    if let Some(operation) = t.waits_for() {
        account.stalled(usize::from(t.cluster), operation as usize, now - t.since);
    }
}
