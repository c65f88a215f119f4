//! Deficit round robin (Shreedhar and Varghese, SIGCOMM 1995): so many bytes of each class in a turn; what is left of them
//! is kept for the next one while the class has packets.

use linecard_program::PacketId;
use std::collections::VecDeque;

pub(super) const COUNTS_BYTES: bool = true;

#[derive(Debug)]
pub(crate) struct Deficit {
    quantum_bytes: Vec<u32>,
    /// The class whose turn it is, and what each may still send in its turn.
    turn: usize,
    deficits: Vec<u32>,
}

impl Deficit {
    pub fn new(quantum_bytes: &[u32]) -> Self {
        let mut deficits = vec![0; quantum_bytes.len()];
        // The turn of the first class has begun.
        deficits.iter_mut().zip(quantum_bytes).take(1).for_each(|(deficit, &bytes)| *deficit = bytes);
        Self { quantum_bytes: quantum_bytes.to_vec(), turn: 0, deficits }
    }

    pub fn next(&mut self, classes: &[VecDeque<PacketId>], bytes: impl Fn(PacketId) -> u32) -> Option<usize> {
        loop {
            let class = self.turn;
            let Some(&head) = classes[class].front() else {
                self.deficits[class] = 0;
                self.begin_turn(class + 1);
                continue;
            };
            let size = bytes(head);
            if self.deficits[class] >= size {
                self.deficits[class] -= size;
                if classes[class].len() == 1 {
                    // Whoever has nothing more to send keeps nothing for later.
                    self.deficits[class] = 0;
                    self.begin_turn(class + 1);
                }
                return Some(class);
            }
            // The turn is over; what is left is kept for the next one.
            self.begin_turn(class + 1);
        }
    }

    fn begin_turn(&mut self, class: usize) {
        self.turn = class % self.deficits.len();
        self.deficits[self.turn] += self.quantum_bytes[self.turn];
    }
}
