//! The transmit buffer that programs fill: positions in the queues of ports, cells, and packets kept in memory
//! meanwhile.
//!
//! Packets of a flow enter their queue in the order of arrival. A port sends packets in the order in which they
//! enter the queue, cell by cell. A packet kept in memory enters at the end of the queue when a thread takes it
//! again; until then memory also keeps later packets of its flow, behind it.

use super::Chip;
use super::issued::Part;
use crate::config::{TransmitBufferConfig, TransmitRoom, Watermarks};
use crate::packet::{NOBODY, Placing};
use crate::port::CellQueue;
use crate::thread::State;
use linecard_program::script::{NEVER_KEPT, Way};
use linecard_program::{DropReason, PacketId};
use linecard_sim::Ticks;

/// Classes of flows: memory keeps packets of a class together, and so those of a flow.
pub(super) const FLOW_CLASSES: usize = 1 << 14;

#[inline]
fn flow_class(flow_hash: u32) -> usize {
    // The multiplication comes first, because hashes may differ in few bits.
    (flow_hash.wrapping_mul(0x9e37_79b1) >> 18) as usize
}

impl Chip {
    /// A thread asks for its packet's position in the queue. Returns whether it has the position and the thread
    /// continues.
    pub(super) fn place(&mut self, thread: u32, port: u16, placing: Placing, now: Ticks) -> bool {
        let id = self.threads[thread as usize].packet;
        let packet = &mut self.packets[id];
        let whole = |t: &&TransmitBufferConfig| t.room == TransmitRoom::Packet;
        if self.config.transmit.as_ref().filter(whole).is_some_and(|t| u32::from(packet.cells) > t.cells) {
            self.drop_in_hand(thread, DropReason::TooLarge, now);
            return true;
        }
        let number = usize::from(port) % self.senders.len();
        packet.sender = number as u16;
        packet.counted = self.tallies.sent_to(self.senders[number].port, 0, &packet.head);
        if !self.order.is_turn(&self.packets, id) {
            let packet = &mut self.packets[id];
            (packet.holder, packet.placing) = (thread, Some(placing));
            self.order.wait(&mut self.packets, id);
            return false;
        }
        self.take_place(thread, id, placing);
        if let Some(next) = self.order.passed(&self.packets, self.packets[id].domain) {
            self.passing.push_back(next);
        }
        self.go_on(now);
        true
    }

    /// A packet has its turn while its thread waits for the position in the queue.
    pub(super) fn place_waiting(&mut self, id: PacketId, placing: Placing, now: Ticks) {
        let packet = &mut self.packets[id];
        packet.placing = None;
        let thread = std::mem::replace(&mut packet.holder, NOBODY);
        self.take_place(thread, id, placing);
        self.make_ready(thread, now);
    }

    fn take_place(&mut self, thread: u32, id: PacketId, placing: Placing) {
        let Placing { kept, stays } = placing;
        let packet = &self.packets[id];
        let (number, bytes, class) = (packet.sender, packet.head.bytes, flow_class(packet.flow_hash));
        let mut next = self.threads[thread as usize].next + 1;
        if let Some(buffer) = &mut self.transmit {
            let earlier = buffer.kept_flows[class] > 0;
            let cells = &mut self.senders[usize::from(number)].cells;
            let keeps = kept != NEVER_KEPT && (cells.keeps || earlier);
            if keeps {
                self.account.kept_packets += 1;
                self.account.kept_bytes += u64::from(bytes);
                next = u32::from(kept);
            }
            if keeps && !stays {
                buffer.kept_flows[class] += 1;
                cells.kept.push_back(id);
            } else {
                cells.queue.push_back(id);
                cells.queued_bytes += bytes;
                cells.look_at(buffer.config.watermarks);
            }
        }
        let t = &mut self.threads[thread as usize];
        (t.next, t.spent) = (next, false);
    }

