//! The multiported register cache: two register files, one active while the other is filled for the next
//! thread.
//!
//! Mudigonda 2007, sections 4 and 6.1. Registers are stored in the context partition of the data cache, in
//! pinned lines. While a thread runs, the registers that the next one will read are prefetched; a table of each
//! thread predicts them by the address at which it resumes. Other registers are fetched on demand and stall the
//! pipeline.
//!
//! The text of sections 4.1 and 4.2 is partly lost. Choices without a source: an entry of the table is the
//! union of the registers read from that address on. Three of the four banks of the cache serve a request each
//! cycle, because the fourth is assumed busy with a stack access (section 6.1: a conflict on each cycle). A
//! fetch on demand takes the latency of the cache and one cycle.

use crate::cache::Cache;
use crate::registers::{Registers, Surroundings};
use crate::segment::Segment;
use rustc_hash::FxHashMap;
use serde::Serialize;

/// Registers of a context: those of the traced instruction set.
pub const CONTEXT_REGISTERS: u32 = 32;
const REGISTERS_IN_A_LINE: u32 = 4;
const ENTRIES_IN_A_LINE: u32 = 2;
const CONTEXT_LINES: u32 = CONTEXT_REGISTERS / REGISTERS_IN_A_LINE;
/// Lines that a context and the table of a thread can take.
const LINES_OF_A_THREAD: u32 = 128;
const MOST_THREADS: usize = 64;
/// Lines of contexts are above those of packets.
const CONTEXT_FIRST_LINE: u32 = 1 << 29;
/// Requests that the cache serves per cycle beside the pipeline and the stack.
const REQUESTS_PER_CYCLE: u32 = 3;
/// Cycles from an access of the data cache to its value (section 6.1).
const CACHE_CYCLES: u32 = 2;

/// The prediction of the registers to prefetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Prediction {
    /// The registers read from the same address on before (section 4.2).
    ResumePc,
    /// The registers that will be read: perfect knowledge.
    Oracle,
    /// Fixed registers, one bit each (section 7).
    Hot(u32),
    /// All: plain double-buffering (section 4.1).
    All,
}

/// The counts of registers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RegisterCounts {
    /// Threads that entered after another one.
    pub switches: u64,
    /// Registers read before they were written, over all switches. A thread that resumes directly after itself
    /// needs none: its registers are in the active file. Each of these was prefetched or missed.
    pub needed: u64,
    /// Registers prefetched.
    pub prefetched: u64,
    /// Registers fetched on demand.
    pub missed: u64,
    /// Times that a thread waited for its prefetch.
    pub late: u64,
    /// References of four bytes between register files and cache, including those of the tables.
    pub references: u64,
    /// Most entries in the table of a thread.
    pub table_entries: u32,
    /// Lines of contexts that had to be fetched from memory.
    pub lines_lost: u64,
    /// How often each register was needed.
    pub needed_by_register: [u64; 32],
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    mask: u32,
    slot: u32,
}

/// The register cache of a malleable core.
#[derive(Clone, Debug)]
pub struct Mrc {
    prediction: Prediction,
    tables: Vec<FxHashMap<u32, Entry>>,
    /// Lines of each thread that are pinned, and that were ever written.
    pinned: [u128; MOST_THREADS],
    written_lines: [u128; MOST_THREADS],
    /// The thread whose registers are in the active file, and which of them.
    thread: usize,
    resume: u32,
    present: u32,
    /// The registers needed since it resumed, from which its table learns.
    needed: u32,
    written: u32,
    /// Since it entered after another thread: registers needed, the counted part of them, and registers to
    /// write back.
    stay_needed: u32,
    stay_counted: u32,
    stay_written: u32,
    entered: u64,
    /// Registers of the previous thread to write back.
    leaving: u32,
    counts: RegisterCounts,
}

impl Mrc {
    /// Returns empty register files.
    #[must_use]
    pub fn new(prediction: Prediction) -> Self {
        Self {
            prediction,
            tables: vec![FxHashMap::default(); MOST_THREADS],
            pinned: [0; MOST_THREADS],
            written_lines: [0; MOST_THREADS],
            thread: usize::MAX,
            resume: 0,
            present: 0,
            needed: 0,
            written: 0,
            stay_needed: 0,
            stay_counted: 0,
            stay_written: 0,
            entered: 0,
            leaving: 0,
            counts: RegisterCounts::default(),
        }
    }

    /// Returns the counts.
    #[must_use]
    pub fn counts(&self) -> &RegisterCounts {
        &self.counts
    }

    /// Resets the counts; tables and lines stay.
    pub fn reset_counts(&mut self) {
        let table_entries = self.counts.table_entries;
        self.counts = RegisterCounts { table_entries, ..RegisterCounts::default() };
    }

