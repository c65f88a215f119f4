//! The input side: arrivals, and the ops that take a packet to its output queue.

use super::{ARRIVAL, Arrival, Machine};
use crate::packet::Packet;
use crate::thread::State;
use crate::watch::Watch;
use linecard_buffers::Placement;
use linecard_program::{DropReason, Op, PacketHead, PacketId};
use linecard_sim::Ticks;

/// How much more traffic a fast port gets: 1 Gbit/s beside 100 Mbit/s.
const FASTER: usize = 10;

impl<O: Watch> Machine<O> {
    pub(super) fn arrival_event(&mut self, now: Ticks) {
        let Some(Arrival { head, flow_hash, .. }) = self.next_arrival.take() else { return };
        self.count_arrival(&head);
        let number = self.arrived - 1;
        let lane = self.lane_of(flow_hash);
        let port = lane % self.port_cells.len();
        let room = self.paced_cells.unwrap_or(0);
        if self.port_cells[port] + head.cells() > room {
            let reason =
                if head.cells() > room { DropReason::TooLarge } else { DropReason::ReceiveBufferFull };
            self.counts.drops[reason as usize] += 1;
            self.gone += 1;
        } else {
            self.port_cells[port] += head.cells();
            self.lanes[lane].waiting.push_back((head, number, now));
            if std::mem::take(&mut self.lanes[lane].thread_waits) && !self.give_packet(lane, now) {
                self.make_ready(lane as u32, now);
            }
        }
        self.fetch_arrival();
    }

    /// The input thread that serves a flow: its port by one part of the hash, the thread of the port by another.
    pub(super) fn lane_of(&self, flow_hash: u32) -> usize {
        let (lanes, ports) = (self.lanes.len(), self.port_cells.len());
        // A fast port has as many shares of the hash as it is faster.
        let slow = ports - self.fast_input_ports;
        let shares = slow + FASTER * self.fast_input_ports;
        let share = flow_hash as usize % shares;
        let port = if share < slow { share } else { slow + (share - slow) / FASTER };
        let threads = (lanes - port).div_ceil(ports);
        port + ports * (flow_hash as usize / shares % threads)
    }

    pub(super) fn count_arrival(&mut self, head: &PacketHead) {
        self.arrived += 1;
        self.counts.packets_in += 1;
        self.counts.bytes_in += u64::from(head.bytes);
    }

    pub(super) fn fetch_arrival(&mut self) {
        self.next_arrival = (self.traffic)();
        match &self.next_arrival {
            Some(arrival) => {
                let at = self.timebase.ticks_from_ns(arrival.at_ns).max(self.agenda.now());
                self.agenda.schedule(ARRIVAL, at);
            }
            None => self.traffic_ended = true,
        }
    }

    pub(super) fn receive(&mut self, thread: u32, now: Ticks) -> bool {
        let lane = thread as usize;
        if self.paced_cells.is_some() {
            if !self.lanes[lane].waiting.is_empty() {
                return self.give_packet(lane, now);
            }
        } else if let Some(arrival) = (self.traffic)() {
            self.count_arrival(&arrival.head);
            self.hold(lane, arrival.head, self.arrived - 1, now);
            return false;
        } else {
            self.traffic_ended = true;
        }
        self.lanes[lane].thread_waits = true;
        self.wait(thread, State::Receive, now)
    }

    /// Give the first waiting packet of a lane to its thread, over the bus; whether the thread must wait for that.
    pub(super) fn give_packet(&mut self, lane: usize, now: Ticks) -> bool {
        let Some((head, number, arrived)) = self.lanes[lane].waiting.pop_front() else { return false };
        let port = lane % self.port_cells.len();
        self.port_cells[port] -= head.cells();
        self.hold(lane, head, number, arrived);
        let across = self.bus.cross(head.cells(), now);
        if across == now {
            return false;
        }
        self.wake_on_return(lane as u32, across);
        self.wait(lane as u32, State::WaitFifo, now)
    }

