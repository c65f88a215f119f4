//! `dc`: the programs of `nc` with a data cache at the memory's side (sections 3.2, 4.1.1 and 4.5).
//!
//! The cache holds words of descriptors, one pointer each; links bypass it, since they are hardly reused. It is
//! lock-up free: each outstanding miss occupies a miss status holding register (MSHR), and accesses to a line
//! that is being fetched wait there. An access that finds no free register, or a set full of lines that are
//! being fetched, tries again when a line arrives. Its access time is the time between accesses; Table 5 adds
//! no latency for it.

use super::no_cache::{LINK, LOAD, STORE, link, next_step};
use super::{Manager, Progress};
use crate::Kind;
use crate::directory::Directory;
use crate::fabric::{Fabric, Message, NOBODY};
use crate::lists::Word;
use crate::settings::Settings;
use linecard_sim::Ticks;
use std::collections::VecDeque;

/// A memory read that fills a line; the message's thread is the slot. Its number is above the kinds of the
/// programs.
const FILL: u8 = 3;
/// A write to memory that its thread waits for.
const STORE_THROUGH: u8 = 4;

/// A cache of descriptor words.
#[derive(Debug)]
pub struct DataCache {
    instructions: Ticks,
    each: Ticks,
    free_at: Ticks,
    directory: Directory,
    line_words: u32,
    words: Vec<Word>,
    /// Accesses that wait for the line in each slot; a line that is being fetched has at least one.
    waiting: Vec<VecDeque<Message>>,
    on_their_way: u32,
    mshrs: u32,
    stalled: VecDeque<Message>,
    write_through: bool,
    allocate: bool,
}

impl DataCache {
    /// Returns a manager with the cache of these settings.
    pub fn new(settings: &Settings, fabric: &Fabric) -> Self {
        let sets = settings.words / settings.line_words / settings.ways;
        let lines = (settings.all_queues() * 2).div_ceil(settings.line_words);
        let directory = Directory::new(sets, settings.ways, lines, settings.replacement, 1);
        let ticks = |ps| fabric.timebase.ticks_from_ps(ps);
        Self {
            instructions: ticks(settings.instruction_ps[Kind::DataCache as usize]),
            each: ticks(settings.cache_ps),
            free_at: 0,
            waiting: vec![VecDeque::new(); directory.slots() as usize],
            directory,
            line_words: settings.line_words,
            words: vec![Word::default(); settings.words as usize],
            on_their_way: 0,
            mshrs: settings.mshrs,
            stalled: VecDeque::new(),
            write_through: settings.write_through,
            allocate: settings.allocate,
        }
    }

    /// Serves an access to a complete line.
    fn hit(&mut self, fabric: &mut Fabric, slot: u32, message: Message) {
        let at = slot * self.line_words + (fabric.address_of(message.thread) & (self.line_words - 1));
        let word = &mut self.words[at as usize];
        if message.kind == LOAD {
            fabric.threads[message.thread as usize].word = *word;
            fabric.reply(message);
            return;
        }
        *word = fabric.threads[message.thread as usize].word;
        if self.write_through {
            self.store_in_memory(fabric, message.thread);
        } else {
            self.directory.set_dirty(slot);
            fabric.reply(message);
        }
    }

    fn store_in_memory(&mut self, fabric: &mut Fabric, thread: u32) {
        let at = fabric.address_of(thread) as usize;
        fabric.lists.words[at] = fabric.threads[thread as usize].word;
        fabric.write(Message { thread, kind: STORE_THROUGH }, 1);
    }

