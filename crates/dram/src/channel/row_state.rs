//! The row of a bank and its history.

use crate::Cycle;

/// The row of a bank, and the history that statistics and the row-hit cap need.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowState {
    /// The open row.
    pub open: Option<u32>,
    pub rank: u32,
    /// Column commands since the row was opened.
    pub served: u32,
    /// When the first command that prepared it was issued.
    pub prepared_from: Option<Cycle>,
    /// It replaced another row.
    pub conflict: bool,
    /// Its activate waited for other activates of the rank.
    pub windowed: bool,
    /// Refresh of the bank: from when it was due to its last end, and the cycles of all refreshes.
    pub refresh_from: Cycle,
    pub refresh_until: Cycle,
    pub refreshing: bool,
    pub refreshed: Cycle,
}

impl RowState {
    /// Returns the cycles lost to refresh up to `now`.
    #[inline(always)]
    pub fn refreshed_until(&self, now: Cycle) -> Cycle {
        match self.refreshing {
            true => self.refreshed + (now - self.refresh_from),
            false => self.refreshed - self.refresh_until.saturating_sub(now),
        }
    }

    /// Returns the cycles of the last refresh between two points in time.
    #[inline(always)]
    pub fn refresh_between(&self, from: Cycle, until: Cycle) -> Cycle {
        let end = if self.refreshing { until } else { self.refresh_until.min(until) };
        end.saturating_sub(self.refresh_from.max(from))
    }
}
