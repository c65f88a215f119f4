//! The rules of a controller, as data.

use crate::Cycle;

/// The order in which requests are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// One command queue of one entry for all banks: strict order of arrival without overlap.
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

/// Which banks are refreshed, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshMode {
    /// Never.
    None,
    /// All banks of a rank at once, every `interval`; ranks in turn.
    AllBank {
        /// tREFI.
        interval: Cycle,
    },
    /// One bank after another, each bank once per `interval`.
    PerBank {
        /// tREFI.
        interval: Cycle,
    },
}

/// How writes are queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// With the reads, in one transaction queue.
    Unified,
    /// In a separate queue that is drained at times; otherwise reads come first.
    Split {
        /// Number of writes that starts a drain.
        high: u32,
        /// Number of writes at which the drain ends.
        low: u32,
        /// If all command queues are empty, more writes than this start a drain of all of them. Writes that
        /// remain at the end of a run are never sent.
        idle: u32,
    },
}

/// A limit of the accesses to a row that pass an older request for another row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowHitCap {
    /// Column commands after which the row may be closed for an older request.
    pub accesses: u32,
    /// Whether row hits beyond the limit wait until the older request is served. Otherwise the precharge competes
    /// with them, and each read delays it by another tRTP.
    pub strict: bool,
}

/// A controller's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Order of requests.
    pub scheduler: Scheduler,
    /// When rows are closed.
    pub page: Page,
    /// When a row is closed although queued requests hit it; `None` for never.
    pub row_hit_cap: Option<RowHitCap>,
    /// Requests in a command queue; 1 to 16, and 1 with [`Scheduler::Fcfs`].
    pub command_queue: u32,
    /// Requests in a transaction queue; in each of the two if writes have a separate one.
    pub transaction_queue: u32,
    /// How writes are queued.
    pub writes: Writes,
    /// Which banks are refreshed, and when.
    pub refresh: RefreshMode,
    /// A row command and a column command may issue in one clock (HBM).
    pub dual_issue: bool,
}
