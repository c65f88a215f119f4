//! Deficit round robin (Shreedhar and Varghese, SIGCOMM 1995): each member may send a number of bytes per turn.
//! It keeps the rest for its next turn while it has packets that may go.

use super::head::Head;

pub(super) const COUNTS_BYTES: bool = true;

#[derive(Debug)]
pub(super) struct Deficit {
    quantum_bytes: Vec<u32>,
    /// The member that has the turn, whether it has received its bytes for it, and the bytes that each may
    /// still send.
    turn: usize,
    begun: bool,
    deficits: Vec<u32>,
}

impl Deficit {
    pub fn new(quantum_bytes: &[u32]) -> Self {
        let deficits = vec![0; quantum_bytes.len()];
        Self { quantum_bytes: quantum_bytes.to_vec(), turn: 0, begun: false, deficits }
    }

    pub fn next(&mut self, heads: &[Head]) -> usize {
        loop {
            let member = self.turn;
            match heads[member] {
                Head::Ready(bytes) => {
                    if !std::mem::replace(&mut self.begun, true) {
                        self.deficits[member] += self.quantum_bytes[member];
                    }
                    if self.deficits[member] >= bytes {
                        return member;
                    }
                    // The turn is over; the rest is kept for the next one.
                }
                // A member with no packet that it may send keeps nothing; otherwise it would save bytes while
                // a shaper holds its packets.
                Head::Nothing | Head::Held(_) => self.deficits[member] = 0,
            }
            self.pass();
        }
    }

    pub fn sent(&mut self, member: usize, bytes: u32, more: bool) {
        self.deficits[member] -= bytes;
        if !more {
            self.deficits[member] = 0;
            self.pass();
        }
    }

    fn pass(&mut self) {
        (self.turn, self.begun) = ((self.turn + 1) % self.deficits.len(), false);
    }
}
