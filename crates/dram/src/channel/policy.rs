//! What a controller does, as data.

use crate::Cycle;

/// In which order requests are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// One command queue of one entry for all banks: strict order of arrival, nothing overlaps.
    Fcfs,
    /// A command queue for each bank; within a queue, the oldest request whose next command is legal goes first
    /// (Rixner et al., ISCA 2000).
    FrFcfs,
}

/// When a row is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// When a request to another row of the bank is the oldest, or a refresh is due.
    Open,
    /// With every access (auto-precharge).
    Closed,
    /// With an access that leaves requests to other rows of its bank in the queue, and none to its own.
    Adaptive,
}

/// Which banks are refreshed when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshMode {
    /// Never.
    None,
    /// All banks of a rank at once, every `interval`; ranks in turn.
    AllBank {
        /// tREFI.
        interval: Cycle,
    },
    /// One bank after another, each every `interval`.
    PerBank {
        /// tREFI.
        interval: Cycle,
    },
}

/// How writes wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// With the reads, in one transaction queue.
    Unified,
    /// In a queue of their own that is drained at times; reads go first otherwise.
    Split {
        /// So many writes start a drain…
        high: u32,
        /// …that leaves so many.
        low: u32,
        /// When all command queues are empty, more than so many writes start a drain of all of them. Those that
        /// remain at the end of a run are never sent.
        idle: u32,
    },
}

/// A controller's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Order.
    pub scheduler: Scheduler,
    /// Rows.
    pub page: Page,
    /// A row that has served so many column commands may be closed although queued requests hit it; `None` for no cap.
    pub row_hit_cap: Option<u32>,
    /// Requests in a command queue; 1 to 16. One with [`Scheduler::Fcfs`].
    pub command_queue: u32,
    /// Requests in a transaction queue, each of them if reads and writes are apart.
    pub transaction_queue: u32,
    /// Writes.
    pub writes: Writes,
    /// Refresh.
    pub refresh: RefreshMode,
    /// A row command and a column command may issue in one clock (HBM).
    pub dual_issue: bool,
}
