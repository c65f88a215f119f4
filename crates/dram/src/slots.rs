//! A controller with a fixed number of slots, as in the Petri net of Girish 2008 (section 3.2).
//!
//! An access takes a slot and waits for its bank: first come, first served within a bank, any free bank before
//! a busy one. It then occupies the bank: row activation, column access, burst on the one data bus, precharge.
//! Rows are always closed. The bus serves bursts in the order in which their columns are ready, which is that
//! of activation; it is idle for the turnaround when its direction changes. A slot is free when the burst ends.
//! A refresh prevents banks from being activated. Details that the thesis leaves open are as in
//! `docs/guide/ixp2400.md`: a command takes the first cycle of its own latency, and the command bus is never
//! full.
//!
//! With a [`Tandem`] the bank passes its data to a gate and is precharged. The data then cross the bus behind
//! the gate, a separate stage with its own service time, for which no bank waits (the thesis's ReadDataTrans
//! and CpuTrans).
//!
//! The whole schedule of an access is known when its bank is activated, so that an access costs two wake-ups at
//! most.

use crate::Cycle;
use std::collections::VecDeque;

/// Shape and timing, in cycles of the DRAM's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotConfig {
    /// Banks, 1 to 64.
    pub banks: u32,
    /// Accesses that the controller serves at once, at least 1.
    pub slots: u32,
    /// Bytes that the data bus moves per cycle; a burst takes whole cycles.
    pub bytes_per_cycle: u32,
    /// From the row command to the column command.
    pub activate: Cycle,
    /// From the column command to the first data.
    pub column: Cycle,
    /// From the end of the burst until the bank is free.
    pub precharge: Cycle,
    /// Cycles in which the bus is idle when it turns between reads and writes.
    pub turnaround: Cycle,
    /// From one refresh to the next; 0 for none.
    pub refresh_every: Cycle,
    /// Cycles in which a refresh prevents banks from being activated.
    pub refresh: Cycle,
    /// The bus as a separate stage; `None` occupies the bank until its data have moved.
    pub tandem: Option<Tandem>,
}

/// A gate that takes data from the bank, and the bus behind it, both first come, first served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tandem {
    /// Length of a cycle, picoseconds.
    pub cycle_ps: u64,
    /// Bytes of a piece, at least 1: data move in whole pieces.
    pub piece_bytes: u32,
    /// Service time of the gate per piece, picoseconds.
    pub gate_ps: u64,
    /// Service time of the bus per piece, picoseconds.
    pub bus_ps: u64,
}

impl Tandem {
    /// Returns the first cycle that does not begin before `ps`.
    fn cycle(&self, ps: u64) -> Cycle {
        ps.div_ceil(self.cycle_ps)
    }
}

/// One access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotRequest {
    /// Bank.
    pub bank: u32,
    /// Bytes, at least 1.
    pub bytes: u32,
    /// Write or read.
    pub write: bool,
    /// The caller's mark.
    pub tag: u32,
}

/// The counts since the last restart, in cycles and accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotStatistics {
    /// Cycles in which data moved.
    pub data_cycles: u64,
    /// Cycles in which the bus was idle to turn.
    pub turnaround_cycles: u64,
    /// Cycles in which banks were occupied, total over banks.
    pub bank_cycles: u64,
    /// Banks.
    pub banks: u64,
    /// Accesses whose data have moved.
    pub accesses: u64,
    /// Those of less than 64 bytes.
    pub narrow_accesses: u64,
    /// Bytes moved.
    pub bytes: u64,
}

/// A smaller access is narrow (Girish 2008, section 3.4.1).
const WIDE_BYTES: u32 = 64;

#[derive(Clone, Copy, Debug)]
struct Queued {
    request: SlotRequest,
    order: u64,
}

#[derive(Clone, Debug, Default)]
struct Bank {
    queue: VecDeque<Queued>,
    free: Cycle,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct SlotController {
    config: SlotConfig,
    banks: Vec<Bank>,
    /// Banks with queued accesses, one bit each.
    waiting: u64,
    /// Accesses without a slot.
    outside: VecDeque<SlotRequest>,
    /// End of the burst and mark, in order of time, which is the bus's order of service.
    moving: VecDeque<(Cycle, u32)>,
    in_slots: u32,
    order: u64,
    /// In cycles, and in picoseconds with a tandem; likewise below.
    bus_free: u64,
    gate_free: u64,
    data_ps: u64,
    last_write: bool,
    statistics: SlotStatistics,
}

impl SlotController {
    /// Returns an idle DRAM.
    ///
    /// # Errors
    ///
    /// Returns a sentence on what does not fit.
    pub fn new(config: SlotConfig) -> Result<Self, String> {
        if !(1..=64).contains(&config.banks) || config.slots == 0 || config.bytes_per_cycle == 0 {
            return Err(
                "a DRAM needs 1 to 64 banks, at least one slot, and at least one byte per cycle".to_owned()
            );
        }
        if config.tandem.is_some_and(|tandem| tandem.cycle_ps == 0 || tandem.piece_bytes == 0) {
            return Err(
                "a separate bus needs a cycle of at least 1 ps and a transfer unit of at least one byte"
                    .to_owned(),
            );
        }
        Ok(Self {
            config,
            banks: (0..config.banks).map(|_| Bank::default()).collect(),
            waiting: 0,
            outside: VecDeque::with_capacity(64),
            moving: VecDeque::with_capacity(64),
            in_slots: 0,
            order: 0,
            bus_free: 0,
            gate_free: 0,
            data_ps: 0,
            last_write: false,
            statistics: SlotStatistics { banks: config.banks.into(), ..SlotStatistics::default() },
        })
    }

