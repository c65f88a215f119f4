//! A queue subsystem inside another machine: its threads and its clock, this crate's managers.
//!
//! The machine starts an operation for one of its threads and asks when something happens next; at that time it takes
//! the threads whose operations are complete. The lists hold packets that only the checker tells apart: which packet
//! leaves a queue is the machine's affair.

use crate::fabric::Fabric;
use crate::manager::{DataCache, Manager, NoCache, QueuingCache, SoftwareCache};
use crate::operation::Operation;
use crate::settings::Settings;
use crate::subsystem::{Mark, Step, Subsystem, check_threads};
use crate::{Kind, QueueingError};
use linecard_sim::{Ticks, Timebase};

/// A queue manager for the threads of another machine.
pub struct Service {
    engines: u32,
    operations_before: u64,
    before: Mark,
    subsystem: Box<Subsystem<dyn Manager>>,
}

/// What a [`Service`] did since [`Service::restart`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Operations completed.
    pub operations: u64,
    /// Operations that looked for their descriptor in a cache.
    pub lookups: u64,
    /// Operations that found it there.
    pub hits: u64,
    /// Share of time of the busiest of the memory's ports, the interconnect's paths and the engines together.
    pub utilization: f64,
    /// Dequeues that found their queue empty, since the beginning.
    pub empty_dequeues: u64,
    /// Packets in queues, those on their way there included.
    pub inside: u64,
}

impl Service {
    /// An idle manager with empty queues, in the time of `timebase`, which should hold [`crate::CLOCKS_HZ`]: times are
    /// rounded up to its ticks.
    ///
    /// # Errors
    /// When the manager cannot serve as many threads.
    pub fn new(kind: Kind, settings: &Settings, timebase: Timebase) -> Result<Self, QueueingError> {
        check_threads(kind, settings.threads)?;
        let fabric = Fabric::new(settings, timebase, settings.threads as usize);
        let subsystem: Box<Subsystem<dyn Manager>> = match kind {
            Kind::NoCache => {
                let manager = NoCache::new(settings, &fabric);
                Box::new(Subsystem::new(kind, settings, fabric, manager))
            }
            Kind::DataCache => {
                let manager = DataCache::new(settings, &fabric);
                Box::new(Subsystem::new(kind, settings, fabric, manager))
            }
            Kind::SoftwareCache | Kind::QArray => {
                let manager = SoftwareCache::new(kind, settings, &fabric);
                Box::new(Subsystem::new(kind, settings, fabric, manager))
            }
            Kind::QueuingCache => {
                let manager = QueuingCache::new(settings, &fabric);
                Box::new(Subsystem::new(kind, settings, fabric, manager))
            }
        };
        Ok(Self { engines: settings.engines, operations_before: 0, before: Mark::default(), subsystem })
    }

    /// A thread that has no operation under way begins one at `now`, which is not after [`Service::next_at`].
    pub fn start(&mut self, now: Ticks, thread: u32, operation: Operation) {
        debug_assert!(self.next_at().is_none_or(|at| now <= at), "what was due has happened");
        self.subsystem.fabric.now = now;
        self.subsystem.start(thread, operation);
    }

    /// When something happens next.
    #[inline]
    pub fn next_at(&self) -> Option<Ticks> {
        self.subsystem.fabric.next_at()
    }

    /// Lets everything up to `now` happen, or what there is until an operation is complete: then its thread.
    ///
    /// # Errors
    /// When a list is not what was put into it.
    pub fn take_complete(&mut self, now: Ticks) -> Result<Option<u32>, QueueingError> {
        while self.next_at().is_some_and(|at| at <= now) {
            if let Step::Done(thread) = self.subsystem.step()? {
                return Ok(Some(thread));
            }
        }
        Ok(None)
    }

    /// Forgets what was counted.
    pub fn restart(&mut self, now: Ticks) {
        self.before = Mark { at: now, ..self.subsystem.mark() };
        self.operations_before = self.subsystem.completed();
    }

    /// What was done until `now`.
    pub fn usage(&self, now: Ticks) -> Usage {
        let end = Mark { at: now, ..self.subsystem.mark() };
        let counts = end.counts - self.before.counts;
        let engines = end.engine_share_since(&self.before, self.engines);
        let shares = end.shares_since(&self.before);
        Usage {
            operations: self.subsystem.completed() - self.operations_before,
            lookups: counts.lookups,
            hits: counts.hits,
            // Work is counted when it begins or ends, so a short measurement may count more than there was time for.
            utilization: shares.into_iter().fold(engines, f64::max).min(1.0),
            empty_dequeues: self.subsystem.ledger.empty(),
            inside: self.subsystem.ledger.inside(),
        }
    }

    /// Compares every list in memory with what should be in it; no operation may be under way.
    ///
    /// # Errors
    /// The first queue that differs.
    pub fn audit(&mut self) -> Result<(), QueueingError> {
        self.subsystem.audit()
    }
}
