//! DRAM with a fixed number of slots as a memory of a chip: accesses of any size, in parallel in banks.

use super::facts::Facts;
use super::memory::{BankLayout, Memory, Numbers, Submitted, share};
use crate::config::{Interleaving, SlotsConfig};
use crate::counts::{PlaceCounts, SlotShares};
use crate::request::Requests;
use linecard_dram::{SlotController, SlotRequest};
use linecard_program::CELL_BYTES;
use linecard_sim::{Clock, Ticks, Timebase};
use std::collections::VecDeque;

/// Cells have 32-bit numbers.
const MOST_BYTES: u128 = 1 << 37;

pub(crate) struct Slots {
    controller: SlotController,
    clock: Clock,
    config: SlotsConfig,
    /// Outstanding requests, as back pressure counts them.
    outstanding: u32,
    /// Threads of stalled engines whose accesses wait for acceptance.
    stalled: VecDeque<u32>,
    residence: u128,
    started: Ticks,
}

impl Slots {
    /// Returns an idle DRAM.
    ///
    /// # Errors
    ///
    /// Returns a sentence on what does not fit.
    pub fn new(config: &SlotsConfig, timebase: &Timebase) -> Result<Self, String> {
        Ok(Self {
            controller: SlotController::new(config.slots)?,
            clock: timebase.clock(config.clock_hz),
            config: *config,
            outstanding: 0,
            stalled: VecDeque::new(),
            residence: 0,
            started: 0,
        })
    }

    /// Returns the distance in bytes from the start of a bank to the start of the next.
    fn bank_step_bytes(&self) -> u64 {
        match self.config.interleaving {
            Interleaving::HighOrder => self.config.bank_bytes,
            Interleaving::MiddleOrder => u64::from(CELL_BYTES),
        }
    }

    /// Returns the number of requests that an access counts as.
    fn requests_of(&self, bytes: u32) -> u32 {
        self.config.back_pressure.map_or(0, |b| bytes.div_ceil(b.request_bytes))
    }

    /// Returns the counts up to `now`.
    fn shares(&self, now: Ticks) -> SlotShares {
        let cycles = (now - self.started) / self.clock.period().max(1);
        let s = self.controller.statistics();
        // An access that is outstanding at the start or the end of the period counts in the period in which
        // it began, so a count can exceed the period.
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
}

impl Numbers for SlotsConfig {
    fn facts(&self) -> Facts {
        let timing = &self.slots;
        let cycle_ps = 1e12 / self.clock_hz as f64;
        let open = (timing.activate + timing.column) as f64 * cycle_ps;
        let (latency_ps, data) = match timing.tandem {
            None => {
                let data = f64::from(CELL_BYTES.div_ceil(timing.bytes_per_cycle)) * cycle_ps;
                (open + data, data)
            }
            // The bus is behind the gate; a waiting thread is notified at the next cycle.
            Some(tandem) => {
                let pieces = f64::from(CELL_BYTES.div_ceil(tandem.piece_bytes));
                let (gate, bus) = (pieces * tandem.gate_ps as f64, pieces * tandem.bus_ps as f64);
                (((open + gate + bus) / cycle_ps).ceil() * cycle_ps, bus)
            }
        };
        Facts {
            latency_ps,
            service_ps: data,
            parts: 1.0,
            bytes: CELL_BYTES,
            formula: "row command + column command + data; peak: bus rate, minus turnarounds and refresh"
                .to_owned(),
        }
    }

    /// The same number of bytes in twice the banks, if the device permits it, and a bus twice as wide.
    fn faster(&mut self) {
        let slots = &mut self.slots;
        if slots.banks <= 32 && self.bank_bytes > 1 << 16 {
            (slots.banks, self.bank_bytes) = (slots.banks * 2, self.bank_bytes / 2);
        }
        slots.bytes_per_cycle *= 2;
        if let Some(tandem) = &mut slots.tandem {
            tandem.gate_ps /= 2;
            tandem.bus_ps /= 2;
        }
    }

    fn wrong(&self) -> Option<String> {
        let too_small = self.bank_bytes < u64::from(CELL_BYTES) || !self.bank_bytes.is_power_of_two();
        if u128::from(self.slots.banks) * u128::from(self.bank_bytes) > MOST_BYTES {
            return Some("has a capacity above 128 GiB, the maximum of a memory with slots".to_owned());
        }
        let nothing = self.back_pressure.is_some_and(|b| b.requests == 0 || b.request_bytes == 0);
        let wants = "needs banks of 2^n bytes and a back-pressure threshold of at least one request";
        (too_small || nothing).then(|| wants.to_owned())
    }

    fn clocks_hz(&self) -> Vec<u64> {
        vec![self.clock_hz]
    }
}

impl Memory for Slots {
    #[inline]
    fn submit(&mut self, access: &Submitted, now: Ticks, mut wake: impl FnMut(usize, Ticks)) -> u32 {
        let &Submitted { request, address, bytes, write, .. } = access;
        let bank = (address / self.bank_step_bytes()) % u64::from(self.config.slots.banks);
        self.outstanding += self.requests_of(bytes);
        self.controller.submit(SlotRequest { bank: bank as u32, bytes: bytes.max(1), write, tag: request });
        // Within an instant, the DRAM wakes last.
        wake(0, self.clock.ticks(self.clock.cycle_at_or_after(now)).max(now));
        1
    }

    fn channels(&self) -> usize {
        1
    }

    fn wake(
        &mut self,
        _channel: usize,
        now: Ticks,
        requests: &mut Requests,
        ended: &mut Vec<(u32, Ticks)>,
    ) -> Option<Ticks> {
        let cycle = self.clock.cycle_at_or_after(now);
        self.controller.wake(cycle, |request| ended.push((request, now)));
        for &(request, _) in &*ended {
            let request = &requests[request];
            self.outstanding -= self.requests_of(u32::from(request.bytes));
            self.residence += u128::from(now - request.arrived);
        }
        let next = self.controller.next_wake(cycle)?;
        Some(self.clock.ticks(next).max(now))
    }

    fn restart(&mut self, now: Ticks) {
        self.controller.restart_statistics();
        (self.residence, self.started) = (0, now);
    }

    fn counts(&self, now: Ticks, _since: Ticks) -> PlaceCounts {
        let shares = self.shares(now);
        let bus = Some((shares.data + shares.turnaround).min(1.0));
        PlaceCounts {
            utilization: bus,
            utilization_most: bus,
            accesses: shares.accesses,
            bytes: shares.bytes,
            time_mean: share(self.residence as f64, shares.accesses as f64),
            slots: Some(shares),
            ..PlaceCounts::default()
        }
    }

    #[inline]
    fn takes_more(&self) -> bool {
        self.config.back_pressure.is_none_or(|b| self.outstanding < b.requests)
    }

    fn stall(&mut self, thread: u32) {
        self.stalled.push_back(thread);
    }

    fn take_stalled(&mut self) -> Option<u32> {
        self.stalled.pop_front()
    }

    fn bank_layout(&self) -> Option<BankLayout> {
        Some(BankLayout { banks: self.config.slots.banks, step_bytes: self.bank_step_bytes() })
    }
}
