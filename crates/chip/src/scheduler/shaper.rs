//! A token bucket in integer time. Sent bytes are paid off at the bucket's rate. A bucket of `burst` bytes is
//! in debt while paying off the rest takes longer than a burst would. The packet that causes the debt is sent
//! whole, so that in any interval of length `t` at most `burst + rate * t` bytes and one packet are sent.

use super::config::ShaperConfig;
use crate::rate::{Rate, WORK_ENDS};
use linecard_sim::{Ticks, Timebase};

#[derive(Debug)]
pub(super) struct Shaper {
    rate: Rate,
    /// Time in which the bucket fills.
    burst: Ticks,
    /// When all sent bytes are paid off.
    paid: Ticks,
    /// Time that the bytes sent since the last restart take at the bucket's rate.
    used: u128,
}

impl Shaper {
    pub fn new(config: &ShaperConfig, timebase: &Timebase) -> Self {
        // Rounded up: the bucket never exceeds its rate.
        let byte_fs = 8_000_000_000_000_000u64.div_ceil(config.bits_per_second);
        let rate = Rate::new(byte_fs, timebase);
        let burst = { rate }.ticks(u64::from(config.burst_bytes)).min(WORK_ENDS);
        Self { rate, burst, paid: 0, used: 0 }
    }

    /// Returns from when on a packet may be sent.
    pub fn opens(&self) -> Ticks {
        self.paid.saturating_sub(self.burst)
    }

    /// Records that a packet is sent.
    pub fn sent(&mut self, bytes: u32, now: Ticks) {
        let time = self.rate.ticks(u64::from(bytes));
        self.paid = self.paid.max(now).saturating_add(time).min(WORK_ENDS);
        self.used += u128::from(time);
    }

    /// Returns the bytes sent as a fraction of what the rate permits in `duration`; a burst counts no more than
    /// that.
    pub fn used(&self, duration: Ticks) -> f64 {
        if duration == 0 { 0.0 } else { (self.used as f64 / duration as f64).min(1.0) }
    }

    /// Discards the counts so far.
    pub fn restart(&mut self) {
        self.used = 0;
    }
}
