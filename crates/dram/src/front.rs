//! The front end of a memory: the request that it holds, and its progress.

use crate::Cycle;
use crate::access::Access;
use crate::channel::Transaction;
use crate::fields::Place;

/// Steps between two calls of the watch.
pub(crate) const STEPS_PER_LOOK: u64 = 1 << 16;

/// Clocks without a request after which refreshes are no longer simulated one by one.
pub(crate) const LONG_IDLE: Cycle = 1 << 20;

/// The progress of the front end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Requests accepted.
    pub requests: u64,
    /// The clock after the one in which the last of them was handed over.
    pub last: Cycle,
}

/// The front end before it handles a request in clock `now`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Front {
    pub held: Option<Held>,
    pub now: Cycle,
    pub accepted: Accepted,
}

/// The request at the front end, and its destination.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub access: Access,
    pub place: Place,
}

impl Held {
    /// Returns the transaction of the request for its channel, with the stated number.
    #[inline]
    pub fn transaction(&self, index: u64, access_shift: u32) -> Transaction {
        let Held { access, place } = *self;
        Transaction {
            index,
            block: access.address >> access_shift,
            bank: place.bank,
            row: place.row,
            column: place.column,
            bytes: access.bytes,
            write: access.write,
        }
    }
}
