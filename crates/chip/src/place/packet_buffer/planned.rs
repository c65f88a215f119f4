//! One channel of a packet buffer whose controller begins accesses ahead of their time.

use crate::config::PacketBufferConfig;
use linecard_dram::channel::RefreshMode;
use linecard_dram::packet_buffer::{Planner, Request, Statistics};
use linecard_sim::{Clock, Ticks};

/// Marks the last transfer of an access: requests have numbers below it.
const LAST: u32 = 1 << 31;

pub(super) struct Planned {
    planner: Planner,
    /// Accesses that end ahead, each with the time from its arrival to its result; those that are over have been entered.
    ahead: Vec<(Ticks, Ticks)>,
}

impl Planned {
    /// For rules and devices that can be planned.
    pub fn new(config: &PacketBufferConfig) -> Option<Self> {
        let refreshes = config.refresh != RefreshMode::None;
        let planner = Planner::new(&config.device, &config.rules, refreshes)?;
        Some(Self { planner, ahead: Vec::new() })
    }

    /// A transfer arrives in a cycle; calls `wake` with the cycle to wake it in where it slept.
    #[inline(always)]
    pub fn submit(&mut self, cycle: u64, request: Request, last: bool, wake: impl FnOnce(u64)) {
        let asleep = self.planner.next_wake().is_none();
        let tag = if last { request.tag | LAST } else { request.tag };
        self.planner.submit(cycle, Request { tag, ..request });
        if asleep && let Some(at) = self.planner.next_wake() {
            wake(at);
        }
    }

    /// Begin what is due and what is settled behind it. `ended` gets the request of each transfer with the time of its
    /// end, and returns when the request arrived and how long its result takes from there. Returns the residence to enter,
    /// and the next cycle to wake in.
    #[inline(always)]
    pub fn wake(
        &mut self,
        clock: Clock,
        latency: Ticks,
        mut ended: impl FnMut(u32, Ticks) -> Ticks,
    ) -> (Ticks, Option<u64>) {
        let entered = self.ahead.drain(..).map(|(_, residence)| residence).sum();
        let ahead = &mut self.ahead;
        self.planner.wake(|done, cycle| {
            let end = clock.ticks(cycle);
            let arrived = ended(done.tag & !LAST, end + latency);
            if done.tag & LAST != 0 {
                ahead.push((end, end + latency - arrived));
            }
        });
        (entered, self.planner.next_wake())
    }

    /// Count what has begun before `now`; returns the residence of accesses that have ended before it.
    pub fn settle(&mut self, clock: Clock, now: Ticks) -> Ticks {
        self.planner.settle(clock.cycle_at_or_after(now));
        let mut entered = 0;
        self.ahead.retain(|&(end, residence)| {
            entered += if end < now { residence } else { 0 };
            end >= now
        });
        entered
    }

    pub fn restart(&mut self, cycle: u64) {
        self.planner.restart_statistics(cycle);
    }

    pub fn statistics(&self) -> &Statistics {
        self.planner.statistics()
    }
}
