//! The inputs and outputs of a channel.

use crate::access::Access;
use crate::{Command, Cycle};

/// A request as the front end hands it over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// The caller's mark.
    pub index: u64,
    /// Number of the access-sized block of the address space: requests of one block are to one address.
    pub block: u64,
    /// Bank, over all ranks.
    pub bank: u32,
    /// Row.
    pub row: u32,
    /// Access-sized column.
    pub column: u32,
    /// Bytes to move.
    pub bytes: u32,
    /// Write or read.
    pub write: bool,
}

/// The outcome of a request. The four parts of the latency add up to `complete - accept`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// When the controller accepted it.
    pub accept: Cycle,
    /// Last data beat: at the controller for a read, on the bus for a write. `None` for a write that was never
    /// sent to the DRAM: it stayed in the write queue, or another pending write to its address replaced both.
    pub complete: Option<Cycle>,
    /// Waiting behind other requests.
    pub queue: Cycle,
    /// From the first command for its row until the row is ready for it.
    pub bank: Cycle,
    /// From the ready row to the last beat: bus turnaround, column latency, transfer.
    pub bus: Cycle,
    /// Waiting for a refresh.
    pub refresh: Cycle,
}

/// A command on the bus, for logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issued {
    /// Clock.
    pub at: Cycle,
    /// The command.
    pub command: Command,
    /// Bank, over all ranks; for a refresh of a rank, its first.
    pub bank: u32,
    /// Row and column of the request that it is issued for; `None` for a refresh and its precharges.
    pub request: Option<(u32, u32)>,
    /// Bytes of a column command.
    pub bytes: u32,
}

/// Observes a channel; events that it does not request cost nothing.
pub trait Observer {
    /// A request was accepted by a channel.
    #[inline]
    fn accepted(&mut self, _access: &Access, _channel: u32, _transaction: &Transaction) {}

    /// A command was issued.
    #[inline]
    fn command(&mut self, _channel: u32, _issued: &Issued) {}

    /// Returns whether it observes every command. Otherwise only refreshes are reported, except those of long
    /// idle times.
    #[inline]
    fn sees_commands(&self) -> bool {
        true
    }

    /// Returns whether it observes requests: their acceptance and their outcome.
    #[inline]
    fn sees_requests(&self) -> bool {
        true
    }

    /// The outcome of the request with this mark is known.
    #[inline]
    fn outcome(&mut self, _index: u64, _outcome: &Outcome) {}
}

impl Observer for crate::packet_buffer::Silent {
    #[inline]
    fn sees_commands(&self) -> bool {
        false
    }

    #[inline]
    fn sees_requests(&self) -> bool {
        false
    }
}
