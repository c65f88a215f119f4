//! The last position of each digest of a trace.

/// "No such packet" among positions, and "never before" among distances.
pub const NEVER: u32 = u32::MAX;

/// The last position of each digest: open addressing over one array, mostly one cache line per lookup.
#[derive(Debug)]
pub(crate) struct LastSeen {
    /// The digest in the upper half, the position plus one in the lower half; 0 is an empty slot.
    slots: Vec<u64>,
    used: usize,
}

impl Default for LastSeen {
    fn default() -> Self {
        Self { slots: vec![0; 1 << 12], used: 0 }
    }
}

impl LastSeen {
    /// Returns the recorded position of `digest`, or [`NEVER`], and records `at` instead.
    #[inline]
    pub fn replace(&mut self, digest: u32, at: u32) -> u32 {
        let slot = self.slot(digest);
        let old = std::mem::replace(&mut self.slots[slot], u64::from(digest) << 32 | u64::from(at + 1));
        if old == 0 {
            self.used += 1;
            if self.used * 2 > self.slots.len() {
                self.grow();
            }
        }
        // An empty slot yields 0 - 1, which is `NEVER`.
        (old as u32).wrapping_sub(1)
    }

    #[inline]
    fn slot(&self, digest: u32) -> usize {
        let mask = self.slots.len() - 1;
        let spread = u64::from(digest).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut slot = (spread >> 32) as usize & mask;
        while self.slots[slot] != 0 && (self.slots[slot] >> 32) as u32 != digest {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[cold]
    fn grow(&mut self) {
        let doubled = vec![0; self.slots.len() * 2];
        for entry in std::mem::replace(&mut self.slots, doubled) {
            if entry != 0 {
                let slot = self.slot((entry >> 32) as u32);
                self.slots[slot] = entry;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_grows_and_keeps_all_digests_even_zero() {
        let mut seen = LastSeen::default();
        for round in 0..2 {
            for digest in 0..20_000u32 {
                let previous = if round == 0 { NEVER } else { digest };
                assert_eq!(seen.replace(digest, round * 20_000 + digest), previous);
            }
        }
    }
}
