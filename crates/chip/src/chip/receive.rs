//! The receive side: arrivals, wires, the receive buffer, and packets that ports write to memory.

use super::turns::LOST_AT_ONCE;
use super::{Arrival, Chip, Lost, Timer};
use crate::config::Release;
use crate::loss::Loss;
use crate::packet::Packet;
use crate::place::Memory;
use crate::port::Frame;
use crate::recording::Happened;
use crate::request::{NO_TARGET, Owner, Request};
use crate::spread::choose;
use crate::tally::NO_QUEUE;
use linecard_buffers::Placement;
use linecard_program::script::Access;
use linecard_program::{CELL_BYTES, DropReason, NetworkKind, PacketHead, PacketId};
use linecard_sim::Ticks;

const PORT_SALT: u32 = 0x2545_f491;

impl Chip {
    /// Fetches the next packet of the traffic. Returns when it arrives.
    pub(super) fn fetch_arrival(&mut self) -> Option<Ticks> {
        self.next_arrival = (self.traffic)();
        match &self.next_arrival {
            Some(arrival) => Some(self.timebase.ticks_from_ns(arrival.at_ns).max(self.agenda.now())),
            None => {
                self.traffic_ended = true;
                self.account.ends(self.agenda.now());
                None
            }
        }
    }

    /// The first bit of a frame arrives at its port.
    pub(super) fn arrival_event(&mut self, now: Ticks) {
        let Some(arrival) = self.next_arrival.take() else { return };
        let number = usize::from(self.shares[choose(arrival.flow_hash, PORT_SALT, self.shares.len())]);
        let receiver = &mut self.receivers[number];
        if receiver.wire.free.saturating_sub(now) > self.line_patience {
            self.came(number, self.numbered, &arrival.head, now);
            self.numbered += 1;
            self.lose(number, self.numbered - 1, Loss::LineFull, &arrival.head, now);
        } else {
            let ends = receiver.wire.send(now, arrival.head.bytes);
            let frame = Frame { head: arrival.head, flow_hash: arrival.flow_hash, ends };
            receiver.coming.push_back(frame);
            if receiver.coming.len() == 1 {
                self.agenda.schedule(self.sources.first_receiver + number, ends);
            } else {
                self.account.wait_for_lines(self.account.before_lines.now + 1, now);
            }
        }
        if let Some(at) = self.fetch_arrival() {
            self.agenda.schedule_taken(at);
        }
    }

    #[inline(always)]
    fn came(&mut self, receiver: usize, number: u64, head: &PacketHead, now: Ticks) {
        let receiver = &mut self.receivers[receiver];
        receiver.packets += 1;
        receiver.bytes += u64::from(head.bytes);
        let port = receiver.port;
        self.note(number, Happened::Arrived { port }, now);
        self.account.packets_in += 1;
        self.tallies.came(usize::from(port), head);
        self.account.bytes_in += u64::from(head.bytes);
        self.account.series.at(now).packets_in += 1;
        self.account.not_ip.packets_in += u64::from(head.network == NetworkKind::NotIp);
    }

    /// A packet is lost before it has an entry in the table.
    #[inline(never)]
    fn lose(&mut self, receiver: usize, number: u64, loss: Loss, head: &PacketHead, now: Ticks) {
        self.tallies.lost(usize::from(self.receivers[receiver].port), NO_QUEUE, loss);
        self.note(number, Happened::Lost(loss), now);
        self.count_loss(loss, head, now);
        self.gone += 1;
    }

    /// Counts a lost packet; its bytes are no longer needed.
    pub(super) fn count_loss(&mut self, loss: Loss, head: &PacketHead, now: Ticks) {
        self.account.lost(loss, head, now);
        self.forget_bytes(head.frame);
        if let Some(sink) = &mut self.losses {
            sink(&Lost { at: now, loss, head: *head });
        }
    }

