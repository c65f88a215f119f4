//! What the chip asks of a kind of memory ([`Numbers`]) and of a memory at work ([`Memory`]). A kind implements what it can
//! answer and leaves the rest.

use super::facts::Facts;
use crate::counts::PlaceCounts;
use crate::request::Requests;
use enum_dispatch::enum_dispatch;
use linecard_program::PacketHead;
use linecard_program::script::Access;
use linecard_queueing::Service;
use linecard_sim::Ticks;

/// An access that a memory takes and answers later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Submitted {
    /// Its number among the requests.
    pub request: u32,
    pub address: u64,
    pub bytes: u32,
    /// Bytes that come from registers, as a transfer of their own.
    pub registers: u32,
    pub write: bool,
}

/// Cells of a packet that follow each other in a memory and are read as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
    /// Number among the requests of their common one.
    pub request: u32,
    /// Of the first.
    pub address: u64,
    pub count: u16,
    /// Bytes of the last; the others are whole.
    pub last_bytes: u32,
}

/// Banks of a memory whose packets begin in banks drawn at random.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BankLayout {
    pub banks: u32,
    /// Bytes from the first of a bank to the first of the next.
    pub step_bytes: u64,
}

/// The numbers of a kind of memory.
pub trait Numbers {
    /// What it takes unloaded and serves at most, in closed form.
    fn facts(&self) -> Facts;

    /// Make it twice as fast, or double what it has side by side: a run with it tells whether it limits a chip.
    fn faster(&mut self);

    /// What does not fit, in words that follow the name.
    fn wrong(&self) -> Option<String> {
        None
    }

    /// Whether it knows when an access is done when that arrives.
    fn answers_at_once(&self) -> bool {
        false
    }

    /// Whether it serves as many accesses at a time as come, so that there is no order to keep.
    fn serves_all(&self) -> bool {
        false
    }

    /// Its clocks.
    fn clocks_hz(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Number of the memory behind it.
    fn behind(&self) -> Option<usize> {
        None
    }
}

/// A memory at work.
#[enum_dispatch]
pub(crate) trait Memory {
    /// Serve an access that arrives at `at`. Returns when its result is there, if that is known then; otherwise nothing has
    /// happened, and the access is to be submitted.
    #[inline(always)]
    fn serve(&mut self, at: Ticks, kind: Access, address: u64, bytes: u32) -> Option<Ticks> {
        let _ = (at, kind, address, bytes);
        None
    }

    /// Take an access that arrives at `now` and is answered later. Calls `wake` with each channel that has something to do
    /// then, and when. Returns how many pieces it has become.
    #[inline(always)]
    fn submit(&mut self, access: &Submitted, now: Ticks, wake: impl FnMut(usize, Ticks)) -> u32 {
        let _ = (access, now, wake);
        0
    }

    /// The same for cells that are read as one, where the memory takes them so.
    fn submit_cells(&mut self, cells: &Cells, now: Ticks, wake: impl FnMut(usize, Ticks)) -> u32 {
        let _ = (cells, now, wake);
        0
    }

    /// Whether cells that follow each other are read as one.
    #[inline(always)]
    fn reads_cells_together(&self) -> bool {
        false
    }

    /// When an access is taken that comes in an instant in which a channel has woken already, if that is not at once.
    fn behind_wake(&self, now: Ticks) -> Option<Ticks> {
        let _ = now;
        None
    }

    /// Channels, each with a wake-up of its own.
    fn channels(&self) -> usize {
        0
    }

    /// What happens in a channel at `now`. Appends requests that are done to `ended`, each with the time of its result;
    /// returns when the channel has something to do next.
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

    /// Let it begin accesses ahead of their time, where it can: no other channel is there, and nothing but threads uses it.
    fn begin_ahead(&mut self) {}

    /// Accesses are entered when they are issued, `lead` before they arrive.
    fn entered_ahead(&mut self, lead: Ticks) {
        let _ = lead;
    }

    /// Forget what was before `now`.
    fn restart(&mut self, now: Ticks);

    /// What was counted from `since` to `now`; names are left out.
    fn counts(&self, now: Ticks, since: Ticks) -> PlaceCounts;

    /// Whether it takes one more access without an engine standing still for it.
    fn takes_more(&self) -> bool {
        true
    }

    /// A thread whose engine stands still waits until its access is taken.
    fn stall(&mut self, thread: u32) {
        let _ = thread;
    }

    /// The thread whose access is taken next, now that there may be room.
    fn take_stalled(&mut self) -> Option<u32> {
        None
    }

    /// Its banks, where packets may begin in one drawn at random.
    fn bank_layout(&self) -> Option<BankLayout> {
        None
    }

    /// Whether the result of a packet's flow is there, which is then looked up no more.
    fn recall(&mut self, head: &PacketHead) -> bool {
        let _ = head;
        false
    }

    /// The queue manager that it is.
    fn as_queue_manager(&mut self) -> Option<&mut Service> {
        None
    }
}

/// The part of a time for which something was so.
pub(crate) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
