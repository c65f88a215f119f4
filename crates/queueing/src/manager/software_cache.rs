//! `sqc`: engines and a cache of descriptors that threads manage by commands (section 3.3), and its exact form
//! in the IXP2800, `qarray`.
//!
//! A thread that holds the queue's lock looks the queue up in a CAM. On a hit it sends one command, and the
//! engine performs the link reference and updates the cached descriptor. On a miss it first sends a command
//! that writes the least recently used entry back and loads the descriptor, and waits for it. An entry stays
//! while an operation uses it. A thread whose queue is being loaded waits for it, and one that finds every
//! entry in use waits for the first free entry.
//!
//! In the IXP2800 an SRAM channel's Q_array has 64 registers, 16 of which cache descriptors (head, tail and
//! count). Their tags are the 16 entries of one microengine's CAM, so only that microengine's 8 threads can use
//! them. A run is one channel; channels share only the interconnect. Times are those of `sqc`: the manual
//! states none.

use super::engines::Engines;
use super::{Entries, Manager, Progress};
use crate::fabric::{Fabric, Message};
use crate::kind::{Kind, Q_ARRAY_ENTRIES};
use crate::settings::{Entry, Settings};
use linecard_sim::Ticks;
use std::collections::VecDeque;

const LOAD: u8 = 0;
const COMMAND: u8 = 1;
const DESCRIPTOR: u8 = 2;
const LINK: u8 = 3;

/// A cache that software manages.
#[derive(Debug)]
pub struct SoftwareCache {
    instructions: Ticks,
    entries: Entries,
    engines: Engines,
    /// Commands that wait for an engine.
    ready: VecDeque<u32>,
    /// Threads that wait for the descriptor in each slot, without the one that loads it.
    waiting: Vec<VecDeque<u32>>,
    loading: Vec<bool>,
    /// Threads that found every entry in use.
    stalled: VecDeque<u32>,
}

impl SoftwareCache {
    /// Returns a manager with the entries and engines of these settings, or those of the IXP2800.
    pub fn new(kind: Kind, settings: &Settings, fabric: &Fabric) -> Self {
        let (entries, entry) = match kind {
            Kind::QArray => (Q_ARRAY_ENTRIES, Entry::Descriptor),
            _ => (settings.entries, settings.entry),
        };
        let ps = settings.cam_ps + settings.instruction_ps[kind as usize];
        let threads = settings.threads as usize;
        Self {
            instructions: fabric.timebase.ticks_from_ps(ps),
            entries: Entries::new(settings, entries, entry),
            engines: Engines::new(settings, fabric),
            ready: VecDeque::with_capacity(threads),
            waiting: vec![VecDeque::new(); entries as usize],
            loading: vec![false; entries as usize],
            stalled: VecDeque::with_capacity(threads),
        }
    }

    /// Looks a thread's queue up. Returns whether the thread could continue or wait.
    fn look_up(&mut self, fabric: &mut Fabric, thread: u32, first_time: bool) -> bool {
        let line = self.entries.line(fabric, thread);
        let found = self.entries.directory.find(line);
        if first_time {
            fabric.counts.lookups += 1;
            fabric.counts.hits += u64::from(found.is_some());
        }
        let Some(slot) = found.or_else(|| self.entries.directory.victim(line)) else { return false };
        self.entries.directory.pin(slot);
        fabric.threads[thread as usize].slot = slot;
        if found.is_none() {
            // The tag changes at once; the entry's content changes when the command arrives.
            self.loading[slot as usize] = true;
            self.entries.claim(slot, line);
            fabric.send(thread, LOAD);
        } else {
            self.entries.directory.touch(slot);
            if self.loading[slot as usize] {
                self.waiting[slot as usize].push_back(thread);
            } else {
                fabric.send(thread, COMMAND);
            }
        }
        true
    }
}

impl Manager for SoftwareCache {
    fn instructions(&self) -> Ticks {
        self.instructions
    }

    fn issue(&mut self, fabric: &mut Fabric, thread: u32) {
        if !self.look_up(fabric, thread, true) {
            self.stalled.push_back(thread);
        }
    }

    fn arrive(&mut self, fabric: &mut Fabric, message: Message) {
        if message.kind == LOAD {
            let slot = fabric.threads[message.thread as usize].slot;
            self.entries.load(fabric, slot, Message { kind: DESCRIPTOR, ..message });
            return;
        }
        self.ready.push_back(message.thread);
        if self.ready.len() == 1 {
            self.engines.wait(fabric);
        }
    }

    fn turn(&mut self, fabric: &mut Fabric) {
        if let Some(thread) = self.ready.pop_front() {
            fabric.threads[thread as usize].engine = self.engines.take(fabric);
            self.entries.link(fabric, Message { thread, kind: LINK });
        }
        if self.ready.is_empty() { fabric.forget_token() } else { self.engines.wait(fabric) }
    }

    fn referenced(&mut self, fabric: &mut Fabric, message: Message) -> Option<Ticks> {
        let thread = message.thread;
        if message.kind == LINK {
            self.entries.finish(fabric, thread);
            self.engines.release(fabric, fabric.threads[thread as usize].engine);
            if !self.ready.is_empty() {
                self.engines.wait(fabric);
            }
        }
        fabric.reply(message);
        None
    }

    fn replied(&mut self, fabric: &mut Fabric, message: Message) -> Progress {
        let slot = fabric.threads[message.thread as usize].slot;
        if message.kind == DESCRIPTOR {
            self.loading[slot as usize] = false;
            fabric.send(message.thread, COMMAND);
            while let Some(thread) = self.waiting[slot as usize].pop_front() {
                fabric.send(thread, COMMAND);
            }
            return Progress::Going;
        }
        self.entries.directory.unpin(slot);
        for _ in 0..self.stalled.len() {
            let Some(thread) = self.stalled.pop_front() else { break };
            if !self.look_up(fabric, thread, false) {
                self.stalled.push_back(thread);
            }
        }
        Progress::Done
    }

    fn flush(&mut self, fabric: &mut Fabric) {
        self.entries.flush(fabric);
    }
}
