//! One value for each bank of a channel, at a fixed place: no index needs to be compared with how many there are.

use std::ops::{Index, IndexMut};

/// Banks of a channel, at most.
pub(super) const BANKS: usize = 64;

/// Values by bank, or by what there are at most as many of: command queues, ranks.
#[derive(Clone, Debug)]
pub(super) struct ByBank<T>([T; BANKS]);

impl<T> ByBank<T> {
    pub fn new(value: impl FnMut(usize) -> T) -> Self {
        Self(std::array::from_fn(value))
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

impl<T> Index<usize> for ByBank<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, bank: usize) -> &T {
        debug_assert!(bank < BANKS);
        &self.0[bank % BANKS]
    }
}

impl<T> IndexMut<usize> for ByBank<T> {
    #[inline(always)]
    fn index_mut(&mut self, bank: usize) -> &mut T {
        debug_assert!(bank < BANKS);
        &mut self.0[bank % BANKS]
    }
}