    /// Pins the lines of a thread. Returns whether one of them must be fetched from memory.
    fn pin(&mut self, thread: usize, wanted: u128, cache: &mut Cache) -> bool {
        let mut missing = wanted & !self.pinned[thread];
        let mut lost = false;
        while missing != 0 {
            let line = missing.trailing_zeros();
            missing &= missing - 1;
            let address = CONTEXT_FIRST_LINE + thread as u32 * LINES_OF_A_THREAD + line;
            let there = cache.pin(address);
            let known = self.written_lines[thread] >> line & 1 == 1;
            if there != Some(true) && known {
                lost = true;
                self.counts.lines_lost += 1;
            }
            if there.is_some() {
                self.pinned[thread] |= 1 << line;
            }
            self.written_lines[thread] |= 1 << line;
        }
        lost
    }
}

/// Returns the lines of a context that hold these registers.
fn lines_of(registers: u32) -> u128 {
    let mut lines = 0;
    for line in 0..CONTEXT_LINES {
        if registers >> (line * REGISTERS_IN_A_LINE) & ((1 << REGISTERS_IN_A_LINE) - 1) != 0 {
            lines |= 1 << line;
        }
    }
    lines
}

impl Registers for Mrc {
    fn enter(&mut self, thread: usize, resume: u32, around: Surroundings<'_>) -> u64 {
        let window = (around.now - self.entered) / around.cycle;
        self.entered = around.now;
        self.resume = resume;
        self.needed = 0;
        self.written = 0;
        if thread == self.thread {
            // Its registers are still in the active file.
            return 0;
        }
        self.thread = thread;
        self.stay_needed = 0;
        self.stay_counted = 0;
        self.stay_written = 0;
        let entry = self.tables[thread].get(&resume).copied();
        self.present = match self.prediction {
            Prediction::ResumePc => entry.map_or(0, |entry| entry.mask),
            Prediction::Oracle => u32::MAX,
            Prediction::Hot(mask) => mask,
            Prediction::All => !1,
        };
        let fetched = if self.prediction == Prediction::Oracle { 0 } else { self.present.count_ones() };
        let table = u32::from(self.prediction == Prediction::ResumePc);
        let requests = fetched + self.leaving + table;
        self.counts.switches += 1;
        self.counts.prefetched += u64::from(fetched);
        self.counts.references += u64::from(requests + table);
        let mut lines = lines_of(self.present);
        if let Some(entry) = entry {
            lines |= table_line(entry.slot);
        }
        let lost = self.pin(thread, lines, around.cache);
        // The lookup in the table, the requests, and the latency of the last request.
        let cycles = table * CACHE_CYCLES + requests.div_ceil(REQUESTS_PER_CYCLE) + CACHE_CYCLES;
        let late = u64::from(cycles).saturating_sub(window);
        self.counts.late += u64::from(late > 0);
        late * around.cycle + if lost { around.memory } else { 0 }
    }

    #[inline]
    fn segment(&mut self, _: usize, segment: &Segment, cycle: u64) -> u64 {
        let fresh = segment.reads & !self.written & !self.needed;
        self.needed |= fresh;
        self.written |= segment.writes;
        self.stay_needed |= segment.reads & !self.stay_written;
        self.stay_written |= segment.writes;
        let missing = segment.reads & !self.present;
        self.present |= segment.reads | segment.writes;
        if missing == 0 || self.prediction == Prediction::Oracle {
            return 0;
        }
        let count = missing.count_ones();
        self.counts.missed += u64::from(count);
        self.counts.references += u64::from(count);
        u64::from(count * (CACHE_CYCLES + 1)) * cycle
    }

    fn leave(&mut self, thread: usize) {
        let mut needed = self.stay_needed & !self.stay_counted;
        self.stay_counted = self.stay_needed;
        self.counts.needed += u64::from(needed.count_ones());
        if self.prediction == Prediction::Oracle {
            self.counts.prefetched += u64::from(needed.count_ones());
        }
        while needed != 0 {
            self.counts.needed_by_register[needed.trailing_zeros() as usize] += 1;
            needed &= needed - 1;
        }
        self.leaving = self.stay_written.count_ones();
        if self.prediction == Prediction::ResumePc {
            let table = &mut self.tables[thread];
            let slot = table.len() as u32;
            let entry = table.entry(self.resume).or_insert(Entry { mask: 0, slot });
            entry.mask |= self.needed;
            self.counts.table_entries = self.counts.table_entries.max(table.len() as u32);
        }
    }

    fn terminate(&mut self, thread: usize, cache: &mut Cache) {
        self.tables[thread].clear();
        self.written_lines[thread] = 0;
        self.pinned = [0; MOST_THREADS];
        cache.unpin_all();
        if self.thread == thread {
            self.thread = usize::MAX;
        }
    }
}

/// Returns the line of a table entry; tables larger than their room share its last line.
fn table_line(slot: u32) -> u128 {
    1 << (CONTEXT_LINES + slot / ENTRIES_IN_A_LINE).min(LINES_OF_A_THREAD - 1)
}
