//! Results of units, and cells between threads and the packet buffer, directly or through the per-queue caches.

use super::{CACHE_RETURN, MEMORY_RETURN, Machine, PATHS};
use crate::config::BufferPath;
use crate::memory::{Tag, cell_bytes};
use crate::thread::{State, Transfer};
use crate::watch::Watch;
use crate::wide::Written;
use linecard_dram::packet_buffer::Request;
use linecard_program::{Block, PacketId, Path};
use linecard_sim::Ticks;

impl<O: Watch> Machine<O> {
    #[inline(always)]
    pub(super) fn unit_event(&mut self, unit: usize, now: Ticks) {
        while let Some(thread) = self.units[unit].take_due(now) {
            self.make_ready(thread, now);
        }
        if let Some(at) = self.units[unit].next() {
            self.agenda.schedule(unit, at);
        }
    }

    pub(super) fn transfer(&mut self, thread: u32, path: Path, bytes: u32, again: bool, now: Ticks) -> bool {
        self.paths.issue(thread, path, bytes, again, now);
        self.schedule_paths();
        let state = match path {
            Path::FifoToEngine | Path::EngineToFifo => State::WaitFifo,
            _ => State::WaitDram,
        };
        self.wait(thread, state, now)
    }

    pub(super) fn paths_event(&mut self, now: Ticks) {
        self.paths.serve(now);
        while let Some(thread) = self.paths.take_due(now) {
            self.make_ready(thread, now);
        }
        self.schedule_paths();
    }

    fn schedule_paths(&mut self) {
        if let Some(at) = self.paths.next() {
            self.agenda.schedule(PATHS, at);
        }
    }

    #[inline(always)]
    pub(super) fn memory_return(&mut self, now: Ticks) {
        while let Some(&(at, thread)) = self.memory_line.front() {
            if at > now {
                self.agenda.schedule(MEMORY_RETURN, at);
                break;
            }
            self.memory_line.pop_front();
            self.make_ready(thread, now);
        }
    }

    /// Wake a thread when its transfer is back.
    #[inline]
    pub(super) fn wake_on_return(&mut self, thread: u32, at: Ticks) {
        // Mostly the latest; a posted transfer that was moved before may be back earlier than others.
        let place =
            self.memory_line.iter().rposition(|&(other, _)| other <= at).map_or(0, |before| before + 1);
        self.memory_line.insert(place, (at, thread));
        if place == 0 {
            self.agenda.schedule(MEMORY_RETURN, at);
        }
    }

    /// The data of a thread's transfer have been moved; the thread hears of it a latency later. Only one that waits
    /// for just this needs an event.
    #[inline(always)]
    pub(super) fn moved(&mut self, thread: u32, now: Ticks) {
        let at = now + self.memory_latency;
        let t = &mut self.threads[thread as usize];
        t.under_way -= 1;
        match t.transfer {
            Transfer::None => t.returning.push_back(at),
            Transfer::All if t.under_way > 0 => {}
            Transfer::Room | Transfer::All => {
                t.transfer = Transfer::None;
                self.wake_on_return(thread, at);
            }
        }
    }

    #[inline]
    pub(super) fn cache_return(&mut self, now: Ticks) {
        while let Some(&(at, thread)) = self.cache_line.front() {
            if at > now {
                self.agenda.schedule(CACHE_RETURN, at);
                break;
            }
            self.cache_line.pop_front();
            self.transfer_done(thread, now);
        }
    }

    /// One transfer between a thread and a cache is done.
    #[inline]
    pub(super) fn transfer_done(&mut self, thread: u32, now: Ticks) {
        let t = &mut self.threads[thread as usize];
        t.under_way -= 1;
        let over = match t.transfer {
            Transfer::None => false,
            Transfer::Room => t.under_way < self.posted,
            Transfer::All => t.under_way == 0,
        };
        if over {
            t.transfer = Transfer::None;
            self.make_ready(thread, now);
        }
    }

    #[inline(always)]
    pub(super) fn dram_event(&mut self, now: Ticks) {
        let cycle = self.memory.cycle(now);
        if let Some(done) = self.memory.controller.wake(cycle) {
            match Tag::decode(done.tag) {
                Tag::Part => {}
                Tag::Thread(thread) => self.moved(thread, now),
                Tag::Queue(queue) => {
                    if let Some(wide) = &mut self.wide {
                        wide.done(queue as u16, done.write);
                    }
                    self.retry_wide(queue as u16, now);
                }
            }
        }
        self.schedule_dram();
    }

    #[inline(always)]
    pub(super) fn schedule_dram(&mut self) {
        if let Some(cycle) = self.memory.controller.next_wake() {
            self.agenda.schedule(self.dram_source, self.memory.clock.ticks(cycle));
        }
    }

