//! The input side: arrivals, the receive buffer, the list of free threads.

use super::packet::Packet;
use super::{ARRIVAL, ParallelMachine, Release, Step};
use crate::machine::Arrival;
use crate::thread::State;
use linecard_program::{DropReason, Op, PacketId, STORED};
use linecard_sim::Ticks;

impl ParallelMachine {
    /// Fetch the next packet of the traffic and wait for its time.
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

    pub(super) fn arrival_event(&mut self, now: Ticks) {
        let Some(arrival) = self.next_arrival.take() else { return };
        let Some(paced) = self.paced else { return };
        self.counts.packets_in += 1;
        self.counts.bytes_in += u64::from(arrival.head.bytes);
        let cells = arrival.head.cells();
        if self.rbuf_cells + cells > paced.rbuf_cells {
            self.numbered += 1;
            self.gone += 1;
            let reason = match cells > paced.rbuf_cells {
                true => DropReason::TooLarge,
                false => DropReason::ReceiveBufferFull,
            };
            self.counts.drops[reason as usize] += 1;
            self.counts.dropped_bytes += u64::from(arrival.head.bytes);
        } else {
            self.integrate(now);
            self.rbuf_cells += cells;
            let id = self.admit(&arrival, now);
            match self.free_threads.pop_front() {
                Some(thread) => {
                    self.give(thread, id, false, now);
                    self.make_ready(thread, now);
                }
                None => self.arrived_packets.push_back(id),
            }
        }
        self.fetch_arrival();
    }

    /// Enter a packet into the table.
    fn admit(&mut self, arrival: &Arrival, now: Ticks) -> PacketId {
        let bank = self.placement.below(self.banks);
        let packet = Packet {
            head: arrival.head,
            number: self.numbered,
            flow_hash: arrival.flow_hash,
            arrived: now,
            cells: arrival.head.cells() as u16,
            bank,
            ..Packet::default()
        };
        self.numbered += 1;
        self.levels.rbuf_bytes += u64::from(arrival.head.bytes);
        self.levels.inside_bytes += u64::from(arrival.head.bytes);
        self.counts.buffer_event(self.levels.inside_bytes);
        self.packets.insert(packet)
    }

    /// A free thread asks for work.
    pub(super) fn receive(&mut self, thread: u32, now: Ticks) -> Step {
        if self.paced.is_none() {
            let Some(arrival) = (self.traffic)() else {
                self.traffic_ended = true;
                return self.wait(thread, State::Receive, now);
            };
            self.integrate(now);
            self.counts.packets_in += 1;
            self.counts.bytes_in += u64::from(arrival.head.bytes);
            let id = self.admit(&arrival, now);
            self.give(thread, id, false, now);
            return Step::GoOn;
        }
        if self.threads[thread as usize].op == Op::ReceiveOrSend
            && let Some(id) = self.next_stored()
        {
            self.give(thread, id, true, now);
            return Step::GoOn;
        }
        if let Some(id) = self.arrived_packets.pop_front() {
            self.give(thread, id, false, now);
            return Step::GoOn;
        }
        self.free_threads.push_back(thread);
        self.wait(thread, State::Receive, now)
    }

    /// Hand a packet to a thread.
    pub(super) fn give(&mut self, thread: u32, id: PacketId, stored: bool, now: Ticks) {
        let packet = &mut self.packets[id];
        packet.thread = thread as u16;
        match stored {
            true => packet.resumed = now,
            false => {
                packet.received = now;
                self.unplaced[thread as usize] = Some(id);
            }
        }
        let t = &mut self.threads[thread as usize];
        t.packet = id;
        let mark = if stored { STORED } else { 0 };
        t.mailbox.answer_packet(PacketId(id.0 | mark), packet.head);
    }

    /// Give a packet up.
    pub(super) fn discard(&mut self, thread: u32, id: PacketId, reason: DropReason, now: Ticks) {
        self.integrate(now);
        self.unplaced[thread as usize] = None;
        let packet = self.packets.remove(id);
        let bytes = u64::from(packet.head.bytes);
        // What has not left the receive buffer does so now.
        let left: u32 = (packet.taken..packet.cells).map(|cell| packet.cell_bytes(cell)).sum();
        self.levels.rbuf_bytes -= u64::from(left);
        self.rbuf_cells -= match self.paced.map(|paced| paced.release) {
            Some(Release::Cell) => u32::from(packet.cells - packet.taken),
            Some(Release::Packet) if packet.taken < packet.cells => u32::from(packet.cells),
            _ => 0,
        };
        self.levels.inside_bytes -= bytes;
        self.counts.drops[reason as usize] += 1;
        self.counts.dropped_bytes += bytes;
        self.gone += 1;
        self.retry_places(now);
    }
}
