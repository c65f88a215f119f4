//! A bank's row and its history.

use crate::Cycle;

/// A bank: its row and the row's history, as far as statistics and the cap need it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowState {
    /// The open row.
    pub open: Option<u32>,
    pub rank: u32,
    /// Column commands since the row was opened.
    pub served: u32,
    /// When the first command that prepared it went out.
    pub prepared_from: Option<Cycle>,
    /// It took the place of another row.
    pub conflict: bool,
    /// Its activate waited for others of the rank.
    pub windowed: bool,
    /// Refresh of the bank: from falling due to the end of the last one, and the cycles of all of them.
    pub refresh_from: Cycle,
    pub refresh_until: Cycle,
    pub refreshing: bool,
    pub refreshed: Cycle,
}

impl RowState {
    /// Cycles lost to refresh up to `now`.
    pub fn refreshed_until(&self, now: Cycle) -> Cycle {
        match self.refreshing {
            true => self.refreshed + (now - self.refresh_from),
            false => self.refreshed - self.refresh_until.saturating_sub(now),
        }
    }

    /// Cycles of the last refresh between two points in time.
    pub fn refresh_between(&self, from: Cycle, until: Cycle) -> Cycle {
        let end = if self.refreshing { until } else { self.refresh_until.min(until) };
        end.saturating_sub(self.refresh_from.max(from))
    }
}
