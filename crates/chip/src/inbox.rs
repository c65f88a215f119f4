//! Where packets wait for threads. Every rule of dispatch is the same lists, divided in another way: one group for all
//! threads, one for each cluster, one for each thread.

use crate::config::{DispatchRule, InboxConfig};
use linecard_program::PacketId;
use std::collections::VecDeque;

/// Packets that wait, and threads that wait, of which one list is empty.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub packets: VecDeque<PacketId>,
    /// Threads and the epoch for which their place in the list holds.
    pub free: VecDeque<(u32, u32)>,
    /// Packets that wait or that its threads hold.
    pub load: u32,
    /// Cluster of its threads; the first of all where they are of several.
    pub cluster: u16,
    /// Threads that take from it.
    pub threads: u32,
}

impl Group {
    /// A thread of several inboxes stands in the list of each, and is taken off one only. So that a list which nobody
    /// takes from does not grow for ever, places that no longer hold are dropped when they are most of it.
    #[inline]
    pub fn drop_stale(&mut self, epoch_of: impl Fn(u32) -> u32) {
        if self.free.len() >= 2 * self.threads as usize {
            self.free.retain(|&(thread, epoch)| epoch_of(thread) == epoch);
        }
    }
}

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

/// Spreads a hash anew, so that one that chose a port is no hint at the group.
#[inline]
pub(crate) fn spread(hash: u32, salt: u32) -> u32 {
    let mut h = (hash ^ salt).wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// A number below `bound` from a hash.
#[inline]
pub(crate) fn choose(hash: u32, salt: u32, bound: usize) -> usize {
    ((u64::from(spread(hash, salt)) * bound as u64) >> 32) as usize
}

const GROUP_SALT: u32 = 0x5bd1_e995;

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
        match self.rule {
            DispatchRule::FreeList => 0,
            DispatchRule::Hash | DispatchRule::Lanes => choose(flow_hash, GROUP_SALT, self.groups.len()),
            DispatchRule::LeastLoaded => {
                let loads = self.groups.iter().enumerate();
                loads.min_by_key(|(_, group)| group.load).map_or(0, |(number, _)| number)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_nobody_takes_from_stays_as_long_as_twice_its_threads() {
        let mut group = Group { threads: 3, ..Group::default() };
        let mut epochs = [0; 3];
        for turn in 0..1000 {
            let thread = turn % 3;
            epochs[thread] += 1;
            group.drop_stale(|thread| epochs[thread as usize]);
            group.free.push_back((thread as u32, epochs[thread]));
            assert!(group.free.len() <= 6);
        }
        group.free.retain(|&(thread, epoch)| epochs[thread as usize] == epoch);
        assert_eq!(group.free.iter().map(|free| free.0).collect::<Vec<_>>(), [1, 2, 0], "longest free first");
    }
}
