//! Which command queue can issue first: for each kind of command, the queues that want one and when their banks and
//! groups would allow it. What the rank allows is added in the search.

use super::commands::{CommandQueue, NOWHERE, Want};
use crate::{Command, Cycle, Device};

/// Kinds of commands that queues want.
const KINDS: [Command; 4] = [Command::Activate, Command::Precharge, Command::Read, Command::Write];
/// Command queues at most.
const QUEUES: usize = 64;
const PLACE_BITS: u32 = QUEUES.ilog2();

/// Wishes of all command queues.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    /// Queues that want a command of the kind.
    wanted: [u64; KINDS.len()],
    /// When bank and group allow it.
    within_group: [[Cycle; QUEUES]; KINDS.len()],
}

impl Ready {
    pub fn new() -> Self {
        Self { wanted: [0; KINDS.len()], within_group: [[0; QUEUES]; KINDS.len()] }
    }

    /// Note what a queue wants.
    #[inline]
    pub fn note(&mut self, number: usize, queue: &CommandQueue, device: &Device) {
        let bit = 1u64 << number;
        let wants = match queue.want {
            Want::Nothing => [false; 4],
            Want::Activate => [true, false, false, false],
            Want::Open { precharge, read, write } => [false, precharge, read != NOWHERE, write != NOWHERE],
        };
        for (kind, wants) in wants.into_iter().enumerate() {
            if wants {
                self.wanted[kind] |= bit;
                self.within_group[kind][number & (QUEUES - 1)] =
                    device.earliest_within_group(KINDS[kind], queue.bank);
            } else {
                self.wanted[kind] &= !bit;
            }
        }
    }

    /// A command has changed what the group of these queues allows.
    #[inline]
    pub fn renew(&mut self, issued: Command, queues: std::ops::Range<u32>, device: &Device) {
        let mask = (u64::MAX >> (64 - queues.len())) << queues.start;
        for (kind, command) in KINDS.into_iter().enumerate() {
            let mut part =
                if device.is_felt_in_group(issued, command) { self.wanted[kind] & mask } else { 0 };
            while part != 0 {
                let number = part.trailing_zeros();
                part &= part - 1;
                self.within_group[kind][number as usize & (QUEUES - 1)] =
                    device.earliest_within_group(command, number);
            }
        }
    }

    /// The first clock from `from` on in which a queue of `among` can issue, and the queue: of several, the first of
    /// the round after `pointer`.
    #[inline]
    pub fn first(&self, from: Cycle, among: u64, pointer: usize, device: &Device) -> Option<(Cycle, usize)> {
        let ranks = device.organization().ranks;
        // Time above place in the round: one comparison, and none that a processor could guess wrong.
        let mut best = u64::MAX;
        for rank in 0..ranks {
            let among = if ranks == 1 { among } else { among & device.banks_of_rank(rank) };
            for (kind, command) in KINDS.into_iter().enumerate() {
                let mut part = self.wanted[kind] & among;
                let least = device.earliest_of_rank(command, rank).max(from);
                // Nothing of this kind is earlier.
                if part == 0 || least << PLACE_BITS > best {
                    continue;
                }
                while part != 0 {
                    let queue = part.trailing_zeros() as usize;
                    part &= part - 1;
                    let at = self.within_group[kind][queue & (QUEUES - 1)].max(least);
                    let place = queue.wrapping_sub(pointer + 1) & (QUEUES - 1);
                    best = best.min(at << PLACE_BITS | place as u64);
                }
            }
        }
        let queue = ((best as usize & (QUEUES - 1)) + pointer + 1) & (QUEUES - 1);
        (best != u64::MAX).then_some((best >> PLACE_BITS, queue))
    }
}
