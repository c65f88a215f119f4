//! One channel of a packet buffer whose controller begins accesses ahead of time.

use crate::config::PacketBufferConfig;
use linecard_dram::channel::RefreshMode;
use linecard_dram::packet_buffer::{Begun, Planner, Request, Statistics};
use linecard_sim::{Clock, Ticks};

/// Marks the last transfer of an access: numbers of owners are below it.
const LAST: u32 = 1 << 31;

pub(super) struct Planned {
    planner: Planner,
    clock: Clock,
    /// Latency to the controller and back, added on the way back.
    latency: Ticks,
    /// Time from arrival to result, total over accesses that have begun.
    residence: u128,
}

impl Planned {
    /// Returns a planner, if it supports the rules and the device.
    pub fn new(config: &PacketBufferConfig, clock: Clock, latency: Ticks) -> Option<Self> {
        let refreshes = config.refresh != RefreshMode::None;
        let planner = Planner::new(&config.device, &config.rules, refreshes)?;
        Some(Self { planner, clock, latency, residence: 0 })
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
    pub fn wake(&mut self, mut ended: impl FnMut(u32, Ticks, bool)) -> Option<u64> {
        let mut residence = 0;
        for begun in self.planner.wake() {
            let done = self.clock.ticks(begun.end) + self.latency;
            if begun.is_last {
                ended(begun.tag & !LAST, done, completes(begun));
            }
            if completes(begun) {
                residence += done - begun.entered;
            }
        }
        self.residence += u128::from(residence);
        self.planner.next_wake()
    }

    /// Returns the time from arrival to result of accesses that complete at `now` or later.
    fn residence_from(&self, now: Ticks) -> u128 {
        let completed = self.planner.begun().iter().filter(|begun| completes(begun));
        let ends = completed.map(|begun| (self.clock.ticks(begun.end), begun.entered));
        let later = ends.filter(|&(end, _)| end >= now);
        later.map(|(end, entered)| u128::from(end + self.latency - entered)).sum()
    }

    /// Returns the time from arrival to result, total over accesses that completed before `now`.
    pub fn residence(&self, now: Ticks) -> u128 {
        self.residence - self.residence_from(now)
    }

    /// Returns the counts before `now`.
    pub fn statistics(&self, now: Ticks) -> Statistics {
        self.planner.statistics(self.clock.cycle_at_or_after(now))
    }

    /// Discards the counts before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.residence = self.residence_from(now);
        self.planner.restart_statistics(self.clock.cycle_at_or_after(now));
    }
}

/// Returns whether an access completes with this transfer.
#[inline(always)]
fn completes(begun: &Begun) -> bool {
    begun.tag & LAST != 0
}
