//! Outstanding accesses: a table whose entries are reused, so that the run allocates nothing per access.

use linecard_program::PacketId;
use linecard_program::script::Access;
use linecard_sim::Ticks;
use std::ops::{Index, IndexMut};

/// Who is notified when an access completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Thread {
        thread: u32,
        posted: bool,
    },
    /// A port writes a packet to memory.
    Receive(PacketId),
    /// A port reads a packet from memory.
    Transmit(PacketId),
    /// The caches of an output queue move a block to or from memory.
    Wide {
        queue: u16,
        write: bool,
    },
    /// A cache fetches a line for the request of this number, or the access bypasses the cache.
    Fill(u32),
    /// A piece, within one line of a cache, of the request of this number.
    Piece(u32),
    Nobody,
}

/// Target of accesses of ports and caches, which cross no links.
pub(crate) const NO_TARGET: u32 = u32::MAX;

/// Marks the thread of an access that needs no request, and one that is posted. Numbers of requests and threads
/// are below.
const OF_THREAD: u32 = 1 << 30;
const POSTED: u32 = 1 << 29;

/// Returns the owner of an access of a thread that is in no table: the access crosses no link and begins ahead
/// of time, and its memory needs only to know whom to notify.
#[inline(always)]
pub(crate) fn of_thread(thread: u32, posted: bool) -> u32 {
    thread | OF_THREAD | if posted { POSTED } else { 0 }
}

/// Returns the thread of an owner and whether its access is posted, if the access has no request.
#[inline(always)]
pub(crate) fn thread_of(owner: u32) -> Option<(u32, bool)> {
    (owner & OF_THREAD != 0).then_some((owner & !(OF_THREAD | POSTED), owner & POSTED != 0))
}

/// No request.
pub(crate) const NO_REQUEST: u32 = u32::MAX;

/// An outstanding access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub owner: Owner,
    /// Number of a cluster's route to its memory; [`NO_TARGET`] for accesses of ports and caches.
    pub target: u32,
    /// Links crossed.
    pub hop: u8,
    pub kind: Access,
    pub bytes: u16,
    pub place: u16,
    /// Bytes that come from registers, as a separate transfer.
    pub registers: u8,
    /// A port issued it, or the access that it is a part of.
    pub by_port: bool,
    pub address: u64,
    /// Its pieces that DRAM or a cache has not completed.
    pub pieces: u32,
    pub done: Ticks,
    pub arrived: Ticks,
    /// The next request that waits for the same line of a cache.
    pub next: u32,
}

impl Request {
    pub fn new(owner: Owner, target: u32, kind: Access, bytes: u16, place: u16, address: u64) -> Self {
        Self {
            owner,
            target,
            hop: 0,
            kind,
            bytes,
            place,
            registers: 0,
            by_port: matches!(owner, Owner::Receive(_) | Owner::Transmit(_)),
            address,
            pieces: 0,
            done: 0,
            arrived: 0,
            next: NO_REQUEST,
        }
    }
}

/// Requests by number; numbers are reused.
#[derive(Default)]
pub(crate) struct Requests {
    slots: Vec<Request>,
    free: Vec<u32>,
}

impl Requests {
    /// Inserts a request. Returns its number.
    #[inline(always)]
    pub fn insert(&mut self, request: Request) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.slots[number as usize] = request;
                number
            }
            None => {
                self.slots.push(request);
                self.slots.len() as u32 - 1
            }
        }
    }

    #[inline(always)]
    pub fn remove(&mut self, number: u32) {
        self.free.push(number);
    }

    /// Returns the number of outstanding requests.
    pub fn count(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// A piece of a request completes at `done`. Returns the completion time of the request with its last
    /// piece.
    #[inline(always)]
    pub fn piece_done(&mut self, number: u32, done: Ticks) -> Option<Ticks> {
        let request = &mut self[number];
        request.done = request.done.max(done);
        request.pieces -= 1;
        (request.pieces == 0).then_some(request.done)
    }
}

impl Index<u32> for Requests {
    type Output = Request;
    #[inline(always)]
    fn index(&self, number: u32) -> &Request {
        &self.slots[number as usize]
    }
}

impl IndexMut<u32> for Requests {
    #[inline(always)]
    fn index_mut(&mut self, number: u32) -> &mut Request {
        &mut self.slots[number as usize]
    }
}
