//! The machine: threads that execute operations in order, a queue manager, and the clock between them.
//!
//! A thread takes the next operation when the last one is complete (section 4: the queue subsystem is the
//! bottleneck). It takes the lock if software locks, computes, and submits the operation to the manager.

use crate::fabric::{Fabric, timebase};
use crate::manager::{DataCache, Manager, NoCache, QueuingCache, SoftwareCache};
use crate::operation::Operation;
use crate::report::Report;
use crate::settings::Settings;
use crate::subsystem::{Mark, Step, Subsystem, check_threads};
use crate::{Kind, QueueingError};
use linecard_sim::{Histogram, Ticks};

/// The measured part of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Operations completed before.
    pub warmup: u64,
    /// Operations measured.
    pub measured: u64,
}

impl Window {
    /// Returns whether operations are measured after the warmup, and after how many that changes.
    fn after_warmup(self) -> (bool, u64) {
        if self.measured > 0 { (true, self.measured) } else { (false, u64::MAX) }
    }
}

/// Operations completed between two calls of `go_on`.
const OPERATIONS_PER_LOOK: u64 = 1 << 14;

/// Runs a stream of operations on a machine with this manager.
///
/// `go_on` is called periodically with the number of completed operations; it returns whether to continue.
///
/// # Errors
///
/// If the stream or the settings cannot be used, or a list in memory is not what the operations put into it.
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
    check_threads(kind, settings.threads)?;
    let packets = most_inside(operations, settings.all_queues())? + settings.threads as usize;
    let fabric = Fabric::new(settings, timebase(settings), packets).ahead_of_time();
    let stream = Stream { kind, settings, operations, window };
    match kind {
        Kind::NoCache => {
            let manager = NoCache::new(settings, &fabric);
            Machine::new(stream, fabric, manager).run(go_on)
        }
        Kind::DataCache => {
            let manager = DataCache::new(settings, &fabric);
            Machine::new(stream, fabric, manager).run(go_on)
        }
        Kind::SoftwareCache | Kind::QArray => {
            let manager = SoftwareCache::new(kind, settings, &fabric);
            Machine::new(stream, fabric, manager).run(go_on)
        }
        Kind::QueuingCache => {
            let manager = QueuingCache::new(settings, &fabric);
            Machine::new(stream, fabric, manager).run(go_on)
        }
    }
}

/// Returns the most packets that a stream holds in its queues, when its operations execute one after another.
///
/// # Errors
///
/// If an operation is on none of `queues` queues.
fn most_inside(operations: &[Operation], queues: u32) -> Result<usize, QueueingError> {
    let (mut inside, mut most) = (0i64, 0);
    for operation in operations {
        if operation.queue() >= queues {
            let (found, expected) = (format!("queue {}", operation.queue()), format!("ids below {queues}"));
            return Err(QueueingError::bad("workload", found, expected));
        }
        inside += if operation.is_dequeue() { -1 } else { 1 };
        most = most.max(inside);
    }
    Ok(most as usize)
}

/// The progress of a run.
#[derive(Clone, Copy)]
struct Stream<'a> {
    kind: Kind,
    settings: &'a Settings,
    operations: &'a [Operation],
    window: Window,
}

struct Machine<'a, M> {
    stream: Stream<'a>,
    next: u64,
    /// Whether latencies count, and the operations until that changes.
    records: bool,
    until_mark: u64,
    begin: Mark,
    end: Option<Mark>,
    latency: Histogram,
    subsystem: Subsystem<M>,
}

impl<'a, M: Manager> Machine<'a, M> {
    fn new(stream: Stream<'a>, fabric: Fabric, manager: M) -> Self {
        let Window { warmup, .. } = stream.window;
        let (records, until_mark) = if warmup > 0 { (false, warmup) } else { stream.window.after_warmup() };
        Self {
            stream,
            next: 0,
            records,
            until_mark,
            begin: Mark::default(),
            end: None,
            latency: Histogram::default(),
            subsystem: Subsystem::new(stream.kind, stream.settings, fabric, manager),
        }
    }

