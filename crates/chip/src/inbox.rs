//! Inboxes in which packets wait for threads: lists, divided by the rule of dispatch.

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
    /// Limit on the packets between this inbox and their end, and their current number, if there is a limit.
    window: Option<u32>,
    pub inside: Vec<PacketId>,
    pub waiting: u32,
    /// Places kept for packets that threads are about to put in.
    pub reserved: u32,
    /// Threads that wait to put a packet in.
    pub putters: VecDeque<u32>,
    /// Ports whose packets join it, by number among the receiving ports.
    pub receivers: Vec<u16>,
    pub most_waiting: u32,
    /// Packets offered to it, and those that found it full.
    pub offered: u64,
    pub refused: u64,
}

impl Inbox {
    /// Returns an inbox with these groups.
    pub fn new(config: &InboxConfig, groups: Vec<Group>, receivers: Vec<u16>) -> Self {
        Self {
            rule: config.rule,
            groups,
            capacity: config.capacity.unwrap_or(u32::MAX),
            window: config.window,
            inside: Vec::new(),
            waiting: 0,
            reserved: 0,
            putters: VecDeque::new(),
            receivers,
            most_waiting: 0,
            offered: 0,
            refused: 0,
        }
    }

    /// Returns whether one more packet may wait in it.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.waiting + self.reserved < self.capacity
    }

    /// Returns whether threads may take a packet from it.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.window.is_none_or(|window| self.inside.len() < window as usize)
    }

    /// A thread takes a packet from it.
    #[inline]
    pub fn enters(&mut self, id: PacketId) {
        if self.window.is_some() {
            self.inside.push(id);
        }
    }

    /// A packet ends. Returns whether it counted in the window.
    pub fn leaves(&mut self, id: PacketId) -> bool {
        let at = self.inside.iter().position(|&other| other == id);
        at.map(|at| self.inside.swap_remove(at)).is_some()
    }

    /// Returns the group that a packet belongs to.
    #[inline]
    pub fn group_of(&self, flow_hash: u32) -> usize {
        self.rule.choose(flow_hash, &self.groups)
    }
}
