//! The interface between the chip and a kind of memory ([`Numbers`]) or a memory at work ([`Memory`]). A kind
//! implements the functions that apply to it; the rest have defaults.

use super::facts::Facts;
use crate::counts::PlaceCounts;
use crate::request::{NO_REQUEST, Requests};
use enum_dispatch::enum_dispatch;
use linecard_program::PacketHead;
use linecard_program::script::Access;
use linecard_queueing::Operation;
use linecard_sim::Ticks;

/// An access that a memory accepts and answers later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Submitted {
    /// Its number in the table of requests, or its thread.
    pub request: u32,
    pub address: u64,
    pub bytes: u32,
    /// Bytes that come from registers, as a separate transfer.
    pub registers: u32,
    pub write: bool,
}

/// Consecutive cells of a packet that a memory reads as one request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
    /// Number of their common request in the table of requests, or their thread.
    pub request: u32,
    /// Address of the first.
    pub address: u64,
    pub count: u16,
    /// Bytes of the last; the others are whole.
    pub last_bytes: u32,
}

/// Banks of a memory whose packets begin in a bank drawn at random.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BankLayout {
    pub banks: u32,
    /// Distance in bytes from the start of a bank to the start of the next.
    pub step_bytes: u64,
}

/// An access that passes a memory with another memory behind it, such as a cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage {
    /// When its lookup ends.
    pub at: Ticks,
    pub line_bytes: u32,
    /// Number of the memory behind.
    pub behind: u16,
}

/// The result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The line is in the cache from a time on.
    Hit {
        /// That time; mostly in the past.
        there: Ticks,
    },
    /// The line is being fetched.
    Coming,
    /// A miss; the line is fetched. The evicted line is written back if it is dirty.
    Miss {
        /// Address of the line to write back.
        evicted: Option<u64>,
    },
    /// A miss while every line of the set is being fetched: the access bypasses the cache.
    Past,
}

/// The numbers of a kind of memory.
pub trait Numbers {
    /// Returns its unloaded latency and peak rate, in closed form.
    fn facts(&self) -> Facts;

    /// Makes it twice as fast, or doubles its parallel parts. A run with it shows whether it limits a chip.
    fn faster(&mut self);

    /// Returns what does not fit, as text that follows the name.
    fn wrong(&self) -> Option<String> {
        None
    }

    /// Returns whether it knows the completion time of an access at its arrival.
    fn answers_at_once(&self) -> bool {
        false
    }

    /// Returns whether it serves any number of accesses at once, so that their order does not matter.
    fn serves_all(&self) -> bool {
        false
    }

    /// Returns its clock frequencies.
    fn clocks_hz(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Returns the number of the memory behind it.
    fn behind(&self) -> Option<usize> {
        None
    }
}

/// A memory at work.
#[enum_dispatch]
pub(crate) trait Memory {
    /// Serves an access that arrives at `at`. Returns when its result is there, if that is known. Otherwise it
    /// changes nothing, and the caller must submit the access.
    #[inline(always)]
    fn serve(&mut self, at: Ticks, kind: Access, address: u64, bytes: u32) -> Option<Ticks> {
        let _ = (at, kind, address, bytes);
        None
    }

    /// Accepts an access that arrives at `now` and is answered later. Calls `wake` with each channel that then
    /// has something to do, and when. Returns the number of pieces of the access.
    #[inline(always)]
    fn submit(&mut self, access: &Submitted, now: Ticks, wake: impl FnMut(usize, Ticks)) -> u32 {
        let _ = (access, now, wake);
        0
    }

    /// As `submit`, for cells that the memory reads as one request.
    fn submit_cells(&mut self, cells: &Cells, now: Ticks, wake: impl FnMut(usize, Ticks)) -> u32 {
        let _ = (cells, now, wake);
        0
    }

    /// Returns whether it reads consecutive cells as one request.
    #[inline(always)]
    fn reads_cells_together(&self) -> bool {
        false
    }

    /// Returns when it accepts an access that arrives in an instant in which a channel has already acted, if
    /// not immediately.
    fn behind_wake(&self, now: Ticks) -> Option<Ticks> {
        let _ = now;
        None
    }

