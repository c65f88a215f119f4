//! Hooks of an execution: none, counters, or a recorder. There is one executor for all.

use crate::memory::{Memory, RegionId, Traced};

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes in one.
    Atomic,
}

/// One access to memory, by an instruction or by a helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Region.
    pub region: RegionId,
    /// Kind.
    pub kind: AccessKind,
    /// Size.
    pub bytes: u32,
    /// First byte in the region; values of maps are consecutive.
    pub address: u32,
}

/// The instruction at which an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Index of its operation.
    pub index: u32,
    /// Instructions of this packet so far, including this one.
    pub executed: u64,
}

/// Observes an execution. Every default does nothing and is compiled away.
pub trait Hook {
    /// Whether the hook observes accesses; if not, they need not be computed.
    const ACCESSES: bool = false;

    /// Control reaches an operation without a jump whose target is in the code: at the start, by a return or a
    /// tail call.
    #[inline(always)]
    fn begins(&mut self, index: u32) {
        let _ = index;
    }

    /// Control leaves an operation for another one than the next: by a taken jump, a call, a return, a tail
    /// call, or the end. Not called if a packet ends in a fault.
    #[inline(always)]
    fn leaves(&mut self, index: u32) {
        let _ = index;
    }

    /// A 64-bit jump on inequality or on a set bit is taken because of the upper halves alone: the low words
    /// are equal, or have no such bit. Called before the jump leaves.
    #[inline(always)]
    fn upper_half(&mut self, index: u32) {
        let _ = index;
    }

    /// An access.
    #[inline(always)]
    fn access(&mut self, at: At, access: Access) {
        let _ = (at, access);
    }

    /// A lock is acquired, after the access of its word, or released (`taken` is false), before it.
    #[inline(always)]
    fn lock(&mut self, at: At, address: u64, taken: bool) {
        let _ = (at, address, taken);
    }

    /// A helper is called, before its accesses.
    #[inline(always)]
    fn helper(&mut self, at: At, helper: u32) {
        let _ = (at, helper);
    }
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Hook for Silent {
    /// Does nothing, but is a separate call at each jump: jumps that the compiler merges into one are predicted
    /// worse.
    #[inline(always)]
    fn leaves(&mut self, index: u32) {
        std::hint::black_box(index);
    }
}

/// A hook at one moment, to which helpers and maps report their accesses.
pub(crate) struct Watch<'a, H> {
    pub hook: &'a mut H,
    pub at: At,
}

impl<H: Hook> Watch<'_, H> {
    #[inline(always)]
    pub fn access(&mut self, region: RegionId, kind: AccessKind, address: u64, bytes: u64) {
        self.access_at((region, address as u32), kind, bytes as u32);
    }

    /// Reports an access of a helper to an address of the program.
    #[inline(always)]
    pub fn touched(&mut self, memory: &Memory, address: u64, kind: AccessKind, bytes: u64) {
        if H::ACCESSES && bytes > 0 {
            self.access_at(memory.traced(address), kind, bytes as u32);
        }
    }

    #[inline(always)]
    pub fn access_at(&mut self, (region, address): Traced, kind: AccessKind, bytes: u32) {
        if H::ACCESSES {
            self.hook.access(self.at, Access { region, kind, bytes, address });
        }
    }
}
