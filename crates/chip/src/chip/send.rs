//! The send side: the turn of a packet, output queues, packets that ports read from memory, wires, departures.

use super::{Chip, Departure, Timer};
use crate::config::WhenFull;
use crate::loss::Loss;
use crate::packet::{NOBODY, Packet};
use crate::recording::Happened;
use crate::scheduler::Next;
use crate::thread::State;
use linecard_program::{NetworkKind, PacketId};
use linecard_sim::Ticks;

/// The result of handing a packet over to its output queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// The thread is free.
    Done,
    /// The packet has its turn, but its queue is full; the thread keeps it.
    QueueFull,
    /// The packet is early, and the window is full; the thread keeps it.
    WindowFull,
}

impl Chip {
    /// A thread hands its packet over. If the thread must keep it, the event that makes room for the packet
    /// also frees the thread ([`Chip::let_go`]).
    pub(super) fn send(&mut self, thread: u32, port: u16, class: u8, now: Ticks) -> Sent {
        let number = usize::from(port) % self.senders.len();
        let id = self.threads[thread as usize].packet;
        let sender = &mut self.senders[number];
        let class = usize::from(class) % sender.classes.len();
        let packet = &mut self.packets[id];
        (packet.sender, packet.class, packet.sent) = (number as u16, class as u16, now);
        packet.counted = self.tallies.sent_to(sender.port, packet.class, &packet.head);
        if !self.order.is_turn(&self.packets, id) {
            let room = self.order.has_room();
            if room {
                self.hand_over(thread, now);
            } else {
                self.packets[id].holder = thread;
            }
            self.order.wait(&mut self.packets, id);
            return if room { Sent::Done } else { Sent::WindowFull };
        }
        if sender.is_full(class) && sender.when_full == WhenFull::Wait {
            self.packets[id].holder = thread;
            sender.blocked[class].push_back(id);
            return Sent::QueueFull;
        }
        self.hand_over(thread, now);
        self.pass(id, now);
        self.go_on(now);
        Sent::Done
    }

    /// A thread releases its packet.
    #[inline(always)]
    fn hand_over(&mut self, thread: u32, now: Ticks) {
        let id = self.leave_thread(thread, now);
        let packet = &mut self.packets[id];
        packet.sent = now;
        if self.memory.is_some() && packet.moved > 0 {
            self.free_pool(id, now);
        }
    }

    /// The thread that kept a packet has completed its `Send` and is free.
    fn let_go(&mut self, id: PacketId, now: Ticks) {
        let thread = std::mem::replace(&mut self.packets[id].holder, NOBODY);
        self.hand_over(thread, now);
        let t = &mut self.threads[thread as usize];
        t.next += 1;
        t.spent = false;
        self.make_ready(thread, now);
    }

    /// Advances all packets that can advance: from their turn to their queue, from the entry of a full queue
    /// into the queue, from queues to ports. One packet makes room for the next, so this is a loop and not
    /// recursion.
    pub(super) fn go_on(&mut self, now: Ticks) {
        loop {
            if let Some(id) = self.passing.pop_front() {
                self.pass(id, now);
            } else if let Some(number) = self.feeding.pop_front() {
                self.feed(usize::from(number), now);
            } else if let Some(id) = self.order.admit(&mut self.packets) {
                self.let_go(id, now);
            } else {
                return;
            }
        }
    }

    /// A packet has its turn: it joins its queue, and the next packet of its sequence follows.
    fn pass(&mut self, id: PacketId, now: Ticks) {
        let Packet { dropped, placing, sender: number, class, domain, holder, .. } = self.packets[id];
        if let Some(placing) = placing {
            self.place_waiting(id, placing, now);
        } else if dropped {
            self.packets.remove(id);
        } else {
            let class = usize::from(class);
            let sender = &mut self.senders[usize::from(number)];
            let full = sender.is_full(class);
            if full && sender.when_full == WhenFull::Wait {
                sender.blocked[class].push_back(id);
                if holder != NOBODY {
                    self.enter(holder, State::QUEUE, now);
                }
                return;
            }
            if !full {
                sender.classes[class].push_back(id);
                let packet = &mut self.packets[id];
                if holder == NOBODY {
                    // If a thread kept the packet, the wait counts for the thread instead.
                    self.account.turned += u128::from(now - packet.sent);
                }
                packet.sent = now;
                sender.queued += 1;
                sender.most_queued = sender.most_queued.max(sender.queued);
                self.feeding.push_back(number);
                self.note_queue(usize::from(number), now);
            }
            self.order.leave_window(&mut self.packets[id]);
            if holder != NOBODY {
                self.let_go(id, now);
            }
            if full {
                self.not_forwarded(id, self.packets[id].sent);
                self.lose_inside(id, Loss::OutputQueueFull, now);
                self.packets.remove(id);
            }
        }
        if let Some(next) = self.order.passed(&self.packets, domain) {
            self.passing.push_back(next);
        }
    }