    pub(super) fn hold(&mut self, lane: usize, head: PacketHead, number: u64, arrived: Ticks) {
        let now = self.agenda.now();
        self.integrate(now);
        self.counts.in_receive_buffer += u128::from(now - arrived);
        let cells = head.cells() as u16;
        let input_thread = lane as u16;
        let waited = now - arrived;
        let packet = self.packets.insert(Packet {
            head,
            number,
            arrived,
            waited,
            input_thread,
            cells,
            ..Packet::default()
        });
        let t = &mut self.threads[lane];
        t.at_receive = t.clock.spent(now);
        t.packet = packet;
        t.mailbox.answer_packet(packet, head);
    }

    pub(super) fn admit(&mut self, thread: u32, queue: u16, now: Ticks) -> bool {
        let q = &mut self.queues[queue as usize];
        if q.in_transit >= self.queue_packets {
            q.waiting.push_back(thread);
            return self.wait(thread, State::WaitQueueRoom, now);
        }
        q.in_transit += 1;
        let packet = self.threads[thread as usize].packet;
        self.packets[packet].admitted = true;
        self.packets[packet].queue = queue;
        false
    }

    /// Whether the thread goes on (placed, or told that the packet fits nowhere).
    pub(super) fn allocate(&mut self, thread: u32, id: PacketId, queue: u16, now: Ticks) -> bool {
        let cells = u32::from(self.packets[id].cells);
        let placement = self.memory.allocator.allocate(cells, queue);
        let reply = match placement {
            Placement::Wait => return false,
            Placement::TooLarge => 1,
            Placement::At(first) => {
                self.integrate(now);
                self.cells_in_use += u64::from(cells);
                let stream = self.wide.as_mut().map_or(0, |w| w.append(queue, cells));
                let packet = &mut self.packets[id];
                packet.allocated = true;
                packet.first_cell = first;
                packet.write_at = (0, first);
                packet.read_at = (0, first);
                packet.stream = stream;
                0
            }
        };
        self.threads[thread as usize].mailbox.answer(reply);
        if reply == 0 && self.wide.is_some() {
            // Space kept apart by queue is used in order, so the place in the queue is given with the space.
            self.queues[queue as usize].packets.push_back(id);
        }
        true
    }

    pub(super) fn enqueue(&mut self, thread: u32, id: PacketId, queue: u16, now: Ticks) {
        let packet = &mut self.packets[id];
        packet.head = self.threads[thread as usize].mailbox.head();
        packet.enqueued = now;
        packet.complete = true;
        if self.wide.is_none() {
            self.queues[queue as usize].packets.push_back(id);
        }
        self.offer(queue as usize, now);
    }

    pub(super) fn discard(&mut self, thread: u32, id: PacketId, reason: DropReason, now: Ticks) {
        assert!(
            self.wide.is_none() || !self.packets[id].allocated,
            "a program dropped a packet whose place in its queue's stream of cells was given"
        );
        self.counts.drops[reason as usize] += 1;
        self.gone += 1;
        // What was spent on it is no forwarded packet's time.
        let t = &self.threads[thread as usize];
        for (sum, (spent, before)) in
            self.counts.on_dropped.iter_mut().zip(t.clock.spent(now).into_iter().zip(t.at_receive))
        {
            *sum += u128::from(spent.saturating_sub(before));
        }
        self.counts.in_receive_buffer =
            self.counts.in_receive_buffer.saturating_sub(u128::from(self.packets[id].waited));
        self.remove(id, now);
    }

    pub(super) fn buffer_freed(&mut self, cells: u64, now: Ticks) {
        self.integrate(now);
        self.cells_in_use -= cells;
        while let Some(&thread) = self.buffer_waiters.front() {
            let Op::Allocate { packet, queue } = self.threads[thread as usize].op else {
                unreachable!("only allocations wait for buffers")
            };
            if !self.allocate(thread, packet, queue, now) {
                break;
            }
            self.buffer_waiters.pop_front();
            self.make_ready(thread, now);
        }
    }

    /// Take a packet out of the machine with all that it holds.
    pub(super) fn remove(&mut self, id: PacketId, now: Ticks) {
        self.integrate(now);
        let packet = self.packets.remove(id);
        if packet.allocated {
            self.memory.allocator.release(packet.first_cell, u32::from(packet.cells));
            self.buffer_freed(u64::from(packet.cells), now);
        }
        if packet.admitted {
            self.queues[packet.queue as usize].in_transit -= 1;
            if let Some(thread) = self.queues[packet.queue as usize].waiting.pop_front() {
                self.issue_again(thread, now);
            }
        }
    }
}
