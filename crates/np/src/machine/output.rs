//! The output side: blocks to threads, transmit slots, departures.

use super::{Departure, Machine, TRANSMIT};
use crate::thread::{Role, State};
use crate::watch::Watch;
use linecard_program::{Block, PacketId};
use linecard_sim::Ticks;

impl<O: Watch> Machine<O> {
    pub(super) fn transmit_event(&mut self, now: Ticks) {
        for port in 0..self.transmit.len() {
            if self.transmit_free[port] > now {
                continue;
            }
            while let Some(slot) = self.transmit[port].take_free(now) {
                if slot.last {
                    self.depart(slot.packet, port, now);
                }
            }
            self.transmit_free[port] = self.transmit[port].next().unwrap_or(Ticks::MAX);
            self.offer(port, now);
        }
        if let Some(&first) = self.transmit_free.iter().min().filter(|&&first| first != Ticks::MAX) {
            self.agenda.schedule(TRANSMIT, first);
        }
    }

    pub(super) fn next_block(&mut self, thread: u32, now: Ticks) -> bool {
        let Role::Output { ports, last_port } = self.threads[thread as usize].role else {
            unreachable!("an input program asked for a block")
        };
        let mine = self.sendable & ports;
        if mine == 0 {
            self.pollers |= 1 << (thread - self.first_output_thread);
            let engine = self.threads[thread as usize].engine as usize;
            self.engines[engine].poll_begins();
            return self.wait(thread, State::Poll, now);
        }
        let after = mine & (u64::MAX << last_port << 1);
        let port = if after != 0 { after } else { mine }.trailing_zeros() as usize;
        self.give_block(thread, port, now);
        false
    }

    /// Give the next block of a port to an output thread.
    #[inline]
    pub(super) fn give_block(&mut self, thread: u32, port: usize, now: Ticks) {
        let Some(&packet) = self.queues[port].packets.front() else {
            unreachable!("a sendable port has a packet")
        };
        let first_cell = self.queues[port].next_cell;
        let left = self.packets[packet].cells - first_cell;
        let cells = left.min(self.block_cells);
        let last = cells == left;
        if first_cell == 0 {
            self.packets[packet].picked = now;
        }
        let slot = self.transmit[port].reserve(packet, cells, last, now);
        if last {
            self.queues[port].packets.pop_front();
            self.queues[port].next_cell = 0;
        } else {
            self.queues[port].next_cell = first_cell + cells;
        }
        self.update_sendable(port);
        let t = &mut self.threads[thread as usize];
        if let Role::Output { last_port, .. } = &mut t.role {
            *last_port = port as u8;
        }
        t.mailbox.answer_block(Block { packet, port: port as u16, first_cell, cells, last, slot });
    }

    #[inline]
    pub(super) fn update_sendable(&mut self, port: usize) {
        let head = self.queues[port].packets.front();
        let can = head.is_some_and(|&id| self.packets[id].complete) && self.transmit[port].has_free_slot();
        self.sendable = self.sendable & !(1 << port) | u64::from(can) << port;
    }

    /// Something changed at an output port: give its blocks to the threads that wait for one.
    #[inline]
    pub(super) fn offer(&mut self, port: usize, now: Ticks) {
        self.update_sendable(port);
        while self.sendable & (1 << port) != 0 {
            let waiting = self.pollers & self.port_pollers[port];
            if waiting == 0 {
                break;
            }
            let bit = waiting.trailing_zeros();
            self.pollers &= !(1 << bit);
            let thread = self.first_output_thread + bit;
            let engine = self.threads[thread as usize].engine as usize;
            self.engines[engine].poll_ends();
            self.give_block(thread, port, now);
            self.make_ready(thread, now);
        }
    }

    #[inline]
    pub(super) fn transmit(&mut self, block: Block, now: Ticks) {
        let port = block.port as usize;
        let (packets, allocator) = (&mut self.packets, &mut self.memory.allocator);
        let mut freed = 0;
        let across = self.bus.cross(u32::from(block.cells), now);
        let wake = self.transmit[port].filled(block.slot, across, |slot| {
            if slot.last && packets[slot.packet].allocated {
                // Every cell has been read: its buffer goes back.
                let packet = &mut packets[slot.packet];
                packet.allocated = false;
                allocator.release(packet.first_cell, u32::from(packet.cells));
                freed += u64::from(packet.cells);
            }
        });
        if let Some(at) = wake {
            self.transmit_free[port] = at;
            if self.agenda.pending(TRANSMIT).is_none_or(|first| at < first) {
                self.agenda.schedule(TRANSMIT, at);
            }
        }
        if freed > 0 {
            self.buffer_freed(freed, now);
        }
    }

    /// A packet leaves without a queue and a port.
    pub(super) fn depart_at_once(&mut self, id: PacketId, now: Ticks) {
        let packet = &mut self.packets[id];
        (packet.enqueued, packet.picked) = (now, now);
        let port = usize::from(packet.queue);
        self.depart(id, port, now);
    }

    pub(super) fn depart(&mut self, id: PacketId, port: usize, now: Ticks) {
        let packet = self.packets[id];
        self.gone += 1;
        self.counts.packets_out += 1;
        self.counts.bytes_out += u64::from(packet.head.bytes);
        self.counts.latency.record(now - packet.arrived);
        self.counts.queued += u128::from(packet.picked - packet.enqueued);
        self.counts.sending += u128::from(now - packet.picked);
        if let Some(sink) = &mut self.departures {
            let (input_thread, output_port) = (packet.input_thread, port as u16);
            sink(&Departure { at: now, number: packet.number, input_thread, output_port, head: packet.head });
        }
        self.remove(id, now);
    }
}
