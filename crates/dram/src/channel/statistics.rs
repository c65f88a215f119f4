//! What a channel counts.

use crate::Cycle;
use linecard_sim::Histogram;

/// Bus cycles in which no data moved, by what kept the next data away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// A row had to be opened.
    pub row_miss: Cycle,
    /// Another row had to be closed first.
    pub bank_conflict: Cycle,
    /// The bus changed its direction.
    pub turnaround: Cycle,
    /// Activates were too close together (tRRD, tFAW).
    pub activate_window: Cycle,
    /// Refresh.
    pub refresh: Cycle,
    /// Row open and direction kept: spacing of columns in a bank group, a full queue, one command a clock.
    pub spacing: Cycle,
    /// No request.
    pub idle: Cycle,
}

/// One bank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BankStatistics {
    /// Reads sent.
    pub reads: u64,
    /// Writes sent.
    pub writes: u64,
    /// Rows opened.
    pub activates: u64,
    /// Rows closed by a command of their own.
    pub precharges: u64,
    /// Refreshes of this bank alone.
    pub refreshes: u64,
    /// Rows closed although requests to other rows had not asked: for a refresh.
    pub closed_for_refresh: u64,
    /// Cycles of data.
    pub data_cycles: Cycle,
}

/// Counters of a channel.
#[derive(Clone, Debug, Default)]
pub struct ChannelStatistics {
    /// Accepted reads and writes.
    pub accepted: [u64; 2],
    /// Reads and writes sent to the DRAM.
    pub sent: [u64; 2],
    /// Bytes of them.
    pub bytes: [u64; 2],
    /// Cycles of data.
    pub data_cycles: [Cycle; 2],
    /// Column commands with auto-precharge, reads and writes.
    pub auto_precharges: [u64; 2],
    /// Reads answered from a waiting write.
    pub forwarded: u64,
    /// Reads that shared the data of an earlier read to the same address.
    pub merged_reads: u64,
    /// Writes to an address for which a write waited already.
    pub merged_writes: u64,
    /// Refreshes of a whole rank.
    pub refreshes: u64,
    /// Cycles in which data did not move.
    pub lost: Lost,
    /// End of the last data.
    pub end: Cycle,
    /// End of the last data of reads and of writes.
    pub end_of: [Cycle; 2],
    /// Latency from acceptance to completion, reads and writes that were sent.
    pub latency: [Histogram; 2],
    /// Parts of the latency of reads and of writes, summed: queue, bank, bus, refresh.
    pub parts: [[u64; 4]; 2],
    /// Cycles with a row open, summed over the ranks.
    pub open_cycles: Cycle,
    /// Most commands issued to one row before it was closed.
    pub banks: Vec<BankStatistics>,
}

impl ChannelStatistics {
    /// Rows opened.
    pub fn activates(&self) -> u64 {
        self.banks.iter().map(|b| b.activates).sum()
    }

    /// Rows closed by a command of their own.
    pub fn precharges(&self) -> u64 {
        self.banks.iter().map(|b| b.precharges).sum()
    }
}
