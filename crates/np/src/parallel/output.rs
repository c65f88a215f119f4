//! The output side: places in the queues, the transmit buffer, ports that send cell by cell.
//!
//! Packets of a flow take their places in the order in which they came. A port sends packets in the order in which they
//! were to be moved to the transmit buffer: a packet that is kept in the packet buffer takes its place at the end when a
//! thread takes it up, and until then later packets of its flow are kept behind it. A cell of the transmit buffer is
//! taken when its move begins and free when the port has sent it. So that no packet can fill the buffer against an
//! earlier one of its port, one cell a port is kept for packets at the head of their queues.

use super::{ParallelMachine, Step, TRANSMIT};
use crate::machine::Departure;
use crate::thread::State;
use linecard_program::{Op, PacketId};
use linecard_sim::Ticks;
use std::collections::VecDeque;

/// An output port and its queue.
pub(super) struct Port {
    /// Packets that threads move to the transmit buffer or that stand there, in order.
    queue: VecDeque<PacketId>,
    /// Bytes of those that have not been sent.
    queued_bytes: u32,
    /// Packets in the packet buffer, complete or not, that no thread sends yet.
    stored: VecDeque<PacketId>,
    /// Bytes in the transmit buffer.
    bytes: u32,
    /// Whether new packets are kept in the packet buffer.
    keeps: bool,
    /// When the cell on the link has been sent.
    free_at: Option<Ticks>,
}

impl Port {
    pub fn new() -> Self {
        Self {
            queue: VecDeque::with_capacity(256),
            queued_bytes: 0,
            stored: VecDeque::with_capacity(256),
            bytes: 0,
            keeps: false,
            free_at: None,
        }
    }
}

/// Classes of flows: packets of a class are kept in order, which those of a flow then are.
pub(super) const FLOW_CLASSES: usize = 1 << 14;

#[inline]
fn flow_class(flow_hash: u32) -> usize {
    // Multiplied first: hashes may differ in few bits.
    (flow_hash.wrapping_mul(0x9e37_79b1) >> 18) as usize
}

impl ParallelMachine {
    /// A thread asks for its packet's place.
    pub(super) fn place(&mut self, thread: u32, queue: u16, now: Ticks) -> Step {
        if self.paced.is_none() {
            self.unplaced[thread as usize] = None;
            let t = &self.threads[thread as usize];
            (self.packets[t.packet].queue, self.packets[t.packet].head) = (queue, t.mailbox.head());
            t.mailbox.answer(0);
            return Step::GoOn;
        }
        if self.earlier_of_flow(thread) {
            self.place_waiters.push(thread);
            return self.wait(thread, State::WaitLock, now);
        }
        self.take_place(thread, queue);
        self.retry_places(now);
        Step::GoOn
    }

    /// Whether a thread holds an earlier packet of this thread's flow that has no place yet.
    fn earlier_of_flow(&self, thread: u32) -> bool {
        let mine = &self.packets[self.threads[thread as usize].packet];
        self.unplaced.iter().flatten().any(|&id| {
            let other = &self.packets[id];
            other.flow_hash == mine.flow_hash && other.number < mine.number
        })
    }

    fn take_place(&mut self, thread: u32, queue: u16) {
        let id = self.threads[thread as usize].packet;
        self.unplaced[thread as usize] = None;
        let packet = &mut self.packets[id];
        packet.queue = queue;
        packet.head = self.threads[thread as usize].mailbox.head();
        let bytes = packet.head.bytes;
        let class = flow_class(packet.flow_hash);
        let port = &mut self.output[queue as usize];
        let keep = port.keeps || self.stored_flows[class] > 0;
        if keep {
            self.stored_flows[class] += 1;
            port.stored.push_back(id);
            self.counts.stored_packets += 1;
            self.counts.stored_bytes += u64::from(bytes);
        } else {
            port.queue.push_back(id);
            port.queued_bytes += bytes;
        }
        self.threads[thread as usize].mailbox.answer(u32::from(keep));
    }

    /// Look at a port's watermarks.
    fn update_keeps(&mut self, queue: usize) {
        let Some(marks) = self.paced.and_then(|paced| paced.watermarks) else { return };
        let port = &mut self.output[queue];
        if port.bytes > marks.high_bytes {
            port.keeps = true;
        } else if port.bytes <= marks.low_bytes {
            port.keeps = false;
        }
    }

    /// Somebody took a place or was dropped: others of the flow may go on.
    pub(super) fn retry_places(&mut self, now: Ticks) {
        let mut at = 0;
        while at < self.place_waiters.len() {
            let thread = self.place_waiters[at];
            if self.earlier_of_flow(thread) {
                at += 1;
                continue;
            }
            self.place_waiters.remove(at);
            let Op::Place { queue } = self.threads[thread as usize].op else {
                unreachable!("it waits for a place")
            };
            self.take_place(thread, queue);
            self.make_ready(thread, now);
            at = 0;
        }
    }

    /// Take a cell of the transmit buffer for a thread's packet, if it may have one.
    pub(super) fn takes_tbuf_cell(&mut self, thread: u32, cell: u16, now: Ticks) -> bool {
        let Some(paced) = self.paced else { return true };
        let id = self.threads[thread as usize].packet;
        let packet = &self.packets[id];
        if packet.tbuf_cells > cell {
            // A later part of a cell that has its place.
            return true;
        }
        let free = paced.tbuf_cells - self.tbuf_cells;
        let head = self.output[packet.queue as usize].queue.front() == Some(&id);
        if free == 0 || (!head && free <= paced.ports) {
            return false;
        }
        let bytes = packet.cell_bytes(cell);
        self.integrate(now);
        self.packets[id].tbuf_cells += 1;
        self.tbuf_cells += 1;
        let queue = usize::from(self.packets[id].queue);
        self.output[queue].bytes += bytes;
        self.update_keeps(queue);
        self.levels.tbuf_bytes += u64::from(bytes);
        true
    }

