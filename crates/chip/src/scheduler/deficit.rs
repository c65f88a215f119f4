//! Deficit round robin (Shreedhar and Varghese, SIGCOMM 1995): so many bytes of each member in a turn; what is left of them
//! is kept for the next one while the member has packets that may go.

use super::head::Head;

pub(super) const COUNTS_BYTES: bool = true;

#[derive(Debug)]
pub(super) struct Deficit {
    quantum_bytes: Vec<u32>,
    /// The member whose turn it is, whether it has got its bytes for it, and what each may still send.
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
                    // The turn is over; what is left is kept for the next one.
                }
                // Whoever has nothing that may go keeps nothing for later: else it would save up while a shaper holds it.
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
