//! Queue managers: implementations of enqueue and dequeue.
//!
//! A manager is one file, one variant of [`Kind`](crate::Kind) and one line in its list. The machine passes it
//! a thread whose instructions are complete ([`Manager::issue`]), and all its events; the manager decides when
//! the operation is complete. Locks, threads, interconnect and memory are the machine's.

mod data_cache;
mod engines;
mod no_cache;
mod queuing_cache;
mod software_cache;

pub use data_cache::DataCache;
pub use no_cache::NoCache;
pub use queuing_cache::QueuingCache;
pub use software_cache::SoftwareCache;

use crate::directory::Directory;
use crate::fabric::{Fabric, Message};
use crate::lists::{End, NIL, Word};
use crate::settings::{Entry, Settings};
use linecard_sim::Ticks;

/// The progress of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It continues.
    Going,
    /// It is complete.
    Done,
}

/// An implementation of queue operations.
pub trait Manager {
    /// Returns the time from the thread's start to its first message.
    fn instructions(&self) -> Ticks;
    /// A thread begins its operation.
    #[inline]
    fn begin(&mut self, fabric: &mut Fabric, thread: u32) {
        fabric.compute(thread, self.instructions());
    }
    /// A thread has executed its instructions.
    fn issue(&mut self, fabric: &mut Fabric, thread: u32);
    /// A message from a thread has arrived.
    fn arrive(&mut self, fabric: &mut Fabric, message: Message);
    /// A memory reference completes. Returns when the thread's operation ends, if that happens ahead of time.
    fn referenced(&mut self, fabric: &mut Fabric, message: Message) -> Option<Ticks>;
    /// The data cache's port accepts an access.
    fn access(&mut self, _fabric: &mut Fabric, _message: Message) {}
    /// The token is at an engine that waits for it.
    fn turn(&mut self, _fabric: &mut Fabric) {}
    /// An engine has held its queue long enough.
    fn freed(&mut self, _fabric: &mut Fabric, _engine: u32) {}
    /// A message has returned to its thread.
    fn replied(&mut self, fabric: &mut Fabric, message: Message) -> Progress;
    /// Writes all cached state back to memory; all operations must be complete.
    fn flush(&mut self, fabric: &mut Fabric);
}

/// Returns the word after a thread's operation has passed this end.
#[inline]
fn moved(fabric: &Fabric, thread: u32, word: Word) -> Word {
    let this = &fabric.threads[thread as usize];
    let node = match this.operation.end() {
        End::Tail => this.node,
        End::Head => this.next,
    };
    Word { node, passed: word.passed.wrapping_add(1) }
}

/// Returns whether a thread's dequeue found no packet.
#[inline]
fn found_empty(fabric: &Fabric, thread: u32) -> bool {
    let this = &fabric.threads[thread as usize];
    this.operation.is_dequeue() && this.next == NIL
}

/// Descriptors in the entries of a queue cache: whole, or one pointer each.
#[derive(Debug)]
struct Entries {
    directory: Directory,
    words: Vec<[Word; 2]>,
    /// Line whose dirty content a slot still holds.
    leaving: Vec<Option<u32>>,
    entry: Entry,
}

impl Entries {
    fn new(settings: &Settings, entries: u32, entry: Entry) -> Self {
        let lines = settings.all_queues() * 2;
        let directory = Directory::new(1, entries, lines, settings.replacement, 1);
        Self {
            directory,
            words: vec![[Word::default(); 2]; entries as usize],
            leaving: vec![None; entries as usize],
            entry,
        }
    }

    /// Returns the line of a thread's operation.
    #[inline]
    fn line(&self, fabric: &Fabric, thread: u32) -> u32 {
        let operation = fabric.threads[thread as usize].operation;
        match self.entry {
            Entry::Descriptor => operation.queue(),
            Entry::Pointer => operation.queue() * 2 + operation.end() as u32,
        }
    }

    /// Assigns a slot to a line. The old content stays until [`Entries::load`], and must not be used any more.
    fn claim(&mut self, slot: u32, line: u32) {
        let changed = self.directory.line(slot).filter(|_| self.directory.is_dirty(slot));
        self.leaving[slot as usize] = changed;
        self.directory.replace(slot, line);
    }

    /// Writes the entry's old content to memory, if it is dirty, and reads the new one. Both take effect now,
    /// when the references reach memory; a later access to the old line reads after this.
    fn load(&mut self, fabric: &mut Fabric, slot: u32, message: Message) {
        if let Some(line) = self.leaving[slot as usize].take() {
            self.write_back(fabric, slot, line);
            fabric.write(Message { thread: crate::fabric::NOBODY, kind: 0 }, 1);
        }
        if let Some(line) = self.directory.line(slot) {
            let line = line as usize;
            self.words[slot as usize] = match self.entry {
                Entry::Descriptor => [fabric.lists.words[line * 2], fabric.lists.words[line * 2 + 1]],
                Entry::Pointer => [fabric.lists.words[line], Word::default()],
            };
        }
        fabric.read(message, 1);
    }

    fn write_back(&self, fabric: &mut Fabric, slot: u32, line: u32) {
        let words = self.words[slot as usize];
        match self.entry {
            Entry::Descriptor => fabric.lists.words[line as usize * 2..][..2].copy_from_slice(&words),
            Entry::Pointer => fabric.lists.words[line as usize] = words[0],
        }
    }

    #[inline]
    fn word(&mut self, fabric: &Fabric, thread: u32) -> &mut Word {
        let this = &fabric.threads[thread as usize];
        let end = match self.entry {
            Entry::Descriptor => this.operation.end() as usize,
            Entry::Pointer => 0,
        };
        &mut self.words[this.slot as usize][end]
    }

    /// Sends the link reference of a thread's operation.
    #[inline(always)]
    fn link(&mut self, fabric: &mut Fabric, message: Message) {
        let word = *self.word(fabric, message.thread);
        fabric.touch_link(message.thread, word);
        if fabric.threads[message.thread as usize].operation.is_dequeue() {
            fabric.read(message, 1);
        } else {
            fabric.write(message, 1);
        }
    }

    /// The link reference completes: updates the descriptor.
    #[inline]
    fn finish(&mut self, fabric: &mut Fabric, thread: u32) {
        if !found_empty(fabric, thread) {
            let word = self.word(fabric, thread);
            *word = moved(fabric, thread, *word);
            self.directory.set_dirty(fabric.threads[thread as usize].slot);
        }
    }

    fn flush(&mut self, fabric: &mut Fabric) {
        for slot in 0..self.directory.slots() {
            if let Some(line) = self.directory.line(slot).filter(|_| self.directory.is_dirty(slot)) {
                self.write_back(fabric, slot, line);
            }
        }
    }
}
