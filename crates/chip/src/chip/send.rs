//! The outward side: the turn of a packet, output queues, packets read from memory by their port, wires, departures.

use super::{Chip, Departure};
use crate::account::Loss;
use crate::config::WhenFull;
use linecard_program::PacketId;
use linecard_sim::Ticks;

/// What came of handing a packet over to its output queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// The thread is free.
    Done,
    /// The queue of this port is full, and the thread waits.
    QueueFull(usize),
    /// The packet is early, and no more may wait for their turn.
    WindowFull,
}

impl Chip {
    /// A thread hands its packet over.
    pub(super) fn send(&mut self, thread: u32, port: u16, class: u8, now: Ticks) -> Sent {
        let port = usize::from(self.senders[usize::from(port) % self.senders.len()]);
        let id = self.threads[thread as usize].packet;
        let turn = self.order.is_turn(&self.packets, id);
        let Some(sender) = &mut self.ports[port].sender else {
            unreachable!("only ports with an outward side are sent to")
        };
        let class = usize::from(class) % sender.classes.len();
        if sender.taken[class] >= sender.queue_packets {
            match sender.when_full {
                WhenFull::Wait => return Sent::QueueFull(port),
                WhenFull::Drop => {
                    self.leave_thread(thread);
                    self.give_up(id, Loss::OutputQueueFull, now);
                    return Sent::Done;
                }
            }
        }
        if !turn && !self.order.has_room() {
            return Sent::WindowFull;
        }
        sender.taken[class] += 1;
        self.leave_thread(thread);
        let packet = &mut self.packets[id];
        (packet.port, packet.class, packet.sent) = (port as u16, class as u16, now);
        if self.memory.is_some() && packet.moved > 0 {
            self.free_pool(id, now);
        }
        match turn {
            true => self.pass(id, now),
            false => self.order.wait(&mut self.packets, id),
        }
        Sent::Done
    }

    /// It is the packet's turn, and that of those behind it which are done.
    fn pass(&mut self, id: PacketId, now: Ticks) {
        let mut next = Some(id);
        while let Some(id) = next {
            let packet = self.packets[id];
            match packet.dropped {
                true => self.packets.remove(id),
                false => self.enqueue(id, now),
            }
            next = self.order.passed(&self.packets, packet.domain);
        }
        while self.order.has_room()
            && let Some(thread) = self.order.blocked.pop_front()
        {
            self.resume(thread, now);
        }
    }

    fn enqueue(&mut self, id: PacketId, now: Ticks) {
        let packet = &self.packets[id];
        let (port, class) = (usize::from(packet.port), usize::from(packet.class));
        let Some(sender) = &mut self.ports[port].sender else { return };
        sender.classes[class].push_back(id);
        sender.most_queued = sender.most_queued.max(sender.queued() as u32);
        self.feed(port, now);
    }

    /// A packet is given up: what it holds is free, and its turn passes on.
    pub(super) fn give_up(&mut self, id: PacketId, loss: Loss, now: Ticks) {
        self.account.lost(loss, now);
        self.account.leaves(now);
        self.gone += 1;
        self.free_all(id, now);
        self.packets[id].dropped = true;
        if self.order.is_turn(&self.packets, id) {
            self.pass(id, now);
        } else {
            self.order.wait(&mut self.packets, id);
        }
        self.refill(now);
    }

    /// Everything that a packet holds is free.
    fn free_all(&mut self, id: PacketId, now: Ticks) {
        self.free_pool(id, now);
        let packet = &mut self.packets[id];
        if std::mem::take(&mut packet.allocated)
            && let Some(memory) = &mut self.memory
            && let Some(allocator) = &mut memory.allocators[usize::from(packet.place)]
        {
            allocator.release(packet.first_cell, u32::from(packet.cells));
        }
    }

    /// Let packets go on from the queues of a port: into its buffer out of memory, or onto the wire.
    fn feed(&mut self, number: usize, now: Ticks) {
        let by_port = self.memory.as_ref().is_some_and(|m| m.sent_by_ports);
        loop {
            let packets = &self.packets;
            let Some(sender) = &mut self.ports[number].sender else { return };
            if !by_port && sender.sending.is_some() {
                return;
            }
            if by_port && sender.buffer_used >= sender.buffer_cells {
                break;
            }
            let Some(class) = sender.next_class(|id| packets[id].head.bytes) else { break };
            let Some(id) = sender.classes[class].pop_front() else { break };
            sender.taken[class] -= 1;
            if by_port {
                sender.buffer_used += u32::from(self.packets[id].cells);
                sender.fetched.push_back((id, false));
                self.move_by_port(id, false, now);
            } else {
                self.begin(number, id, now);
            }
            self.unblock(number, now);
        }
        self.begin_fetched(number, now);
    }

