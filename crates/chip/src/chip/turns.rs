//! Detects runs without progress: a program that takes no time would run for ever in one instant if a packet
//! always waits or comes back through a ring. In an instant, threads take at most as many packets as there is
//! reason to. After that they take none, so that the chip stops and reports the cause.

use super::Chip;
use crate::turns::{Endless, STAGES};
use linecard_program::PacketId;
use linecard_sim::Ticks;

/// Packets in a row that find no room in an empty memory.
pub(super) const LOST_AT_ONCE: u32 = 1 << 20;
/// Limit on the packets taken while none leaves: a constant, a number for each packet inside, and the maximum.
const WHILE_NONE_LEAVES: u64 = 1 << 20;
const FOR_EACH_INSIDE: u64 = 64;
const MOST_WHILE_NONE_LEAVES: u64 = 1 << 22;

impl Chip {
    /// Counts a packet that a thread takes.
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
            from_outside: !self.inboxes[inbox].receivers.is_empty(),
        });
    }

    /// Counts packets lost one after another because none fits.
    #[cold]
    pub(super) fn fits_none(&mut self) {
        self.turns.over.get_or_insert(Endless::TooLarge { packets: LOST_AT_ONCE.into() });
    }

    /// Returns why the run would never end; called periodically.
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
