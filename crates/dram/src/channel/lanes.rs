//! Small numbers of clocks in adjacent lanes, one per bank, so that loops over them become vector instructions.
//! Results do not depend on that; the instruction count that `bench/kernels.py` keeps does.

use super::by_bank;
use super::commands::Kinds;
use crate::Cycle;
use crate::device::CLASSES;
use std::ops::{Deref, DerefMut};

/// Banks of a block.
pub(super) const LANES: usize = 16;
/// Kinds of commands that queues request: the first classes.
pub(super) const KINDS: usize = Kinds::COMMANDS.len();
/// Most banks.
pub(super) const BANKS: u32 = by_bank::BANKS as u32;

/// The origin of waits moves when a command is further from it: half the range of the narrowest lanes.
pub(super) const FAR: Cycle = 1 << 14;

pub(super) type Lanes<T> = [T; LANES];
pub(super) type Block<T> = Aligned<[Lanes<T>; CLASSES]>;
pub(super) type Wishes<T> = Aligned<[Lanes<T>; KINDS]>;
/// By class; as many as a vector has.
pub(super) type OfBank<T> = Aligned<[T; 8]>;

/// Aligned like a vector, so that instructions read it from memory without a separate load. Compilers know the
/// alignment of a copy, but lose it for an inlined reference.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(super) struct Aligned<A>(pub A);

impl<A> Deref for Aligned<A> {
    type Target = A;

    #[inline(always)]
    fn deref(&self) -> &A {
        &self.0
    }
}

impl<A> DerefMut for Aligned<A> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut A {
        &mut self.0
    }
}

/// A number of clocks in a fixed number of bits. Values below its range count as long ago.
pub(super) trait Clocks: Copy + Ord + std::fmt::Debug {
    /// Long ago; no constraint.
    const LEAST: Self;
    /// Never.
    const MOST: Self;
    /// The numbers of the lanes.
    const NUMBERS: Lanes<Self>;
    /// For every set of kinds: `LEAST` for those in the set, `MOST` for others.
    const WISHES: [[Self; KINDS]; 1 << KINDS];
    /// Returns the nearest value below `MOST`.
    fn of(clocks: Cycle) -> Self;
    fn signed(clocks: i64) -> Self;
    fn get(self) -> i64;
    fn plus(self, more: Self) -> Self;
    /// As `plus`, in fewer instructions, if the sum is in the range.
    fn and(self, more: Self) -> Self;
    fn less(self, passed: Self) -> Self;
    /// Returns the distance of a bank behind `first` in the round over all banks.
    fn behind(self, first: Self) -> Self;
}

macro_rules! clocks {
    ($($width:ty),*) => {$(
        impl Clocks for $width {
            const LEAST: Self = Self::MIN;
            const MOST: Self = Self::MAX;
            const NUMBERS: Lanes<Self> = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
            const WISHES: [[Self; KINDS]; 1 << KINDS] = {
                let mut wishes = [[Self::MAX; KINDS]; 1 << KINDS];
                let mut place = 0;
                while place < KINDS << KINDS {
                    let (set, kind) = (place / KINDS, place % KINDS);
                    if set >> kind & 1 == 1 {
                        wishes[set][kind] = Self::MIN;
                    }
                    place += 1;
                }
                wishes
            };
            #[inline(always)]
            fn of(clocks: Cycle) -> Self {
                clocks.min(Self::MAX as Cycle - 1) as Self
            }
            #[inline(always)]
            fn signed(clocks: i64) -> Self {
                clocks.clamp(Self::MIN.into(), Self::MAX.into()) as Self
            }
            #[inline(always)]
            fn get(self) -> i64 {
                self.into()
            }
            #[inline(always)]
            fn plus(self, more: Self) -> Self {
                self.saturating_add(more)
            }
            #[inline(always)]
            fn and(self, more: Self) -> Self {
                debug_assert!(self.checked_add(more).is_some());
                self.wrapping_add(more)
            }
            #[inline(always)]
            fn less(self, passed: Self) -> Self {
                self.saturating_sub(passed)
            }
            #[inline(always)]
            fn behind(self, first: Self) -> Self {
                self.wrapping_sub(first) & (BANKS as Self - 1)
            }
        }
    )*};
}

clocks!(i16, i32);

/// Delays the commands of all lanes by a row's distances from a command `ahead` of the origin.
#[inline(always)]
pub(super) fn delay<T: Clocks>(waits: &mut Lanes<T>, ahead: T, row: &Lanes<T>) {
    // Copies: the compiler need not test whether the two overlap.
    let (mut new, row) = (*waits, *row);
    for (wait, &least) in new.iter_mut().zip(&row) {
        *wait = least.plus(ahead).max(*wait);
    }
    *waits = new;
}

/// Returns for each bank the wait for the first command that its queue requests.
#[inline(always)]
pub(super) fn soonest_of<T: Clocks>(waits: &Block<T>, wishes: &Wishes<T>) -> Lanes<T> {
    let mut of_kinds = *wishes;
    for (later, &wait) in of_kinds.as_flattened_mut().iter_mut().zip(waits.as_flattened()) {
        *later = wait.max(*later);
    }
    let mut soonest = [T::MOST; LANES];
    for of_kind in of_kinds.iter() {
        for (soonest, &later) in soonest.iter_mut().zip(of_kind) {
            *soonest = later.min(*soonest);
        }
    }
    soonest
}

/// Returns the least distance behind `first` in the round, of the lanes that are not above `limit`. A separate
/// function, because compilers vectorise it only if it is not inlined.
#[inline(never)]
pub(super) fn first_in_round<T: Clocks>(lanes: &Lanes<T>, limit: T, first: T) -> T {
    let mut behind = T::NUMBERS;
    for number in &mut behind {
        *number = number.behind(first);
    }
    // Lanes above the limit are a whole round further.
    let mut away = [T::of(0); LANES];
    for (away, &lane) in away.iter_mut().zip(lanes) {
        *away = if lane <= limit { T::of(0) } else { T::of(BANKS.into()) };
    }
    for (behind, &away) in behind.iter_mut().zip(&away) {
        *behind = behind.plus(away);
    }
    behind.iter().fold(T::MOST, |least, &behind| least.min(behind))
}

/// Returns the block and the lane of a bank.
#[inline(always)]
pub(super) fn place<const N: usize>(bank: u32) -> (usize, usize) {
    (bank as usize / LANES % N, bank as usize % LANES)
}
