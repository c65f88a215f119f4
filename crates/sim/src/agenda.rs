//! Which source wakes next.
//!
//! A machine has a fixed number of sources of events (a unit, an engine, a port), and each has at most one
//! pending wake-up: a unit with many jobs in flight keeps them itself and asks to be woken for the first. The
//! agenda is a timing wheel whose slots are bit sets of sources, so scheduling sets a bit, and taking the next
//! finds one. No allocation after construction.
//!
//! **Ties.** Wake-ups at the same instant come in order of source number, whatever the order in which they were
//! scheduled. The machine's numbering of its sources is thus its arbitration at an instant, and the only one.

use crate::Ticks;

const SLOTS: usize = 2048;
const NEVER: Ticks = Ticks::MAX;

/// A set of sources, each with at most one pending wake-up.
pub struct Agenda {
    /// When each source wakes; `NEVER` if it does not.
    when: Vec<Ticks>,
    /// `SLOTS` bit sets of `stride` words: the sources that wake within the slot.
    slots: Vec<u64>,
    /// One bit a slot: whether its set is not empty.
    occupied: [u64; SLOTS / 64],
    /// Sources that wake beyond the wheel's horizon.
    far: Vec<u64>,
    /// The earliest wake-up in `far`.
    far_first: Ticks,
    stride: usize,
    /// log2 of the ticks in a slot.
    shift: u32,
    /// Absolute number of the slot that holds the present.
    cursor: u64,
    now: Ticks,
}

impl Agenda {
    /// An agenda of `sources` sources. `grain_ticks` is the usual distance between wake-ups of a machine (its
    /// fastest clock's period): it sets the width of a slot and changes speed only, never order.
    pub fn new(sources: usize, grain_ticks: Ticks) -> Self {
        let stride = sources.div_ceil(64).max(1);
        Self {
            when: vec![NEVER; sources],
            slots: vec![0; SLOTS * stride],
            occupied: [0; SLOTS / 64],
            far: vec![0; stride],
            far_first: NEVER,
            stride,
            shift: grain_ticks.max(1).ilog2(),
            cursor: 0,
            now: 0,
        }
    }

    /// The present: the time of the wake-up taken last.
    #[inline]
    pub fn now(&self) -> Ticks {
        self.now
    }

    /// When `source` wakes, if it does.
    #[inline]
    pub fn pending(&self, source: usize) -> Option<Ticks> {
        Some(self.when[source]).filter(|&t| t != NEVER)
    }

    /// Wake `source` at `at` (not before the present), in place of any pending wake-up.
    #[inline]
    pub fn schedule(&mut self, source: usize, at: Ticks) {
        debug_assert!(at >= self.now, "wake-up in the past: {at} before {}", self.now);
        if self.when[source] == at {
            return;
        }
        self.cancel(source);
        self.when[source] = at;
        self.place(source, at);
    }

    /// Forget the pending wake-up of `source`, if there is one.
    #[inline]
    pub fn cancel(&mut self, source: usize) {
        let at = self.when[source];
        if at == NEVER {
            return;
        }
        self.when[source] = NEVER;
        let (word, bit) = (source / 64, 1u64 << (source % 64));
        if self.far[word] & bit != 0 {
            // `far_first` may now be too early; that only costs a look.
            self.far[word] &= !bit;
        } else {
            self.clear((at >> self.shift) as usize % SLOTS, word, bit);
        }
    }

    /// Take the next wake-up: its time becomes the present.
    #[inline]
    pub fn next(&mut self) -> Option<(Ticks, usize)> {
        loop {
            let Some(distance) = self.distance_to_occupied() else {
                // The wheel is empty: jump to where the far ones begin, if there are any (`far_first` alone may
                // speak of one that was cancelled, and the cursor must never pass a wake-up still to come).
                let first = self.far_sources().map(|s| self.when[s]).min()?;
                self.cursor = first >> self.shift;
                self.bring_near();
                continue;
            };
            let slot_number = self.cursor + distance as u64;
            if self.far_first >> self.shift <= slot_number {
                self.bring_near();
                continue;
            }
            self.cursor = slot_number;
            let slot = slot_number as usize % SLOTS;
            let source = self.first_in(slot);
            let at = self.when[source];
            self.when[source] = NEVER;
            self.clear(slot, source / 64, 1 << (source % 64));
            self.now = at;
            return Some((at, source));
        }
    }