    fn run(mut self, go_on: &mut dyn FnMut(u64) -> bool) -> Result<Report, QueueingError> {
        for thread in 0..self.stream.settings.threads {
            self.start_next(thread);
        }
        self.allow_ends_ahead();
        let mut until_look = OPERATIONS_PER_LOOK;
        loop {
            match self.subsystem.step()? {
                Step::Idle => break,
                Step::Going => {}
                Step::Done(thread, at) => {
                    let now = std::mem::replace(&mut self.subsystem.fabric.now, at);
                    self.count(thread);
                    self.start_next(thread);
                    self.subsystem.fabric.now = now;
                    if now == at {
                        self.allow_ends_ahead();
                    }
                    until_look -= 1;
                    if until_look == 0 {
                        until_look = OPERATIONS_PER_LOOK;
                        if !go_on(self.subsystem.completed()) {
                            break;
                        }
                    }
                }
            }
        }
        self.finish()
    }

    /// Lets operations end ahead of time until counters are read: at the next mark, and at the end of the run.
    fn allow_ends_ahead(&mut self) {
        let left = (self.stream.operations.len() as u64).saturating_sub(self.next);
        let levels = u64::from(self.stream.settings.levels);
        let fabric = &mut self.subsystem.fabric;
        fabric.ends_ahead = if fabric.sends_ahead { (self.until_mark - 1).min(left / levels) } else { 0 };
    }

    /// Starts a thread's next operation: that of the next level, or the next of the stream.
    #[inline(always)]
    fn start_next(&mut self, thread: u32) {
        let levels = u64::from(self.stream.settings.levels);
        let this = &mut self.subsystem.fabric.threads[thread as usize];
        // A division per operation only if there are several levels.
        if levels > 1 && !(this.at + 1).is_multiple_of(levels) {
            this.at += 1;
        } else {
            this.at = self.next;
            self.next += levels;
        }
        if let Some(&operation) = self.stream.operations.get(this.at as usize) {
            self.subsystem.start(thread, operation);
        }
    }

    #[inline]
    fn count(&mut self, thread: u32) {
        if self.records {
            let fabric = &self.subsystem.fabric;
            self.latency.record(fabric.now - fabric.threads[thread as usize].since);
        }
        self.until_mark -= 1;
        if self.until_mark == 0 {
            self.mark();
        }
    }

    /// The warmup or the measurement ends.
    #[cold]
    fn mark(&mut self) {
        let mark = self.subsystem.mark(self.subsystem.fabric.now);
        if self.records {
            self.end = Some(mark);
            (self.records, self.until_mark) = (false, u64::MAX);
        } else {
            self.begin = mark;
            (self.records, self.until_mark) = self.stream.window.after_warmup();
        }
    }

    fn finish(mut self) -> Result<Report, QueueingError> {
        let operations = self.stream.operations.len() as u64;
        let completed = self.subsystem.completed();
        let kind = self.stream.kind;
        if completed < operations && self.subsystem.fabric.next_at().is_none() {
            return Err(QueueingError::Deadlock { manager: kind.name(), completed, operations });
        }
        if completed == operations {
            self.subsystem.audit()?;
        }
        let end = self.end.unwrap_or_else(|| self.subsystem.mark(self.subsystem.fabric.now));
        let measured = self.latency.count();
        let ticks = end.at - self.begin.at;
        let counts = end.counts - self.begin.counts;
        let [read, write, request, response] = end.shares_since(&self.begin);
        let timebase = self.subsystem.fabric.timebase;
        let ns = |ticks: Ticks| timebase.nanoseconds(ticks);
        let each = |count: u64| count as f64 / measured.max(1) as f64;
        Ok(Report {
            manager: kind.name(),
            operations: measured,
            throughput_mops: if ticks == 0 { 0.0 } else { measured as f64 * 1e3 / ns(ticks) },
            hit_rate: if counts.lookups == 0 { 0.0 } else { counts.hits as f64 / counts.lookups as f64 },
            latency_mean_ns: self.latency.mean() * ns(1),
            latency_p50_ns: ns(self.latency.quantile(0.5)),
            latency_p99_ns: ns(self.latency.quantile(0.99)),
            latency_max_ns: ns(self.latency.max()),
            lock_wait_mean_ns: each(counts.lock_wait) * ns(1),
            messages_per_operation: each(counts.requests),
            reads_per_operation: each(counts.reads),
            writes_per_operation: each(counts.writes),
            references_per_operation: each(counts.reads + counts.writes),
            instructions_per_operation: kind.instructions(),
            read_port_utilization: read,
            write_port_utilization: write,
            request_path_utilization: request,
            response_path_utilization: response,
            engine_utilization: end.engine_share_since(&self.begin, self.stream.settings.engines),
            empty_dequeues: self.subsystem.ledger.empty(),
            packets_left_inside: self.subsystem.ledger.inside(),
            simulated_ns: ns(ticks),
        })
    }
}
