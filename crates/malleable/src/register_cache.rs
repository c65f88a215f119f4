//! A register cache with least-recently-used replacement: the alternative that Mudigonda 2007, section 4.1, rejects.

use crate::registers::{Registers, Surroundings};
use crate::segment::Segment;
use serde::Serialize;

const THREADS: usize = 64;
const REGISTERS: usize = 32;
const END: u16 = u16::MAX;
/// Cycles of a fetch from the data cache: its latency plus one.
const FETCH_CYCLES: u64 = 3;

/// The most recently used registers of all threads.
#[derive(Clone, Debug)]
pub struct RegisterCache {
    room: usize,
    held: usize,
    /// Neighbours in order of use; a register that is not held is its own neighbour.
    newer: Vec<u16>,
    older: Vec<u16>,
    newest: u16,
    oldest: u16,
    counts: RegisterCacheCounts,
}

/// The counts of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RegisterCacheCounts {
    /// Registers looked up.
    pub needed: u64,
    /// Registers fetched.
    pub missed: u64,
}

impl RegisterCache {
    /// Returns an empty cache with room for `room` registers.
    #[must_use]
    pub fn new(room: u32) -> Self {
        let all: Vec<u16> = (0..(THREADS * REGISTERS) as u16).collect();
        Self {
            room: room.max(1) as usize,
            held: 0,
            newer: all.clone(),
            older: all,
            newest: END,
            oldest: END,
            counts: RegisterCacheCounts::default(),
        }
    }

    /// Returns the counts.
    #[must_use]
    pub fn counts(&self) -> RegisterCacheCounts {
        self.counts
    }

    /// Resets the counts.
    pub fn reset_counts(&mut self) {
        self.counts = RegisterCacheCounts::default();
    }

    /// Makes a register the most recently used. Returns whether it was held.
    fn touch(&mut self, register: u16) -> bool {
        let held = self.older[register as usize] != register;
        if held {
            if register == self.newest {
                return true;
            }
            self.unlink(register);
        } else if self.held == self.room {
            let oldest = self.oldest;
            self.unlink(oldest);
            (self.newer[oldest as usize], self.older[oldest as usize]) = (oldest, oldest);
        } else {
            self.held += 1;
        }
        self.older[register as usize] = self.newest;
        self.newer[register as usize] = END;
        match self.newest {
            END => self.oldest = register,
            newest => self.newer[newest as usize] = register,
        }
        self.newest = register;
        held
    }

    fn unlink(&mut self, register: u16) {
        let (newer, older) = (self.newer[register as usize], self.older[register as usize]);
        match newer {
            END => self.newest = older,
            newer => self.older[newer as usize] = older,
        }
        match older {
            END => self.oldest = newer,
            older => self.newer[older as usize] = newer,
        }
    }
}

impl Registers for RegisterCache {
    fn enter(&mut self, _: usize, _: u32, _: Surroundings<'_>) -> u64 {
        0
    }

    fn segment(&mut self, thread: usize, segment: &Segment, cycle: u64) -> u64 {
        let mut missed = 0;
        let mut used = segment.reads | segment.writes;
        while used != 0 {
            let register = used.trailing_zeros();
            used &= used - 1;
            let held = self.touch((thread * REGISTERS) as u16 + register as u16);
            // A register that is written first need not be fetched.
            if segment.reads >> register & 1 == 1 {
                self.counts.needed += 1;
                missed += u64::from(!held);
            }
        }
        self.counts.missed += missed;
        missed * FETCH_CYCLES * cycle
    }

    fn leave(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_the_registers_used_last() {
        // The cache is compared with a plain list.
        let mut cache = RegisterCache::new(7);
        let mut list: Vec<u16> = Vec::new();
        let mut state = 1u32;
        for _ in 0..10_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let register = (state >> 20) as u16 % 19;
            let expected = list.contains(&register);
            list.retain(|&other| other != register);
            list.insert(0, register);
            list.truncate(7);
            assert_eq!(cache.touch(register), expected);
        }
    }
}
