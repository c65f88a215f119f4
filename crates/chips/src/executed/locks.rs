//! Locks of a program on a chip: those at different addresses keep nobody from each other.

use super::hot::Words;
use super::races::Races;
use linecard_program::script::Action;
use std::collections::HashMap;

/// Numbers of locks, by address.
#[derive(Clone, Debug)]
pub(super) struct Locks {
    first: u32,
    numbers: HashMap<u64, u32>,
    /// Addresses, by number.
    addresses: Vec<u64>,
    /// How often each was taken, as words of one part.
    pub taken: Words,
    /// What packets write while they hold them.
    pub races: Races,
}

impl Locks {
    /// None yet; numbers below `first` are those of others.
    pub fn behind(first: u32) -> Self {
        Self {
            first,
            numbers: HashMap::new(),
            addresses: Vec::new(),
            taken: Words::default(),
            races: Races::default(),
        }
    }

    /// What takes the lock at an address, or gives it back, by an operation.
    pub fn action(&mut self, address: u64, taken: bool, operation: u32) -> Action {
        let next = self.addresses.len() as u32;
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            self.addresses.push(address);
        }
        if taken {
            self.taken.count((0, number), operation);
        }
        self.races.lock(number, taken);
        let lock = self.first + number;
        if taken { Action::Lock(lock) } else { Action::Unlock(lock) }
    }

    /// The address of a lock, by its number among those of the program.
    pub fn address(&self, number: u32) -> u64 {
        self.addresses[number as usize]
    }
}
