//! Output threads: packets wait in the queue of their port, and threads move them block by block to its
//! transmit slots.
//!
//! A program asks for room in the queue before it stores the packet (`Admit`), and for room in the packet
//! memory (`Allocate`). When the packet is complete there (`Enqueue`), the threads of its port take it in
//! blocks, as slots become free. Source: Hasan 2003, sections 4.3, 4.5 and 5.2.

use super::issued::{After, Issued};
use super::travel::wake_channel;
use super::{BlockThread, Chip};
use crate::config::WhenFull;
use crate::loss::Loss;
use crate::packet_memory::Wide;
use crate::place::{Cells, Memory, Submitted};
use crate::queue_caches::Written;
use crate::request::{NO_TARGET, Owner, Request, of_thread};
use crate::thread::State;
use linecard_buffers::Placement;
use linecard_program::script::{Access, Action, Block, RoleId, Step};
use linecard_program::{CELL_BYTES, DropReason, PacketId};
use linecard_sim::Ticks;

impl Chip {
    /// Returns whether the queue of the port has room for the thread's packet; otherwise the thread waits for
    /// it.
    pub(super) fn admitted(&mut self, thread: u32, port: u16, now: Ticks) -> bool {
        let number = usize::from(port) % self.senders.len();
        let may_wait = self.gives_places_early();
        let blocks = &mut self.block_queues[number];
        if (may_wait || blocks.when_full == WhenFull::Wait) && blocks.in_transit >= blocks.most {
            blocks.waiting.push_back(thread);
            self.enter(thread, State::QUEUE, now);
            return false;
        }
        blocks.in_transit += 1;
        let id = self.threads[thread as usize].packet;
        let packet = &mut self.packets[id];
        (packet.admitted, packet.sender) = (true, number as u16);
        packet.counted = self.tallies.sent_to(self.senders[number].port, 0, &packet.head);
        true
    }

    /// Returns whether the packet of a thread has room in memory, or is dropped because it can never have it;
    /// otherwise the thread waits.
    pub(super) fn has_room(&mut self, thread: u32, now: Ticks) -> bool {
        // Waiting threads come first; otherwise large packets would wait for ever.
        let alone = self.memory.as_ref().is_none_or(|memory| memory.waiters.is_empty());
        if alone && self.place_in_memory(thread, now) {
            return true;
        }
        if let Some(memory) = &mut self.memory {
            memory.waiters.push_back(thread);
        }
        self.enter(thread, State::BUFFER, now);
        false
    }

    fn place_in_memory(&mut self, thread: u32, now: Ticks) -> bool {
        let Some(memory) = &mut self.memory else { return true };
        let t = &self.threads[thread as usize];
        let id = t.packet;
        let packet = &mut self.packets[id];
        let number = memory.of_cluster[usize::from(t.cluster)];
        let room = &mut memory.stores[usize::from(number)].room;
        let cells = u32::from(packet.cells);
        match room.allocate(cells, packet.sender) {
            Placement::Wait => return false,
            Placement::TooLarge => {
                self.drop_in_hand(thread, DropReason::TooLarge, now);
            }
            Placement::At(first) => {
                memory.cells.set(memory.cells.now + u64::from(cells), now);
                packet.allocated = true;
                packet.place_at(number, first, room.in_a_row(first, cells));
                if let Some(wide) = &mut memory.wide {
                    packet.stream = wide.caches.append(packet.sender, cells);
                    // Memory that is partitioned by queue is used in order, so the packet enters the queue when
                    // it gets the memory.
                    let number = usize::from(packet.sender);
                    self.block_queues[number].packets.push_back(id);
                }
            }
        }
        true
    }

