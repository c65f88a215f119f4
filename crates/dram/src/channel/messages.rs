//! What goes into a channel and comes out of it.

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

/// What became of a request. The four parts of the latency add up to `complete - accept`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// When the controller took it.
    pub accept: Cycle,
    /// Last data beat: at the controller for a read, on the bus for a write. `None` for a write that never went to the
    /// DRAM: it stayed in the write queue, or another write to its address waited there and went for both.
    pub complete: Option<Cycle>,
    /// Waiting behind other requests.
    pub queue: Cycle,
    /// From the first command that prepared its row to the row being ready for it.
    pub bank: Cycle,
    /// From a row that was ready to the last beat: turns of the bus, column latency, transfer.
    pub bus: Cycle,
    /// Waiting for a refresh.
    pub refresh: Cycle,
}

/// A command on the bus, for those who keep a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issued {
    /// Clock.
    pub at: Cycle,
    /// Which.
    pub command: Command,
    /// Bank, over all ranks; of a refresh of a rank, its first.
    pub bank: u32,
    /// Row and column of the request that it is issued for; a refresh, and a precharge for one, is for none.
    pub request: Option<(u32, u32)>,
    /// Bytes, of a column command.
    pub bytes: u32,
}

/// Sees what a channel does; what it does not ask for costs nothing.
pub trait Observer {
    /// A request was accepted by a channel.
    #[inline]
    fn accepted(&mut self, _access: &Access, _channel: u32, _transaction: &Transaction) {}

    /// A command went out.
    #[inline]
    fn command(&mut self, _channel: u32, _issued: &Issued) {}

    /// Whether every command is wanted. Otherwise only refreshes are told, and those of long idle times are left out.
    #[inline]
    fn sees_commands(&self) -> bool {
        true
    }

    /// Whether it wants to hear of requests: those that were accepted, and what became of them.
    #[inline]
    fn sees_requests(&self) -> bool {
        true
    }

    /// It is known what becomes of the request with this mark.
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