    /// Drops a packet: what it holds is free, and its turn passes on.
    pub(super) fn give_up(&mut self, id: PacketId, loss: Loss, now: Ticks) {
        self.lose_inside(id, loss, now);
        self.give_turn_up(id, now);
    }

    /// A packet will not leave by a port: packets behind it wait for it only until its turn comes.
    fn give_turn_up(&mut self, id: PacketId, now: Ticks) {
        self.packets[id].dropped = true;
        if self.order.is_turn(&self.packets, id) {
            self.pass(id, now);
            self.go_on(now);
        } else {
            self.order.wait(&mut self.packets, id);
        }
    }

    /// A packet ends in its thread, as its program requests; its turn passes on.
    pub(super) fn finish_in_hand(&mut self, thread: u32, now: Ticks) {
        let id = self.leave_thread(thread, now);
        self.free_all(id, now);
        self.account.finished += 1;
        self.count_departure(id, false, now);
        self.give_turn_up(id, now);
        self.refill(now);
    }

    /// A packet inside the chip is lost, and what it holds is free.
    fn lose_inside(&mut self, id: PacketId, loss: Loss, now: Ticks) {
        let Packet { head, number, receiver, counted, .. } = self.packets[id];
        self.note(number, Happened::Lost(loss), now);
        self.count_loss(loss, &head, now);
        let port = self.receivers[usize::from(receiver)].port;
        self.tallies.lost(usize::from(port), counted, loss);
        self.account.leaves(head.bytes, now);
        self.note_inside(now);
        self.gone += 1;
        self.free_all(id, now);
        self.refill(now);
    }

    /// Frees everything that a packet holds.
    fn free_all(&mut self, id: PacketId, now: Ticks) {
        self.free_pool(id, now);
        let packet = &mut self.packets[id];
        let mut released = None;
        if std::mem::take(&mut packet.allocated)
            && let Some(memory) = &mut self.memory
        {
            let room = &mut memory.stores[usize::from(packet.store)].room;
            room.release(packet.first_cell, u32::from(packet.cells));
            released = Some(u64::from(packet.cells));
        }
        self.free_places(id, released, now);
        self.leave_windows(id, now);
    }

    /// Sends packets from the queues of a port: from memory into its buffer, or onto the wire.
    fn feed(&mut self, number: usize, now: Ticks) {
        let by_port = self.memory.as_ref().is_some_and(|m| m.sent_by_ports);
        while self.senders[number].queued > 0 {
            let packets = &self.packets;
            let sender = &mut self.senders[number];
            if !by_port && sender.sending.is_some() || by_port && sender.buffer_used >= sender.buffer_cells {
                break;
            }
            let class = match sender.next(|id| packets[id].head.leaving_bytes(), now) {
                Next::Class(class) => class,
                Next::At(opens) => {
                    self.wait_for_shapers(number, opens);
                    break;
                }
                Next::Nothing => break,
            };
            let Some(id) = sender.classes[class].pop_front() else { break };
            sender.queued -= 1;
            let next = sender.blocked[class].pop_front();
            self.note_queue(number, now);
            if by_port {
                let sender = &mut self.senders[number];
                sender.buffer_used += u32::from(self.packets[id].cells);
                sender.fetched.push_back(id);
                self.move_by_port(id, false, now);
            } else {
                self.begin(number, id, now);
            }
            if let Some(next) = next {
                self.pass(next, now);
            }
        }
        self.begin_fetched(number, now);
    }

    /// Shapers hold all packets of a port until `opens`.
    fn wait_for_shapers(&mut self, number: usize, opens: Ticks) {
        let sender = &mut self.senders[number];
        if sender.opens.is_none_or(|first| opens < first) {
            sender.opens = Some(opens);
            self.set_timer(opens, Timer::Opens(number as u32));
        }
    }

    /// A shaper of a port permits a packet.
    pub(super) fn shaper_opens(&mut self, number: usize, now: Ticks) {
        self.senders[number].opens = None;
        self.feed(number, now);
        self.go_on(now);
    }

    /// Puts the first packet of the port's buffer on the wire, once all of it is there.
    pub(super) fn begin_fetched(&mut self, number: usize, now: Ticks) {
        let sender = &mut self.senders[number];
        if sender.sending.is_none()
            && let Some(&id) = sender.fetched.front()
            && let Packet { parts: 0, done, .. } = self.packets[id]
        {
            if done > now {
                self.agenda.schedule(self.sources.first_sender + number, done);
            } else {
                sender.fetched.pop_front();
                self.begin(number, id, now);
            }
        }
    }

