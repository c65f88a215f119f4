//! `qc`: the queuing cache (sections 3.4 and 5.6).
//!
//! One command performs an operation. It waits in the request buffer; the engine that holds the token takes the
//! oldest request whose queue is not in service. On a miss the engine writes the least recently used descriptor
//! back and reads the one it needs. It then performs the link reference, answers, and continues with the oldest
//! waiting request of the same queue. The operations of a queue thus execute one after another, in the order of
//! arrival.
//!
//! With [`Locking::Queue`] an operation excludes others of its queue for its whole service time (section 3.6,
//! Table 5), so that the engine holds the queue for the interconnect as well; with [`Locking::End`] for its
//! references alone.

use super::engines::Engines;
use super::{Entries, Manager, Progress};
use crate::Kind;
use crate::fabric::{Fabric, Message};
use crate::settings::{Locking, Settings};
use linecard_sim::Ticks;
use std::collections::VecDeque;

const COMMAND: u8 = 0;
const DESCRIPTOR: u8 = 1;
const LINK: u8 = 2;

const NOBODY: u32 = u32::MAX;

/// A cache with its own engines.
#[derive(Debug)]
pub struct QueuingCache {
    instructions: Ticks,
    entries: Entries,
    engines: Engines,
    /// Requests in the buffer, and their limit.
    buffered: u32,
    places: u32,
    /// Commands that found the buffer full.
    outside: VecDeque<u32>,
    /// The oldest request of each queue that is neither in service nor behind one of its own queue.
    ready: VecDeque<u32>,
    /// By queue.
    waiting: Vec<Waiting>,
    /// The queue that each engine serves, and the slot of its descriptor.
    held: Vec<(u32, u32)>,
    locking: Locking,
    pinned: u32,
}

/// Requests of a queue.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// Whether the queue is in service or has a request in `ready`.
    claimed: bool,
    /// The oldest and the youngest request behind that one.
    oldest: u32,
    youngest: u32,
}

impl QueuingCache {
    /// Returns a manager with the entries and engines of these settings.
    pub fn new(settings: &Settings, fabric: &Fabric) -> Self {
        let queues = settings.all_queues() as usize;
        let threads = settings.threads as usize;
        Self {
            instructions: fabric.timebase.ticks_from_ps(settings.instruction_ps[Kind::QueuingCache as usize]),
            entries: Entries::new(settings, settings.entries, settings.entry),
            engines: Engines::new(settings, fabric),
            buffered: 0,
            places: settings.requests,
            outside: VecDeque::with_capacity(threads),
            ready: VecDeque::with_capacity(threads),
            waiting: vec![Waiting { claimed: false, oldest: NOBODY, youngest: NOBODY }; queues],
            held: vec![(0, 0); settings.engines as usize],
            locking: settings.locking,
            pinned: 0,
        }
    }

    fn buffer(&mut self, fabric: &mut Fabric, thread: u32) {
        self.buffered += 1;
        let this = &mut fabric.threads[thread as usize];
        this.behind = NOBODY;
        let waiting = &mut self.waiting[this.operation.queue() as usize];
        if !waiting.claimed {
            waiting.claimed = true;
            self.ready.push_back(thread);
            if self.ready.len() == 1 {
                self.wait_for_token(fabric);
            }
            return;
        }
        match waiting.oldest {
            NOBODY => waiting.oldest = thread,
            _ => fabric.threads[waiting.youngest as usize].behind = thread,
        }
        waiting.youngest = thread;
    }

    #[inline]
    fn wait_for_token(&mut self, fabric: &mut Fabric) {
        if self.ready.is_empty() || self.pinned == self.entries.directory.slots() {
            fabric.forget_token();
        } else {
            self.engines.wait(fabric);
        }
    }

    /// A request leaves the buffer, and a waiting command enters.
    fn leave_buffer(&mut self, fabric: &mut Fabric) {
        self.buffered -= 1;
        if let Some(thread) = self.outside.pop_front() {
            self.buffer(fabric, thread);
        }
    }