    /// Releases the bytes of a packet.
    pub(super) fn forget_bytes(&mut self, frame: u32) {
        if frame > 0
            && let Some(lost) = &mut self.lost_bytes
        {
            lost(frame);
        }
    }

    /// The last bit of a frame has arrived.
    pub(super) fn receiver_event(&mut self, number: usize, now: Ticks) {
        while let Some(frame) = self.receivers[number].coming.front() {
            if frame.ends > now {
                self.agenda.schedule_taken(frame.ends);
                break;
            }
            let frame = *frame;
            let coming = &mut self.receivers[number].coming;
            coming.pop_front();
            if !coming.is_empty() {
                self.account.wait_for_lines(self.account.before_lines.now - 1, now);
            }
            self.came(number, self.numbered, &frame.head, now);
            self.admit(number, &frame, now);
        }
    }

    /// Allocates room for a packet in the receive buffer and in memory, and passes it on.
    fn admit(&mut self, by: usize, frame: &Frame, now: Ticks) {
        let number = self.numbered;
        self.numbered += 1;
        let receiver = &self.receivers[by];
        let (pool, inbox) = (usize::from(receiver.pool), usize::from(receiver.inbox));
        let cells = frame.head.cells();
        let room = u64::from(self.pools[pool].cells);
        if self.pools[pool].level.now + u64::from(cells) > room {
            let too_large = u64::from(cells) > room;
            let reason = if too_large { DropReason::TooLarge } else { DropReason::ReceiveBufferFull };
            return self.lose(by, number, Loss::Program(reason), &frame.head, now);
        }
        let mut packet = Packet::new(frame.head, number, frame.flow_hash, by as u16, now);
        let group = self.inboxes[inbox].group_of(frame.flow_hash);
        if let Err(loss) = self.allocate(&mut packet, inbox, group) {
            return self.lose(by, number, loss, &frame.head, now);
        }
        let level = self.pools[pool].level.now + u64::from(cells);
        self.pools[pool].level.set(level, now);
        (packet.pool, packet.pool_cells) = (pool as u16, cells as u16);
        (packet.domain, packet.turn) = self.order.enter(frame.flow_hash, by as u16);
        let id = self.stands_in_receive_buffer(&mut packet, now);
        self.join_group(id, inbox, group);
        self.note_inside(now);
        self.turns.come();
        match &self.memory {
            Some(memory) if memory.received_by_ports => {
                self.receivers[by].storing.push_back(id);
                self.move_by_port(id, true, now);
            }
            _ => self.offer(id, now),
        }
    }

    /// Counts a packet that has arrived as inside.
    #[inline(always)]
    fn stands_in_receive_buffer(&mut self, packet: &mut Packet, now: Ticks) -> PacketId {
        let bytes = packet.head.bytes;
        packet.in_receive = bytes;
        let level = &mut self.account.receive_bytes;
        level.set(level.now + u64::from(bytes), now);
        self.account.enters(bytes, now);
        self.packets.insert(packet)
    }

    /// Allocates room for a packet in the memory of the cluster that will take it.
    #[inline(always)]
    fn allocate(&mut self, packet: &mut Packet, inbox: usize, group: usize) -> Result<(), Loss> {
        let Some(memory) = self.memory.as_mut().filter(|memory| !memory.placed_by_programs) else {
            return Ok(());
        };
        let number = memory.of_cluster[usize::from(self.inboxes[inbox].groups[group].cluster)];
        let room = &mut memory.stores[usize::from(number)].room;
        match room.allocate(u32::from(packet.cells), 0) {
            Placement::Wait => Err(Loss::PacketMemoryFull),
            Placement::TooLarge => Err(Loss::Program(DropReason::TooLarge)),
            Placement::At(first) => {
                packet.allocated = true;
                packet.place_at(number, first, room.in_a_row(first, u32::from(packet.cells)));
                Ok(())
            }
        }
    }

