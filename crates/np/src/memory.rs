//! The packet buffer: cells of packets become requests to the DRAM controller.

use crate::config::MemoryConfig;
use crate::packet::Packet;
use linecard_buffers::Allocator;
use linecard_dram::packet_buffer::{Controller, Observer, Request};
use linecard_dram::{AddressMap, Cycle, Device, Location};
use linecard_program::{CELL_BYTES, Source};
use linecard_sim::{Clock, Ticks};

/// What a finished DRAM access belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// The last access of a thread's transfer.
    Thread(u32),
    /// An access that more accesses of the same transfer follow.
    Part,
    /// A block of a queue of the wide path.
    Queue(u32),
}

const PART: u32 = u32::MAX;
const QUEUE: u32 = 1 << 31;

impl Tag {
    #[inline]
    pub fn encode(self) -> u32 {
        match self {
            Tag::Thread(thread) => thread,
            Tag::Part => PART,
            Tag::Queue(queue) => QUEUE | queue,
        }
    }

    #[inline]
    pub fn decode(tag: u32) -> Self {
        match tag {
            PART => Tag::Part,
            _ if tag & QUEUE != 0 => Tag::Queue(tag & !QUEUE),
            _ => Tag::Thread(tag),
        }
    }
}

/// Header bytes that a program writes back from registers (Hasan 2003, section 5.2), and the most that one
/// instruction moves between registers and DRAM.
const REGISTER_TRANSFER_BYTES: u32 = 32;

pub(crate) struct Memory<O: Observer> {
    pub controller: Controller<O>,
    pub allocator: Allocator,
    pub clock: Clock,
    map: AddressMap,
    halves_apart: bool,
}

impl<O: Observer> Memory<O> {
    pub fn new(config: &MemoryConfig, clock: Clock, allocator: Allocator, observer: O) -> Self {
        let device = Device::new(config.organization, config.timing.clone());
        Self {
            controller: Controller::new(device, config.policy, observer),
            allocator,
            clock,
            map: AddressMap::new(config.row_map, &config.organization),
            halves_apart: config.halves_apart,
        }
    }

    /// The controller's cycle at or after `now`.
    #[inline]
    pub fn cycle(&self, now: Ticks) -> Cycle {
        self.clock.cycle_at_or_after(now)
    }

    #[inline]
    pub fn locate(&self, cell: u32, offset: u32) -> Location {
        let address = u64::from(cell) * u64::from(CELL_BYTES) + u64::from(offset);
        self.map.locate(address)
    }

    /// Write cell `index` of a packet.
    #[inline]
    pub fn write_cell(&mut self, packet: &mut Packet, index: u16, source: Source, thread: u32, now: Ticks) {
        let cell = Self::advance(&self.allocator, &mut packet.write_at, index);
        let bytes = cell_bytes(packet.head.bytes, index);
        let first = match source {
            Source::ReceiveBuffer => bytes,
            Source::HeaderAndReceiveBuffer | Source::Registers => bytes.min(REGISTER_TRANSFER_BYTES),
        };
        let cycle = self.cycle(now);
        let mut offset = 0;
        for part in [first, bytes - first] {
            if part > 0 {
                let last = offset + part == bytes;
                let tag = if last { Tag::Thread(thread) } else { Tag::Part }.encode();
                let location = self.locate(cell, offset);
                let more = !last && !self.halves_apart;
                self.controller.submit(cycle, Request { location, bytes: part, write: true, more, tag });
                offset += part;
            }
        }
    }

    /// Read `cells` cells of a packet from cell `first` on, all under way together.
    #[inline]
    pub fn read_cells(&mut self, packet: &mut Packet, first: u16, cells: u16, thread: u32, now: Ticks) {
        let cycle = self.cycle(now);
        for index in first..first + cells {
            let cell = Self::advance(&self.allocator, &mut packet.read_at, index);
            let bytes = cell_bytes(packet.head.bytes, index);
            let location = self.locate(cell, 0);
            let tag = Tag::Thread(thread).encode();
            self.controller.submit(cycle, Request { location, bytes, write: false, more: false, tag });
        }
    }

    /// Follow the packet's cells to number `index`; blocks go forward, so this is one step a cell.
    #[inline]
    fn advance(allocator: &Allocator, at: &mut (u16, u32), index: u16) -> u32 {
        while at.0 < index {
            *at = (at.0 + 1, allocator.next_cell(at.1));
        }
        at.1
    }
}

/// Bytes of a packet in its cell number `index`.
#[inline]
pub(crate) fn cell_bytes(packet_bytes: u32, index: u16) -> u32 {
    (packet_bytes - (u32::from(index) * CELL_BYTES).min(packet_bytes)).clamp(1, CELL_BYTES)
}