    /// An engine continues with the oldest request of its queue, or becomes idle.
    fn go_on(&mut self, fabric: &mut Fabric, engine: u32) {
        let (queue, slot) = self.held[engine as usize];
        self.entries.directory.unpin(slot);
        self.pinned -= 1;
        let waiting = &mut self.waiting[queue as usize];
        let next = waiting.oldest;
        if next == NOBODY {
            waiting.claimed = false;
            self.engines.release(fabric, engine);
        } else {
            waiting.oldest = fabric.threads[next as usize].behind;
            self.serve(fabric, next, engine);
        }
    }

    /// An engine starts a request.
    fn serve(&mut self, fabric: &mut Fabric, thread: u32, engine: u32) {
        fabric.threads[thread as usize].engine = engine;
        let line = self.entries.line(fabric, thread);
        let found = self.entries.directory.find(line);
        fabric.counts.lookups += 1;
        fabric.counts.hits += u64::from(found.is_some());
        let slot = match found {
            Some(slot) => {
                self.entries.directory.touch(slot);
                slot
            }
            // A victim exists: an engine takes no request while every entry is in use.
            None => self.entries.directory.victim(line).unwrap_or_default(),
        };
        fabric.threads[thread as usize].slot = slot;
        self.entries.directory.pin(slot);
        self.pinned += 1;
        if found.is_some() {
            self.entries.link(fabric, Message { thread, kind: LINK });
        } else {
            self.entries.claim(slot, line);
            self.entries.load(fabric, slot, Message { thread, kind: DESCRIPTOR });
        }
    }
}

impl Manager for QueuingCache {
    fn instructions(&self) -> Ticks {
        self.instructions
    }

    /// A thread's instructions cause nothing but the command, and commands keep their order.
    #[inline(always)]
    fn begin(&mut self, fabric: &mut Fabric, thread: u32) {
        if fabric.sends_ahead && self.instructions > 0 {
            fabric.send_ahead(thread, COMMAND, self.instructions);
        } else {
            fabric.compute(thread, self.instructions);
        }
    }

    fn issue(&mut self, fabric: &mut Fabric, thread: u32) {
        fabric.send(thread, COMMAND);
    }

    fn arrive(&mut self, fabric: &mut Fabric, message: Message) {
        if self.buffered < self.places {
            self.buffer(fabric, message.thread);
        } else {
            self.outside.push_back(message.thread);
        }
    }

    fn turn(&mut self, fabric: &mut Fabric) {
        if let Some(thread) = self.ready.pop_front() {
            let engine = self.engines.take(fabric);
            self.serve(fabric, thread, engine);
        }
        self.wait_for_token(fabric);
    }

    #[inline(always)]
    fn referenced(&mut self, fabric: &mut Fabric, message: Message) -> Option<Ticks> {
        let thread = message.thread;
        if message.kind == DESCRIPTOR {
            self.entries.link(fabric, Message { thread, kind: LINK });
            return None;
        }
        self.entries.finish(fabric, thread);
        let this = fabric.threads[thread as usize];
        let end = fabric.end(thread);
        let engine = this.engine;
        self.held[engine as usize] = (this.operation.queue(), this.slot);
        match self.locking {
            // The oldest request of the same queue, if there is one, comes before all others.
            Locking::End => {
                self.go_on(fabric, engine);
                self.wait_for_token(fabric);
            }
            Locking::Queue => fabric.hold(engine),
        }
        self.leave_buffer(fabric);
        end
    }

    fn freed(&mut self, fabric: &mut Fabric, engine: u32) {
        self.go_on(fabric, engine);
        self.wait_for_token(fabric);
    }

    fn replied(&mut self, _fabric: &mut Fabric, _message: Message) -> Progress {
        Progress::Done
    }

    fn flush(&mut self, fabric: &mut Fabric) {
        self.entries.flush(fabric);
    }
}