    /// Looks an access up. Returns whether it can continue or wait.
    fn look_up(&mut self, fabric: &mut Fabric, message: Message, first_time: bool) -> bool {
        let line = fabric.address_of(message.thread) >> self.line_words.trailing_zeros();
        let found = self.directory.find(line);
        if message.kind == LOAD && first_time {
            fabric.counts.lookups += 1;
            fabric.counts.hits += u64::from(found.is_some());
        }
        if let Some(slot) = found {
            self.directory.touch(slot);
            if self.waiting[slot as usize].is_empty() {
                self.hit(fabric, slot, message);
            } else {
                self.waiting[slot as usize].push_back(message);
            }
            return true;
        }
        if message.kind == STORE && !self.allocate {
            self.store_in_memory(fabric, message.thread);
            return true;
        }
        let whole_line = message.kind == STORE && self.line_words == 1;
        if !whole_line && self.on_their_way == self.mshrs {
            return false;
        }
        let Some(slot) = self.directory.victim(line) else { return false };
        self.evict(fabric, slot);
        self.directory.replace(slot, line);
        if whole_line {
            self.hit(fabric, slot, message);
            return true;
        }
        let (from, to) = self.places(slot, line, fabric);
        self.words[from].copy_from_slice(&fabric.lists.words[to]);
        self.directory.pin(slot);
        self.on_their_way += 1;
        self.waiting[slot as usize].push_back(message);
        fabric.read(Message { thread: slot, kind: FILL }, self.line_words);
        true
    }

    /// Returns the words of a line in the cache and in memory; the last line of memory may be shorter.
    fn places(
        &self,
        slot: u32,
        line: u32,
        fabric: &Fabric,
    ) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let (here, there) = ((slot * self.line_words) as usize, (line * self.line_words) as usize);
        let words = (self.line_words as usize).min(fabric.lists.words.len() - there);
        (here..here + words, there..there + words)
    }

    /// Writes a dirty line back to memory. Returns whether there was one.
    fn write_back(&mut self, fabric: &mut Fabric, slot: u32) -> bool {
        let Some(line) = self.directory.line(slot).filter(|_| self.directory.is_dirty(slot)) else {
            return false;
        };
        let (from, to) = self.places(slot, line, fabric);
        fabric.lists.words[to].copy_from_slice(&self.words[from]);
        true
    }

    fn evict(&mut self, fabric: &mut Fabric, slot: u32) {
        if self.write_back(fabric, slot) {
            fabric.write(Message { thread: NOBODY, kind: 0 }, self.line_words);
        }
    }
}

impl Manager for DataCache {
    fn instructions(&self) -> Ticks {
        self.instructions
    }

    fn issue(&mut self, fabric: &mut Fabric, thread: u32) {
        fabric.send(thread, LOAD);
    }

    fn arrive(&mut self, fabric: &mut Fabric, message: Message) {
        if message.kind == LINK {
            link(fabric, message);
        } else if fabric.enter_cache(&mut self.free_at, self.each, message) {
            self.access(fabric, message);
        }
    }

    fn access(&mut self, fabric: &mut Fabric, message: Message) {
        if !self.look_up(fabric, message, true) {
            self.stalled.push_back(message);
        }
    }

    fn referenced(&mut self, fabric: &mut Fabric, message: Message) -> Option<Ticks> {
        match message.kind {
            FILL => {
                let slot = message.thread;
                self.directory.unpin(slot);
                self.on_their_way -= 1;
                while let Some(waiting) = self.waiting[slot as usize].pop_front() {
                    self.hit(fabric, slot, waiting);
                }
                for _ in 0..self.stalled.len() {
                    let Some(stalled) = self.stalled.pop_front() else { break };
                    if !self.look_up(fabric, stalled, false) {
                        self.stalled.push_back(stalled);
                    }
                }
            }
            STORE_THROUGH => fabric.reply(Message { thread: message.thread, kind: STORE }),
            _ => fabric.reply(message),
        }
        None
    }

    fn replied(&mut self, fabric: &mut Fabric, message: Message) -> Progress {
        next_step(fabric, message)
    }

    fn flush(&mut self, fabric: &mut Fabric) {
        for slot in 0..self.directory.slots() {
            self.write_back(fabric, slot);
        }
    }
}
