//! Moves between buffers, and the units that do them.

use super::{DIRECT, Interleaving, ParallelMachine, Release, SCRATCH, Step};
use crate::thread::State;
use linecard_dram::SlotRequest;
use linecard_program::{Move, Op};
use linecard_sim::Ticks;

/// Bytes of a word of scratchpad and of the path between the buffers.
const WORD_BYTES: u32 = 4;

impl ParallelMachine {
    pub(super) fn unit_event(&mut self, unit: usize, now: Ticks) {
        while let Some(thread) = self.units[unit].take_due(now) {
            self.end_move(thread, now);
            self.make_ready(thread, now);
        }
        if let Some(at) = self.units[unit].next() {
            self.agenda.schedule(unit, at);
        }
    }

    /// A thread asks for a move.
    #[inline(always)]
    pub(super) fn begin_move(&mut self, thread: u32, what: Move, cell: u16, bytes: u16, now: Ticks) -> Step {
        if what.to_tbuf() && self.paced.is_some() {
            // A cell takes its place with its first part.
            if !self.takes_tbuf_cell(thread, cell, now) {
                self.tbuf_waiters.push_back(thread);
                return self.wait(thread, State::WaitQueueRoom, now);
            }
        }
        let by_dram = !matches!(what, Move::RbufToScratch | Move::ScratchToTbuf | Move::RbufToTbuf);
        if by_dram && self.requests >= self.back_pressure.requests {
            self.stalled.push_back(thread);
            self.enter(thread, State::WaitDram, now);
            return Step::Stall;
        }
        self.submit_move(thread, what, cell, bytes, now)
    }

    /// Hand a move that has all the room it needs to its unit.
    #[inline(always)]
    pub(super) fn submit_move(&mut self, thread: u32, what: Move, cell: u16, bytes: u16, now: Ticks) -> Step {
        let words = u32::from(bytes).div_ceil(WORD_BYTES);
        match what {
            Move::RbufToScratch | Move::ScratchToTbuf => {
                self.access(thread, SCRATCH, words, State::WaitScratch, now)
            }
            Move::RbufToTbuf => self.access(thread, DIRECT, words, State::WaitFifo, now),
            Move::RbufToDram | Move::DramToTbuf | Move::DramToRegisters | Move::RegistersToDram => {
                self.submit_dram(thread, what, cell, bytes, now);
                self.wait(thread, State::WaitDram, now)
            }
        }
    }

    #[inline(always)]
    fn submit_dram(&mut self, thread: u32, what: Move, cell: u16, bytes: u16, now: Ticks) {
        let packet = &self.packets[self.threads[thread as usize].packet];
        let bank = match self.interleaving {
            Interleaving::HighOrder => packet.bank,
            Interleaving::MiddleOrder => (packet.bank + u32::from(cell)) % self.banks,
        };
        let write = matches!(what, Move::RbufToDram | Move::RegistersToDram);
        self.requests += self.requests_of(bytes);
        self.dram.submit(SlotRequest { bank, bytes: u32::from(bytes), write, tag: thread });
        let cycle = self.dram_clock.cycle_at_or_after(now);
        self.agenda.schedule(self.dram_source, self.dram_clock.ticks(cycle));
    }

    /// Requests that an access counts as.
    #[inline(always)]
    fn requests_of(&self, bytes: u16) -> u32 {
        u32::from(bytes).div_ceil(self.back_pressure.request_bytes)
    }

    #[inline(always)]
    pub(super) fn dram_event(&mut self, now: Ticks) {
        let cycle = self.dram_clock.cycle_at_or_after(now);
        let mut done = std::mem::take(&mut self.moved);
        self.dram.wake(cycle, |thread| done.push(thread));
        for &thread in &done {
            if let Op::Move { bytes, .. } = self.threads[thread as usize].op {
                self.requests -= self.requests_of(bytes);
            }
            self.end_move(thread, now);
            self.make_ready(thread, now);
        }
        done.clear();
        self.moved = done;
        while !self.stalled.is_empty() && self.requests < self.back_pressure.requests {
            self.resume_stalled(now);
        }
        if let Some(next) = self.dram.next_wake(cycle) {
            // What was submitted in this very cycle, by those that stood still, wakes the DRAM once more.
            let at = self.dram_clock.ticks(next).max(now);
            let pending = self.agenda.pending(self.dram_source);
            if pending.is_none_or(|first| at < first) {
                self.agenda.schedule(self.dram_source, at);
            }
        }
    }

    /// The access of a thread whose engine stands still is taken, and the engine goes on with others.
    fn resume_stalled(&mut self, now: Ticks) {
        let Some(thread) = self.stalled.pop_front() else { return };
        let Op::Move { what, cell, bytes, .. } = self.threads[thread as usize].op else {
            unreachable!("only moves stall an engine")
        };
        self.submit_dram(thread, what, cell, bytes, now);
        let engine = self.threads[thread as usize].engine as usize;
        self.engines[engine].running = None;
        self.agenda.schedule(super::ENGINES + engine, now);
    }

    /// What a finished op of a thread changes in the buffers.
    #[inline(always)]
    pub(super) fn end_move(&mut self, thread: u32, now: Ticks) {
        let Op::Move { what, cell, last: true, .. } = self.threads[thread as usize].op else { return };
        let id = self.threads[thread as usize].packet;
        if what.from_rbuf() {
            self.integrate(now);
            let packet = &mut self.packets[id];
            packet.taken += 1;
            self.levels.rbuf_bytes -= u64::from(packet.cell_bytes(cell));
            match self.paced.map(|paced| paced.release) {
                Some(Release::Cell) => self.rbuf_cells -= 1,
                Some(Release::Packet) if packet.taken == packet.cells => {
                    self.rbuf_cells -= u32::from(packet.cells);
                }
                _ => {}
            }
        }
        if what.to_tbuf() {
            self.packets[id].filled += 1;
            if self.paced.is_some() {
                self.filled(id, now);
            }
        }
    }
}
