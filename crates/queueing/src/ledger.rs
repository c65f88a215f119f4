//! The checker: no packet is lost, duplicated or reordered within its queue.
//!
//! It knows nothing of caches, locks or memory. A packet is stamped with its queue and its number within the
//! queue when a thread gets its enqueue. If operations of several levels depend on each other, that is when the
//! thread starts it. Dequeues must return the numbers of a queue in order.

use crate::lists::{End, Lists, address};

const NO_QUEUE: u32 = u32::MAX;

/// The packets put into queues and taken out.
#[derive(Clone, Debug)]
pub struct Ledger {
    queue_of: Vec<u32>,
    number_of: Vec<u32>,
    entered: Vec<u32>,
    left: Vec<u32>,
    /// The node in front of each queue's packets: the last one that left.
    pub in_front: Vec<u32>,
    inside: u64,
    empty: u64,
}

impl Ledger {
    /// Returns a ledger of empty queues.
    pub fn new(queues: u32) -> Self {
        let none = vec![0; queues as usize];
        Self {
            queue_of: Vec::new(),
            number_of: Vec::new(),
            entered: none.clone(),
            left: none,
            in_front: (0..queues).collect(),
            inside: 0,
            empty: 0,
        }
    }

    /// Stamps a packet for a queue.
    #[inline]
    pub fn enter(&mut self, node: u32, queue: u32) {
        let at = node as usize;
        if at >= self.queue_of.len() {
            self.queue_of.resize(at + 1, NO_QUEUE);
            self.number_of.resize(at + 1, 0);
        }
        let number = &mut self.entered[queue as usize];
        self.queue_of[at] = queue;
        self.number_of[at] = *number;
        *number = number.wrapping_add(1);
        self.inside += 1;
    }

    /// Checks a packet that a dequeue returned.
    ///
    /// # Errors
    ///
    /// Returns a sentence on what is wrong with it.
    #[inline]
    pub fn leave(&mut self, node: u32, queue: u32) -> Result<(), String> {
        let at = node as usize;
        let owner = self.queue_of.get(at).copied().unwrap_or(NO_QUEUE);
        if owner != queue {
            return Err(match owner {
                NO_QUEUE => format!("packet {node} was dequeued, but was not in a queue"),
                owner => format!("packet {node} was dequeued, but belongs to queue {owner}"),
            });
        }
        let expected = self.left[queue as usize];
        if self.number_of[at] != expected {
            let found = self.number_of[at];
            return Err(format!(
                "packet number {found} of the queue was dequeued, expected number {expected}"
            ));
        }
        self.queue_of[at] = NO_QUEUE;
        self.left[queue as usize] = expected.wrapping_add(1);
        self.inside -= 1;
        Ok(())
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
            let (entered, left) = (self.entered[queue as usize], self.left[queue as usize]);
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
                return Err((queue, format!("the list holds {found} packets or more, expected {expected}")));
            }
            for (number, &node) in packets.iter().enumerate() {
                let stamp = (self.queue_of[node as usize], self.number_of[node as usize]);
                let expected = (queue, left.wrapping_add(number as u32));
                if stamp != expected {
                    return Err((queue, format!("packet {node} is {stamp:?}, expected {expected:?}")));
                }
            }
            inside += packets.len() as u64;
        }
        if inside == self.inside {
            Ok(())
        } else {
            Err((0, format!("{inside} packets are in lists, expected {}", self.inside)))
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
        assert_eq!(ledger.leave(10, 1), Ok(()));
        assert!(ledger.leave(10, 1).unwrap_err().contains("was not in a queue"));
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
        assert!(ledger.audit(&lists).unwrap_err().1.contains("the list holds 0 packets"));
        lists.links[0] = node;
        assert_eq!(ledger.audit(&lists), Ok(()));
    }
}
