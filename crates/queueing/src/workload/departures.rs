//! Departures: an approximate deficit round robin over the queues that hold packets (section 4.1.3).
//!
//! In its turn a queue sends its packets, up to a burst; a fast queue, which holds more, thus sends more
//! packets and longer bursts.

use std::collections::VecDeque;

/// Queues that hold packets, in the order of their turns.
#[derive(Debug)]
pub struct Departures {
    inside: Vec<u32>,
    turns: VecDeque<u32>,
    burst: u32,
    sent: u32,
}

impl Departures {
    /// Returns empty queues that send at most `burst` packets per turn.
    pub fn new(queues: u32, burst: u32) -> Self {
        Self { inside: vec![0; queues as usize], turns: VecDeque::new(), burst, sent: 0 }
    }

    /// A packet arrives.
    #[inline]
    pub fn arrive(&mut self, queue: u32) {
        let inside = &mut self.inside[queue as usize];
        *inside += 1;
        if *inside == 1 {
            self.turns.push_back(queue);
        }
    }

    /// Returns the queue whose packet leaves, if there is a packet.
    #[inline]
    pub fn next(&mut self) -> Option<u32> {
        let &queue = self.turns.front()?;
        let inside = &mut self.inside[queue as usize];
        *inside -= 1;
        self.sent += 1;
        if *inside == 0 || self.sent == self.burst {
            self.sent = 0;
            self.turns.pop_front();
            if *inside > 0 {
                self.turns.push_back(queue);
            }
        }
        Some(queue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let mut departures = Departures::new(3, 2);
        for queue in [1, 1, 1, 0, 2, 1] {
            departures.arrive(queue);
        }
        let order: Vec<_> = std::iter::from_fn(|| departures.next()).collect();
        assert_eq!(order, [1, 1, 0, 2, 1, 1]);
    }
}
