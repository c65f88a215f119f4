//! A link: bytes cross it one after another, then take its latency.

use crate::config::LinkConfig;
use crate::rate::Rate;
use linecard_sim::{Ticks, Timebase};

pub(crate) struct Link {
    latency: Ticks,
    rate: Rate,
    free: Ticks,
    busy: u64,
    pub bytes: u64,
}

impl Link {
    pub fn new(config: &LinkConfig, timebase: &Timebase) -> Self {
        Self {
            latency: timebase.ticks_from_ps(config.latency_ps),
            rate: Rate::new(config.byte_fs, timebase),
            free: 0,
            busy: 0,
            bytes: 0,
        }
    }

    /// Bytes that reach the link at `at`; returns when they are across.
    #[inline]
    pub fn cross(&mut self, at: Ticks, bytes: u32) -> Ticks {
        let time = self.rate.ticks(u64::from(bytes));
        self.free = self.free.max(at) + time;
        self.busy += time;
        self.bytes += u64::from(bytes);
        self.free + self.latency
    }

    /// Time for which it was busy since the last restart.
    pub fn busy(&self, now: Ticks) -> u64 {
        self.busy - self.free.saturating_sub(now)
    }

    /// Forget what was before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.busy = self.free.saturating_sub(now);
        self.bytes = 0;
    }
}