    /// Begins to send a packet.
    fn begin(&mut self, number: usize, id: PacketId, now: Ticks) {
        let packet = &self.packets[id];
        self.account.queued += u128::from(now - packet.sent);
        let bytes = packet.head.leaving_bytes();
        let sender = &mut self.senders[number];
        sender.sending = Some(id);
        let ends = sender.wire.send(now, bytes);
        self.account.wired += u128::from(ends - now);
        self.agenda.schedule(self.sources.first_sender + number, ends);
    }

    /// A frame of a port has ended on the wire, or all of the next one is in its buffer.
    pub(super) fn sender_event(&mut self, number: usize, now: Ticks) {
        if !self.block_threads.is_empty() {
            return self.slots_event(number, now);
        }
        if self.transmit.is_some() {
            self.cell_sent(number, now);
            return self.refill(now);
        }
        let sender = &mut self.senders[number];
        let Some(id) = sender.sending.take() else { return self.begin_fetched(number, now) };
        if self.memory.as_ref().is_some_and(|m| m.sent_by_ports) {
            sender.buffer_used -= u32::from(self.packets[id].cells);
        }
        sender.sent(self.packets[id].head.leaving_bytes());
        self.depart(id, now);
        self.feed(number, now);
        self.go_on(now);
        self.refill(now);
    }

    pub(super) fn depart(&mut self, id: PacketId, now: Ticks) {
        self.free_all(id, now);
        self.count_departure(id, true, now);
        let packet = &mut self.packets[id];
        // The thread may not have run since it moved the last cell: the packet stays until the thread
        // releases it.
        packet.departed = packet.attended;
        if !packet.attended {
            self.packets.remove(id);
        }
    }

    /// Counts a packet that threads processed and that is no longer inside.
    #[inline(always)]
    fn count_departure(&mut self, id: PacketId, by_port: bool, now: Ticks) {
        let packet = &self.packets[id];
        let Packet { number, counted, received, .. } = *packet;
        self.gone += 1;
        let (bytes_in, bytes) = (packet.head.bytes, u64::from(packet.head.leaving_bytes()));
        self.account.packets_out += 1;
        self.account.bytes_out += bytes;
        if packet.head.network == NetworkKind::NotIp {
            let counts = &mut self.account.not_ip;
            *(if by_port { &mut counts.forwarded } else { &mut counts.finished }) += 1;
        }
        let receiver = &self.receivers[usize::from(packet.receiver)];
        let (input_port, output_port) = (receiver.port, self.senders[usize::from(packet.sender)].port);
        let on_wire = if receiver.from_first_bit { receiver.wire.pass(bytes_in) } else { 0 };
        let latency = now - received + on_wire;
        self.account.latency.record(latency);
        self.tallies.left(usize::from(input_port), counted, bytes, latency);
        self.account.leaves(bytes_in, now);
        self.account.bytes_inside.event();
        self.note(number, Happened::Departed { port: output_port }, now);
        self.note_inside(now);
        let slice = self.account.series.at(now);
        slice.packets_out += 1;
        slice.bytes_out += bytes;
        slice.latency += u128::from(latency);
        if let Some(sink) = &mut self.departures {
            let Packet { head, flow_hash, .. } = self.packets[id];
            sink(&Departure { at: now, number, flow_hash, input_port, output_port, by_port, latency, head });
        }
    }

    /// If a packet always waits, threads that found no room in memory for one try again.
    #[inline(always)]
    pub(super) fn refill(&mut self, now: Ticks) {
        if self.config.saturated && self.next_arrival.is_some() {
            self.refill_all(now);
        }
    }

    fn refill_all(&mut self, now: Ticks) {
        // Clusters may have separate memories: one may be full for the next packet while another has room.
        let mut full = None;
        for inbox in 0..self.inboxes.len() {
            if self.inboxes[inbox].receivers.is_empty() {
                continue;
            }
            for group in 0..self.inboxes[inbox].groups.len() {
                let cluster = usize::from(self.inboxes[inbox].groups[group].cluster);
                let store = self.memory.as_ref().map(|memory| memory.of_cluster[cluster]);
                if full.is_some() && full == store {
                    continue;
                }
                while let Some(&(thread, epoch)) = self.inboxes[inbox].groups[group].free.front() {
                    if self.threads[thread as usize].epoch == epoch {
                        let Some(id) = self.draw(inbox, group, now) else {
                            full = store;
                            break;
                        };
                        self.hold_drawn(thread, id, now);
                    }
                    self.inboxes[inbox].groups[group].free.pop_front();
                }
            }
        }
    }
}
