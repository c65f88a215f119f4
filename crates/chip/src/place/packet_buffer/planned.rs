//! One channel of a packet buffer whose controller begins accesses ahead of time.

use crate::config::PacketBufferConfig;
use linecard_dram::channel::RefreshMode;
use linecard_dram::packet_buffer::{Ended, Planner, Request, Statistics};
use linecard_sim::{Clock, Ticks};

/// Marks the last transfer of an access: numbers of owners are below it.
const LAST: u32 = 1 << 31;

pub(super) struct Planned {
    planner: Planner,
    /// Time from arrival to result, total over accesses that have begun.
    residence: u128,
}

impl Planned {
    /// Returns a planner, if it supports the rules and the device.
    pub fn new(config: &PacketBufferConfig) -> Option<Self> {
        let refreshes = config.refresh != RefreshMode::None;
        let planner = Planner::new(&config.device, &config.rules, refreshes)?;
        Some(Self { planner, residence: 0 })
    }

    /// A transfer arrives at `now`, in a cycle; `last` is whether it is the last of its access. Returns the
    /// cycle of the planner's wake-up, if it was idle.
    #[inline(always)]
    pub fn submit(&mut self, cycle: u64, request: Request, last: bool, now: Ticks) -> Option<u64> {
        let tag = if last { request.tag | LAST } else { request.tag };
        self.planner.submit(cycle, Request { tag, ..request }, now)
    }

    /// As `submit`, for `count` consecutive accesses in a row of a bank.
    #[inline(always)]
    pub fn submit_run(
        &mut self,
        cycle: u64,
        request: Request,
        count: u16,
        last_bytes: u32,
        now: Ticks,
    ) -> Option<u64> {
        let request = Request { tag: request.tag | LAST, ..request };
        self.planner.submit_run(cycle, request, count, last_bytes, now)
    }

    /// Begins the accesses that are due and those behind them that are settled. Calls `ended` with the owner of
    /// each transfer that is the last of those submitted together, the time of its result, and whether its
    /// access is then complete. Returns the next cycle to wake in.
    #[inline(always)]
    pub fn wake(
        &mut self,
        clock: Clock,
        latency: Ticks,
        mut ended: impl FnMut(u32, Ticks, bool),
    ) -> Option<u64> {
        let mut residence = 0;
        self.planner.wake(|Ended { tag, entered, end, is_last }| {
            let done = clock.ticks(end) + latency;
            let completes = tag & LAST != 0;
            if is_last {
                ended(tag & !LAST, done, completes);
            }
            let taken = if completes { done - entered } else { 0 };
            residence += taken;
            taken
        });
        self.residence += u128::from(residence);
        self.planner.next_wake()
    }

    /// Returns the time from arrival to result of accesses that complete at `now` or later.
    fn residence_from(&self, clock: Clock, now: Ticks) -> u128 {
        let later = self.planner.last_results().filter(|&(end, _)| clock.ticks(end) >= now);
        later.map(|(_, residence)| u128::from(residence)).sum()
    }

    /// Returns the time from arrival to result, total over accesses that completed before `now`.
    pub fn residence(&self, clock: Clock, now: Ticks) -> u128 {
        self.residence - self.residence_from(clock, now)
    }

    /// Returns the counts before `now`.
    pub fn statistics(&self, clock: Clock, now: Ticks) -> Statistics {
        self.planner.statistics(clock.cycle_at_or_after(now))
    }

    /// Discards the counts before `now`.
    pub fn restart(&mut self, clock: Clock, now: Ticks) {
        self.residence = self.residence_from(clock, now);
        self.planner.restart_statistics(clock.cycle_at_or_after(now));
    }
}
