//! Locks of a program on a chip: those at different addresses keep nobody from each other.

use linecard_program::script::Action;
use std::collections::HashMap;

/// Numbers of locks, by address.
#[derive(Clone, Debug)]
pub(super) struct Locks {
    first: u32,
    numbers: HashMap<u64, u32>,
}

impl Locks {
    /// None yet; numbers below `first` are those of others.
    pub fn behind(first: u32) -> Self {
        Self { first, numbers: HashMap::new() }
    }

    /// What takes the lock at an address, or gives it back.
    pub fn action(&mut self, address: u64, taken: bool) -> Action {
        let next = self.first + self.numbers.len() as u32;
        let lock = *self.numbers.entry(address).or_insert(next);
        if taken { Action::Lock(lock) } else { Action::Unlock(lock) }
    }
}
