//! How threads get packets: offer, take, hold, and pass from inbox to inbox.

use super::Chip;
use crate::packet::NONE;
use crate::thread::{State, Thread};
use linecard_program::script::PacketInfo;
use linecard_program::{CELL_BYTES, PacketId};
use linecard_sim::Ticks;

impl Chip {
    /// A free thread takes a packet; without a packet it waits.
    pub(super) fn take(&mut self, thread: u32, now: Ticks) -> bool {
        if self.turns.are_over() {
            return false;
        }
        let cluster = self.threads[thread as usize].cluster as usize;
        if self.clusters[cluster].block_cells.is_some() {
            return self.take_block(thread, now);
        }
        if let Some(id) = self.next_kept() {
            self.resume(thread, id, now);
            return true;
        }
        for at in 0..self.clusters[cluster].takes.len() {
            let inbox = usize::from(self.clusters[cluster].takes[at]);
            let group = self.groups[self.groups_at[thread as usize] as usize + at] as usize;
            let from = &mut self.inboxes[inbox];
            if from.is_open()
                && let Some(id) = from.groups[group].packets.pop_front()
            {
                from.waiting -= 1;
                from.enters(id);
                self.hold(thread, id, now);
                self.let_putters_in(inbox, now);
                return !self.waits_for_bus(thread, id, now);
            }
            if self.config.saturated
                && !self.inboxes[inbox].receivers.is_empty()
                && let Some(id) = self.draw(inbox, group, now)
            {
                self.hold(thread, id, now);
                return true;
            }
        }
        self.join_free(thread);
        self.enter(thread, State::FREE, now);
        self.programs[self.clusters[cluster].program].rests(thread);
        false
    }

    /// A thread without a packet joins the lists of free threads of its inboxes.
    pub(super) fn join_free(&mut self, thread: u32) {
        let Thread { cluster, epoch, .. } = self.threads[thread as usize];
        let takes = &self.clusters[usize::from(cluster)].takes;
        let groups = &self.groups[self.groups_at[thread as usize] as usize..];
        for (&inbox, &group) in takes.iter().zip(groups) {
            let group = &mut self.inboxes[usize::from(inbox)].groups[group as usize];
            group.drop_stale(|thread| self.threads[thread as usize].epoch);
            group.free.push_back((thread, epoch));
        }
    }

    /// Adds a packet to the load of a group.
    pub(super) fn join_group(&mut self, id: PacketId, inbox: usize, group: usize) {
        let packet = &mut self.packets[id];
        (packet.inbox, packet.group) = (inbox as u16, group as u32);
        self.inboxes[inbox].groups[group].load += 1;
    }

    /// A packet of a group waits for a thread; a free thread takes it.
    pub(super) fn offer(&mut self, id: PacketId, now: Ticks) {
        let packet = &mut self.packets[id];
        packet.offered = now;
        let (inbox, group) = (usize::from(packet.inbox), packet.group as usize);
        while self.inboxes[inbox].is_open()
            && !self.turns.are_over()
            && let Some((thread, epoch)) = self.inboxes[inbox].groups[group].free.pop_front()
        {
            if self.threads[thread as usize].epoch == epoch {
                self.inboxes[inbox].enters(id);
                self.hold(thread, id, now);
                if !self.waits_for_bus(thread, id, now) {
                    self.make_ready(thread, now);
                }
                return;
            }
        }
        let inbox = &mut self.inboxes[inbox];
        inbox.groups[group].packets.push_back(id);
        inbox.waiting += 1;
        inbox.most_waiting = inbox.most_waiting.max(inbox.waiting);
    }

    /// Cells of a packet cross the bus of its port to the thread that took it. Returns whether the thread waits
    /// for them.
    #[inline(always)]
    fn waits_for_bus(&mut self, thread: u32, id: PacketId, now: Ticks) -> bool {
        let bus = self.receivers[usize::from(self.packets[id].receiver)].bus;
        bus.is_some_and(|bus| self.crosses_bus(bus, thread, id, now))
    }

