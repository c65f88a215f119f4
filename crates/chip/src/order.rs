//! The order in which packets enter the output queues. Each packet has a turn among the packets of its order,
//! and one that is done early waits for the earlier ones.
//!
//! A packet waits for its turn in the window or, if the window is full, in its thread. In both cases it is in
//! the list of its sequence and continues when its turn comes, so that a full window cannot cause a deadlock. A
//! dropped packet passes its turn on.

use crate::config::{OrderConfig, OrderKept};
use crate::packet::{NONE, Packet, Packets};
use linecard_program::PacketId;
use std::collections::VecDeque;

/// Number of sequences over which flows are distributed by hash. Packets of a sequence keep their order, and so
/// do those of a flow.
const FLOW_SEQUENCES: u32 = 1 << 14;

#[derive(Clone, Copy, Debug)]
struct Sequence {
    /// Turn of the next packet to arrive, and the current turn.
    coming: u32,
    turn: u32,
    /// First and last packet that waits for its turn; they are linked in order of their turns.
    first: PacketId,
    last: PacketId,
}

#[derive(Debug)]
pub(crate) struct Order {
    kept: OrderKept,
    sequences: Vec<Sequence>,
    window: u32,
    pub waiting: u32,
    pub most_waiting: u32,
    /// Packets that found the window full and wait in their threads.
    held: VecDeque<PacketId>,
}

impl Order {
    pub fn new(config: OrderConfig, receivers: usize) -> Self {
        let count = match config.kept {
            OrderKept::Flow => FLOW_SEQUENCES as usize,
            OrderKept::Port => receivers,
            OrderKept::Nothing => 0,
        };
        Self {
            kept: config.kept,
            sequences: vec![Sequence { coming: 0, turn: 0, first: NONE, last: NONE }; count],
            window: config.window,
            waiting: 0,
            most_waiting: 0,
            held: VecDeque::new(),
        }
    }

    /// Assigns an arriving packet its sequence and its turn.
    #[inline]
    pub fn enter(&mut self, flow_hash: u32, receiver: u16) -> (u32, u32) {
        let domain = match self.kept {
            OrderKept::Flow => flow_hash.wrapping_mul(0x9e37_79b1) >> 18,
            OrderKept::Port => u32::from(receiver),
            OrderKept::Nothing => return (0, 0),
        };
        let sequence = &mut self.sequences[domain as usize];
        sequence.coming = sequence.coming.wrapping_add(1);
        (domain, sequence.coming.wrapping_sub(1))
    }

    /// Returns whether the packet has its turn.
    #[inline]
    pub fn is_turn(&self, packets: &Packets, id: PacketId) -> bool {
        let packet = &packets[id];
        self.kept == OrderKept::Nothing || self.sequences[packet.domain as usize].turn == packet.turn
    }

    /// Returns whether one more packet may wait.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.waiting < self.window
    }

    /// The packet waits for its turn: in the window; in its thread (for room in the window, or for its position
    /// in a queue); or nowhere, if dropped.
    pub fn wait(&mut self, packets: &mut Packets, id: PacketId) {
        let packet = &mut packets[id];
        let (domain, turn) = (packet.domain as usize, packet.turn);
        if packet.is_held() {
            if packet.placing.is_none() {
                self.held.push_back(id);
            }
        } else if !packet.dropped {
            self.enter_window(packet);
        }
        let sequence = &mut self.sequences[domain];
        let base = sequence.turn;
        let later = |other: PacketId, packets: &Packets| {
            packets[other].turn.wrapping_sub(base) > turn.wrapping_sub(base)
        };
        if sequence.first == NONE || later(sequence.first, packets) {
            packets[id].next_waiting = sequence.first;
            if sequence.first == NONE {
                sequence.last = id;
            }
            sequence.first = id;
            return;
        }
        // Most packets arrive here in order.
        if !later(sequence.last, packets) {
            packets[id].next_waiting = NONE;
            packets[sequence.last].next_waiting = id;
            sequence.last = id;
            return;
        }
        let mut before = sequence.first;
        while !later(packets[before].next_waiting, packets) {
            before = packets[before].next_waiting;
        }
        packets[id].next_waiting = packets[before].next_waiting;
        packets[before].next_waiting = id;
    }

    fn enter_window(&mut self, packet: &mut Packet) {
        packet.in_window = true;
        self.waiting += 1;
        self.most_waiting = self.most_waiting.max(self.waiting);
    }

    /// A packet continues; if it was in the window, it frees its room there.
    #[inline]
    pub fn leave_window(&mut self, packet: &mut Packet) {
        self.waiting -= u32::from(std::mem::take(&mut packet.in_window));
    }

    /// Returns the packet held longest, if the window has room for it now: its thread becomes free.
    pub fn admit(&mut self, packets: &mut Packets) -> Option<PacketId> {
        if !self.has_room() {
            return None;
        }
        let id = self.held.pop_front()?;
        self.enter_window(&mut packets[id]);
        Some(id)
    }

    /// A packet has passed its turn. Returns the next packet of its sequence, if that waits, in the window or
    /// in its thread.
    #[inline(always)]
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
        if packets[first].is_held() && packets[first].placing.is_none() {
            self.held.retain(|&id| id != first);
        }
        Some(first)
    }

    /// Returns the number of sequences in which packets wait for their turn.
    pub fn sequences_waiting(&self) -> u64 {
        self.sequences.iter().filter(|sequence| sequence.first != NONE).count() as u64
    }
}
