//! A wire: how long frames take on it, and for how long it was busy.

use crate::rate::{Rate, WORK_ENDS};
use linecard_sim::{Ticks, Timebase};

/// A wire: one frame after another.
#[derive(Debug)]
pub(crate) struct Wire {
    rate: Rate,
    overhead_bytes: u32,
    pub free: Ticks,
    /// It goes round only where the clock has ended.
    busy: u64,
}

impl Wire {
    /// A wire of this rate, on which a frame takes so many bytes beside its own.
    pub fn new(bits_per_second: u64, overhead_bytes: u32, timebase: &Timebase) -> Self {
        // No rate stands for a wire that is never busy.
        let byte_fs = 8_000_000_000_000_000u64.checked_div(bits_per_second).unwrap_or(0);
        Self { rate: Rate::new(byte_fs, timebase), overhead_bytes, free: 0, busy: 0 }
    }

    /// What the bytes of a frame take on the wire, without what stands around them.
    pub fn pass(&self, bytes: u32) -> Ticks {
        let mut rate = self.rate;
        rate.ticks(u64::from(bytes))
    }

    /// Puts a frame, gap included, on the wire at `at` or when it is free; returns when it ends.
    #[inline]
    pub fn send(&mut self, at: Ticks, bytes: u32) -> Ticks {
        self.send_part(at, bytes, true)
    }

    /// Puts part of a frame on the wire; what a frame takes beside its bytes comes with the first.
    #[inline]
    pub fn send_part(&mut self, at: Ticks, bytes: u32, first: bool) -> Ticks {
        let overhead = if first { self.overhead_bytes } else { 0 };
        let time = self.rate.ticks(u64::from(bytes) + u64::from(overhead));
        self.busy = self.busy.wrapping_add(time);
        self.free = (self.free.max(at) + time).min(WORK_ENDS);
        self.free
    }

    /// Work that lies beyond `now`. What waits for a slot to be handed over begins later, so that it may be less than the
    /// time until the wire is free.
    fn ahead(&self, now: Ticks) -> u64 {
        self.free.saturating_sub(now).min(self.busy)
    }

    /// Time for which the wire was busy since the last restart.
    pub fn busy(&self, now: Ticks) -> u64 {
        self.busy.wrapping_sub(self.ahead(now))
    }

    /// Forget what was before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.busy = self.ahead(now);
    }
}
