//! How deep each packet's digest stands in the LRU stack of its set: sets of at most sixteen ways, without a search.
//!
//! A set has a slot for each way, and each packet remembers the slot that its digest got. The next packet of that
//! digest finds it there or, where the slot was used since, nowhere: one comparison, hit or miss. The order of the
//! slots is one word, four bits each and the last use lowest, so that finding the depth and moving a slot to the front
//! are arithmetic. There is no branch that depends on the digests.

use crate::geometry::Index;
use crate::trace::{NEVER, Trace};

/// Stands for the last use of a slot that was not used yet: no packet, and not [`NEVER`].
const UNUSED: u32 = NEVER - 1;
/// The lowest bit of each place of an order.
const ONES: u64 = 0x1111_1111_1111_1111;
/// The slots in order.
const RISING: u64 = 0xfedc_ba98_7654_3210;

/// A set of `W` ways.
#[derive(Clone, Copy)]
struct Set<const W: usize> {
    order: u64,
    /// The packet that used each slot last.
    last_uses: [u32; W],
}

impl<const W: usize> Set<W> {
    /// The slot that was used longest ago.
    #[inline]
    fn last(&self) -> u64 {
        self.order >> (4 * (W - 1)) & 15
    }

    /// Moves a slot to the front; how many were in front of it.
    #[inline]
    fn raise(&mut self, slot: u64) -> u32 {
        let differs = self.order ^ (ONES * slot);
        // The lowest bit is exact: borrows come from equal places only.
        let equal = differs.wrapping_sub(ONES) & !differs & (ONES << 3);
        let place = equal & equal.wrapping_neg();
        // All up to that place: each takes the slot in front of it, and the first this one.
        let moved = (place << 1).wrapping_sub(1);
        self.order ^= (self.order ^ (self.order << 4 | slot)) & moved;
        place.trailing_zeros() / 4
    }
}

/// How many packets were found at each depth of their set's stack, those not found among the first `W` last.
pub(crate) fn depths<const W: usize>(trace: &Trace, sets: u32, index: Index) -> Vec<u64> {
    // The choice stands outside of the loop: inside, it would be made for each packet.
    match index {
        Index::Mask(mask) => run::<W>(trace, sets, |digest| digest & mask),
        Index::Remainder(sets) => run::<W>(trace, sets, |digest| digest % sets),
    }
}

#[inline]
fn run<const W: usize>(trace: &Trace, sets: u32, set_of: impl Fn(u32) -> u32) -> Vec<u64> {
    const { assert!(W <= 16, "a slot is four bits of a word") };
    let order = RISING & (u64::MAX >> (64 - 4 * W));
    let mut sets = vec![Set { order, last_uses: [UNUSED; W] }; sets as usize];
    let mut slots = vec![0u8; trace.digests().len()];
    let mut histogram = [0; 32];
    for (at, (&digest, &previous)) in trace.digests().iter().zip(trace.previous()).enumerate() {
        let set = &mut sets[set_of(digest) as usize];
        let slot = slots.get(previous as usize).map_or(0, |&slot| u64::from(slot));
        let missed = set.last_uses[slot as usize % W] != previous;
        let slot = if missed { set.last() } else { slot };
        // The last place, if it was missed, and one more.
        let depth = set.raise(slot) + u32::from(missed);
        histogram[depth as usize % 32] += 1;
        set.last_uses[slot as usize % W] = at as u32;
        slots[at] = slot as u8;
    }
    histogram[..=W].to_vec()
}
