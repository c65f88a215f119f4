//! DRAM with a fixed number of slots as a place: accesses of any size, side by side in banks.

use crate::config::{Interleaving, SlotsConfig};
use crate::counts::SlotShares;
use linecard_dram::{SlotController, SlotRequest};
use linecard_program::CELL_BYTES;
use linecard_sim::{Clock, Ticks, Timebase};
use std::collections::VecDeque;

pub(crate) struct Slots {
    controller: SlotController,
    clock: Clock,
    config: SlotsConfig,
    /// Requests outstanding, as back pressure counts them.
    outstanding: u32,
    /// Threads whose engines stand still until an access is taken.
    pub stalled: VecDeque<u32>,
    /// Accesses whose data have moved, and when they are done; empty between events.
    pub done: Vec<u32>,
    pub residence: u128,
    started: Ticks,
}

impl Slots {
    /// An idle DRAM.
    ///
    /// # Errors
    /// A sentence on what does not fit.
    pub fn new(config: &SlotsConfig, timebase: &Timebase) -> Result<Self, String> {
        Ok(Self {
            controller: SlotController::new(config.slots)?,
            clock: timebase.clock(config.clock_hz),
            config: *config,
            outstanding: 0,
            stalled: VecDeque::new(),
            done: Vec::with_capacity(64),
            residence: 0,
            started: 0,
        })
    }

    /// Bytes from the first of a bank to the first of the next, in the order of banks.
    pub fn bank_step_bytes(&self) -> u64 {
        match self.config.interleaving {
            Interleaving::HighOrder => self.config.bank_bytes,
            Interleaving::MiddleOrder => u64::from(CELL_BYTES),
        }
    }

    /// Banks.
    pub fn banks(&self) -> u32 {
        self.config.slots.banks
    }

    /// Whether one more access may be handed over without its engine standing still.
    #[inline]
    pub fn takes_more(&self) -> bool {
        self.config.back_pressure.is_none_or(|b| self.outstanding < b.requests)
    }

    /// Requests that an access counts as.
    fn requests_of(&self, bytes: u32) -> u32 {
        self.config.back_pressure.map_or(0, |b| bytes.div_ceil(b.request_bytes))
    }

    /// Hands an access over; returns when the DRAM must be woken, after everything else of that instant.
    #[inline]
    pub fn submit(&mut self, request: u32, address: u64, bytes: u32, write: bool, now: Ticks) -> Ticks {
        let bank = (address / self.bank_step_bytes()) % u64::from(self.config.slots.banks);
        self.outstanding += self.requests_of(bytes);
        self.controller.submit(SlotRequest { bank: bank as u32, bytes: bytes.max(1), write, tag: request });
        self.clock.ticks(self.clock.cycle_at_or_after(now)).max(now)
    }

    /// Does what is due now; accesses whose data have moved stand in `done` afterwards.
    #[inline]
    pub fn wake(&mut self, now: Ticks) {
        let done = &mut self.done;
        self.controller.wake(self.clock.cycle_at_or_after(now), |request| done.push(request));
    }

    /// An access of so many bytes is done.
    #[inline]
    pub fn ended(&mut self, bytes: u32, time: Ticks) {
        self.outstanding -= self.requests_of(bytes);
        self.residence += u128::from(time);
    }

    /// When it must be woken next if nothing is submitted before.
    #[inline]
    pub fn next_wake(&self, now: Ticks) -> Option<Ticks> {
        // What was submitted in this very cycle, by those that stood still, wakes it once more.
        let next = self.controller.next_wake(self.clock.cycle_at_or_after(now))?;
        Some(self.clock.ticks(next).max(now))
    }

    /// What was counted up to `now`.
    pub fn shares(&self, now: Ticks) -> SlotShares {
        let cycles = (now - self.started) / self.clock.period().max(1);
        let s = self.controller.statistics();
        // What is under way at either end is counted where it began.
        let share = |part: u64, of: u64| if of == 0 { 0.0 } else { (part as f64 / of as f64).min(1.0) };
        let data = share(s.data_cycles, cycles);
        let slots = &self.config.slots;
        let refresh = share(slots.refresh, slots.refresh_every);
        let turnaround = share(s.turnaround_cycles, cycles).min(1.0 - data);
        SlotShares {
            data,
            turnaround,
            refresh: refresh.min(1.0 - data - turnaround),
            banks: share(s.bank_cycles, cycles * s.banks),
            accesses: s.accesses,
            narrow_accesses: s.narrow_accesses,
            bytes: s.bytes,
        }
    }

    /// Forget what was before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.controller.restart_statistics();
        (self.residence, self.started) = (0, now);
    }
}
