//! The rules of a packet-buffer controller, as data.

/// How requests are queued, and which queue is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queues {
    /// One queue for the odd banks and one for the even ones, in alternation. A third queue for reads is always
    /// served first and does not change the alternation (REF_BASE, section 6.2). Alternation never waits: the
    /// cells of a packet are in one bank, so the other queue can stay empty for ever.
    OddEven,
    /// One queue for reads and one for writes, of equal priority (OUR_BASE, section 6.2).
    ReadWrite,
}

/// When a bank is precharged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precharge {
    /// As soon as its data have been moved, unless the controller observed, when it accepted the access, that
    /// the next access is to the same row (REF_BASE, section 6.2: "notices in time").
    Eager,
    /// When a pending access needs another row of it (OUR_BASE, section 4.4).
    Lazy,
}

/// What ends a batch besides its length (section 4.2, event 1: "the next element on the current queue would
/// definitely cause a row miss").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchBreak {
    /// The next request is to another row of the bank in use: no preparation can hide it (case 3 of section
    /// 4.4).
    SameBankMiss,
    /// The row of the next request is not open, in any bank.
    AnyMiss,
}

/// A controller's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Queues and turns.
    pub queues: Queues,
    /// Precharge.
    pub precharge: Precharge,
    /// Most consecutive requests from one queue while the other has any; 1 alternates. 0, with queues of reads
    /// and writes, means no batches: requests are served in the order of arrival (section 4.2 compares batching
    /// with that).
    pub batch: u32,
    /// What ends a batch early.
    pub batch_break: BatchBreak,
    /// Also activate the row of the pending access (section 4.4).
    pub prefetch: bool,
    /// Every access takes the time of a row hit (REF_IDEAL, IDEAL++).
    pub ideal: bool,
}
