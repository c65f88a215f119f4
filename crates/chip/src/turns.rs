//! Counts how many packets threads take in one instant, and while none leaves.

use linecard_sim::Ticks;

/// Packets that threads may take in an instant, beside those inside, those that fit into rings, and one for
/// each thread.
const AT_ONCE: u64 = 1 << 16;
/// Stages that a packet may pass through in an instant.
pub(crate) const STAGES: u64 = 4;

/// Why a run would never end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endless {
    /// Threads take packets without end while no time passes.
    InNoTime {
        /// The instant, in ticks.
        at: Ticks,
        /// Packets taken in it.
        packets: u64,
        /// Cluster whose thread took the last one.
        cluster: String,
        /// Inbox of the last one.
        inbox: String,
        /// Whether packets enter that inbox from outside.
        from_outside: bool,
    },
    /// Threads take packets without end while none leaves.
    NoneLeaves {
        /// Packets taken.
        packets: u64,
        /// Packets inside.
        inside: u64,
    },
    /// No packet fits in the packet memory, even when it is empty.
    TooLarge {
        /// Packets lost in a row.
        packets: u64,
    },
}

/// Counts of the packets that threads take.
#[derive(Default)]
pub(crate) struct Turns {
    /// The instant in which a thread last took one.
    pub at: Ticks,
    /// Packets taken in that instant, and their limit.
    pub count: u64,
    pub most: u64,
    /// The constant part of `most`.
    pub always: u64,
    /// Total.
    pub all: u64,
    /// The total when a packet last left, as of the last check.
    pub when_one_left: u64,
    pub gone: u64,
    pub over: Option<Endless>,
}

impl Turns {
    /// Returns the counts for the numbers of threads and of packets that fit into rings.
    pub fn new(threads: u64, room: u64) -> Self {
        Self { at: Ticks::MAX, always: AT_ONCE + threads + room.min(1 << 20), ..Self::default() }
    }

    /// Returns whether threads must take no more packets.
    #[inline(always)]
    pub fn are_over(&self) -> bool {
        self.over.is_some()
    }

    /// A packet arrives from outside, which permits a thread to take one.
    #[inline(always)]
    pub fn come(&mut self) {
        self.most = self.most.saturating_add(STAGES);
    }
}
