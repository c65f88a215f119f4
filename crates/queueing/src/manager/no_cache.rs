//! `nc`: threads read and write descriptors and links in memory (sections 3.1 and 5.2).
//!
//! An enqueue reads the tail, then in parallel links the old tail to the packet and writes the new tail. A
//! dequeue reads the head, then the link behind it, then writes the new head: three references one after
//! another.

use super::{Manager, Progress, moved};
use crate::Kind;
use crate::fabric::{Fabric, Message};
use crate::lists::{NIL, Word};
use crate::settings::Settings;
use linecard_sim::Ticks;

pub(super) const LOAD: u8 = 0;
pub(super) const LINK: u8 = 1;
pub(super) const STORE: u8 = 2;

/// Neither a cache nor support for queues.
#[derive(Debug)]
pub struct NoCache {
    instructions: Ticks,
}

impl NoCache {
    /// Returns a manager with the instruction time of these settings.
    pub fn new(settings: &Settings, fabric: &Fabric) -> Self {
        let ps = settings.instruction_ps[Kind::NoCache as usize];
        Self { instructions: fabric.timebase.ticks_from_ps(ps) }
    }
}

impl Manager for NoCache {
    fn instructions(&self) -> Ticks {
        self.instructions
    }

    fn issue(&mut self, fabric: &mut Fabric, thread: u32) {
        fabric.send(thread, LOAD);
    }

    fn arrive(&mut self, fabric: &mut Fabric, message: Message) {
        let thread = message.thread;
        let at = fabric.address_of(thread) as usize;
        match message.kind {
            LOAD => {
                fabric.threads[thread as usize].word = fabric.lists.words[at];
                fabric.read(message, 1);
            }
            LINK => link(fabric, message),
            _ => {
                fabric.lists.words[at] = fabric.threads[thread as usize].word;
                fabric.write(message, 1);
            }
        }
    }

    fn referenced(&mut self, fabric: &mut Fabric, message: Message) -> Option<Ticks> {
        fabric.reply(message);
        None
    }

    fn replied(&mut self, fabric: &mut Fabric, message: Message) -> Progress {
        next_step(fabric, message)
    }

    fn flush(&mut self, _fabric: &mut Fabric) {}
}

/// Performs the link reference at memory, if the thread does it.
pub(super) fn link(fabric: &mut Fabric, message: Message) {
    let this = &fabric.threads[message.thread as usize];
    if this.operation.is_dequeue() {
        let head = this.word;
        fabric.touch_link(message.thread, head);
        fabric.read(message, 1);
    } else {
        let old_tail = Word { node: this.next, passed: 0 };
        fabric.touch_link(message.thread, old_tail);
        fabric.write(message, 1);
    }
}

/// Executes a thread's step after a reply: the program of Table 2, with or without a data cache.
pub(super) fn next_step(fabric: &mut Fabric, message: Message) -> Progress {
    let thread = message.thread;
    let this = &mut fabric.threads[thread as usize];
    match (message.kind, this.operation.is_dequeue()) {
        (LOAD, true) => fabric.send(thread, LINK),
        (LOAD, false) => {
            this.waiting = 2;
            this.next = this.word.node;
            fabric.send(thread, LINK);
            store(fabric, thread);
        }
        (LINK, true) if this.next == NIL => return Progress::Done,
        (LINK, true) => {
            this.waiting = 1;
            store(fabric, thread);
        }
        _ => {
            this.waiting -= 1;
            return if this.waiting == 0 { Progress::Done } else { Progress::Going };
        }
    }
    Progress::Going
}

fn store(fabric: &mut Fabric, thread: u32) {
    let word = fabric.threads[thread as usize].word;
    fabric.threads[thread as usize].word = moved(fabric, thread, word);
    fabric.send(thread, STORE);
}
