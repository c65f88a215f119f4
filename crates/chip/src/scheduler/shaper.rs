//! A token bucket in integer time. What has been sent is paid for at its rate: a bucket of `burst` bytes is in debt while what
//! is not paid for takes longer than the burst would. The packet that puts it in debt goes whole, so that in any interval of
//! length `t` at most `burst + rate * t` bytes and one packet go.

use super::config::ShaperConfig;
use crate::rate::{Rate, WORK_ENDS};
use linecard_sim::{Ticks, Timebase};

#[derive(Debug)]
pub(super) struct Shaper {
    rate: Rate,
    /// Time in which the bucket fills.
    burst: Ticks,
    /// When all that has been sent is paid for.
    paid: Ticks,
    /// What has been sent since the last restart takes so long at its rate.
    used: u128,
}

impl Shaper {
    pub fn new(config: &ShaperConfig, timebase: &Timebase) -> Self {
        // Rounded up: never faster than it says.
        let byte_fs = 8_000_000_000_000_000u64.div_ceil(config.bits_per_second);
        let rate = Rate::new(byte_fs, timebase);
        let burst = { rate }.ticks(u64::from(config.burst_bytes)).min(WORK_ENDS);
        Self { rate, burst, paid: 0, used: 0 }
    }

    /// From when on a packet may be sent.
    pub fn opens(&self) -> Ticks {
        self.paid.saturating_sub(self.burst)
    }

    /// A packet is sent.
    pub fn sent(&mut self, bytes: u32, now: Ticks) {
        let time = self.rate.ticks(u64::from(bytes));
        self.paid = self.paid.max(now).saturating_add(time).min(WORK_ENDS);
        self.used += u128::from(time);
    }

    /// Share of what it lets through in so long a time that it has let through; a burst counts no more than that.
    pub fn used(&self, duration: Ticks) -> f64 {
        if duration == 0 { 0.0 } else { (self.used as f64 / duration as f64).min(1.0) }
    }

    /// Forget what was before.
    pub fn restart(&mut self) {
        self.used = 0;
    }
}
