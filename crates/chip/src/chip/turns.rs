//! Whether time passes: how often threads take packets up in one instant, and while none leaves.
//!
//! A program that takes no time, where a packet always waits or comes back by a ring, would be run for ever in one instant. As
//! often as there is reason to in an instant packets are taken up; behind that, none is, so that the chip comes to rest and
//! says why.

use super::Chip;
use linecard_program::PacketId;
use linecard_sim::Ticks;

/// Packets taken up in an instant beside those that are there, that fit into rings, and that threads have.
const AT_ONCE: u64 = 1 << 16;
/// Stages that packets which are there may go through in an instant.
const STAGES: u64 = 4;
/// Packets in a row that find no room in an empty memory.
pub(super) const LOST_AT_ONCE: u32 = 1 << 20;
/// Packets taken up while none leaves, and as many more for each that is inside; at most so many.
const WHILE_NONE_LEAVES: u64 = 1 << 20;
const FOR_EACH_INSIDE: u64 = 64;
const MOST_WHILE_NONE_LEAVES: u64 = 1 << 22;

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
    at: Ticks,
    /// In that instant, and how many may be.
    count: u64,
    most: u64,
    /// Part of `most` that is always so.
    always: u64,
    /// In all.
    all: u64,
    /// In all, when a packet last left, as far as was looked.
    when_one_left: u64,
    gone: u64,
    over: Option<Endless>,
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

impl Chip {
    /// A thread takes a packet up.
    #[inline(always)]
    pub(super) fn count_turn(&mut self, thread: u32, id: PacketId, now: Ticks) {
        let turns = &mut self.turns;
        turns.all += 1;
        if turns.at != now {
            (turns.at, turns.count) = (now, 0);
            turns.most = turns.always + STAGES * self.account.inside.now;
        }
        turns.count += 1;
        if turns.count > turns.most {
            self.takes_no_time(thread, id, now);
        }
    }

    #[cold]
    fn takes_no_time(&mut self, thread: u32, id: PacketId, now: Ticks) {
        let inbox = usize::from(self.packets[id].inbox);
        let cluster = usize::from(self.threads[thread as usize].cluster);
        self.turns.over.get_or_insert(Endless::InNoTime {
            at: now,
            packets: self.turns.count,
            cluster: self.config.clusters[cluster].group.clone(),
            inbox: self.config.inboxes[inbox].name.clone(),
            from_outside: !self.inboxes[inbox].ports.is_empty(),
        });
    }

    /// Packets are lost one after the other because none fits.
    #[cold]
    pub(super) fn fits_none(&mut self) {
        self.turns.over.get_or_insert(Endless::TooLarge { packets: LOST_AT_ONCE.into() });
    }

    /// Why the run would go on for ever; looked at now and then.
    pub(super) fn endless(&mut self) -> Option<Endless> {
        let inside = self.account.inside.now;
        let turns = &mut self.turns;
        if turns.gone != self.gone {
            (turns.gone, turns.when_one_left) = (self.gone, turns.all);
        }
        let packets = turns.all - turns.when_one_left;
        if packets > (WHILE_NONE_LEAVES + FOR_EACH_INSIDE * inside).min(MOST_WHILE_NONE_LEAVES) {
            turns.over.get_or_insert(Endless::NoneLeaves { packets, inside });
        }
        turns.over.clone()
    }
}