    #[inline(always)]
    pub(super) fn write_cell(
        &mut self,
        thread: u32,
        id: PacketId,
        cell: u16,
        source: linecard_program::Source,
        now: Ticks,
    ) -> bool {
        match self.path {
            BufferPath::Direct => {
                let asleep = self.memory.controller.next_wake().is_none();
                self.memory.write_cell(&mut self.packets[id], cell, source, thread, now);
                if asleep {
                    self.schedule_dram();
                }
            }
            BufferPath::Wide { .. } => {
                let packet = &mut self.packets[id];
                while packet.write_at.0 < cell {
                    packet.write_at =
                        (packet.write_at.0 + 1, self.memory.allocator.next_cell(packet.write_at.1));
                }
                let (queue, position) = (packet.queue, packet.stream + u64::from(cell));
                let (address, bytes) = (packet.write_at.1, cell_bytes(packet.head.bytes, cell));
                let Some(wide) = &mut self.wide else { unreachable!("the wide path has caches") };
                let written = wide.write(queue, position, address, bytes, thread);
                if written == Written::NoRoom {
                    return self.wait(thread, State::WaitDram, now);
                }
                self.return_from_cache(thread, 1, now);
                match written {
                    Written::HandedOver => self.retry_wide(queue, now),
                    _ => self.ask_wide(queue, now),
                }
            }
        }
        let t = &mut self.threads[thread as usize];
        t.under_way += 1;
        while t.returning.front().is_some_and(|&at| at <= now) {
            t.returning.pop_front();
        }
        if t.under_way + t.returning.len() as u32 >= self.posted {
            match t.returning.pop_front() {
                Some(at) => self.wake_on_return(thread, at),
                None => t.transfer = Transfer::Room,
            }
            return self.wait(thread, State::WaitDram, now);
        }
        false
    }

    #[inline]
    pub(super) fn read_block(&mut self, thread: u32, block: Block, now: Ticks) -> bool {
        match self.path {
            BufferPath::Direct => {
                let packet = &mut self.packets[block.packet];
                // Several threads may hold blocks of one packet: each finds its own first cell.
                packet.read_at = if packet.read_at.0 <= block.first_cell {
                    packet.read_at
                } else {
                    (0, packet.first_cell)
                };
                let asleep = self.memory.controller.next_wake().is_none();
                self.memory.read_cells(packet, block.first_cell, block.cells, thread, now);
                self.threads[thread as usize].under_way += u32::from(block.cells);
                if asleep {
                    self.schedule_dram();
                }
            }
            BufferPath::Wide { .. } => {
                let packet = &self.packets[block.packet];
                let (queue, position) = (packet.queue, packet.stream + u64::from(block.first_cell));
                let Some(wide) = &mut self.wide else { unreachable!("the wide path has caches") };
                if !wide.read(queue, position, u32::from(block.cells), thread) {
                    self.wait(thread, State::WaitDram, now);
                    self.bypass_wide(queue, now);
                    return true;
                }
                self.threads[thread as usize].under_way += 1;
                self.return_from_cache(thread, block.cells, now);
                self.ask_wide(queue, now);
            }
        }
        self.threads[thread as usize].transfer = Transfer::All;
        self.wait(thread, State::WaitDram, now)
    }

    #[inline(always)]
    pub(super) fn join(&mut self, thread: u32, now: Ticks) -> bool {
        let t = &mut self.threads[thread as usize];
        let last = t.returning.back().copied().filter(|&at| at > now);
        t.returning.clear();
        match (t.under_way, last) {
            (0, None) => return false,
            (0, Some(at)) => self.wake_on_return(thread, at),
            _ => t.transfer = Transfer::All,
        }
        self.wait(thread, State::WaitDram, now)
    }

    #[inline]
    pub(super) fn return_from_cache(&mut self, thread: u32, cells: u16, now: Ticks) {
        let at = now + self.cache_cell * Ticks::from(cells);
        let at = self.cache_line.back().map_or(at, |&(last, _)| at.max(last));
        if self.cache_line.is_empty() {
            self.agenda.schedule(CACHE_RETURN, at);
        }
        self.cache_line.push_back((at, thread));
    }

    /// Ask DRAM for whatever the caches of a queue can ask for now.
    pub(super) fn ask_wide(&mut self, queue: u16, now: Ticks) {
        let Some(wide) = &mut self.wide else { return };
        let cycle = self.memory.cycle(now);
        while let Some(transfer) = wide.next_transfer(queue) {
            let request = Request {
                location: self.memory.locate(transfer.cell, 0),
                bytes: transfer.bytes,
                write: transfer.write,
                more: false,
                tag: Tag::Queue(u32::from(queue)).encode(),
            };
            self.memory.controller.submit(cycle, request);
        }
        self.schedule_dram();
    }

    pub(super) fn bypass_wide(&mut self, queue: u16, now: Ticks) {
        if self.wide.as_mut().is_some_and(|w| w.bypass(queue)) {
            self.retry_wide(queue, now);
        }
    }

    /// A queue's caches changed: threads that wait for them try again, and DRAM is asked for more.
    pub(super) fn retry_wide(&mut self, queue: u16, now: Ticks) {
        self.ask_wide(queue, now);
        let mut retry = std::mem::take(&mut self.retry);
        if let Some(wide) = &mut self.wide {
            wide.take_waiting(queue, &mut retry);
        }
        for thread in retry.drain(..) {
            self.issue_again(thread, now);
        }
        self.retry = retry;
    }
}