    /// Frees cells of the packet memory: threads that wait for room continue.
    fn memory_freed(&mut self, cells: u64, now: Ticks) {
        if let Some(memory) = &mut self.memory {
            memory.cells.set(memory.cells.now - cells, now);
        }
        while let Some(&thread) = self.memory.as_ref().and_then(|memory| memory.waiters.front()) {
            if !self.place_in_memory(thread, now) {
                break;
            }
            if let Some(memory) = &mut self.memory {
                memory.waiters.pop_front();
            }
            self.does_next(thread);
            self.make_ready(thread, now);
        }
    }

    /// The action that the thread waited for is complete; the thread continues with its next step.
    fn does_next(&mut self, thread: u32) {
        let t = &mut self.threads[thread as usize];
        t.next += 1;
        t.spent = false;
    }

    /// Returns whether packets enter their queues when they get room in memory, so that none can be dropped
    /// later. That holds in front of caches of the queues, which move cells in the order of their writes.
    fn gives_places_early(&self) -> bool {
        self.has_queue_caches()
    }

    #[inline(always)]
    pub(super) fn has_queue_caches(&self) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.wide.is_some())
    }

    /// A packet is complete in memory. It joins its queue, or is dropped if the queue is full, and its thread
    /// is free.
    pub(super) fn enqueue(&mut self, thread: u32, now: Ticks) {
        let id = self.threads[thread as usize].packet;
        let number = usize::from(self.packets[id].sender);
        let has_place = self.gives_places_early();
        let blocks = &mut self.block_queues[number];
        if !has_place && blocks.when_full == WhenFull::Drop && blocks.packets.len() >= blocks.most as usize {
            return self.lose_in_hand(thread, Loss::OutputQueueFull, now);
        }
        self.leave_thread(thread, now);
        self.free_pool(id, now);
        let packet = &mut self.packets[id];
        (packet.complete, packet.sent) = (true, now);
        if !has_place {
            self.block_queues[number].packets.push_back(id);
        }
        self.note_queue(number, now);
        self.offer_blocks(number, now);
    }

    /// After a change at a port, assigns its blocks to the threads that wait for one.
    fn offer_blocks(&mut self, number: usize, now: Ticks) {
        self.block_queues[number].update_sendable(&self.packets);
        while self.block_queues[number].sendable {
            let polls =
                |&&thread: &&u32| self.block_threads[self.block_number[thread as usize] as usize].polls;
            let Some(&thread) = self.block_queues[number].servers.iter().find(polls) else { return };
            self.block_threads[self.block_number[thread as usize] as usize].polls = false;
            let engine = self.threads[thread as usize].engine as usize;
            self.engines[engine].polling -= 1;
            self.give_block(thread, number, now);
            self.make_ready(thread, now);
        }
    }

    /// An output thread takes the next block of its ports in turn; without a block it waits.
    pub(super) fn take_block(&mut self, thread: u32, now: Ticks) -> bool {
        let number = self.block_number[thread as usize] as usize;
        let BlockThread { ports, last, .. } = &self.block_threads[number];
        let count = ports.len();
        let sendable = |at: &usize| self.block_queues[usize::from(ports[*at])].sendable;
        let after = *last + 1..count;
        match after.chain(0..*last + 1).find(sendable) {
            Some(at) => {
                let port = usize::from(ports[at]);
                self.give_block(thread, port, now);
                true
            }
            None => {
                self.block_threads[number].polls = true;
                let engine = self.threads[thread as usize].engine as usize;
                self.engines[engine].polling += 1;
                self.enter(thread, State::POLL, now);
                false
            }
        }
    }

    fn give_block(&mut self, thread: u32, number: usize, now: Ticks) {
        let t = &mut self.threads[thread as usize];
        let cluster = &self.clusters[usize::from(t.cluster)];
        let most = cluster.block_cells.unwrap_or(1);
        let Some((id, mut block)) = self.block_queues[number].take_block(most, &mut self.packets, now) else {
            return;
        };
        block.port = number as u16;
        t.block = Some((id, block));
        (t.next, t.spent) = (0, false);
        t.steps.clear();
        self.programs[cluster.program].block(&block, &mut t.steps);
        let served = &mut self.block_threads[self.block_number[thread as usize] as usize];
        served.last = served.ports.iter().position(|&p| usize::from(p) == number).unwrap_or(0);
        if block.last {
            self.note_queue(number, now);
        }
    }

    /// Reads the cells of a thread's block in parallel; the thread waits for all of them. A thread without a
    /// block reads nothing.
    pub(super) fn read_block(&mut self, thread: u32, role: RoleId, now: Ticks) -> After {
        let Some((id, block)) = self.threads[thread as usize].block else { return After::GoOn };
        if self.has_queue_caches()
            && let Some(read) = self.read_wide(thread, id, &block, now)
        {
            return if read { After::Wait } else { After::Blocked };
        }
        if self.reads_together(thread, role) {
            self.read_cells_together(thread, role, id, &block, now);
            let state = self.target(thread, role).state;
            self.join(thread, state, now);
            return After::Wait;
        }
        for cell in block.first_cell..block.first_cell + block.cells {
            let address = self.cell_address(id, cell, false);
            let bytes = self.packets[id].cell_bytes(cell);
            let kind = Access::Read;
            self.issue(thread, Issued { role, kind, posted: true, bytes, registers: 0, address }, now);
        }
        let state = self.target(thread, role).state;
        self.join(thread, state, now);
        After::Wait
    }

    /// Returns whether the memory reads all cells of a block together: they reach it without delay.
    #[inline(always)]
    fn reads_together(&self, thread: u32, role: RoleId) -> bool {
        let target = self.target(thread, role);
        target.submits && self.places[usize::from(target.place)].reads_cells_together()
    }

    /// Reads the cells of a thread's block as one request. If its memory begins accesses ahead of time, the
    /// memory notifies the thread and there is no request.
    fn read_cells_together(&mut self, thread: u32, role: RoleId, id: PacketId, block: &Block, now: Ticks) {
        let target = self.target(thread, role);
        let (place, base, planned) = (usize::from(target.place), target.base, target.planned);
        let request = if planned {
            of_thread(thread, true)
        } else {
            let number = self.threads[thread as usize].targets + u32::from(role.0);
            let owner = Owner::Thread { thread, posted: true };
            let read = Request::new(owner, number, Access::Read, 0, place as u16, 0);
            self.requests.insert(Request { arrived: now, ..read })
        };
        let packet = &self.packets[id];
        let pieces = if packet.in_a_row {
            let first = u64::from(packet.first_cell) + u64::from(block.first_cell);
            let last_bytes = u32::from(packet.cell_bytes(block.first_cell + block.cells - 1));
            let address = base + first * u64::from(CELL_BYTES);
            let cells = Cells { request, address, count: block.cells, last_bytes };
            let first = self.sources.first_channel + self.sources.channel_of_place[place];
            let agenda = &mut self.agenda;
            self.places[place]
                .submit_cells(&cells, now, |channel, at| wake_channel(agenda, first + channel, at))
        } else {
            let mut pieces = 0;
            for cell in block.first_cell..block.first_cell + block.cells {
                let address = base + self.cell_address(id, cell, false);
                let bytes = u32::from(self.packets[id].cell_bytes(cell));
                let access = Submitted { request, address, bytes, registers: 0, write: false };
                pieces += self.submit(place, &access, now);
            }
            pieces
        };
        // Without a request, the memory notifies the thread of each piece; a request completes with its last
        // piece.
        self.threads[thread as usize].posted_unknown += if planned { pieces } else { 1 };
        if !planned {
            self.requests[request].pieces = pieces;
        }
    }

    /// Hands a thread's block over to its port, if it has one.
    pub(super) fn transmit_block(&mut self, thread: u32, now: Ticks) {
        let Some((_, block)) = self.threads[thread as usize].block else { return };
        let number = usize::from(block.port);
        let sender = &mut self.senders[number];
        let across = match sender.bus {
            Some(bus) => self.links[usize::from(bus)].cross(now, u32::from(block.cells) * CELL_BYTES),
            None => now,
        };
        let blocks = &mut self.block_queues[number];
        let (packets, memory) = (&mut self.packets, &mut self.memory);
        let mut freed = 0;
        let wake = blocks.slots.filled(block.slot, &mut sender.wire, across, |slot| {
            let packet = &mut packets[slot.packet];
            if slot.block.last && std::mem::take(&mut packet.allocated) {
                // Every cell has been read: its room in the memory is free.
                if let Some(memory) = memory {
                    let room = &mut memory.stores[usize::from(packet.store)].room;
                    room.release(packet.first_cell, u32::from(packet.cells));
                }
                freed += u64::from(packet.cells);
            }
        });
        if let Some(at) = wake {
            self.agenda.schedule(self.sources.first_sender + number, at);
        }
        if freed > 0 {
            self.memory_freed(freed, now);
        }
    }

    /// Slots of a port are free: packets whose last block was in them have departed, and threads get the next
    /// blocks.
    pub(super) fn slots_event(&mut self, number: usize, now: Ticks) {
        while let Some(slot) = self.block_queues[number].slots.take_free(now) {
            if slot.block.last {
                let packet = &self.packets[slot.packet];
                self.account.queued += u128::from(packet.picked - packet.sent);
                self.account.sending += u128::from(now - packet.picked);
                self.senders[number].sent(packet.head.bytes);
                self.depart(slot.packet, now);
            }
        }
        if let Some(at) = self.block_queues[number].slots.next() {
            self.agenda.schedule_taken(at);
        }
        self.offer_blocks(number, now);
        self.refill(now);
    }

    /// A packet departs without a queue and a port.
    pub(super) fn leave_at_once(&mut self, thread: u32, port: u16, now: Ticks) {
        let id = self.leave_thread(thread, now);
        let number = usize::from(port) % self.senders.len();
        let sender = &mut self.senders[number];
        let packet = &mut self.packets[id];
        packet.sender = number as u16;
        packet.counted = self.tallies.sent_to(sender.port, 0, &packet.head);
        sender.sent(packet.head.bytes);
        self.depart(id, now);
        self.refill(now);
    }

    /// Frees the room of a packet in its queue and in memory, if programs ask for both.
    pub(super) fn free_places(&mut self, id: PacketId, released: Option<u64>, now: Ticks) {
        if let Some(cells) = released
            && self.memory.as_ref().is_some_and(|memory| memory.placed_by_programs)
        {
            self.memory_freed(cells, now);
        }
        if std::mem::take(&mut self.packets[id].admitted) {
            let number = usize::from(self.packets[id].sender);
            let blocks = &mut self.block_queues[number];
            blocks.in_transit -= 1;
            if let Some(thread) = blocks.waiting.pop_front()
                && self.admitted(thread, number as u16, now)
            {
                self.does_next(thread);
                self.make_ready(thread, now);
            }
        }
    }

    /// Returns the caches of the output queues, if the chip has them.
    fn wide(&mut self) -> Option<&mut Wide> {
        self.memory.as_mut()?.wide.as_mut()
    }

    /// Writes a cell to the input cache of its queue, if the chip has one. Returns whether it did; if the cache
    /// is full, the thread waits and tries again.
    pub(super) fn write_wide(&mut self, thread: u32, role: RoleId, cell: u16, now: Ticks) -> Option<bool> {
        let id = self.threads[thread as usize].packet;
        let address = self.cell_address(id, cell, true);
        let packet = &self.packets[id];
        let (queue, position) = (packet.sender, packet.stream + u64::from(cell));
        let (first, bytes) = ((address / u64::from(CELL_BYTES)) as u32, u32::from(packet.cell_bytes(cell)));
        let state = self.target(thread, role).state;
        let wide = self.wide()?;
        let written = wide.caches.write(queue, position, first, bytes, thread);
        if written == Written::NoRoom {
            self.enter(thread, state, now);
            return Some(false);
        }
        let back = wide.moved(1, now);
        self.threads[thread as usize].posted_until.push(back);
        match written {
            Written::HandedOver => self.retry_wide(queue, now),
            _ => self.ask_wide(queue, now),
        }
        Some(true)
    }

    /// Takes a block from the output cache of its queue, if the chip has one. Returns whether the whole block
    /// was there and the thread waits for its cells; otherwise the thread waits and tries again.
    fn read_wide(&mut self, thread: u32, id: PacketId, block: &Block, now: Ticks) -> Option<bool> {
        let packet = &self.packets[id];
        let (queue, position) = (packet.sender, packet.stream + u64::from(block.first_cell));
        let memory = self.memory.as_mut()?;
        let place = memory.stores[usize::from(packet.store)].place;
        let state = State(State::PLACES + self.group_of_place[usize::from(place)]);
        let wide = memory.wide.as_mut()?;
        let back = wide
            .caches
            .read(queue, position, u32::from(block.cells), thread)
            .then(|| wide.moved(block.cells, now));
        self.enter(thread, state, now);
        match back {
            Some(back) => {
                self.wake_at(thread, back);
                self.ask_wide(queue, now);
            }
            None => self.bypass_wide(queue, now),
        }
        Some(back.is_some())
    }

    /// Issues all accesses to memory that the caches of a queue can issue now.
    fn ask_wide(&mut self, queue: u16, now: Ticks) {
        loop {
            let Some(memory) = &mut self.memory else { return };
            let Some(wide) = &mut memory.wide else { return };
            let Some(transfer) = wide.caches.next_transfer(queue) else { return };
            let (place, base) = (memory.stores[0].place, memory.stores[0].base);
            let address = base + u64::from(transfer.cell) * u64::from(CELL_BYTES);
            let owner = Owner::Wide { queue, write: transfer.write };
            let kind = if transfer.write { Access::Write } else { Access::Read };
            let bytes = transfer.bytes as u16;
            let request = self.requests.insert(Request::new(owner, NO_TARGET, kind, bytes, place, address));
            self.travel(request, now);
        }
    }

    fn bypass_wide(&mut self, queue: u16, now: Ticks) {
        if self.wide().is_some_and(|wide| wide.caches.bypass(queue)) {
            self.retry_wide(queue, now);
        }
    }

    /// An access of the caches of a queue is complete.
    pub(super) fn wide_done(&mut self, queue: u16, write: bool, now: Ticks) {
        if let Some(wide) = self.wide() {
            wide.caches.done(queue, write);
        }
        self.retry_wide(queue, now);
    }

    /// After a change of a queue's caches, waiting threads try again and the caches issue their accesses.
    fn retry_wide(&mut self, queue: u16, now: Ticks) {
        self.ask_wide(queue, now);
        let Some(wide) = self.wide() else { return };
        let mut retry = std::mem::take(&mut wide.retry);
        wide.caches.take_waiting(queue, &mut retry);
        for thread in retry.drain(..) {
            self.try_again(thread, now);
        }
        if let Some(wide) = self.wide() {
            wide.retry = retry;
        }
    }

    /// A thread that waited for a cache reads its block again, or writes its cell again.
    fn try_again(&mut self, thread: u32, now: Ticks) {
        let t = &self.threads[thread as usize];
        if let Some((id, block)) = t.block {
            if self.read_wide(thread, id, &block, now) == Some(true) {
                self.does_next(thread);
            }
        } else if let Some(Step { action: Action::Cell { role, cell, .. }, .. }) =
            t.steps.get(t.next as usize)
            && self.write_wide(thread, role, cell, now) == Some(true)
        {
            self.does_next(thread);
            self.make_ready(thread, now);
        }
    }
}
