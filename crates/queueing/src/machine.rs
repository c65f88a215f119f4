//! The machine: threads that take operations in order, a queue manager, and the clock between them.
//!
//! A thread takes the next operation as soon as it is done with the last (section 4: the queue subsystem is the
//! bottleneck), asks for the lock where software locks, computes, and hands itself to the manager.

use crate::fabric::{Counts, Fabric, Source, timebase};
use crate::ledger::Ledger;
use crate::locks::Locks;
use crate::manager::{DataCache, Manager, NoCache, Progress, Q_ARRAY_THREADS, QueuingCache, SoftwareCache};
use crate::operation::Operation;
use crate::report::Report;
use crate::settings::Settings;
use crate::{Kind, QueueingError};
use linecard_sim::{Histogram, Ticks};

/// How much of a stream is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Operations completed before.
    pub warmup: u64,
    /// Operations measured.
    pub measured: u64,
}

/// Operations completed between two looks at whether to stop.
const OPERATIONS_PER_LOOK: u64 = 1 << 14;

/// Runs a stream of operations on a machine with this manager.
///
/// `go_on` is asked now and then, with the number of operations completed, whether to go on.
///
/// # Errors
/// When the stream or the settings cannot be used, or a list is not what was put into it.
pub fn run(
    kind: Kind,
    settings: &Settings,
    operations: &[Operation],
    window: Window,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Report, QueueingError> {
    if operations.is_empty() {
        return Err(QueueingError::Empty);
    }
    if kind == Kind::QArray && settings.threads > Q_ARRAY_THREADS {
        let expected = format!("at most {Q_ARRAY_THREADS}: the tags are in one microengine's CAM (IXP2800)");
        return Err(QueueingError::bad("threads", settings.threads, expected));
    }
    let all = settings.all_queues();
    if let Some(bad) = operations.iter().find(|operation| operation.queue() >= all) {
        return Err(QueueingError::bad(
            "workload",
            format!("queue {}", bad.queue()),
            format!("ids below {all}"),
        ));
    }
    let fabric = Fabric::new(settings, most_inside(operations) + settings.threads as usize);
    match kind {
        Kind::NoCache => {
            let manager = NoCache::new(settings, &fabric);
            Machine::new(kind, settings, operations, window, fabric, manager).run(go_on)
        }
        Kind::DataCache => {
            let manager = DataCache::new(settings, &fabric);
            Machine::new(kind, settings, operations, window, fabric, manager).run(go_on)
        }
        Kind::SoftwareCache | Kind::QArray => {
            let manager = SoftwareCache::new(kind, settings, &fabric);
            Machine::new(kind, settings, operations, window, fabric, manager).run(go_on)
        }
        Kind::QueuingCache => {
            let manager = QueuingCache::new(settings, &fabric);
            Machine::new(kind, settings, operations, window, fabric, manager).run(go_on)
        }
    }
}

/// Most packets that a stream holds in its queues, carried out one operation after the other.
fn most_inside(operations: &[Operation]) -> usize {
    let (mut inside, mut most) = (0i64, 0);
    for operation in operations {
        inside += if operation.is_dequeue() { -1 } else { 1 };
        most = most.max(inside);
    }
    most as usize
}

/// What was there when measuring began.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    at: Ticks,
    counts: Counts,
    busy: [Ticks; 4],
}

struct Machine<'a, M> {
    kind: Kind,
    settings: &'a Settings,
    operations: &'a [Operation],
    window: Window,
    fabric: Fabric,
    manager: M,
    locks: Locks,
    ledger: Ledger,
    next: u64,
    completed: u64,
    begin: Mark,
    end: Option<Mark>,
    latency: Histogram,
    lock_wait: Ticks,
}

impl<'a, M: Manager> Machine<'a, M> {
    fn new(
        kind: Kind,
        settings: &'a Settings,
        operations: &'a [Operation],
        window: Window,
        fabric: Fabric,
        manager: M,
    ) -> Self {
        Self {
            kind,
            settings,
            operations,
            window,
            locks: Locks::new(settings.locking, settings.all_queues(), settings.threads),
            ledger: Ledger::new(settings.all_queues()),
            fabric,
            manager,
            next: 0,
            completed: 0,
            begin: Mark::default(),
            end: None,
            latency: Histogram::default(),
            lock_wait: 0,
        }
    }

    fn run(mut self, go_on: &mut dyn FnMut(u64) -> bool) -> Result<Report, QueueingError> {
        for thread in 0..self.settings.threads {
            self.take_next(thread);
        }
        let mut until_look = OPERATIONS_PER_LOOK;
        while let Some((source, message)) = self.fabric.next() {
            match source {
                Source::Read | Source::Write => self.manager.referenced(&mut self.fabric, message),
                Source::Arrive => self.manager.arrive(&mut self.fabric, message),
                Source::Cache => self.manager.access(&mut self.fabric, message),
                Source::Token => self.manager.turn(&mut self.fabric),
                Source::Compute => self.manager.issue(&mut self.fabric, message.thread),
                Source::Reply => {
                    if self.manager.replied(&mut self.fabric, message) == Progress::Done {
                        self.complete(message.thread)?;
                        until_look -= 1;
                        if until_look == 0 {
                            until_look = OPERATIONS_PER_LOOK;
                            if !go_on(self.completed) {
                                break;
                            }
                        }
                    }
                }
            }
        }
        self.finish()
    }