    /// Takes a cell of the transmit buffer for a packet, or all of its cells, if the packet may have them.
    pub(super) fn takes_transmit_cell(&mut self, id: PacketId, cell: u16, now: Ticks) -> bool {
        let packet = &self.packets[id];
        let Some(buffer) = &mut self.transmit else { return true };
        if packet.transmit_cells > cell {
            // A later part of a cell that is already allocated.
            return true;
        }
        let ports = self.senders.len();
        let cells = &mut self.senders[usize::from(packet.sender)].cells;
        let free = buffer.config.cells - buffer.used;
        match buffer.config.room {
            TransmitRoom::Cell => {
                let head = cells.queue.front() == Some(&id);
                if free == 0 || (!head && free as usize <= ports) {
                    return false;
                }
                buffer.used += 1;
            }
            TransmitRoom::Packet if cell == 0 => {
                let next = cells.queue.get(cells.with_room) == Some(&id);
                if !next || free < u32::from(packet.cells) {
                    return false;
                }
                cells.with_room += 1;
                buffer.used += u32::from(packet.cells);
            }
            TransmitRoom::Packet => {}
        }
        let bytes = u32::from(packet.cell_bytes(cell));
        cells.bytes += bytes;
        cells.look_at(buffer.config.watermarks);
        buffer.bytes.set(buffer.bytes.now + u64::from(bytes), now);
        self.packets[id].transmit_cells += 1;
        true
    }

    /// A packet that takes all of its room at once now has it; the next packet of its port may have waited
    /// for this.
    pub(super) fn passed_room_on(&mut self, cell: u16, now: Ticks) {
        let waits =
            |t: &super::TransmitBuffer| t.config.room == TransmitRoom::Packet && !t.waiters.is_empty();
        if cell == 0 && self.transmit.as_ref().is_some_and(waits) {
            self.retry_transmit(now);
        }
    }

    /// A cell is free, or a packet reached the head of its queue: threads that wait for room try again.
    fn retry_transmit(&mut self, now: Ticks) {
        let mut at = 0;
        while let Some(buffer) = &self.transmit
            && let Some(&(thread, part)) = buffer.waiters.get(at)
        {
            if !self.takes_transmit_cell(self.threads[thread as usize].packet, part.cell, now) {
                at += 1;
                continue;
            }
            if let Some(buffer) = &mut self.transmit {
                buffer.waiters.remove(at);
            }
            // An engine that runs another thread does not stall for this one.
            self.move_part(thread, part, now);
            let t = &mut self.threads[thread as usize];
            t.next += 1;
            t.spent = false;
            if self.config.transmit.is_some_and(|t| t.room == TransmitRoom::Packet) {
                // The next packet of its port may be ahead of it in the list.
                at = 0;
            }
        }
    }

    /// The last part of a cell has been moved: updates the buffers.
    pub(super) fn moved_part(&mut self, thread: u32, way: Way, cell: u16, now: Ticks) {
        let id = self.threads[thread as usize].packet;
        if way.from_receive() {
            self.left_receive_buffer(id, cell, now);
        }
        if way.to_transmit() {
            let packet = &mut self.packets[id];
            packet.filled += 1;
            let number = usize::from(packet.sender);
            if self.transmit.is_some() {
                self.begin_cell(number, now);
            }
        }
    }

    fn left_receive_buffer(&mut self, id: PacketId, cell: u16, now: Ticks) {
        let packet = &mut self.packets[id];
        packet.moved += 1;
        let all = packet.moved >= packet.cells;
        self.leaves_receive_buffer(id, cell, now);
        if all {
            self.free_pool(id, now);
        }
    }

    /// Puts the next cell of a port on its wire, if the wire is free and the cell is there.
    fn begin_cell(&mut self, number: usize, now: Ticks) {
        let sender = &mut self.senders[number];
        if sender.cells.on_wire.is_some() {
            return;
        }
        let Some(&id) = sender.cells.queue.front() else { return };
        let packet = &self.packets[id];
        if packet.filled > packet.cells_sent {
            let bytes = u32::from(packet.cell_bytes(packet.cells_sent));
            sender.cells.on_wire = Some(id);
            let ends = sender.wire.send_part(now, bytes, packet.cells_sent == 0);
            self.agenda.schedule(self.sources.first_sender + number, ends);
        }
    }

