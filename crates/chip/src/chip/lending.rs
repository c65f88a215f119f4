//! Packets that threads hand over: room that an inbox keeps for them, packets on which a thread still works, and the
//! wait until no other thread works on one.

use super::Chip;
use super::issued::After;
use crate::packet::NOBODY;
use crate::thread::State;
use linecard_program::PacketId;
use linecard_program::script::Action;
use linecard_sim::Ticks;

impl Chip {
    /// A thread asks an inbox to keep room for its packet.
    pub(super) fn reserve(&mut self, thread: u32, inbox: u8, else_skips: u8, now: Ticks) -> After {
        let number = usize::from(inbox);
        let has_room = self.inboxes[number].has_room();
        if else_skips > 0 {
            self.inboxes[number].offered += 1;
            self.inboxes[number].refused += u64::from(!has_room);
        }
        if has_room {
            self.keep_room(thread, number);
        } else if else_skips > 0 {
            self.threads[thread as usize].next += u32::from(else_skips);
        } else {
            self.inboxes[number].putters.push_back(thread);
            return self.blocked(thread, State::INBOX, now);
        }
        self.then(thread, After::GoOn)
    }

    fn keep_room(&mut self, thread: u32, inbox: usize) {
        self.inboxes[inbox].reserved += 1;
        self.threads[thread as usize].reserved = true;
    }

    /// A thread puts its packet into an inbox: the room that the inbox keeps for it is for the packet now. Returns
    /// whether there was any.
    pub(super) fn uses_room(&mut self, thread: u32, inbox: usize) -> bool {
        let reserved = std::mem::take(&mut self.threads[thread as usize].reserved);
        self.inboxes[inbox].reserved -= u32::from(reserved);
        reserved
    }

    /// An inbox has room for a thread that waits for it.
    pub(super) fn gets_room(&mut self, thread: u32, inbox: usize, now: Ticks) {
        let t = &self.threads[thread as usize];
        match t.steps.get(t.next as usize).map(|step| step.action) {
            Some(Action::Reserve { .. }) => self.keep_room(thread, inbox),
            _ => self.put_or_lend(thread, inbox, now),
        }
    }

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
