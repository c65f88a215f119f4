//! What listens to an execution: nothing, counters, or a recorder. There is one executor for all.

use crate::memory::RegionId;

/// What an access does.
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
    /// Where.
    pub region: RegionId,
    /// How.
    pub kind: AccessKind,
    /// Size.
    pub bytes: u32,
    /// Byte of the region; values of maps lie one after another in it.
    pub address: u32,
}

/// Listens to an execution. Every default does nothing and is compiled away.
pub trait Hook {
    /// Whether accesses are listened to; where not, they need not be worked out.
    const ACCESSES: bool = false;

    /// Control comes to an operation by no jump whose target stands in the code: at the start, by a return or a tail call.
    #[inline(always)]
    fn begins(&mut self, index: u32) {
        let _ = index;
    }

    /// Control leaves an operation for another than the next: by a jump that is taken, a call, a return, a tail call, or
    /// the end. Not told of a packet that ends in a fault.
    #[inline(always)]
    fn leaves(&mut self, index: u32) {
        let _ = index;
    }

    /// A 64-bit jump if not equal, or if a bit is set, is taken for the upper halves alone: the low words are equal, or
    /// have no such bit. Told before the jump leaves.
    #[inline(always)]
    fn upper_half(&mut self, index: u32) {
        let _ = index;
    }

    /// An access; `executed` instructions of this packet were executed up to it, its own among them.
    #[inline(always)]
    fn access(&mut self, executed: u64, access: Access) {
        let _ = (executed, access);
    }

    /// A lock at an address is taken, behind the access of its word, or given back (`taken` is false), in front of it.
    #[inline(always)]
    fn lock(&mut self, executed: u64, address: u64, taken: bool) {
        let _ = (executed, address, taken);
    }

    /// A helper is called, before its accesses.
    #[inline(always)]
    fn helper(&mut self, executed: u64, helper: u32) {
        let _ = (executed, helper);
    }
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Hook for Silent {
    /// Nothing, but at each jump by itself: jumps that the compiler joins into one are predicted worse.
    #[inline(always)]
    fn leaves(&mut self, index: u32) {
        std::hint::black_box(index);
    }
}

/// A hook at one moment: what helpers and maps report their accesses to.
pub(crate) struct Watch<'a, H> {
    pub hook: &'a mut H,
    pub executed: u64,
}

impl<H: Hook> Watch<'_, H> {
    #[inline(always)]
    pub fn access(&mut self, region: RegionId, kind: AccessKind, address: u64, bytes: u64) {
        if H::ACCESSES {
            let access = Access { region, kind, bytes: bytes as u32, address: address as u32 };
            self.hook.access(self.executed, access);
        }
    }
}
