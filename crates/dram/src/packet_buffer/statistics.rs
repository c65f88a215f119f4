//! The counters of a packet-buffer controller.

use crate::{Cycle, Location};

/// Counters since the last restart.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Cycles in which the bus moved data, for reads and for writes.
    pub data_cycles: [Cycle; 2],
    /// Bytes moved, for reads and for writes.
    pub bytes: [u64; 2],
    /// Accesses, reads and writes.
    pub accesses: [u64; 2],
    /// Rows opened.
    pub activates: u64,
    /// Rows closed.
    pub precharges: u64,
    /// Bus cycles in which an access waited for its row or column.
    pub row_wait_cycles: Cycle,
    /// Bus cycles lost to bus turnaround.
    pub turnaround_cycles: Cycle,
    /// Bus cycles without a request.
    pub idle_cycles: Cycle,
    /// Data cycles by bank.
    pub bank_data_cycles: Vec<Cycle>,
    /// Batches begun, of reads and of writes: `bytes / batches` is the observed batch.
    pub batches: [u64; 2],
    /// Distinct rows in windows of 16 references, for reads and for writes (Hasan 2003, Table 5).
    pub windows: [RowWindow; 2],
}

impl Statistics {
    /// Returns the counters of a device with `banks` banks, all zero.
    pub(super) fn of_banks(banks: usize) -> Self {
        Self { bank_data_cycles: vec![0; banks], ..Self::default() }
    }

    /// Returns the period to which the bus cycles belong, for a measurement of `cycles` cycles. An access counts
    /// whole in the measurement in which it begins, so a busy bus has more cycles than the measurement.
    pub fn period(&self, cycles: Cycle) -> Cycle {
        let [read, write] = self.data_cycles;
        cycles.max(read + write + self.row_wait_cycles + self.turnaround_cycles)
    }

    /// Returns the fraction of the accesses for which no row had to be opened; 0 without accesses.
    pub fn row_hit_rate(&self) -> f64 {
        let accesses = self.accesses[0] + self.accesses[1];
        if accesses == 0 { 0.0 } else { 1.0 - self.activates.min(accesses) as f64 / accesses as f64 }
    }

    /// Returns the mean number of rows in a window of 16 references; 0 without windows.
    pub fn rows_touched(&self, write: bool) -> f64 {
        let w = &self.windows[usize::from(write)];
        if w.windows == 0 { 0.0 } else { w.rows as f64 / w.windows as f64 }
    }
}

const WINDOW: usize = 16;

/// One window in this number is counted: the mean is the same, and most references cost nothing.
const SAMPLED: usize = 8;

/// Counts the distinct rows in windows of 16 references, one window of every 8.
#[derive(Clone, Debug, Default)]
pub struct RowWindow {
    seen: [(u32, u32); WINDOW],
    distinct: usize,
    references: usize,
    /// Windows counted.
    pub windows: u64,
    /// Distinct rows, total over them.
    pub rows: u64,
}

impl RowWindow {
    #[inline]
    pub(super) fn reference(&mut self, location: Location) {
        self.references += 1;
        if self.references > WINDOW {
            self.references %= WINDOW * SAMPLED;
            return;
        }
        let row = (location.bank, location.row);
        if !self.seen[..self.distinct].contains(&row) {
            self.seen[self.distinct] = row;
            self.distinct += 1;
        }
        if self.references == WINDOW {
            self.windows += 1;
            self.rows += self.distinct as u64;
            self.distinct = 0;
        }
    }
}
