//! Ports: frames arrive one after another at the rate of the wire, and leave likewise, class by class.

use crate::config::{Looked, PortConfig, Watermarks, WhenFull};
use crate::scheduler::{Next, Scheduler};
use crate::wire::Wire;
use linecard_program::{PacketHead, PacketId};
use linecard_sim::{Ring, Ticks, Timebase};
use std::collections::VecDeque;

/// A frame that is being received.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    pub head: PacketHead,
    pub flow_hash: u32,
    pub ends: Ticks,
}

/// The receive side of a port.
#[derive(Debug)]
pub(crate) struct Receiver {
    /// Number of the port among all.
    pub port: u16,
    pub wire: Wire,
    pub from_first_bit: bool,
    pub coming: Ring<Frame>,
    /// Packets that are being written to memory or have been, in order.
    pub storing: Ring<PacketId>,
    pub pool: u16,
    pub inbox: u16,
    pub bus: Option<u16>,
    /// Packets and bytes that arrived since the last restart.
    pub packets: u64,
    pub bytes: u64,
}

/// The send side of a port.
#[derive(Debug)]
pub(crate) struct Sender {
    /// Number of the port among all.
    pub port: u16,
    pub wire: Wire,
    pub classes: Vec<Ring<PacketId>>,
    pub queue_packets: usize,
    pub when_full: WhenFull,
    pub scheduler: Scheduler,
    /// When shapers permit the next packet, if a timer waits for that.
    pub opens: Option<Ticks>,
    /// Packets that are being read from memory or have been, in order.
    pub fetched: Ring<PacketId>,
    pub buffer_cells: u32,
    pub buffer_used: u32,
    pub sending: Option<PacketId>,
    /// Packets that have their turn and wait for room in the queue of their class.
    pub blocked: Vec<Ring<PacketId>>,
    pub bus: Option<u16>,
    pub packets: u64,
    pub bytes: u64,
    /// Packets in all queues, now and at most.
    pub queued: u32,
    pub most_queued: u32,
    /// The packets that it sends from the transmit buffer, if there is one.
    pub cells: CellQueue,
}

/// Packets that a port sends cell by cell from the transmit buffer.
#[derive(Debug, Default)]
pub(crate) struct CellQueue {
    /// Packets that threads move to the buffer or that are in it, in order, and their bytes not yet sent.
    pub queue: VecDeque<PacketId>,
    pub queued_bytes: u32,
    /// Packets kept in memory, complete or not, that no thread sends yet.
    pub kept: VecDeque<PacketId>,
    /// Number of packets, from the head of the queue on, that have room for all of their cells in the buffer,
    /// if packets take it at once.
    pub with_room: usize,
    /// Bytes in the transmit buffer.
    pub bytes: u32,
    /// Whether new packets are kept in memory.
    pub keeps: bool,
    /// The packet of which a cell is on the wire.
    pub on_wire: Option<PacketId>,
}

impl CellQueue {
    /// Updates whether new packets are kept in memory.
    pub fn look_at(&mut self, watermarks: Option<Watermarks>) {
        let Some(marks) = watermarks else { return };
        let bytes = match marks.of {
            Looked::Buffer => self.bytes,
            Looked::Queue => self.queued_bytes,
        };
        if bytes > marks.high_bytes {
            self.keeps = true;
        } else if bytes <= marks.low_bytes {
            self.keeps = false;
        }
    }
}

impl Receiver {
    /// Returns the receive side of a port that has one.
    pub fn new(port: u16, config: &PortConfig, timebase: &Timebase) -> Option<Self> {
        config.receive.as_ref().map(|r| Self {
            port,
            wire: Wire::new(r.bits_per_second, config.overhead_bytes, timebase),
            from_first_bit: r.from_first_bit,
            coming: Ring::new(64),
            storing: Ring::new(64),
            pool: r.pool as u16,
            inbox: r.inbox as u16,
            bus: r.bus.map(|bus| bus as u16),
            packets: 0,
            bytes: 0,
        })
    }

    /// Discards the counts before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.wire.restart(now);
        (self.packets, self.bytes) = (0, 0);
    }
}

impl Sender {
    /// Returns the send side of a port that has one.
    pub fn new(port: u16, config: &PortConfig, timebase: &Timebase) -> Option<Self> {
        config.transmit.as_ref().map(|t| Self {
            port,
            wire: Wire::new(t.bits_per_second, config.overhead_bytes, timebase),
            classes: t.scheduler.classes.iter().map(|_| Ring::new(64)).collect(),
            queue_packets: t.queue_packets as usize,
            when_full: t.when_full,
            scheduler: Scheduler::new(&t.scheduler, timebase),
            opens: None,
            fetched: Ring::new(64),
            buffer_cells: t.buffer_cells,
            buffer_used: 0,
            sending: None,
            blocked: vec![Ring::new(16); t.scheduler.classes.len()],
            bus: t.bus.map(|bus| bus as u16),
            packets: 0,
            bytes: 0,
            queued: 0,
            most_queued: 0,
            cells: CellQueue::default(),
        })
    }

    /// Counts a packet of `bytes` bytes that has left.
    #[inline]
    pub fn sent(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }

    /// Discards the counts before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.wire.restart(now);
        self.scheduler.restart();
        (self.packets, self.bytes, self.most_queued) = (0, 0, 0);
    }

    /// Selects the next packet and counts it as sent; `bytes` returns the size of a packet.
    #[inline(always)]
    pub fn next(&mut self, bytes: impl Fn(PacketId) -> u32, now: Ticks) -> Next {
        self.scheduler.next(&self.classes, bytes, now)
    }

    /// Returns whether the queue of a class is full.
    pub fn is_full(&self, class: usize) -> bool {
        self.classes[class].len() >= self.queue_packets
    }

    /// Returns the packets at this port, except those that threads send block by block.
    pub fn count(&self) -> usize {
        let blocked: usize = self.blocked.iter().map(Ring::len).sum();
        let cells = self.cells.queue.len() + self.cells.kept.len();
        self.queued as usize + blocked + self.fetched.len() + usize::from(self.sending.is_some()) + cells
    }
}
