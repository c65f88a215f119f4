//! The depth of each packet's digest in the LRU stack of its set: sets of at most sixteen ways, without a
//! search.
//!
//! A set has a slot for each way, and each packet records the slot of its digest. The next packet of that
//! digest finds it there or, if the slot was reused since, misses: one comparison for hit or miss. The order of
//! the slots is one word, four bits each and the last use lowest, so that finding the depth and moving a slot
//! to the front are arithmetic. No branch depends on the digests.

use crate::geometry::Index;
use crate::trace::{NEVER, Trace};

/// The last use of an unused slot: no packet, and not [`NEVER`].
const UNUSED: u32 = NEVER - 1;
/// The lowest bit of each position of an order.
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
    /// Returns the least recently used slot.
    #[inline]
    fn last(&self) -> u64 {
        self.order >> (4 * (W - 1)) & 15
    }

    /// Moves a slot to the front. Returns the number of slots that were in front of it.
    #[inline]
    fn raise(&mut self, slot: u64) -> u32 {
        let differs = self.order ^ (ONES * slot);
        // The lowest bit is exact: borrows come from equal positions only.
        let equal = differs.wrapping_sub(ONES) & !differs & (ONES << 3);
        let place = equal & equal.wrapping_neg();
        // All up to that position move back by one, and this slot becomes the first.
        let moved = (place << 1).wrapping_sub(1);
        self.order ^= (self.order ^ (self.order << 4 | slot)) & moved;
        place.trailing_zeros() / 4
    }
}

/// Returns the number of packets at each depth of their set's stack; the last element counts those not among
/// the first `W`.
pub(crate) fn depths<const W: usize>(trace: &Trace, sets: u32, index: Index) -> Vec<u64> {
    // The choice is outside of the loop; inside, it would be repeated for each packet.
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
        // A miss raises the last slot and counts one position more.
        let depth = set.raise(slot) + u32::from(missed);
        histogram[depth as usize % 32] += 1;
        set.last_uses[slot as usize % W] = at as u32;
        slots[at] = slot as u8;
    }
    histogram[..=W].to_vec()
}