    #[inline]
    fn place(&mut self, source: usize, at: Ticks) {
        let (word, bit) = (source / 64, 1u64 << (source % 64));
        let number = at >> self.shift;
        if number - self.cursor < SLOTS as u64 {
            let slot = number as usize % SLOTS;
            self.slots[slot * self.stride + word] |= bit;
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            self.far[word] |= bit;
            self.far_first = self.far_first.min(at);
        }
    }

    #[inline]
    fn clear(&mut self, slot: usize, word: usize, bit: u64) {
        let set = &mut self.slots[slot * self.stride..(slot + 1) * self.stride];
        set[word] &= !bit;
        if set.iter().all(|&w| w == 0) {
            self.occupied[slot / 64] &= !(1 << (slot % 64));
        }
    }

    /// Slots from the cursor to the next occupied one.
    #[inline]
    fn distance_to_occupied(&self) -> Option<usize> {
        const WORDS: usize = SLOTS / 64;
        let start = self.cursor as usize % SLOTS;
        let (word, offset) = (start / 64, start % 64);
        let ahead = self.occupied[word] >> offset;
        if ahead != 0 {
            return Some(ahead.trailing_zeros() as usize);
        }
        for step in 1..=WORDS {
            let bits = self.occupied[(word + step) % WORDS];
            if bits != 0 {
                return Some(step * 64 - offset + bits.trailing_zeros() as usize);
            }
        }
        None
    }

    /// The source of a slot that wakes first; the lowest number of those that wake together.
    #[inline]
    fn first_in(&self, slot: usize) -> usize {
        let set = &self.slots[slot * self.stride..(slot + 1) * self.stride];
        let mut best = (NEVER, usize::MAX);
        for (word, &bits) in set.iter().enumerate() {
            for source in bits_of(word, bits) {
                best = best.min((self.when[source], source));
            }
        }
        best.1
    }

    /// Move the far sources that have come within the horizon onto the wheel.
    #[cold]
    fn bring_near(&mut self) {
        self.far_first = NEVER;
        for word in 0..self.stride {
            for source in bits_of(word, std::mem::take(&mut self.far[word])) {
                self.place(source, self.when[source]);
            }
        }
    }

    fn far_sources(&self) -> impl Iterator<Item = usize> {
        self.far.iter().enumerate().flat_map(|(word, &bits)| bits_of(word, bits))
    }
}

/// The sources that a word of a bit set holds, lowest first.
#[inline]
fn bits_of(word: usize, mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let source = word * 64 + bits.trailing_zeros() as usize;
        (bits != 0).then(|| {
            bits &= bits - 1;
            source
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The obvious agenda: look at every source.
    struct Naive(Vec<Ticks>);

    impl Naive {
        fn next(&mut self) -> Option<(Ticks, usize)> {
            let (source, &at) = self.0.iter().enumerate().min_by_key(|&(s, &t)| (t, s))?;
            (at != NEVER).then(|| {
                self.0[source] = NEVER;
                (at, source)
            })
        }
    }

    proptest! {
        #[test]
        fn agrees_with_looking_at_every_source(
            sources in 1usize..200,
            grain in 1u64..200,
            steps in proptest::collection::vec((0usize..200, 0u64..40_000, 0u8..4), 1..400),
        ) {
            let mut agenda = Agenda::new(sources, grain);
            let mut naive = Naive(vec![NEVER; sources]);
            for (source, delay, action) in steps {
                let source = source % sources;
                match action {
                    0 => { agenda.cancel(source); naive.0[source] = NEVER; }
                    1 => prop_assert_eq!(agenda.next(), naive.next()),
                    _ => {
                        // Mostly near wake-ups, some beyond the horizon.
                        let at = agenda.now() + if action == 2 { delay % 300 } else { delay * 50 };
                        agenda.schedule(source, at);
                        naive.0[source] = at;
                    }
                }
            }
            loop {
                let (a, b) = (agenda.next(), naive.next());
                prop_assert_eq!(a, b);
                if a.is_none() { break; }
            }
        }
    }

    #[test]
    fn order_of_scheduling_does_not_matter_at_an_instant() {
        let mut forward = Agenda::new(8, 1);
        let mut backward = Agenda::new(8, 1);
        for s in 0..8 {
            forward.schedule(s, 5);
            backward.schedule(7 - s, 5);
        }
        for s in 0..8 {
            assert_eq!(forward.next(), Some((5, s)));
            assert_eq!(backward.next(), Some((5, s)));
        }
    }
}
