//! Traces: the memory accesses of each packet, with the instructions between them.
//!
//! A chip executes a trace later: a number of instructions, then an access of a number of bytes in a region, or
//! a helper; and at the end a verdict. Each access takes 16 bytes.

use crate::hook::{Access, AccessKind, At, Hook};
use crate::machine::{Outcome, Verdict};
use crate::memory::RegionId;

/// Kind of a record that is a helper.
const HELPER: u8 = 3;

/// One access or helper, packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    since: u32,
    address: u32,
    /// Size of the access, or the number of the helper.
    bytes: u32,
    region: u16,
    kind: u8,
}

/// The event after a number of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An access, by an instruction or by a helper.
    Access(Access),
    /// A helper is called; its memory accesses follow, without further instructions.
    Helper(u32),
}

/// One step of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Instructions since the previous step, including the one that causes this step.
    pub instructions: u32,
    /// The event.
    pub event: Event,
}

/// One packet of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketEntry {
    end: usize,
    /// All instructions, including those after the last step.
    pub instructions: u64,
    /// Verdict.
    pub verdict: Verdict,
    /// Bytes of the frame as received.
    pub bytes: u32,
    /// Bytes of the frame as the program left it.
    pub bytes_left: u32,
}

/// A batch of packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    records: Vec<Record>,
    packets: Vec<PacketEntry>,
}

impl Trace {
    /// Returns its packets.
    #[must_use]
    pub fn packets(&self) -> &[PacketEntry] {
        &self.packets
    }

    /// Returns the steps of a packet in order, by its number in the batch from 0; none for a packet that does
    /// not exist.
    pub fn steps(&self, packet: usize) -> impl Iterator<Item = Step> {
        let from =
            packet.checked_sub(1).and_then(|before| self.packets.get(before)).map_or(0, |entry| entry.end);
        let to = self.packets.get(packet).map_or(from, |entry| entry.end);
        self.records[from..to].iter().map(|record| {
            let kind = match record.kind {
                0 => AccessKind::Read,
                1 => AccessKind::Write,
                2 => AccessKind::Atomic,
                _ => return Step { instructions: record.since, event: Event::Helper(record.bytes) },
            };
            let Record { since, address, bytes, region, .. } = *record;
            let access = Access { region: RegionId(region), kind, bytes, address };
            Step { instructions: since, event: Event::Access(access) }
        })
    }

    /// Removes all packets and keeps the allocated memory, so that a long capture streams through one batch.
    pub fn clear(&mut self) {
        self.records.clear();
        self.packets.clear();
    }

    /// Returns its size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Record>() * self.records.len() + size_of::<PacketEntry>() * self.packets.len()
    }
}

/// The hook that records a trace: after each packet call [`Recorder::finish`], or [`Recorder::abandon`] if it
/// faulted.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    trace: Trace,
    executed: u64,
}

impl Recorder {
    /// Returns the trace.
    #[must_use]
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Returns the trace, to be cleared.
    pub fn trace_mut(&mut self) -> &mut Trace {
        &mut self.trace
    }

    /// Ends the recorded packet: `bytes` as received, `bytes_left` as the program left it.
    pub fn finish(&mut self, outcome: &Outcome, bytes: usize, bytes_left: usize) {
        self.executed = 0;
        self.trace.packets.push(PacketEntry {
            end: self.trace.records.len(),
            instructions: outcome.instructions,
            verdict: outcome.verdict,
            bytes: bytes as u32,
            bytes_left: bytes_left as u32,
        });
    }

    /// Discards the records of a packet that ended in a fault.
    pub fn abandon(&mut self) {
        self.executed = 0;
        let end = self.trace.packets.last().map_or(0, |entry| entry.end);
        self.trace.records.truncate(end);
    }

    #[inline(always)]
    fn since(&mut self, executed: u64) -> u32 {
        // A smaller number than before means a packet behind one without `finish`.
        let since = executed.checked_sub(self.executed).unwrap_or(executed);
        self.executed = executed;
        since as u32
    }
}

impl Hook for Recorder {
    const ACCESSES: bool = true;

    #[inline(always)]
    fn access(&mut self, at: At, access: Access) {
        let since = self.since(at.executed);
        let Access { region, kind, bytes, address } = access;
        self.trace.records.push(Record { since, address, bytes, region: region.0, kind: kind as u8 });
    }

    #[inline(always)]
    fn helper(&mut self, at: At, helper: u32) {
        let since = self.since(at.executed);
        self.trace.records.push(Record { since, address: 0, bytes: helper, region: 0, kind: HELPER });
    }
}
