//! The checker: no packet is lost, duplicated or reordered within its queue.
//!
//! It knows nothing of caches, locks or memory. A packet is stamped with its queue and its number within the
//! queue when a thread gets its enqueue. If operations of several levels depend on each other, that is when the
//! thread starts it. Dequeues must return the numbers of a queue in order.

use crate::lists::{End, Lists, address};

const NO_QUEUE: u32 = u32::MAX;

/// The stamp of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    queue: u32,
    number: u32,
}

const NO_STAMP: Stamp = Stamp { queue: NO_QUEUE, number: 0 };

/// The packets of a queue, modulo 2^32.
#[derive(Clone, Copy, Debug)]
struct Passed {
    entered: u32,
    left: u32,
    /// The node in front of its packets: the last one that left.
    in_front: u32,
}

/// The packets put into queues and taken out.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// By node.
    stamps: Vec<Stamp>,
    queues: Vec<Passed>,
    inside: u64,
    empty: u64,
}

impl Ledger {
    /// Returns a ledger of empty queues.
    pub fn new(queues: u32) -> Self {
        let queue = |in_front| Passed { entered: 0, left: 0, in_front };
        Self { stamps: Vec::new(), queues: (0..queues).map(queue).collect(), inside: 0, empty: 0 }
    }

    /// Stamps a packet for a queue.
    #[inline]
    pub fn enter(&mut self, node: u32, queue: u32) {
        let passed = &mut self.queues[queue as usize];
        let stamp = Stamp { queue, number: passed.entered };
        passed.entered = passed.entered.wrapping_add(1);
        self.inside += 1;
        match self.stamps.get_mut(node as usize) {
            Some(of_node) => *of_node = stamp,
            None => self.enter_first(node, stamp),
        }
    }

    /// Stamps a node that was never used before.
    #[cold]
    fn enter_first(&mut self, node: u32, stamp: Stamp) {
        self.stamps.resize(node as usize, NO_STAMP);
        self.stamps.push(stamp);
    }

    /// Checks a packet that a dequeue returned. Returns the node in front of it, which is free.
    ///
    /// # Errors
    ///
    /// Returns a sentence on what is wrong with it.
    #[inline]
    pub fn leave(&mut self, node: u32, queue: u32) -> Result<u32, String> {
        let passed = &mut self.queues[queue as usize];
        let expected = Stamp { queue, number: passed.left };
        match self.stamps.get_mut(node as usize) {
            Some(stamp) if *stamp == expected => *stamp = NO_STAMP,
            stamp => return Err(wrong(node, stamp.map_or(NO_STAMP, |stamp| *stamp), expected)),
        }
        passed.left = passed.left.wrapping_add(1);
        self.inside -= 1;
        Ok(std::mem::replace(&mut passed.in_front, node))
    }

    /// Counts a dequeue that found no packet.
    #[inline]
    pub fn find_empty(&mut self) {
        self.empty += 1;
    }

    /// Returns the packets inside.
    pub fn inside(&self) -> u64 {
        self.inside
    }

    /// Returns the dequeues that found no packet.
    pub fn empty(&self) -> u64 {
        self.empty
    }

    /// Compares every list in memory with its expected contents, when all operations are complete and all
    /// caches written back.
    ///
    /// # Errors
    ///
    /// The first queue that differs, and how.
    pub fn audit(&self, lists: &Lists) -> Result<(), (u32, String)> {
        let mut inside = 0;
        for queue in 0..lists.queues() {
            let Passed { entered, left, .. } = self.queues[queue as usize];
            let expected = entered.wrapping_sub(left);
            let head = lists.words[address(queue, End::Head) as usize];
            let tail = lists.words[address(queue, End::Tail) as usize];
            if (tail.passed, head.passed) != (entered, left) {
                let found = (tail.passed, head.passed);
                return Err((queue, format!("descriptor counts {found:?}, expected {:?}", (entered, left))));
            }
            let packets = lists.walk(queue, expected as usize + 1);
            let last = packets.last().copied().unwrap_or(head.node);
            if packets.len() != expected as usize || last != tail.node {
                let found = packets.len();
                let more = if found > expected as usize { "at least " } else { "" };
                return Err((queue, format!("the queue holds {more}{found} packets, expected {expected}")));
            }
            for (number, &node) in packets.iter().enumerate() {
                let Stamp { queue: of, number: found } = self.stamps[node as usize];
                let (stamp, expected) = ((of, found), (queue, left.wrapping_add(number as u32)));
                if stamp != expected {
                    return Err((queue, format!("packet {node} is {stamp:?}, expected {expected:?}")));
                }
            }
            inside += packets.len() as u64;
        }
        if inside == self.inside {
            Ok(())
        } else {
            Err((0, format!("the lists of all queues hold {inside} packets, expected {}", self.inside)))
        }
    }
}

/// Returns what is wrong with a packet that was dequeued.
#[cold]
fn wrong(node: u32, found: Stamp, expected: Stamp) -> String {
    match found.queue {
        NO_QUEUE => format!("packet {node} was dequeued, but was in no queue"),
        owner if owner != expected.queue => {
            format!("packet {node} was dequeued here, but belongs to queue {owner}")
        }
        _ => {
            let (found, expected) = (found.number, expected.number);
            format!("packet number {found} of the queue was dequeued, expected number {expected}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_duplication_and_reordering_are_found() {
        let mut ledger = Ledger::new(2);
        for node in [10, 11, 12] {
            ledger.enter(node, 1);
        }
        assert!(
            ledger
                .leave(11, 1)
                .unwrap_err()
                .contains("number 1 of the queue was dequeued, expected number 0")
        );
        assert!(ledger.leave(10, 0).unwrap_err().contains("belongs to queue 1"));
        assert_eq!(ledger.leave(10, 1), Ok(1));
        assert!(ledger.leave(10, 1).unwrap_err().contains("was in no queue"));
        assert!(ledger.leave(12, 1).is_err(), "11 is lost");
        assert_eq!(ledger.inside(), 2);
    }

    #[test]
    fn an_audit_reads_the_lists() {
        let mut lists = Lists::new(1, 2);
        let mut ledger = Ledger::new(1);
        assert_eq!(ledger.audit(&lists), Ok(()));
        let node = lists.allocate();
        ledger.enter(node, 0);
        assert!(ledger.audit(&lists).unwrap_err().1.contains("descriptor counts"));
        lists.words[1] = crate::lists::Word { node, passed: 1 };
        assert!(ledger.audit(&lists).unwrap_err().1.contains("the queue holds 0 packets"));
        lists.links[0] = node;
        assert_eq!(ledger.audit(&lists), Ok(()));
    }
}