    /// A port has sent a cell.
    pub(super) fn cell_sent(&mut self, number: usize, now: Ticks) {
        let Some(id) = self.senders[number].cells.on_wire.take() else { return };
        let packet = &mut self.packets[id];
        let bytes = u32::from(packet.cell_bytes(packet.cells_sent));
        packet.cells_sent += 1;
        let all = packet.cells_sent == packet.cells;
        let watermarks = self.config.transmit.and_then(|transmit| transmit.watermarks);
        let cells = &mut self.senders[number].cells;
        cells.bytes -= bytes;
        cells.queued_bytes -= bytes.min(cells.queued_bytes);
        if all {
            cells.queue.pop_front();
            cells.with_room = cells.with_room.saturating_sub(1);
        }
        cells.look_at(watermarks);
        if let Some(buffer) = &mut self.transmit {
            buffer.used -= 1;
            buffer.bytes.set(buffer.bytes.now - u64::from(bytes), now);
        }
        if all {
            let packet = &self.packets[id];
            if !packet.attended {
                self.account.transmitted += u128::from(now - packet.sent);
            }
            self.senders[number].sent(packet.head.bytes);
            self.depart(id, now);
        }
        self.begin_cell(number, now);
        self.retry_transmit(now);
        self.offer_kept(now);
    }

    /// The whole packet is in the transmit buffer, and its thread is free. Ports that are never busy send it at
    /// once.
    pub(super) fn hand_to_port(&mut self, thread: u32, now: Ticks) {
        let id = self.leave_thread(thread, now);
        let packet = &mut self.packets[id];
        packet.sent = now;
        if self.transmit.is_none() {
            self.senders[usize::from(packet.sender)].sent(packet.head.bytes);
            self.depart(id, now);
        } else if packet.departed {
            self.packets.remove(id);
        }
    }

    /// A packet is complete in memory, and its thread is free.
    pub(super) fn keep(&mut self, thread: u32, now: Ticks) {
        let id = self.leave_thread(thread, now);
        let packet = &mut self.packets[id];
        (packet.complete, packet.sent) = (true, now);
        self.offer_kept(now);
    }

    /// Hands packets from memory that may be sent to free threads.
    fn offer_kept(&mut self, now: Ticks) {
        if self.config.transmit.is_none_or(|transmit| transmit.watermarks.is_none()) {
            return;
        }
        // A chip that keeps packets has one inbox with one list of free threads.
        while let Some(&(thread, epoch)) = self.inboxes[0].groups[0].free.front() {
            if self.threads[thread as usize].epoch == epoch {
                let Some(id) = self.next_kept() else { return };
                self.resume(thread, id, now);
                self.make_ready(thread, now);
            }
            self.inboxes[0].groups[0].free.pop_front();
        }
    }

    /// Returns the next packet to send from memory: the first of a port whose queue has fallen to the low
    /// watermark, once it is complete.
    #[inline(always)]
    pub(super) fn next_kept(&mut self) -> Option<PacketId> {
        let watermarks = self.config.transmit.as_ref()?.watermarks;
        if self.turns.are_over() { None } else { self.kept_below(watermarks) }
    }

    fn kept_below(&mut self, watermarks: Option<Watermarks>) -> Option<PacketId> {
        let low_bytes = watermarks?.low_bytes;
        let packets = &self.packets;
        let cells = self.senders.iter_mut().map(|sender| &mut sender.cells);
        let ready = |cells: &CellQueue| {
            cells.queued_bytes <= low_bytes && cells.kept.front().is_some_and(|&id| packets[id].complete)
        };
        let mut ports = cells.filter(|cells| ready(cells));
        let cells = ports.next()?;
        let id = cells.kept.pop_front()?;
        let packet = &packets[id];
        cells.queue.push_back(id);
        cells.queued_bytes += packet.head.bytes;
        cells.look_at(watermarks);
        if let Some(buffer) = &mut self.transmit {
            buffer.kept_flows[flow_class(packet.flow_hash)] -= 1;
        }
        Some(id)
    }

    /// A thread takes a packet that was kept in memory.
    pub(super) fn resume(&mut self, thread: u32, id: PacketId, now: Ticks) {
        self.ends_span(thread, now);
        let packet = &mut self.packets[id];
        self.account.kept += u128::from(now - packet.sent);
        packet.attended = true;
        self.inboxes[usize::from(packet.inbox)].groups[packet.group as usize].load += 1;
        let t = &mut self.threads[thread as usize];
        t.take_up(id);
        let program = self.clusters[t.cluster as usize].program;
        self.programs[program].resume(&packet.head, &mut t.steps);
        self.count_turn(thread, id, now);
    }

    /// The thread waits for room in the transmit buffer.
    pub(super) fn wait_for_transmit_cell(&mut self, thread: u32, part: Part, now: Ticks) {
        if let Some(buffer) = &mut self.transmit {
            buffer.waiters.push_back((thread, part));
        }
        self.enter(thread, State::QUEUE, now);
    }
}
