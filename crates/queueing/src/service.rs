//! A queue subsystem inside another machine: that machine's threads and clock, this crate's managers.
//!
//! The machine starts an operation for one of its threads and asks for the time of the next event; at that time
//! it takes the threads whose operations are complete. The packets in the lists are distinct for the checker
//! only: the machine decides which packet leaves a queue.

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

/// The counts of a [`Service`] since [`Service::restart`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Operations completed.
    pub operations: u64,
    /// Operations that looked their descriptor up in a cache.
    pub lookups: u64,
    /// Operations that hit.
    pub hits: u64,
    /// Utilisation of the busiest of the memory's ports, the interconnect's paths and the engines together.
    pub utilization: f64,
    /// Dequeues that found their queue empty, since the beginning.
    pub empty_dequeues: u64,
    /// Packets in queues, including packets that are being enqueued.
    pub inside: u64,
}

impl Service {
    /// Returns an idle manager with empty queues, in the time of `timebase`, which should contain
    /// [`crate::CLOCKS_HZ`]: times are rounded up to its ticks.
    ///
    /// # Errors
    ///
    /// If the manager cannot serve that many threads.
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

    /// An idle thread begins an operation at `now`, which is not after [`Service::next_at`].
    pub fn start(&mut self, now: Ticks, thread: u32, operation: Operation) {
        debug_assert!(self.next_at().is_none_or(|at| now <= at), "no earlier event is pending");
        self.subsystem.fabric.now = now;
        self.subsystem.start(thread, operation);
    }

    /// Returns when the next event is due.
    #[inline]
    pub fn next_at(&self) -> Option<Ticks> {
        self.subsystem.fabric.next_at()
    }

    /// Processes events up to `now`, or until an operation completes; returns its thread.
    ///
    /// # Errors
    ///
    /// If a list in memory is not what the operations put into it.
    pub fn take_complete(&mut self, now: Ticks) -> Result<Option<u32>, QueueingError> {
        while self.next_at().is_some_and(|at| at <= now) {
            if let Step::Done(thread, _) = self.subsystem.step()? {
                return Ok(Some(thread));
            }
        }
        Ok(None)
    }

    /// Discards the counts.
    pub fn restart(&mut self, now: Ticks) {
        self.before = self.subsystem.mark(now);
        self.operations_before = self.subsystem.completed();
    }

    /// Returns the counts up to `now`.
    pub fn usage(&self, now: Ticks) -> Usage {
        let end = self.subsystem.mark(now);
        let counts = end.counts - self.before.counts;
        let engines = end.engine_share_since(&self.before, self.engines);
        let shares = end.shares_since(&self.before);
        Usage {
            operations: self.subsystem.completed() - self.operations_before,
            lookups: counts.lookups,
            hits: counts.hits,
            // Work counts when it begins or ends, so a short measurement may count more than its duration.
            utilization: shares.into_iter().fold(engines, f64::max).min(1.0),
            empty_dequeues: self.subsystem.ledger.empty(),
            inside: self.subsystem.ledger.inside(),
        }
    }

    /// Compares every list in memory with its expected contents; no operation may be outstanding.
    ///
    /// # Errors
    ///
    /// The first queue that differs.
    pub fn audit(&mut self) -> Result<(), QueueingError> {
        self.subsystem.audit()
    }
}
