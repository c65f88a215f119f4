//! Test vectors for hardware: operations with the answers of any correct queue manager.
//!
//! Operations execute one after another on [`Lists`]; hardware may overlap them if each queue keeps its order.
//! A node is reused only after [`REUSE_OPERATIONS`] more operations; by then no hardware with fewer outstanding
//! requests can still use it.

use crate::lists::{End, Lists, NIL, Word, address};
use crate::operation::Operation;
use std::collections::VecDeque;

/// Operations between the last use of a node and its next.
pub const REUSE_OPERATIONS: u64 = 256;

/// One operation and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The operation.
    pub operation: Operation,
    /// The packet that is enqueued, or that the dequeue returns; `None` if the queue is empty.
    pub packet: Option<u32>,
}

/// Returns operations with their answers, and the number of nodes that memory must have.
pub fn vectors(operations: &[Operation], queues: u32) -> (Vec<Vector>, u32) {
    let mut lists = Lists::new(queues, 0);
    let mut resting: VecDeque<(u64, u32)> = VecDeque::new();
    let carry_out = |(at, &operation): (u64, &Operation)| {
        if let Some(&(free_at, node)) = resting.front()
            && free_at <= at
        {
            resting.pop_front();
            lists.release(node);
        }
        let end = address(operation.queue(), operation.end()) as usize;
        let Word { node, passed } = lists.words[end];
        let next = match operation.end() {
            End::Tail => {
                let packet = lists.allocate();
                lists.links[node as usize] = packet;
                packet
            }
            End::Head => lists.links[node as usize],
        };
        if next == NIL {
            return Vector { operation, packet: None };
        }
        lists.words[end] = Word { node: next, passed: passed.wrapping_add(1) };
        if operation.is_dequeue() {
            resting.push_back((at + REUSE_OPERATIONS, node));
        }
        Vector { operation, packet: Some(next) }
    };
    let vectors = (0..).zip(operations).map(carry_out).collect();
    (vectors, lists.links.len() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares them with a double-ended queue each.
        #[test]
        fn answers_are_those_of_plain_queues(
            operations in proptest::collection::vec((0u32..5, any::<bool>()), 0..2000),
        ) {
            let operations: Vec<Operation> = operations
                .into_iter()
                .map(|(queue, out)| if out { Operation::dequeue(queue) } else { Operation::enqueue(queue) })
                .collect();
            let (found, nodes) = vectors(&operations, 5);
            let mut plain: Vec<VecDeque<Option<u32>>> = vec![VecDeque::new(); 5];
            for (vector, operation) in found.iter().zip(&operations) {
                let queue = &mut plain[operation.queue() as usize];
                if operation.is_dequeue() {
                    prop_assert_eq!(vector.packet, queue.pop_front().flatten());
                } else {
                    prop_assert!(vector.packet.is_some_and(|packet| packet < nodes));
                    queue.push_back(vector.packet);
                }
            }
        }
    }
}
