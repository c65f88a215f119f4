//! The machine, the managers and the traffic as numbers, and the checks between them.
//!
//! If the document leaves a choice, the choice is a setting, so that its effect can be measured. The reader of
//! the settings checks the range and the source of each.

use crate::Kind;
use crate::directory::Replacement;
use crate::lists::MOST_QUEUES;
use linecard_words::Mismatch;

/// Cycle of the processors: 1 GHz (Table 1).
const PROCESSOR_CYCLE_PS: u64 = 1_000;

/// The operations on one queue that exclude each other, if software takes the locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locking {
    /// Enqueues exclude enqueues and dequeues exclude dequeues: Table 2 loads and stores one end only.
    End,
    /// Every operation excludes every other.
    Queue,
}

/// The content of one entry of a queue cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Head, tail and count of a queue.
    Descriptor,
    /// One of head and tail.
    Pointer,
}

/// The engine that takes the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// The token moves to the next engine every clock, and a busy engine lets its clock pass (section 5.6).
    Rotating,
    /// The token finds an idle engine every clock.
    Idle,
}

/// All parameters of a run, beside its operations.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Threads that execute queue operations, at least 1.
    pub threads: u32,
    /// Queues in memory, 1 to [`MOST_QUEUES`].
    pub queues: u32,
    /// Instructions of one operation, by manager, picoseconds.
    pub instruction_ps: [u64; Kind::ALL.len()],
    /// Lookup in the tags of a software-controlled cache, picoseconds.
    pub cam_ps: u64,
    /// Interconnect, round trip, picoseconds.
    pub interconnect_ps: u64,
    /// Time between two messages on the request path, and on the response path, picoseconds.
    pub slot_ps: u64,
    /// Memory access, picoseconds.
    pub memory_ps: u64,
    /// Time between two references at a memory port, picoseconds.
    pub port_ps: u64,
    /// One memory port for reads and writes.
    pub shared_port: bool,
    /// The part of a queue that software locks for one operation.
    pub locking: Locking,
    /// Entries of the queuing cache and the software-controlled cache, at least 1.
    pub entries: u32,
    /// Queuing engines of those two, at least 1.
    pub engines: u32,
    /// Time between two requests that engines take, picoseconds, more than 0.
    pub clock_ps: u64,
    /// The engine that takes the next request.
    pub token: Token,
    /// The content of an entry.
    pub entry: Entry,
    /// Capacity of the queuing cache's request buffer, at least 1.
    pub requests: u32,
    /// Words of the data cache, each one pointer of a descriptor.
    pub words: u32,
    /// Ways of the data cache.
    pub ways: u32,
    /// Words of a line of the data cache.
    pub line_words: u32,
    /// Outstanding misses of the data cache, at least 1.
    pub mshrs: u32,
    /// Time between two accesses of the data cache, picoseconds.
    pub cache_ps: u64,
    /// Writes of the data cache go through to memory.
    pub write_through: bool,
    /// A write that misses allocates its line in the data cache.
    pub allocate: bool,
    /// The line that a cache evicts.
    pub replacement: Replacement,
    /// Packets in the queues before dequeues begin.
    pub backlog: u32,
    /// Most packets that a queue sends per turn.
    pub burst: u32,
    /// Queues that a packet enters: 1, or 3 (port, class and flow).
    pub levels: u32,
    /// Classes of a port, with 3 levels.
    pub classes: u32,
    /// Flow queues of a class, with 3 levels.
    pub flows: u32,
}

impl Settings {
    /// Returns all contradictions between settings; each value alone is assumed to be valid.
    pub fn contradictions(&self) -> Vec<Mismatch> {
        let mut problems = Vec::new();
        let set_words = self.ways * self.line_words;
        if !self.words.is_multiple_of(set_words) {
            let expected = format!("a multiple of ways × line_words, which is {set_words}");
            problems.push(Mismatch::new("words", self.words, expected));
        }
        if !self.line_words.is_power_of_two() {
            problems.push(Mismatch::new("line_words", self.line_words, "a power of two"));
        }
        if self.levels == 2 {
            problems.push(Mismatch::new("levels", 2, "1, or 3 (port, class and flow)"));
        }
        if self.levels == 3 && !self.queues.is_multiple_of(self.classes.saturating_mul(self.flows)) {
            let expected = format!("a multiple of classes × flows, which is {}", self.classes * self.flows);
            problems.push(Mismatch::new("queues", self.queues, expected));
        }
        if self.levels == 3 && u64::from(self.queues) + u64::from(self.upper_queues()) > MOST_QUEUES.into() {
            let found =
                format!("{} flow queues, and {} class and port queues", self.queues, self.upper_queues());
            problems.push(Mismatch::new(
                "queues",
                found,
                format!("at most {MOST_QUEUES} in total, because queue ids have 16 bits"),
            ));
        }
        problems
    }

    /// Returns the times between two events, in half picoseconds: a message takes half of a round trip.
    pub(crate) fn half_picoseconds(&self) -> impl Iterator<Item = u64> {
        let Self { cam_ps, slot_ps, memory_ps, port_ps, clock_ps, cache_ps, .. } = *self;
        let whole =
            [cam_ps, slot_ps, memory_ps, port_ps, clock_ps, cache_ps].into_iter().chain(self.instruction_ps);
        whole.map(|ps| 2 * ps).chain([self.interconnect_ps])
    }

    /// Returns the instructions of one operation before its first message, in cycles of the processors of Table
    /// 1.
    pub fn instruction_cycles(&self, kind: Kind) -> u64 {
        self.instruction_ps[kind as usize] / PROCESSOR_CYCLE_PS
    }

    /// Returns the queues of the port and class levels.
    pub fn upper_queues(&self) -> u32 {
        match self.levels {
            3 => self.queues / self.flows + self.queues / self.flows / self.classes,
            _ => 0,
        }
    }

    /// Returns the queues of all levels.
    pub fn all_queues(&self) -> u32 {
        self.queues + self.upper_queues()
    }
}
