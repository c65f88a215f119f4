//! Operations of the queue manager: a thread hands one over and waits until it is complete.

use super::{Machine, QUEUE_MANAGER};
use crate::config::QueueManagerConfig;
use crate::thread::State;
use crate::watch::Watch;
use linecard_queueing::{Operation, QueueingError, Service, Settings};
use linecard_sim::{Ticks, Timebase};

/// The manager for a machine's threads and output queues.
pub(super) fn service(
    config: &QueueManagerConfig,
    threads: u32,
    queues: u32,
    timebase: Timebase,
) -> Result<Service, QueueingError> {
    let settings = Settings { threads, queues, ..config.settings.clone() };
    Service::new(config.kind, &settings, timebase)
}

impl<O: Watch> Machine<O> {
    pub(super) fn ask_queue_manager(&mut self, thread: u32, queue: u16, enqueue: bool, now: Ticks) -> bool {
        let Some(manager) = &mut self.queue_manager else {
            unreachable!("only programs of a machine with a queue manager ask it")
        };
        let queue = u32::from(queue);
        let operation = if enqueue { Operation::enqueue(queue) } else { Operation::dequeue(queue) };
        manager.start(now, thread, operation);
        self.schedule_queue_manager();
        self.wait(thread, State::WaitQueueManager, now)
    }

    pub(super) fn queue_manager_event(&mut self, now: Ticks) {
        while let Some(thread) = self.complete_operation(now) {
            self.make_ready(thread, now);
        }
        self.schedule_queue_manager();
    }

    /// A thread whose operation is complete.
    fn complete_operation(&mut self, now: Ticks) -> Option<u32> {
        match self.queue_manager.as_mut()?.take_complete(now) {
            Ok(thread) => thread,
            // What the checker of the lists finds is an error of a manager, never of its input.
            Err(error) => unreachable!("{error}"),
        }
    }

    fn schedule_queue_manager(&mut self) {
        if let Some(at) = self.queue_manager.as_ref().and_then(Service::next_at) {
            self.agenda.schedule(QUEUE_MANAGER, at);
        }
    }
}