    /// Creates a packet for a thread, on a chip that always has one waiting.
    pub(super) fn draw(&mut self, inbox: usize, group: usize, now: Ticks) -> Option<PacketId> {
        let mut lost = 0;
        while !self.turns.are_over() {
            if self.next_arrival.is_none() && !self.traffic_ended {
                self.next_arrival = (self.traffic)();
                self.traffic_ended = self.next_arrival.is_none();
            }
            let Arrival { head, flow_hash, .. } = self.next_arrival?;
            let receivers = &self.inboxes[inbox].receivers;
            let by = receivers[choose(flow_hash, PORT_SALT, receivers.len())];
            let mut packet = Packet::new(head, self.numbered, flow_hash, by, now);
            let allocated = self.allocate(&mut packet, inbox, group);
            if allocated == Err(Loss::PacketMemoryFull) {
                // The thread waits until there is room.
                return None;
            }
            self.next_arrival = None;
            self.numbered += 1;
            self.came(usize::from(by), self.numbered - 1, &head, now);
            if let Err(loss) = allocated {
                self.lose(usize::from(by), self.numbered - 1, loss, &head, now);
                lost += 1;
                if lost == LOST_AT_ONCE {
                    self.fits_none();
                }
                continue;
            }
            (packet.domain, packet.turn) = self.order.enter(flow_hash, by);
            let id = self.stands_in_receive_buffer(&mut packet, now);
            self.join_group(id, inbox, group);
            self.note_inside(now);
            return Some(id);
        }
        None
    }

    /// A port moves all cells of a packet to memory, or from memory.
    pub(super) fn move_by_port(&mut self, id: PacketId, write: bool, now: Ticks) {
        let packet = &mut self.packets[id];
        let (cells, store) = (packet.cells, usize::from(packet.store));
        packet.parts = u32::from(cells);
        packet.done = now;
        let Some(memory) = &self.memory else { return };
        let (place, base) = (memory.stores[store].place, memory.stores[store].base);
        let kind = if write { Access::Write } else { Access::Read };
        for cell in 0..cells {
            let bytes = self.packets[id].cell_bytes(cell);
            let address = base + self.cell_address(id, cell, write);
            if let Some(done) = self.places[usize::from(place)].serve(now, kind, address, u32::from(bytes)) {
                self.part_done(id, write, done);
            } else {
                self.request_cell(id, write, place, address, bytes, now);
            }
        }
    }

    /// A port accesses a cell in a memory that answers later. A separate function, so that the others take few
    /// registers.
    #[inline(never)]
    fn request_cell(&mut self, id: PacketId, write: bool, place: u16, address: u64, bytes: u16, now: Ticks) {
        let (owner, kind) = match write {
            true => (Owner::Receive(id), Access::Write),
            false => (Owner::Transmit(id), Access::Read),
        };
        let request = self.requests.insert(Request::new(owner, NO_TARGET, kind, bytes, place, address));
        if let Some(done) = self.travel(request, now) {
            self.completed(request, done);
        }
    }

    /// A port's access for a packet completes at `done`.
    pub(super) fn part_done(&mut self, id: PacketId, write: bool, done: Ticks) {
        let packet = &mut self.packets[id];
        packet.parts -= 1;
        packet.done = packet.done.max(done);
        if packet.parts == 0 && write {
            let done = packet.done;
            self.set_timer(done, Timer::Stored(id.0));
        }
    }

    /// The whole packet is in memory: its cells of the receive buffer are free, and threads may take it and the
    /// packets behind it. A port releases packets in the order of arrival; a packet that overtook others could
    /// keep a thread from them and then wait for them.
    pub(super) fn stored(&mut self, id: PacketId, now: Ticks) {
        self.free_pool(id, now);
        let packet = &mut self.packets[id];
        packet.stored = true;
        let by = usize::from(packet.receiver);
        while let Some(&id) = self.receivers[by].storing.front()
            && self.packets[id].stored
        {
            self.receivers[by].storing.pop_front();
            self.account.stored += u128::from(now - self.packets[id].received);
            self.offer(id, now);
        }
    }