    fn crosses_bus(&mut self, bus: u16, thread: u32, id: PacketId, now: Ticks) -> bool {
        let packet = &self.packets[id];
        if self.inboxes[usize::from(packet.inbox)].receivers.is_empty() {
            // The packet came from another thread and not from its port.
            return false;
        }
        let bytes = u32::from(packet.cells) * CELL_BYTES;
        let across = self.links[usize::from(bus)].cross(now, bytes);
        if across > now {
            self.enter(thread, State::BUS, now);
            self.wake_at(thread, across);
        }
        across > now
    }

    /// A thread takes a packet: its program processes it and writes down the steps.
    pub(super) fn hold(&mut self, thread: u32, id: PacketId, now: Ticks) {
        self.ends_span(thread, now);
        let packet = &mut self.packets[id];
        packet.attended = true;
        packet.taken = now;
        packet.waited += now - packet.offered;
        self.account.waited += u128::from(now - packet.offered);
        let info = PacketInfo {
            number: packet.number,
            flow_hash: packet.flow_hash,
            input_port: self.receivers[usize::from(packet.receiver)].port,
            inbox: packet.inbox,
            thread,
        };
        let t = &mut self.threads[thread as usize];
        t.take_up(id);
        let program = self.clusters[t.cluster as usize].program;
        self.programs[program].packet(&mut packet.head, &info, &mut t.steps);
        self.count_turn(thread, id, now);
    }

    /// A free thread takes a packet that was created for it.
    pub(super) fn hold_drawn(&mut self, thread: u32, id: PacketId, now: Ticks) {
        self.hold(thread, id, now);
        self.make_ready(thread, now);
    }

    /// The thread releases its packet.
    pub(super) fn leave_thread(&mut self, thread: u32, now: Ticks) -> PacketId {
        // Steps after the last executed one belong to other paths of the program.
        self.threads[thread as usize].steps.clear();
        self.out_of_hand(thread, now)
    }

    /// A packet is no longer with its thread.
    #[inline(always)]
    pub(super) fn out_of_hand(&mut self, thread: u32, now: Ticks) -> PacketId {
        self.ends_span(thread, now);
        let id = std::mem::replace(&mut self.threads[thread as usize].packet, NONE);
        let packet = &mut self.packets[id];
        packet.attended = false;
        self.inboxes[usize::from(packet.inbox)].groups[packet.group as usize].load -= 1;
        id
    }

    /// Hands a thread's packet over to another inbox, which has room.
    pub(super) fn put(&mut self, thread: u32, inbox: usize, now: Ticks) {
        let id = self.leave_thread(thread, now);
        self.move_to(id, inbox, now);
    }

    /// A packet that a thread held until now joins an inbox that has room.
    pub(super) fn move_to(&mut self, id: PacketId, inbox: usize, now: Ticks) {
        let packet = &mut self.packets[id];
        packet.held += now - packet.taken;
        let group = self.inboxes[inbox].group_of(self.packets[id].flow_hash);
        self.join_group(id, inbox, group);
        self.offer(id, now);
    }

    /// A packet ends: inboxes with a window release one more packet.
    pub(super) fn leave_windows(&mut self, id: PacketId, now: Ticks) {
        for at in 0..self.windowed.len() {
            let inbox = usize::from(self.windowed[at]);
            if self.inboxes[inbox].leaves(id) {
                self.let_in(inbox, now);
            }
        }
    }

    /// Packets that waited because the window was full go to free threads.
    fn let_in(&mut self, inbox: usize, now: Ticks) {
        for group in 0..self.inboxes[inbox].groups.len() {
            while self.inboxes[inbox].is_open()
                && !self.turns.are_over()
                && !self.inboxes[inbox].groups[group].packets.is_empty()
                && let Some((thread, epoch)) = self.inboxes[inbox].groups[group].free.pop_front()
            {
                if self.threads[thread as usize].epoch == epoch
                    && let Some(id) = self.inboxes[inbox].groups[group].packets.pop_front()
                {
                    self.inboxes[inbox].waiting -= 1;
                    self.inboxes[inbox].enters(id);
                    self.hold(thread, id, now);
                    self.make_ready(thread, now);
                }
            }
        }
        self.let_putters_in(inbox, now);
    }
}
