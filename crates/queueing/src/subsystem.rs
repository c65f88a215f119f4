//! A queue subsystem at work: a manager with its threads, interconnect and memory, the locks in front of it and
//! the checker behind it.
//!
//! It knows neither a stream of operations nor an end: its driver starts operations and takes steps.

use crate::Kind;
use crate::QueueingError;
use crate::fabric::{Counts, Fabric, Source};
use crate::kind::Q_ARRAY_THREADS;
use crate::ledger::Ledger;
use crate::lists::NIL;
use crate::locks::Locks;
use crate::manager::{Manager, Progress};
use crate::operation::Operation;
use crate::settings::Settings;
use linecard_sim::Ticks;

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// None: no operation is outstanding.
    Idle,
    /// An event was processed.
    Going,
    /// A thread's operation is complete at this time, which may be ahead of the present.
    Done(u32, Ticks),
}

/// The counters at some time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    pub at: Ticks,
    pub counts: Counts,
    /// Read port, write port, request path, response path.
    pub busy: [Ticks; 4],
}

impl Mark {
    /// Returns the utilisations since `before` of read port, write port, request path and response path.
    pub fn shares_since(&self, before: &Self) -> [f64; 4] {
        let ticks = self.at - before.at;
        std::array::from_fn(|at| share(self.busy[at].saturating_sub(before.busy[at]), ticks))
    }

    /// Returns the utilisation of the engines in that time.
    pub fn engine_share_since(&self, before: &Self, engines: u32) -> f64 {
        share(self.counts.engine_busy - before.counts.engine_busy, self.at - before.at) / f64::from(engines)
    }
}

fn share(part: Ticks, whole: Ticks) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A manager with the machine that it uses.
pub(crate) struct Subsystem<M: ?Sized> {
    pub kind: Kind,
    pub fabric: Fabric,
    pub ledger: Ledger,
    locks: Locks,
    completed: u64,
    pub manager: M,
}

/// Returns an error if this manager cannot serve that many threads.
pub(crate) fn check_threads(kind: Kind, threads: u32) -> Result<(), QueueingError> {
    if kind == Kind::QArray && threads > Q_ARRAY_THREADS {
        let expected =
            format!("at most {Q_ARRAY_THREADS}, because the tags are in one microengine's CAM (IXP2800)");
        return Err(QueueingError::bad("threads", threads, expected));
    }
    Ok(())
}

impl<M: Manager> Subsystem<M> {
    /// Returns an idle subsystem with empty queues.
    pub fn new(kind: Kind, settings: &Settings, fabric: Fabric, manager: M) -> Self {
        Self {
            kind,
            fabric,
            ledger: Ledger::new(settings.all_queues()),
            locks: Locks::new(settings.locking, settings.all_queues(), settings.threads),
            completed: 0,
            manager,
        }
    }
}

impl<M: Manager + ?Sized> Subsystem<M> {
    /// An idle thread begins an operation at the present.
    #[inline(always)]
    pub fn start(&mut self, thread: u32, operation: Operation) {
        let this = &mut self.fabric.threads[thread as usize];
        this.operation = operation;
        (this.since, this.waited) = (self.fabric.now, 0);
        if !operation.is_dequeue() {
            this.node = self.fabric.lists.allocate();
            self.ledger.enter(this.node, operation.queue());
        }
        if !self.kind.locks() || self.locks.take(thread, operation) {
            self.manager.begin(&mut self.fabric, thread);
        }
    }

    /// Processes the next event.
    ///
    /// # Errors
    ///
    /// If a list in memory is not what the operations put into it.
    #[inline]
    pub fn step(&mut self) -> Result<Step, QueueingError> {
        let Some((source, message)) = self.fabric.next() else { return Ok(Step::Idle) };
        // When the operation of the message's thread ends.
        let mut done = None;
        match source {
            Source::Read | Source::Write => done = self.manager.referenced(&mut self.fabric, message),
            Source::Arrive => self.manager.arrive(&mut self.fabric, message),
            Source::Cache => self.manager.access(&mut self.fabric, message),
            Source::Token => self.manager.turn(&mut self.fabric),
            Source::Compute => self.manager.issue(&mut self.fabric, message.thread),
            Source::Freed => self.manager.freed(&mut self.fabric, message.thread),
            Source::Reply => {
                if self.manager.replied(&mut self.fabric, message) == Progress::Done {
                    done = Some(self.fabric.now);
                }
            }
        }
        let Some(at) = done else { return Ok(Step::Going) };
        self.complete(message.thread)?;
        Ok(Step::Done(message.thread, at))
    }

    #[inline]
    fn complete(&mut self, thread: u32) -> Result<(), QueueingError> {
        let this = self.fabric.threads[thread as usize];
        let operation = this.operation;
        self.fabric.counts.lock_wait += this.waited;
        if operation.is_dequeue() {
            self.take_out(this.next, operation.queue())?;
        }
        if self.kind.locks()
            && let Some(next) = self.locks.release(operation)
        {
            let waiting = &mut self.fabric.threads[next as usize];
            waiting.waited = self.fabric.now - waiting.since;
            self.manager.begin(&mut self.fabric, next);
        }
        self.completed += 1;
        Ok(())
    }

    /// A dequeue returned `node`: it stays in front of its queue, and the previous node there is free.
    #[inline]
    fn take_out(&mut self, node: u32, queue: u32) -> Result<(), QueueingError> {
        if node == NIL {
            self.ledger.find_empty();
            return Ok(());
        }
        let before = self.ledger.leave(node, queue).map_err(|what| self.corrupt(queue, what))?;
        self.fabric.lists.release(before);
        Ok(())
    }

    /// Compares every list in memory with its expected contents; no operation may be outstanding.
    ///
    /// # Errors
    ///
    /// The first queue that differs.
    pub fn audit(&mut self) -> Result<(), QueueingError> {
        self.manager.flush(&mut self.fabric);
        self.ledger.audit(&self.fabric.lists).map_err(|(queue, what)| self.corrupt(queue, what))
    }

    fn corrupt(&self, queue: u32, what: String) -> QueueingError {
        QueueingError::Corrupt { manager: self.kind.name(), queue, operation: self.completed, what }
    }

    /// Returns the operations completed.
    #[inline]
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// Returns all counters at `now`, which is not after the next event.
    pub fn mark(&self, now: Ticks) -> Mark {
        let mut counts = self.fabric.counts;
        // A message sent ahead counts when its time has come.
        counts.requests -= self.fabric.ahead();
        counts.engine_busy = self.fabric.engine_busy(now);
        Mark { at: now, counts, busy: self.fabric.port_busy(&counts) }
    }
}
