//! A packet that a thread hands over and still works on, and the wait until no other thread works on it.

use super::Chip;
use crate::packet::NOBODY;
use crate::thread::State;
use linecard_program::PacketId;
use linecard_program::script::Action;
use linecard_sim::Ticks;

impl Chip {
    /// A thread hands its packet over to an inbox that has room; if its step says so, the thread continues to
    /// work on it.
    pub(super) fn put_or_lend(&mut self, thread: u32, inbox: usize, now: Ticks) {
        let t = &self.threads[thread as usize];
        let step = t.steps.get(t.next as usize);
        if !matches!(step.map(|step| step.action), Some(Action::Lend { .. })) {
            return self.put(thread, inbox, now);
        }
        let id = self.out_of_hand(thread, now);
        let packet = &mut self.packets[id];
        packet.lenders += 1;
        self.threads[thread as usize].lent = Some((id, packet.number));
        self.move_to(id, inbox, now);
    }

    /// Returns whether no other thread works on the packet of a thread; otherwise the thread waits for that.
    pub(super) fn is_alone(&mut self, thread: u32, now: Ticks) -> bool {
        let packet = &mut self.packets[self.threads[thread as usize].packet];
        if packet.lenders > 0 {
            packet.awaits = thread;
            self.enter(thread, State::POSTED, now);
            return false;
        }
        true
    }

    /// A thread has completed its steps for a packet that it lent; the packet may have departed meanwhile.
    pub(super) fn lent_no_more(&mut self, id: PacketId, number: u64, now: Ticks) {
        let packet = &mut self.packets[id];
        if packet.number != number {
            return;
        }
        packet.lenders -= 1;
        if packet.lenders == 0 {
            let awaits = std::mem::replace(&mut packet.awaits, NOBODY);
            if awaits != NOBODY {
                self.make_ready(awaits, now);
            }
        }
    }
}
