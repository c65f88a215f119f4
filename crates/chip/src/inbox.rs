//! Where packets wait for threads: lists, divided as the rule of dispatch has it.

use crate::config::InboxConfig;
use crate::dispatch::DispatchRule;
use crate::group::Group;
use std::collections::VecDeque;

#[derive(Debug)]
pub(crate) struct Inbox {
    pub rule: DispatchRule,
    pub groups: Vec<Group>,
    pub capacity: u32,
    pub waiting: u32,
    /// Threads that wait to put a packet in.
    pub putters: VecDeque<u32>,
    /// Ports that put packets in.
    pub ports: Vec<u16>,
    pub most_waiting: u32,
}

impl Inbox {
    /// An inbox of these groups.
    pub fn new(config: &InboxConfig, groups: Vec<Group>, ports: Vec<u16>) -> Self {
        Self {
            rule: config.rule,
            groups,
            capacity: config.capacity.unwrap_or(u32::MAX),
            waiting: 0,
            putters: VecDeque::new(),
            ports,
            most_waiting: 0,
        }
    }

    /// Whether one more packet may wait in it.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.waiting < self.capacity
    }

    /// The group that a packet belongs to.
    #[inline]
    pub fn group_of(&self, flow_hash: u32) -> usize {
        self.rule.choose(flow_hash, &self.groups)
    }
}
