//! A link: bytes cross it one after another, then take its latency.

use crate::config::LinkConfig;
use crate::rate::{Rate, WORK_ENDS};
use linecard_sim::{Ticks, Timebase};

pub(crate) struct Link {
    latency: Ticks,
    rate: Rate,
    free: Ticks,
    /// It goes round only where the clock has ended.
    busy: u64,
    pub bytes: u64,
    /// How long before they reach it bytes are entered.
    lead: Ticks,
}

impl Link {
    pub fn new(config: &LinkConfig, timebase: &Timebase) -> Self {
        Self {
            latency: timebase.ticks_from_ps(config.latency_ps),
            rate: Rate::new(config.byte_fs, timebase),
            free: 0,
            busy: 0,
            bytes: 0,
            lead: 0,
        }
    }

    /// Bytes that reach the link at `at`; returns when they are across.
    #[inline]
    pub fn cross(&mut self, at: Ticks, bytes: u32) -> Ticks {
        let time = self.rate.ticks(u64::from(bytes));
        self.free = (self.free.max(at) + time).min(WORK_ENDS);
        self.busy = self.busy.wrapping_add(time);
        self.bytes += u64::from(bytes);
        self.free + self.latency
    }

    /// Bytes are entered `lead` before they reach the link; what was entered up to now is reckoned when the last of it is
    /// there.
    pub fn entered_ahead(&mut self, lead: Ticks) {
        self.lead = lead;
    }

    /// Work that lies ahead of `now`.
    fn ahead(&self, now: Ticks) -> Ticks {
        self.free.saturating_sub(now + self.lead)
    }

    /// Time for which it was busy since the last restart.
    pub fn busy(&self, now: Ticks) -> u64 {
        self.busy.wrapping_sub(self.ahead(now))
    }

    /// Forget what was before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.busy = self.ahead(now);
        self.bytes = 0;
    }
}
