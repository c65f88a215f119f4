//! The order in which packets go to the output queues: each has a turn among those that it is kept in order with, and
//! one that is done early waits for the earlier ones.
//!
//! A packet that is given up passes its turn on. The one whose turn it is never waits, so the window cannot lock up.

use crate::config::{OrderConfig, OrderKept};
use crate::packet::{NONE, Packets};
use linecard_program::PacketId;

/// Flows share so many sequences by their hash; packets of a sequence are kept in order, which those of a flow then are.
const FLOW_SEQUENCES: u32 = 1 << 14;

#[derive(Clone, Copy, Debug)]
struct Sequence {
    /// Turn that the next packet to come gets, and the one whose turn it is.
    coming: u32,
    turn: u32,
    /// First packet that waits for its turn; the others follow in order of their turns.
    first: PacketId,
}

#[derive(Debug)]
pub(crate) struct Order {
    kept: OrderKept,
    sequences: Vec<Sequence>,
    window: u32,
    pub waiting: u32,
    pub most_waiting: u32,
    /// Threads that wait for room in the window.
    pub blocked: std::collections::VecDeque<u32>,
}

impl Order {
    pub fn new(config: OrderConfig, ports: usize) -> Self {
        let count = match config.kept {
            OrderKept::Flow => FLOW_SEQUENCES as usize,
            OrderKept::Port => ports,
            OrderKept::Nothing => 0,
        };
        Self {
            kept: config.kept,
            sequences: vec![Sequence { coming: 0, turn: 0, first: NONE }; count],
            window: config.window,
            waiting: 0,
            most_waiting: 0,
            blocked: std::collections::VecDeque::new(),
        }
    }

    /// Gives a packet that comes in its sequence and its turn.
    #[inline]
    pub fn enter(&mut self, flow_hash: u32, port: u16) -> (u32, u32) {
        let domain = match self.kept {
            OrderKept::Flow => flow_hash.wrapping_mul(0x9e37_79b1) >> 18,
            OrderKept::Port => u32::from(port),
            OrderKept::Nothing => return (0, 0),
        };
        let sequence = &mut self.sequences[domain as usize];
        sequence.coming = sequence.coming.wrapping_add(1);
        (domain, sequence.coming.wrapping_sub(1))
    }

    /// Whether it is the packet's turn.
    #[inline]
    pub fn is_turn(&self, packets: &Packets, id: PacketId) -> bool {
        let packet = &packets[id];
        self.kept == OrderKept::Nothing || self.sequences[packet.domain as usize].turn == packet.turn
    }

    /// Whether one more packet may wait.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.waiting < self.window
    }

    /// The packet waits for its turn.
    pub fn wait(&mut self, packets: &mut Packets, id: PacketId) {
        let (domain, turn) = (packets[id].domain as usize, packets[id].turn);
        if !packets[id].dropped {
            self.waiting += 1;
            self.most_waiting = self.most_waiting.max(self.waiting);
        }
        let base = self.sequences[domain].turn;
        let later = |other: PacketId, packets: &Packets| {
            packets[other].turn.wrapping_sub(base) > turn.wrapping_sub(base)
        };
        let first = self.sequences[domain].first;
        if first == NONE || later(first, packets) {
            packets[id].next_waiting = first;
            self.sequences[domain].first = id;
            return;
        }
        let mut before = first;
        while packets[before].next_waiting != NONE && !later(packets[before].next_waiting, packets) {
            before = packets[before].next_waiting;
        }
        packets[id].next_waiting = packets[before].next_waiting;
        packets[before].next_waiting = id;
    }

    /// The packet whose turn it was has passed; returns the next one of its sequence, if that waited.
    pub fn passed(&mut self, packets: &Packets, domain: u32) -> Option<PacketId> {
        if self.kept == OrderKept::Nothing {
            return None;
        }
        let sequence = &mut self.sequences[domain as usize];
        sequence.turn = sequence.turn.wrapping_add(1);
        let first = sequence.first;
        if first == NONE || packets[first].turn != sequence.turn {
            return None;
        }
        sequence.first = packets[first].next_waiting;
        if !packets[first].dropped {
            self.waiting -= 1;
        }
        Some(first)
    }
}
