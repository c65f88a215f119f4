//! One channel of a packet buffer whose controller begins accesses ahead of their time.

use crate::config::PacketBufferConfig;
use linecard_dram::channel::RefreshMode;
use linecard_dram::packet_buffer::{Planner, Request, Statistics};
use linecard_sim::{Clock, Ticks};

/// Marks the last transfer of an access: requests have numbers below it.
const LAST: u32 = 1 << 31;

pub(super) struct Planned {
    planner: Planner,
    /// Time from arrival to result, summed over accesses that have been begun.
    residence: u128,
}

impl Planned {
    /// For rules and devices that can be planned.
    pub fn new(config: &PacketBufferConfig) -> Option<Self> {
        let refreshes = config.refresh != RefreshMode::None;
        let planner = Planner::new(&config.device, &config.rules, refreshes)?;
        Some(Self { planner, residence: 0 })
    }

    /// A transfer arrives in a cycle. Returns the cycle to wake the planner in, if it slept.
    #[inline(always)]
    pub fn submit(&mut self, cycle: u64, request: Request, last: bool) -> Option<u64> {
        let tag = if last { request.tag | LAST } else { request.tag };
        self.planner.submit(cycle, Request { tag, ..request })
    }

    /// The same for `count` accesses that follow each other in a row of a bank.
    #[inline(always)]
    pub fn submit_run(&mut self, cycle: u64, request: Request, count: u16, last_bytes: u32) -> Option<u64> {
        self.planner.submit_run(cycle, Request { tag: request.tag | LAST, ..request }, count, last_bytes)
    }

    /// Begin what is due and what is settled behind it. `ended` gets the request of each transfer with the time of its
    /// result, and whether it is the last of those submitted together; it returns when the request arrived. Returns the next cycle to wake in.
    #[inline(always)]
    pub fn wake(
        &mut self,
        clock: Clock,
        latency: Ticks,
        mut ended: impl FnMut(u32, Ticks, bool) -> Ticks,
    ) -> Option<u64> {
        let mut residence = 0;
        self.planner.wake(|tag, cycle, is_last| {
            let done = clock.ticks(cycle) + latency;
            let arrived = ended(tag & !LAST, done, is_last);
            let taken = if tag & LAST != 0 { done - arrived } else { 0 };
            residence += taken;
            taken
        });
        self.residence += u128::from(residence);
        self.planner.next_wake()
    }

    /// Time from arrival to result of accesses that end at `now` or later.
    fn residence_from(&self, clock: Clock, now: Ticks) -> u128 {
        let later = self.planner.last_results().filter(|&(end, _)| clock.ticks(end) >= now);
        later.map(|(_, residence)| u128::from(residence)).sum()
    }

    /// Time from arrival to result, summed over accesses that have ended before `now`.
    pub fn residence(&self, clock: Clock, now: Ticks) -> u128 {
        self.residence - self.residence_from(clock, now)
    }

    /// What was counted before `now`.
    pub fn statistics(&self, clock: Clock, now: Ticks) -> Statistics {
        self.planner.statistics(clock.cycle_at_or_after(now))
    }

    /// Forget what was counted before `now`.
    pub fn restart(&mut self, clock: Clock, now: Ticks) {
        self.residence = self.residence_from(clock, now);
        self.planner.restart_statistics(clock.cycle_at_or_after(now));
    }
}
