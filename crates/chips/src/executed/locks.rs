//! Locks of a program on a chip: locks at different addresses are independent.

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
    /// How often each lock was taken, as words of one part.
    pub taken: Words,
    /// Writes of packets while they hold locks.
    pub races: Races,
}

impl Locks {
    /// Returns an empty set; numbers below `first` belong to others.
    pub fn behind(first: u32) -> Self {
        Self {
            first,
            numbers: HashMap::new(),
            addresses: Vec::new(),
            taken: Words::default(),
            races: Races::default(),
        }
    }

    /// Returns the action by which an operation takes or releases the lock at an address.
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

    /// Discards the counts.
    pub fn restart(&mut self) {
        self.taken.restart();
        self.races.restart();
    }

    /// Returns the address of a lock, by its number among those of the program.
    pub fn address(&self, number: u32) -> u64 {
        self.addresses[number as usize]
    }
}