    /// Returns the number of channels, each with a wake-up of its own.
    fn channels(&self) -> usize {
        0
    }

    /// Simulates a channel at `now`. Appends requests (or threads) whose access is complete to `ended`, each with the
    /// time of its result. Returns when the channel next has something to do.
    #[inline(always)]
    fn wake(
        &mut self,
        channel: usize,
        now: Ticks,
        requests: &mut Requests,
        ended: &mut Vec<(u32, Ticks)>,
    ) -> Option<Ticks> {
        let _ = (channel, now, requests, ended);
        None
    }

    /// Lets it begin accesses ahead of time, if it can: the chip has no other channel, and only threads use
    /// this one. Returns whether it does; accesses may then be submitted by thread
    /// ([`crate::request::of_thread`]).
    fn begin_ahead(&mut self) -> bool {
        false
    }

    /// Sets that accesses are entered at issue, `lead` before they arrive.
    fn entered_ahead(&mut self, lead: Ticks) {
        let _ = lead;
    }

    /// Discards the counts before `now`.
    fn restart(&mut self, now: Ticks);

    /// Returns the counts from `since` to `now`, without names.
    fn counts(&self, now: Ticks, since: Ticks) -> PlaceCounts;

    /// Returns whether it accepts one more access without a stall of the engine.
    fn takes_more(&self) -> bool {
        true
    }

    /// A thread of a stalled engine waits until the memory accepts its access.
    fn stall(&mut self, thread: u32) {
        let _ = thread;
    }

    /// Returns the waiting thread whose access is accepted next, if there is room now.
    fn take_stalled(&mut self) -> Option<u32> {
        None
    }

    /// Returns its banks, if packets may begin in a bank drawn at random.
    fn bank_layout(&self) -> Option<BankLayout> {
        None
    }

    /// Returns whether it holds the result of a packet's flow, so that the program need not look it up.
    fn recall(&mut self, head: &PacketHead) -> bool {
        let _ = head;
        false
    }

    /// Passes an access that arrives at `at` through its lookup, if another memory is behind it.
    #[inline(always)]
    fn pass(&mut self, at: Ticks, kind: Access, bytes: u32) -> Option<Passage> {
        let _ = (at, kind, bytes);
        None
    }

    /// Looks an address up for a request at `now`, which a port may have issued.
    fn look_up(&mut self, address: u64, write: bool, by_port: bool, request: u32, now: Ticks) -> Found {
        let _ = (address, write, by_port, request, now);
        Found::Past
    }

    /// Puts a request at the head of the requests that wait for the line of `address`. Returns the previous head.
    fn wait_for(&mut self, address: u64, request: u32) -> u32 {
        let _ = (address, request);
        NO_REQUEST
    }

    /// The line of `address` that the miss of a request fetches arrives at `there`. Returns the first request
    /// that waits for it. No request waits for an access that bypassed the cache.
    fn arrived(&mut self, address: u64, miss: u32, there: Ticks) -> u32 {
        let _ = (address, miss, there);
        NO_REQUEST
    }

    /// Counts the time from the arrival of an access that passed it to its result.
    fn resided(&mut self, time: Ticks) {
        let _ = time;
    }

    /// Begins an operation on lists for an idle thread at `now`, which is not after [`Memory::next_operation`].
    /// Returns whether it manages lists.
    fn operate(&mut self, now: Ticks, thread: u32, operation: Operation) -> bool {
        let _ = (now, thread, operation);
        false
    }

    /// Returns when the operations on its lists next continue.
    #[inline(always)]
    fn next_operation(&self) -> Option<Ticks> {
        None
    }

    /// Continues the operations on its lists up to `now`, or until one completes. Returns the thread of that
    /// one.
    ///
    /// # Errors
    ///
    /// Returns a sentence if a list does not hold what the operations put into it: an error of the manager,
    /// never of its input.
    fn take_complete(&mut self, now: Ticks) -> Result<Option<u32>, String> {
        let _ = now;
        Ok(None)
    }
}

/// Returns a part of a time as a fraction.
pub(crate) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
