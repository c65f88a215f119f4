//! What a kind of place says of itself. Whoever writes one implements [`Kind`] for its numbers and [`Serves`] for its state:
//! the chip knows it by these alone ([`PlaceKind::Of`](crate::config::PlaceKind::Of)).
//!
//! It is first come, first served: when an access is done is known when it arrives. DRAM, and what waits for it, answers
//! later and is known to the chip by name.

use super::facts::Facts;
use super::memory::share;
use crate::counts::PlaceCounts;
use linecard_program::script::Access;
use linecard_sim::{Ticks, Timebase};
use std::fmt::Debug;
use std::sync::Arc;

/// The numbers of a kind of place.
pub trait Kind: Debug + Send + Sync {
    /// What does not fit, in words that follow the place's name.
    fn wrong(&self) -> Option<String>;

    /// An idle place.
    fn place(&self, timebase: &Timebase) -> Box<dyn Serves>;

    /// What it takes and serves, in closed form.
    fn facts(&self) -> Facts;

    /// The same, twice as fast: a run with it tells whether this place is what limits a chip.
    fn faster(&self) -> Arc<dyn Kind>;
}

/// A place at work.
pub trait Serves: Send {
    /// An access that arrives at `at`; returns when its result is there.
    fn serve(&mut self, at: Ticks, kind: Access, address: u64, bytes: u32) -> Ticks;

    /// Accesses are entered when they are issued, `lead` before they arrive, the same for all.
    fn entered_ahead(&mut self, lead: Ticks);

    /// Forget what was counted before `now`.
    fn restart(&mut self, now: Ticks);

    /// What was counted up to `now`.
    fn served(&self, now: Ticks) -> Served;
}

/// What a place has done since it was last told to forget.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// For how long each of its parts was busy; of none where as many accesses as come are served.
    pub busy: Vec<Ticks>,
    /// Accesses.
    pub accesses: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time from arrival to result, summed over accesses.
    pub residence: u128,
}

impl Served {
    /// The same as shares of the time from `since` to `now`.
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