    /// Threads that wait for room in a queue of the port try again.
    fn unblock(&mut self, number: usize, now: Ticks) {
        let waiting = self.ports[number].sender.as_ref().map_or(0, |s| s.blocked.len());
        for _ in 0..waiting {
            let Some(thread) = self.ports[number].sender.as_mut().and_then(|s| s.blocked.pop_front()) else {
                return;
            };
            self.resume(thread, now);
        }
    }

    /// All of a packet has been read for its port.
    pub(super) fn fetched(&mut self, id: PacketId, now: Ticks) {
        let number = usize::from(self.packets[id].port);
        if let Some(sender) = &mut self.ports[number].sender
            && let Some(entry) = sender.fetched.iter_mut().find(|(other, _)| *other == id)
        {
            entry.1 = true;
        }
        self.begin_fetched(number, now);
    }

    /// Put the first packet of the port's buffer on the wire, if it is all there.
    fn begin_fetched(&mut self, number: usize, now: Ticks) {
        let Some(sender) = &mut self.ports[number].sender else { return };
        if sender.sending.is_none() && sender.fetched.front().is_some_and(|&(_, there)| there) {
            let Some((id, _)) = sender.fetched.pop_front() else { return };
            self.begin(number, id, now);
        }
    }

    /// A packet is on the wire.
    fn begin(&mut self, number: usize, id: PacketId, now: Ticks) {
        let packet = &self.packets[id];
        self.account.queued += u128::from(now - packet.sent);
        let bytes = packet.head.bytes;
        let Some(sender) = &mut self.ports[number].sender else { return };
        sender.sending = Some(id);
        let ends = sender.wire.send(now, bytes);
        self.account.wired += u128::from(ends - now);
        let source = self.senders.iter().position(|&port| usize::from(port) == number).unwrap_or(0);
        self.agenda.schedule(self.sources.first_sender + source, ends);
    }

    /// The frame on the wire of a port has ended.
    pub(super) fn sender_event(&mut self, source: usize, now: Ticks) {
        let number = usize::from(self.senders[source]);
        let Some(sender) = &mut self.ports[number].sender else { return };
        let Some(id) = sender.sending.take() else { return };
        if self.memory.as_ref().is_some_and(|m| m.sent_by_ports) {
            sender.buffer_used -= u32::from(self.packets[id].cells);
        }
        sender.packets += 1;
        sender.bytes += u64::from(self.packets[id].head.bytes);
        self.depart(id, now);
        self.feed(number, now);
        self.refill(now);
    }

    fn depart(&mut self, id: PacketId, now: Ticks) {
        self.free_all(id, now);
        let packet = self.packets[id];
        self.packets.remove(id);
        self.gone += 1;
        let bytes = u64::from(packet.head.bytes);
        self.account.packets_out += 1;
        self.account.bytes_out += bytes;
        let latency = now - packet.received;
        self.account.latency.record(latency);
        self.account.leaves(now);
        let slice = self.account.series.at(now);
        slice.packets_out += 1;
        slice.bytes_out += bytes;
        slice.latency += u128::from(latency);
        if let Some(sink) = &mut self.departures {
            sink(&Departure {
                at: now,
                number: packet.number,
                flow_hash: packet.flow_hash,
                input_port: packet.input_port,
                output_port: packet.port,
                head: packet.head,
            });
        }
    }

    /// Where a packet always waits, threads that found no room in memory for one try again.
    fn refill(&mut self, now: Ticks) {
        if !self.config.saturated || self.next_arrival.is_none() {
            return;
        }
        for inbox in 0..self.inboxes.len() {
            if !self.inboxes[inbox].of_ports {
                continue;
            }
            for group in 0..self.inboxes[inbox].groups.len() {
                while let Some(&(thread, epoch)) = self.inboxes[inbox].groups[group].free.front() {
                    if self.threads[thread as usize].epoch == epoch {
                        let Some(id) = self.draw(inbox, group, now) else { return };
                        self.hold_drawn(thread, id, now);
                    }
                    self.inboxes[inbox].groups[group].free.pop_front();
                }
            }
        }
    }
}
