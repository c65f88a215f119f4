//! A link: bytes cross it one after another, and then take its latency.

use crate::config::LinkConfig;
use crate::rate::{Rate, WORK_ENDS};
use linecard_sim::{Ticks, Timebase};

pub(crate) struct Link {
    latency: Ticks,
    rate: Rate,
    free: Ticks,
    /// Wraps around only when the clock has ended.
    busy: u64,
    pub bytes: u64,
    /// The time between the entry of bytes and their arrival.
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

    /// Bytes reach the link at `at`. Returns when they have crossed.
    #[inline]
    pub fn cross(&mut self, at: Ticks, bytes: u32) -> Ticks {
        let time = self.rate.ticks(u64::from(bytes));
        self.free = (self.free.max(at) + time).min(WORK_ENDS);
        self.busy = self.busy.wrapping_add(time);
        self.bytes += u64::from(bytes);
        self.free + self.latency
    }

    /// Sets that bytes are entered `lead` before they reach the link. Work entered up to now is accounted when
    /// the last of it has arrived.
    pub fn entered_ahead(&mut self, lead: Ticks) {
        self.lead = lead;
    }

    /// Returns the entered work that lies after `now`.
    fn ahead(&self, now: Ticks) -> Ticks {
        self.free.saturating_sub(now + self.lead)
    }

    /// Returns the busy time since the last restart.
    pub fn busy(&self, now: Ticks) -> u64 {
        self.busy.wrapping_sub(self.ahead(now))
    }

    /// Discards the counts before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.busy = self.ahead(now);
        self.bytes = 0;
    }
}