    /// The thread takes operations from the stream: one, or one for each level.
    fn take_next(&mut self, thread: u32) {
        if self.next < self.operations.len() as u64 {
            self.fabric.threads[thread as usize].at = self.next;
            self.next += u64::from(self.settings.levels);
            self.start(thread);
        }
    }

    fn start(&mut self, thread: u32) {
        let this = &mut self.fabric.threads[thread as usize];
        let operation = self.operations[this.at as usize];
        this.operation = operation;
        this.since = self.fabric.now;
        if !operation.is_dequeue() {
            this.node = self.fabric.lists.allocate();
            self.ledger.enter(this.node, operation.queue());
        }
        if !self.kind.locks() || self.locks.take(thread, operation) {
            self.fabric.compute(thread, self.manager.instructions());
        }
    }

    fn complete(&mut self, thread: u32) -> Result<(), QueueingError> {
        let this = self.fabric.threads[thread as usize];
        let operation = this.operation;
        if operation.is_dequeue() {
            self.take_out(this.next, operation.queue())?;
        }
        if self.kind.locks()
            && let Some(next) = self.locks.release(operation)
        {
            self.lock_wait += self.fabric.now - self.fabric.threads[next as usize].since;
            self.fabric.compute(next, self.manager.instructions());
        }
        self.count(self.fabric.now - this.since);
        let at = this.at + 1;
        if !at.is_multiple_of(self.settings.levels.into()) && at < self.operations.len() as u64 {
            self.fabric.threads[thread as usize].at = at;
            self.start(thread);
        } else {
            self.take_next(thread);
        }
        Ok(())
    }

    /// A dequeue brought `node` out: it stays in front of its queue, and the node that was there is free.
    fn take_out(&mut self, node: u32, queue: u32) -> Result<(), QueueingError> {
        if node == crate::lists::NIL {
            self.ledger.find_empty();
            return Ok(());
        }
        self.ledger.leave(node, queue).map_err(|what| self.corrupt(queue, what))?;
        let before = std::mem::replace(&mut self.ledger.in_front[queue as usize], node);
        self.fabric.lists.release(before);
        Ok(())
    }

    fn corrupt(&self, queue: u32, what: String) -> QueueingError {
        QueueingError::Corrupt { manager: self.kind.name(), queue, operation: self.completed, what }
    }

    #[inline]
    fn count(&mut self, latency: Ticks) {
        self.completed += 1;
        let Window { warmup, measured } = self.window;
        if self.completed > warmup && self.completed <= warmup + measured {
            self.latency.record(latency);
        }
        if self.completed == warmup {
            self.begin = self.mark();
            self.lock_wait = 0;
        } else if self.completed == warmup + measured {
            self.end = Some(self.mark());
        }
    }

    fn mark(&self) -> Mark {
        Mark { at: self.fabric.now, counts: self.fabric.counts, busy: self.fabric.port_busy() }
    }

    fn finish(mut self) -> Result<Report, QueueingError> {
        let operations = self.operations.len() as u64;
        if self.completed < operations && self.fabric.next().is_none() {
            let completed = self.completed;
            return Err(QueueingError::Deadlock { manager: self.kind.name(), completed, operations });
        }
        if self.completed == operations {
            self.manager.flush(&mut self.fabric);
            self.ledger.audit(&self.fabric.lists).map_err(|(queue, what)| self.corrupt(queue, what))?;
        }
        let end = self.end.unwrap_or_else(|| self.mark());
        let measured = self.latency.count();
        let ticks = end.at - self.begin.at;
        let counts = end.counts - self.begin.counts;
        let [read, write, request, response] = std::array::from_fn(|at| {
            let busy = end.busy[at].saturating_sub(self.begin.busy[at]) as f64;
            if ticks == 0 { 0.0 } else { busy / ticks as f64 }
        });
        let ns = |ticks: Ticks| timebase().nanoseconds(ticks);
        let each = |count: u64| count as f64 / measured.max(1) as f64;
        Ok(Report {
            manager: self.kind.name(),
            operations: measured,
            throughput_mops: if ticks == 0 { 0.0 } else { measured as f64 * 1e3 / ns(ticks) },
            hit_rate: if counts.lookups == 0 { 0.0 } else { counts.hits as f64 / counts.lookups as f64 },
            latency_mean_ns: self.latency.mean() * ns(1),
            latency_p50_ns: ns(self.latency.quantile(0.5)),
            latency_p99_ns: ns(self.latency.quantile(0.99)),
            latency_max_ns: ns(self.latency.max()),
            lock_wait_mean_ns: each(self.lock_wait) * ns(1),
            messages_per_operation: each(counts.requests),
            reads_per_operation: each(counts.reads),
            writes_per_operation: each(counts.writes),
            references_per_operation: each(counts.reads + counts.writes),
            instructions_per_operation: self.kind.instructions(),
            read_port_utilization: read,
            write_port_utilization: write,
            request_path_utilization: request,
            response_path_utilization: response,
            engine_utilization: if ticks == 0 {
                0.0
            } else {
                counts.engine_busy as f64 / ticks as f64 / f64::from(self.settings.engines)
            },
            empty_dequeues: self.ledger.empty(),
            packets_left_inside: self.ledger.inside(),
            simulated_ns: ns(ticks),
        })
    }
}
