//! The interface of a kind of memory or unit. A new kind implements [`Kind`] for its numbers and [`Serves`] for
//! its state; the chip uses it through these traits alone ([`PlaceKind::Of`](crate::config::PlaceKind::Of)).
//!
//! It is first come, first served: the completion time of an access is known at its arrival. DRAM, and caches
//! in front of it, answer later; these kinds have variants of their own.

use super::facts::Facts;
use super::memory::share;
use crate::counts::PlaceCounts;
use linecard_program::script::Access;
use linecard_sim::{Ticks, Timebase};
use std::fmt::Debug;
use std::sync::Arc;

/// The numbers of a kind of memory or unit.
pub trait Kind: Debug + Send + Sync {
    /// Returns what does not fit, as text that follows the memory's name.
    fn wrong(&self) -> Option<String>;

    /// Returns an idle memory or unit.
    fn place(&self, timebase: &Timebase) -> Box<dyn Serves>;

    /// Returns its latency and peak rate, in closed form.
    fn facts(&self) -> Facts;

    /// Returns the same, twice as fast. A run with it shows whether this memory limits a chip.
    fn faster(&self) -> Arc<dyn Kind>;
}

/// The state of a memory or unit.
pub trait Serves: Send {
    /// Serves an access that arrives at `at`. Returns when its result is there.
    fn serve(&mut self, at: Ticks, kind: Access, address: u64, bytes: u32) -> Ticks;

    /// Sets that accesses are entered at issue, `lead` before they arrive; `lead` is the same for all.
    fn entered_ahead(&mut self, lead: Ticks);

    /// Discards the counts before `now`.
    fn restart(&mut self, now: Ticks);

    /// Returns the counts up to `now`.
    fn served(&self, now: Ticks) -> Served;
}

/// The counts of a memory or unit since the last restart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Busy time of each of its parts; empty if it serves any number of accesses at once.
    pub busy: Vec<Ticks>,
    /// Accesses.
    pub accesses: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time from arrival to result, total over accesses.
    pub residence: u128,
}

impl Served {
    /// Returns the same as fractions of the time from `since` to `now`.
    pub(crate) fn counts(&self, now: Ticks, since: Ticks) -> PlaceCounts {
        let shares: Vec<f64> =
            self.busy.iter().map(|&busy| share(busy as f64, (now - since) as f64)).collect();
        let mean = (!shares.is_empty()).then(|| share(shares.iter().sum(), shares.len() as f64));
        PlaceCounts {
            utilization: mean,
            utilization_most: mean.map(|_| shares.iter().copied().fold(0.0, f64::max)),
            accesses: self.accesses,
            bytes: self.bytes,
            time_mean: share(self.residence as f64, self.accesses as f64),
            ..PlaceCounts::default()
        }
    }
}