    /// A cell is free in the transmit buffer, or a packet came to the head: threads that wait for room try again.
    fn retry_tbuf(&mut self, now: Ticks) {
        let mut at = 0;
        while at < self.tbuf_waiters.len() {
            let thread = self.tbuf_waiters[at];
            let Op::Move { what, cell, bytes, .. } = self.threads[thread as usize].op else {
                unreachable!("it waits to move a cell")
            };
            if self.takes_tbuf_cell(thread, cell, now) {
                self.tbuf_waiters.remove(at);
                // An engine that runs another thread does not stand still for this one.
                self.submit_move(thread, what, cell, bytes, now);
            } else {
                at += 1;
            }
        }
    }

    /// One more cell of a packet is complete in the transmit buffer.
    pub(super) fn filled(&mut self, id: PacketId, now: Ticks) {
        let port = usize::from(self.packets[id].queue);
        if self.output[port].free_at.is_none() {
            self.begin_cell(port, now);
            self.schedule_transmit();
        }
    }

    /// Put the next cell of a port on its link, if it is there.
    fn begin_cell(&mut self, number: usize, now: Ticks) {
        let port = &mut self.output[number];
        let Some(&id) = port.queue.front() else { return };
        let packet = &self.packets[id];
        if packet.filled > packet.sent {
            let bits = u128::from(packet.cell_bytes(packet.sent)) * 8;
            port.free_at = Some(now + ((bits * self.bit_ticks_64k) >> 16) as Ticks);
        }
    }

    fn schedule_transmit(&mut self) {
        if let Some(first) = self.output.iter().filter_map(|port| port.free_at).min() {
            self.agenda.schedule(TRANSMIT, first);
        }
    }

    pub(super) fn transmit_event(&mut self, now: Ticks) {
        for number in 0..self.output.len() {
            if self.output[number].free_at.is_none_or(|at| at > now) {
                continue;
            }
            self.output[number].free_at = None;
            self.cell_sent(number, now);
            self.begin_cell(number, now);
        }
        self.schedule_transmit();
        self.retry_tbuf(now);
        self.offer_stored(now);
    }

    fn cell_sent(&mut self, number: usize, now: Ticks) {
        self.integrate(now);
        let port = &mut self.output[number];
        let Some(&id) = port.queue.front() else { unreachable!("a port sends the head of its queue") };
        let packet = &mut self.packets[id];
        let bytes = packet.cell_bytes(packet.sent);
        packet.sent += 1;
        port.bytes -= bytes;
        port.queued_bytes -= bytes;
        self.tbuf_cells -= 1;
        self.levels.tbuf_bytes -= u64::from(bytes);
        if packet.sent == packet.cells {
            port.queue.pop_front();
            self.depart(id, number, now);
        }
        self.update_keeps(number);
    }

    /// A thread has its packet complete in the packet buffer.
    pub(super) fn store(&mut self, thread: u32, now: Ticks) {
        let id = self.threads[thread as usize].packet;
        self.packets[id].stored = now;
        self.packets[id].complete = true;
        self.offer_stored(now);
    }

    /// Give packets that may go out to free threads.
    fn offer_stored(&mut self, now: Ticks) {
        while !self.free_threads.is_empty() {
            let Some(id) = self.next_stored() else { return };
            let Some(thread) = self.free_threads.pop_front() else { return };
            self.give(thread, id, true, now);
            self.make_ready(thread, now);
        }
    }

    /// The packet of the packet buffer that goes out next: the first of a port whose queue has fallen to the low
    /// watermark, when all of it is in the packet buffer.
    pub(super) fn next_stored(&mut self) -> Option<PacketId> {
        let low_bytes = self.paced?.watermarks?.low_bytes;
        let found = self.output.iter().position(|port| {
            port.queued_bytes <= low_bytes && port.stored.front().is_some_and(|&id| self.packets[id].complete)
        })?;
        let port = &mut self.output[found];
        let id = port.stored.pop_front()?;
        let packet = &self.packets[id];
        self.stored_flows[flow_class(packet.flow_hash)] -= 1;
        port.queue.push_back(id);
        port.queued_bytes += packet.head.bytes;
        Some(id)
    }

    /// All of a packet is in the transmit buffer. Ports that are never busy send it at once.
    pub(super) fn hand_over(&mut self, id: PacketId, now: Ticks) {
        if self.paced.is_none() {
            self.integrate(now);
            let port = usize::from(self.packets[id].queue);
            self.depart(id, port, now);
        }
    }

    fn depart(&mut self, id: PacketId, port: usize, now: Ticks) {
        let packet = self.packets.remove(id);
        self.gone += 1;
        self.levels.inside_bytes -= u64::from(packet.head.bytes);
        self.counts.departed(&packet, now);
        self.counts.buffer_event(self.levels.inside_bytes);
        if let Some(sink) = &mut self.departures {
            let (input_thread, output_port) = (packet.thread, port as u16);
            sink(&Departure { at: now, number: packet.number, input_thread, output_port, head: packet.head });
        }
    }
}
