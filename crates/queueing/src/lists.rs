//! Queues as linked lists in simulated memory.
//!
//! A queue's descriptor is two words, one for each end: `tail` with the number of packets ever enqueued, and
//! `head` with the number ever dequeued; the count is their difference. A list node is the address of a packet
//! buffer, and the link memory holds the next node of each (section 2.3).
//!
//! Every queue keeps one node in front of its packets, the last one that left it: `head` points to that node, a
//! dequeue reads its link, and an enqueue touches the tail only. So both ends can change at the same time
//! without a common lock, as in the pseudo-code of Table 2 (Michael and Scott, 1996). A packet's node is free
//! again when the next packet of its queue has left.

/// No node: the end of a list.
pub const NIL: u32 = u32::MAX;

/// Most queues: ids have 16 bits (section 5.6).
pub const MOST_QUEUES: u32 = 1 << 16;

/// An end of a queue, and its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where packets leave.
    Head = 0,
    /// Where packets arrive.
    Tail = 1,
}

/// One word of a descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The node at this end.
    pub node: u32,
    /// Packets that ever passed this end, modulo 2^32.
    pub passed: u32,
}

/// Returns the address of a descriptor's word.
#[inline]
pub const fn address(queue: u32, end: End) -> u32 {
    queue * 2 + end as u32
}

/// The memory that holds descriptors and links.
#[derive(Clone, Debug)]
pub struct Lists {
    /// Descriptor words by [`address`].
    pub words: Vec<Word>,
    /// The next node of each node.
    pub links: Vec<u32>,
    free: Vec<u32>,
    queues: u32,
}

impl Lists {
    /// Returns empty queues with room for `packets` packets; nodes are added on demand.
    pub fn new(queues: u32, packets: usize) -> Self {
        let words = (0..queues * 2).map(|at| Word { node: at / 2, passed: 0 }).collect();
        let nodes = queues as usize + packets;
        let free = (queues..nodes as u32).rev().collect();
        Self { words, links: vec![NIL; nodes], free, queues }
    }

    /// Returns the number of queues.
    pub fn queues(&self) -> u32 {
        self.queues
    }

    /// Returns a free node with no successor.
    #[inline]
    pub fn allocate(&mut self) -> u32 {
        match self.free.pop() {
            Some(node) => {
                self.links[node as usize] = NIL;
                node
            }
            None => {
                self.links.push(NIL);
                self.links.len() as u32 - 1
            }
        }
    }

    /// Frees a node.
    #[inline]
    pub fn release(&mut self, node: u32) {
        self.free.push(node);
    }

    /// Returns the packets of a queue from head to tail, as in memory, at most `most` of them.
    pub fn walk(&self, queue: u32, most: usize) -> Vec<u32> {
        let head = self.words[address(queue, End::Head) as usize].node;
        std::iter::successors(Some(head), |&node| Some(self.links[node as usize]).filter(|&next| next != NIL))
            .skip(1)
            .take(most)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_by_hand() {
        let mut lists = Lists::new(2, 2);
        let (first, second) = (lists.allocate(), lists.allocate());
        assert_eq!((first, second, lists.allocate()), (2, 3, 4), "the third is added");
        // Enqueue both into queue 1: link the old tail to the packet, then move the tail.
        lists.links[1] = first;
        lists.links[first as usize] = second;
        lists.words[address(1, End::Tail) as usize] = Word { node: second, passed: 2 };
        assert_eq!(lists.walk(1, 10), [2, 3]);
        assert!(lists.walk(0, 10).is_empty());
        // Dequeue one: the head moves to the packet that leaves, and the node before it is free.
        lists.words[address(1, End::Head) as usize] = Word { node: first, passed: 1 };
        lists.release(1);
        assert_eq!(lists.walk(1, 10), [3]);
        assert_eq!(lists.allocate(), 1);
    }
}
