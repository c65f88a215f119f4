//! How often threads take packets up in one instant, and while none leaves.

use linecard_sim::Ticks;

/// Packets taken up in an instant beside those that are there, that fit into rings, and that threads have.
const AT_ONCE: u64 = 1 << 16;
/// Stages that packets which are there may go through in an instant.
pub(crate) const STAGES: u64 = 4;

/// Why a run would go on for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endless {
    /// Packets are taken up without end while no time passes.
    InNoTime {
        /// The instant, in ticks.
        at: Ticks,
        /// Packets taken up in it.
        packets: u64,
        /// Whose threads took the last one.
        cluster: String,
        /// Out of which inbox.
        inbox: String,
        /// Whether that is one which packets come into from outside.
        from_outside: bool,
    },
    /// Packets are taken up without end while none leaves.
    NoneLeaves {
        /// Packets taken up.
        packets: u64,
        /// Packets inside.
        inside: u64,
    },
    /// No packet has room in the packet memory, however empty.
    TooLarge {
        /// Packets lost in a row.
        packets: u64,
    },
}

/// How often packets are taken up.
#[derive(Default)]
pub(crate) struct Turns {
    /// The instant in which one was last.
    pub at: Ticks,
    /// In that instant, and how many may be.
    pub count: u64,
    pub most: u64,
    /// Part of `most` that is always so.
    pub always: u64,
    /// In all.
    pub all: u64,
    /// In all, when a packet last left, as far as was looked.
    pub when_one_left: u64,
    pub gone: u64,
    pub over: Option<Endless>,
}

impl Turns {
    /// For so many threads and so much room in rings.
    pub fn new(threads: u64, room: u64) -> Self {
        Self { at: Ticks::MAX, always: AT_ONCE + threads + room.min(1 << 20), ..Self::default() }
    }

    /// Whether nothing is to be taken up any more.
    #[inline(always)]
    pub fn are_over(&self) -> bool {
        self.over.is_some()
    }

    /// A packet comes in from outside, which is a reason to take one up.
    #[inline(always)]
    pub fn come(&mut self) {
        self.most = self.most.saturating_add(STAGES);
    }
}