    /// Returns the byte offset of a cell in the packet memory; callers ask for cells in order.
    #[inline(always)]
    pub(super) fn cell_address(&mut self, id: PacketId, cell: u16, write: bool) -> u64 {
        let packet = &self.packets[id];
        if packet.in_a_row {
            return (u64::from(packet.first_cell) + u64::from(cell)) * u64::from(CELL_BYTES);
        }
        self.linked_cell_address(id, cell, write)
    }

    /// As `cell_address`, for a packet whose cells are linked.
    fn linked_cell_address(&mut self, id: PacketId, cell: u16, write: bool) -> u64 {
        let packet = &mut self.packets[id];
        let Some(memory) = &self.memory else { return u64::from(cell) * u64::from(CELL_BYTES) };
        let room = &memory.stores[usize::from(packet.store)].room;
        let at = if write { &mut packet.write_at } else { &mut packet.read_at };
        if at.0 > cell {
            *at = (0, packet.first_cell);
        }
        while at.0 < cell {
            *at = (at.0 + 1, room.next_cell(at.1));
        }
        u64::from(at.1) * u64::from(CELL_BYTES)
    }

    /// A program moves a cell out of the receive buffer. After the last cell, the buffer is free; one that releases
    /// cells is free cell by cell.
    #[inline(always)]
    pub(super) fn moved_cell(&mut self, id: PacketId, cell: u16, now: Ticks) {
        // With output threads, the cell is copied; the buffer is free when the packet is complete in memory.
        if self.block_threads.is_empty() {
            self.cell_leaves(id, cell, now);
        }
    }

    fn cell_leaves(&mut self, id: PacketId, cell: u16, now: Ticks) {
        // Cells move in order; a cell that is written again left the buffer before.
        let packet = &mut self.packets[id];
        let first = packet.moved;
        packet.moved = first.max(cell + 1);
        let all = packet.moved >= packet.cells;
        if self.releases_cells(id) {
            for left in first..=cell {
                self.leaves_receive_buffer(id, left, now);
            }
        }
        if all {
            self.free_pool(id, now);
        }
    }

    /// Returns whether the receive buffer of a packet releases each cell when it has been moved.
    fn releases_cells(&self, id: PacketId) -> bool {
        self.config.pools[usize::from(self.packets[id].pool)].release == Release::Cell
    }

    /// A cell has left the receive buffer. It is free if the buffer releases cells.
    pub(super) fn leaves_receive_buffer(&mut self, id: PacketId, cell: u16, now: Ticks) {
        let is_free = self.releases_cells(id);
        let packet = &mut self.packets[id];
        let bytes = u32::from(packet.cell_bytes(cell)).min(packet.in_receive);
        packet.in_receive -= bytes;
        let level = &mut self.account.receive_bytes;
        level.set(level.now - u64::from(bytes), now);
        if is_free && packet.pool_cells > 0 {
            packet.pool_cells -= 1;
            let level = &mut self.pools[usize::from(packet.pool)].level;
            level.set(level.now - 1, now);
        }
    }

    /// The packet's cells of the receive buffer are free.
    #[inline(always)]
    pub(super) fn free_pool(&mut self, id: PacketId, now: Ticks) {
        let packet = &mut self.packets[id];
        let bytes = u64::from(std::mem::take(&mut packet.in_receive));
        if bytes > 0 {
            let level = &mut self.account.receive_bytes;
            level.set(level.now - bytes, now);
        }
        let cells = u64::from(std::mem::take(&mut packet.pool_cells));
        if cells > 0 {
            let level = &mut self.pools[usize::from(packet.pool)].level;
            level.set(level.now - cells, now);
        }
    }
}
