//! Where packets wait for threads: lists, divided as the rule of dispatch has it.

use crate::config::InboxConfig;
use crate::dispatch::DispatchRule;
use crate::group::Group;
use linecard_program::PacketId;
use std::collections::VecDeque;

#[derive(Debug)]
pub(crate) struct Inbox {
    pub rule: DispatchRule,
    pub groups: Vec<Group>,
    pub capacity: u32,
    /// Packets that may be on their way from here to their end, and those that are, where that is bounded.
    window: Option<u32>,
    pub inside: Vec<PacketId>,
    pub waiting: u32,
    /// Threads that wait to put a packet in.
    pub putters: VecDeque<u32>,
    /// Ports that put packets in, by number among those that receive.
    pub receivers: Vec<u16>,
    pub most_waiting: u32,
    /// Packets that were offered to it, and those of them that found no room.
    pub offered: u64,
    pub refused: u64,
}

impl Inbox {
    /// An inbox of these groups.
    pub fn new(config: &InboxConfig, groups: Vec<Group>, receivers: Vec<u16>) -> Self {
        Self {
            rule: config.rule,
            groups,
            capacity: config.capacity.unwrap_or(u32::MAX),
            window: config.window,
            inside: Vec::new(),
            waiting: 0,
            putters: VecDeque::new(),
            receivers,
            most_waiting: 0,
            offered: 0,
            refused: 0,
        }
    }

    /// Whether one more packet may wait in it.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.waiting < self.capacity
    }

    /// Whether threads may take a packet out of it.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.window.is_none_or(|window| self.inside.len() < window as usize)
    }

    /// A thread takes a packet out of it.
    #[inline]
    pub fn enters(&mut self, id: PacketId) {
        if self.window.is_some() {
            self.inside.push(id);
        }
    }

    /// A packet ends; whether it was one of the window's.
    pub fn leaves(&mut self, id: PacketId) -> bool {
        let at = self.inside.iter().position(|&other| other == id);
        at.map(|at| self.inside.swap_remove(at)).is_some()
    }

    /// The group that a packet belongs to.
    #[inline]
    pub fn group_of(&self, flow_hash: u32) -> usize {
        self.rule.choose(flow_hash, &self.groups)
    }
}
