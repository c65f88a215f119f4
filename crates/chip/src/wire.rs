//! A wire: the time of frames on it, and its busy time.

use crate::rate::{Rate, WORK_ENDS};
use linecard_sim::{Ticks, Timebase};

/// A wire that carries one frame after another.
#[derive(Debug)]
pub(crate) struct Wire {
    rate: Rate,
    overhead_bytes: u32,
    pub free: Ticks,
    /// Wraps around only when the clock has ended.
    busy: u64,
}

impl Wire {
    /// Returns a wire of this rate, on which each frame takes `overhead_bytes` bytes beside its own.
    pub fn new(bits_per_second: u64, overhead_bytes: u32, timebase: &Timebase) -> Self {
        // A rate of 0 is a wire that is never busy.
        let byte_fs = 8_000_000_000_000_000u64.checked_div(bits_per_second).unwrap_or(0);
        Self { rate: Rate::new(byte_fs, timebase), overhead_bytes, free: 0, busy: 0 }
    }

    /// Returns the time of a frame's bytes on the wire, without overhead.
    pub fn pass(&self, bytes: u32) -> Ticks {
        let mut rate = self.rate;
        rate.ticks(u64::from(bytes))
    }

    /// Puts a frame, gap included, on the wire at `at` or when the wire is free. Returns when it ends.
    #[inline]
    pub fn send(&mut self, at: Ticks, bytes: u32) -> Ticks {
        self.send_part(at, bytes, true)
    }

    /// Puts part of a frame on the wire; the overhead is with the first part.
    #[inline]
    pub fn send_part(&mut self, at: Ticks, bytes: u32, first: bool) -> Ticks {
        let overhead = if first { self.overhead_bytes } else { 0 };
        let time = self.rate.ticks(u64::from(bytes) + u64::from(overhead));
        self.busy = self.busy.wrapping_add(time);
        self.free = (self.free.max(at) + time).min(WORK_ENDS);
        self.free
    }

    /// Returns the work that is after `now`. A cell that waits for the handshake of a slot begins later, so
    /// this can be less than the time until the wire is free.
    fn ahead(&self, now: Ticks) -> u64 {
        self.free.saturating_sub(now).min(self.busy)
    }

    /// Returns the busy time since the last restart.
    pub fn busy(&self, now: Ticks) -> u64 {
        self.busy.wrapping_sub(self.ahead(now))
    }

    /// Discards the counts before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.busy = self.ahead(now);
    }
}
