//! The counters of a channel.

use crate::Cycle;
use linecard_sim::Histogram;

/// Bus cycles in which no data moved, by the cause of the delay of the next data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// A row had to be opened.
    pub row_miss: Cycle,
    /// Waiting for a precharge of another row.
    pub bank_conflict: Cycle,
    /// Bus turnaround between reads and writes.
    pub turnaround: Cycle,
    /// Activates were too close together (tRRD, tFAW).
    pub activate_window: Cycle,
    /// Refresh.
    pub refresh: Cycle,
    /// Row open and direction kept: spacing of columns in a bank group, a full queue, one command per clock.
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
    /// Rows closed by a precharge command.
    pub precharges: u64,
    /// Refreshes of this bank alone.
    pub refreshes: u64,
    /// Rows closed for a refresh and not for a request to another row.
    pub closed_for_refresh: u64,
    /// Cycles of data.
    pub data_cycles: Cycle,
}

/// Counters of a channel.
#[derive(Clone, Debug, Default)]
pub struct ChannelStatistics {
    /// Accepted reads and writes.
    pub accepted: [u64; 2],
    /// Bytes read and written.
    pub bytes: [u64; 2],
    /// Cycles of data.
    pub data_cycles: [Cycle; 2],
    /// Column commands with auto-precharge, reads and writes.
    pub auto_precharges: [u64; 2],
    /// Reads served from a pending write.
    pub forwarded: u64,
    /// Reads that shared the data of an earlier read to the same address.
    pub merged_reads: u64,
    /// Writes to the address of a pending write.
    pub merged_writes: u64,
    /// Refreshes of a whole rank.
    pub refreshes: u64,
    /// Cycles in which no data moved.
    pub lost: Lost,
    /// End of the last data of reads and of writes.
    pub end_of: [Cycle; 2],
    /// Latency from acceptance to completion, reads and writes that were sent.
    pub latency: [Histogram; 2],
    /// Parts of the latency of reads and of writes, summed: bank, bus, refresh. The rest is the queue.
    pub parts: [[u64; 3]; 2],
    /// Cycles with an open row, total over the ranks.
    pub open_cycles: Cycle,
    /// Most commands issued to one row before it was closed.
    pub banks: Vec<BankStatistics>,
}

impl ChannelStatistics {
    /// Returns the reads and writes sent to the DRAM.
    pub fn sent(&self) -> [u64; 2] {
        self.banks.iter().fold([0; 2], |[reads, writes], b| [reads + b.reads, writes + b.writes])
    }

    /// Returns the end of the last data.
    pub fn end(&self) -> Cycle {
        self.end_of[0].max(self.end_of[1])
    }

    /// Returns the parts of the latency of reads or of writes, summed: queue, bank, bus, refresh.
    pub fn latency_parts(&self, side: usize) -> [u64; 4] {
        let [bank, bus, refresh] = self.parts[side];
        [self.latency[side].sum() as u64 - bank - bus - refresh, bank, bus, refresh]
    }

    /// Returns the rows opened.
    pub fn activates(&self) -> u64 {
        self.banks.iter().map(|b| b.activates).sum()
    }

    /// Returns the rows closed by a precharge command.
    pub fn precharges(&self) -> u64 {
        self.banks.iter().map(|b| b.precharges).sum()
    }
}