    /// Returns the counts.
    pub fn statistics(&self) -> SlotStatistics {
        let data_cycles = match self.config.tandem {
            None => self.statistics.data_cycles,
            Some(tandem) => self.data_ps / tandem.cycle_ps,
        };
        SlotStatistics { data_cycles, ..self.statistics }
    }

    /// Restarts the counts.
    pub fn restart_statistics(&mut self) {
        self.data_ps = 0;
        self.statistics = SlotStatistics { banks: self.config.banks.into(), ..SlotStatistics::default() };
    }

    /// Submits an access. The controller must be woken in this cycle, after everything else of the cycle.
    #[inline]
    pub fn submit(&mut self, request: SlotRequest) {
        self.outside.push_back(request);
    }

    /// Returns when the controller must be woken next, if nothing is submitted before; not before `now`.
    #[inline]
    pub fn next_wake(&self, now: Cycle) -> Option<Cycle> {
        let mut first = self.moving.front().map_or(Cycle::MAX, |&(end, _)| end);
        let mut waiting = self.waiting;
        while waiting != 0 {
            let bank = waiting.trailing_zeros() as usize;
            waiting &= waiting - 1;
            first = first.min(self.banks[bank].free.max(self.refresh_end(now)));
        }
        (first != Cycle::MAX).then_some(first)
    }

    /// Performs the actions of cycle `now`; calls `done` with the mark of every access whose data have moved.
    #[inline]
    pub fn wake(&mut self, now: Cycle, mut done: impl FnMut(u32)) {
        while let Some(&(end, tag)) = self.moving.front() {
            if end > now {
                break;
            }
            self.moving.pop_front();
            self.in_slots -= 1;
            done(tag);
        }
        while self.in_slots < self.config.slots
            && let Some(request) = self.outside.pop_front()
        {
            self.in_slots += 1;
            self.banks[request.bank as usize].queue.push_back(Queued { request, order: self.order });
            self.waiting |= 1 << request.bank;
            self.order += 1;
        }
        if self.refresh_end(now) > now {
            return;
        }
        while let Some(bank) = self.oldest_ready(now) {
            self.activate(bank, now);
        }
    }

    /// Returns the free bank with the oldest access that waits for it.
    #[inline]
    fn oldest_ready(&self, now: Cycle) -> Option<usize> {
        let mut waiting = self.waiting;
        let (mut best, mut best_order) = (None, u64::MAX);
        while waiting != 0 {
            let number = waiting.trailing_zeros() as usize;
            waiting &= waiting - 1;
            let bank = &self.banks[number];
            if bank.free <= now
                && let Some(head) = bank.queue.front()
                && head.order < best_order
            {
                (best, best_order) = (Some(number), head.order);
            }
        }
        best
    }

    #[inline]
    fn activate(&mut self, number: usize, now: Cycle) {
        let c = &self.config;
        let bank = &mut self.banks[number];
        let Some(Queued { request, .. }) = bank.queue.pop_front() else {
            unreachable!("a bank in `waiting` has an access")
        };
        if bank.queue.is_empty() {
            self.waiting &= !(1 << number);
        }
        let ready = now + c.activate + c.column;
        let turned = if request.write == self.last_write { 0 } else { c.turnaround };
        self.last_write = request.write;
        let s = &mut self.statistics;
        let end = match c.tandem {
            None => {
                let start = ready.max(self.bus_free + turned);
                let burst = Cycle::from(request.bytes.div_ceil(c.bytes_per_cycle));
                s.data_cycles += burst;
                s.turnaround_cycles += start - ready.max(self.bus_free);
                self.bus_free = start + burst;
                bank.free = self.bus_free + c.precharge;
                self.bus_free
            }
            Some(t) => {
                let pieces = u64::from(request.bytes.div_ceil(t.piece_bytes));
                self.gate_free = (ready * t.cycle_ps).max(self.gate_free) + pieces * t.gate_ps;
                let start = self.gate_free.max(self.bus_free + turned * t.cycle_ps);
                s.turnaround_cycles += (start - self.gate_free.max(self.bus_free)) / t.cycle_ps;
                self.data_ps += pieces * t.bus_ps;
                self.bus_free = start + pieces * t.bus_ps;
                bank.free = t.cycle(self.gate_free) + c.precharge;
                t.cycle(self.bus_free)
            }
        };
        s.bank_cycles += bank.free - now;
        s.accesses += 1;
        s.narrow_accesses += u64::from(request.bytes < WIDE_BYTES);
        s.bytes += u64::from(request.bytes);
        self.moving.push_back((end, request.tag));
    }

    /// Returns the end of the refresh under way in cycle `now`; `now` if there is none.
    #[inline]
    fn refresh_end(&self, now: Cycle) -> Cycle {
        let every = self.config.refresh_every;
        if every == 0 || now < every {
            return now;
        }
        let into = now % every;
        now + self.config.refresh.saturating_sub(into)
    }
}
