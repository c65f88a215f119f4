//! A list of an inbox: packets that wait for some threads, or these threads waiting for packets.

use linecard_program::PacketId;
use linecard_sim::Ring;

/// Packets that wait and threads that wait; one of the two lists is empty.
#[derive(Debug)]
pub(crate) struct Group {
    pub packets: Ring<PacketId>,
    /// Threads, each with the epoch for which its entry is valid.
    pub free: Ring<(u32, u32)>,
    /// Packets that wait or are with its threads.
    pub load: u32,
    /// Cluster of its threads; the first cluster if there are several.
    pub cluster: u16,
    /// Threads that take packets from it.
    pub threads: u32,
}

impl Group {
    /// Returns the empty lists of these threads.
    pub fn new(cluster: u16, threads: u32) -> Self {
        Self { packets: Ring::new(1), free: Ring::new(1), load: 0, cluster, threads }
    }

    /// Removes entries that are no longer valid once they are the majority. A thread of several inboxes has an
    /// entry in the list of each and is removed from one only; without this, an unused list would grow for
    /// ever.
    #[inline]
    pub fn drop_stale(&mut self, epoch_of: impl Fn(u32) -> u32) {
        if self.free.len() >= 2 * self.threads as usize {
            self.drop_stale_now(epoch_of);
        }
    }

    #[cold]
    fn drop_stale_now(&mut self, epoch_of: impl Fn(u32) -> u32) {
        for _ in 0..self.free.len() {
            if let Some((thread, epoch)) = self.free.pop_front()
                && epoch_of(thread) == epoch
            {
                self.free.push_back((thread, epoch));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_nobody_takes_from_stays_as_long_as_twice_its_threads() {
        let mut group = Group::new(0, 3);
        let mut epochs = [0; 3];
        for turn in 0..1000 {
            let thread = turn % 3;
            epochs[thread] += 1;
            group.drop_stale(|thread| epochs[thread as usize]);
            group.free.push_back((thread as u32, epochs[thread]));
            assert!(group.free.len() <= 6);
        }
        let mut last = std::iter::from_fn(|| group.free.pop_front());
        let valid: Vec<_> =
            last.by_ref().filter(|&(thread, epoch)| epochs[thread as usize] == epoch).collect();
        assert_eq!(valid.iter().map(|free| free.0).collect::<Vec<_>>(), [1, 2, 0], "longest free first");
    }
}
