//! A list of an inbox: packets that wait for some threads, or these threads waiting for packets.

use linecard_program::PacketId;
use std::collections::VecDeque;

/// Packets that wait and threads that wait; one of the two lists is empty.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub packets: VecDeque<PacketId>,
    /// Threads, each with the epoch for which its entry is valid.
    pub free: VecDeque<(u32, u32)>,
    /// Packets that wait or are with its threads.
    pub load: u32,
    /// Cluster of its threads; the first cluster if there are several.
    pub cluster: u16,
    /// Threads that take packets from it.
    pub threads: u32,
}

impl Group {
    /// Removes entries that are no longer valid once they are the majority. A thread of several inboxes has an
    /// entry in the list of each and is removed from one only; without this, an unused list would grow for
    /// ever.
    #[inline]
    pub fn drop_stale(&mut self, epoch_of: impl Fn(u32) -> u32) {
        if self.free.len() >= 2 * self.threads as usize {
            self.free.retain(|&(thread, epoch)| epoch_of(thread) == epoch);
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
