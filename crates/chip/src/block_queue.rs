//! The packets of a port whose threads send block by block, and the port's transmit slots.

use crate::config::{PortConfig, WhenFull};
use crate::packet::Packets;
use crate::transmit_slots::TransmitSlots;
use linecard_program::PacketId;
use linecard_program::script::Block;
use linecard_sim::{Ring, Ticks, Timebase};
use std::collections::VecDeque;

/// Packets that output threads send block by block.
#[derive(Debug)]
pub(crate) struct BlockQueue {
    /// Packets in order; the last ones may be incomplete in memory.
    pub packets: Ring<PacketId>,
    /// Packets that were admitted and have not left.
    pub in_transit: u32,
    /// Capacity: packets in transit if the next packet waits for room, else packets in the queue.
    pub most: u32,
    pub when_full: WhenFull,
    /// Threads that wait for room.
    pub waiting: VecDeque<u32>,
    /// Next cell of the packet at the head.
    pub next_cell: u16,
    pub slots: TransmitSlots,
    /// The queue has a block to send, and a slot is free.
    pub sendable: bool,
    /// Output threads that serve the port, numbered over the whole chip.
    pub servers: Box<[u32]>,
}

impl BlockQueue {
    /// Returns the empty queue of a port that has transmit slots.
    pub fn new(config: &PortConfig, timebase: &Timebase) -> Option<Self> {
        let transmit = config.transmit.as_ref()?;
        Some(Self {
            packets: Ring::new(64),
            in_transit: 0,
            most: transmit.queue_packets,
            when_full: transmit.when_full,
            waiting: VecDeque::new(),
            next_cell: 0,
            slots: TransmitSlots::new(transmit.slots.as_ref()?, timebase),
            sendable: false,
            servers: Box::default(),
        })
    }

    /// Updates `sendable`: whether the queue has a block to send and a slot for it.
    #[inline(always)]
    pub fn update_sendable(&mut self, packets: &Packets) {
        let complete = self.packets.front().is_some_and(|&id| packets[id].complete);
        self.sendable = complete && self.slots.has_free();
    }

    /// Takes the next block, of at most `most` cells, of the first packet, and a slot for it. The queue must be
    /// sendable.
    #[inline(always)]
    pub fn take_block(&mut self, most: u16, packets: &mut Packets, now: Ticks) -> Option<(PacketId, Block)> {
        let id = *self.packets.front()?;
        let first_cell = self.next_cell;
        let packet = &mut packets[id];
        let left = packet.cells - first_cell;
        let cells = left.min(most);
        let last = cells == left;
        if first_cell == 0 {
            packet.picked = now;
        }
        let bytes = packet.bytes_of_cells(first_cell, cells);
        let mut block = Block { port: 0, first_cell, cells, last, slot: 0 };
        block.slot = self.slots.reserve(id, block, bytes, now);
        self.next_cell = first_cell + cells;
        if last {
            self.packets.pop_front();
            self.next_cell = 0;
        }
        self.update_sendable(packets);
        Some((id, block))
    }
}
