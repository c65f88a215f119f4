//! One value per bank of a channel, in a fixed array: an index needs no bounds check.

use std::ops::{Index, IndexMut};

/// Most banks of a channel.
pub(super) const BANKS: usize = 64;

/// Values by bank, or by anything that is at most as numerous: command queues, ranks.
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
