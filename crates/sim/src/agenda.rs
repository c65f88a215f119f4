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

/// Most sources that an agenda serves: a slot is one word.
pub const MOST_SOURCES: usize = 64;

const SLOTS: usize = 1024;
const WORDS: usize = SLOTS / 64;
const NEVER: Ticks = Ticks::MAX;

/// A set of at most [`MOST_SOURCES`] sources, each with at most one pending wake-up.
pub struct Agenda {
    /// When each source wakes; `NEVER` if it does not.
    when: [Ticks; MOST_SOURCES],
    /// The sources that wake within each slot.
    slots: Box<[u64; SLOTS]>,
    /// One bit a slot: whether its set is not empty.
    occupied: [u64; WORDS],
    /// Sources that wake beyond the wheel's horizon.
    far: u64,
    /// Not after the earliest wake-up in `far`.
    far_first: Ticks,
    /// log2 of the ticks in a slot.
    shift: u32,
    /// Absolute number of the slot that holds the present.
    cursor: u64,
    now: Ticks,
}

impl Agenda {
    /// An agenda of sources numbered below [`MOST_SOURCES`]. `grain_ticks` is the usual distance between wake-ups
    /// of a machine (its fastest clock's period): it sets the width of a slot and changes speed only, never order.
    pub fn new(grain_ticks: Ticks) -> Self {
        Self {
            when: [NEVER; MOST_SOURCES],
            slots: Box::new([0; SLOTS]),
            occupied: [0; WORDS],
            far: 0,
            far_first: NEVER,
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
        Some(self.when[source % MOST_SOURCES]).filter(|&at| at != NEVER)
    }

    /// Wake `source` at `at` (not before the present), in place of any pending wake-up.
    #[inline(always)]
    pub fn schedule(&mut self, source: usize, at: Ticks) {
        debug_assert!(at >= self.now, "wake-up in the past: {at} before {}", self.now);
        debug_assert!(source < MOST_SOURCES);
        let pending = self.when[source % MOST_SOURCES];
        if pending == at {
            return;
        }
        if pending != NEVER {
            self.cancel(source);
        }
        self.when[source % MOST_SOURCES] = at;
        self.place(source, at);
    }

    /// Forget the pending wake-up of `source`, if there is one.
    pub fn cancel(&mut self, source: usize) {
        let at = std::mem::replace(&mut self.when[source % MOST_SOURCES], NEVER);
        let bit = 1 << source;
        if at == NEVER {
        } else if self.far & bit != 0 {
            // `far_first` may now be too early; that only costs a look.
            self.far &= !bit;
        } else {
            self.clear(slot_of(at >> self.shift), bit);
        }
    }

    /// Take the next wake-up: its time becomes the present.
    #[inline(always)]
    pub fn take_next(&mut self) -> Option<(Ticks, usize)> {
        loop {
            let Some(number) = self.next_occupied() else {
                // The wheel is empty: jump to where the far ones begin, if there are any (`far_first` alone may
                // speak of one that was cancelled, and the cursor must never pass a wake-up still to come).
                let first = sources(self.far).map(|s| self.when[s]).min()?;
                self.cursor = first >> self.shift;
                self.bring_near();
                continue;
            };
            if self.far_first >> self.shift <= number {
                self.bring_near();
                continue;
            }
            self.cursor = number;
            let slot = slot_of(number);
            let set = self.slots[slot];
            let mut source = set.trailing_zeros() as usize % MOST_SOURCES;
            // Sources share a slot when they wake together, or when a slot is longer than a tick.
            if set & (set - 1) != 0 && self.shift > 0 {
                source = sources(set).map(|s| (self.when[s], s)).min().map_or(source, |(_, s)| s);
            }
            let at = std::mem::replace(&mut self.when[source], NEVER);
            self.clear(slot, 1 << source);
            self.now = at;
            return Some((at, source));
        }
    }

    #[inline(always)]
    fn place(&mut self, source: usize, at: Ticks) {
        let number = at >> self.shift;
        if number - self.cursor < SLOTS as u64 {
            let slot = slot_of(number);
            self.slots[slot] |= 1 << source;
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            self.far |= 1 << source;
            self.far_first = self.far_first.min(at);
        }
    }

    #[inline(always)]
    fn clear(&mut self, slot: usize, bit: u64) {
        self.slots[slot] &= !bit;
        let empty = u64::from(self.slots[slot] == 0);
        self.occupied[slot / 64] &= !(empty << (slot % 64));
    }

    /// Number of the next occupied slot, from the cursor on.
    #[inline(always)]
    fn next_occupied(&self) -> Option<u64> {
        let start = slot_of(self.cursor);
        let (word, offset) = (start / 64, start % 64);
        let ahead = self.occupied[word] >> offset;
        if ahead != 0 {
            return Some(self.cursor + u64::from(ahead.trailing_zeros()));
        }
        (1..=WORDS).find_map(|step| {
            let bits = self.occupied[(word + step) % WORDS];
            (bits != 0).then(|| self.cursor + (step * 64 - offset) as u64 + u64::from(bits.trailing_zeros()))
        })
    }

    /// Move the far sources that have come within the horizon onto the wheel.
    #[cold]
    fn bring_near(&mut self) {
        self.far_first = NEVER;
        for source in sources(std::mem::take(&mut self.far)) {
            self.place(source, self.when[source]);
        }
    }
}

#[inline]
fn slot_of(number: u64) -> usize {
    number as usize % SLOTS
}

/// The sources in a set, lowest first.
#[inline]
fn sources(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let source = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
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
            sources in 1usize..=MOST_SOURCES,
            grain in 1u64..200,
            steps in proptest::collection::vec((0usize..MOST_SOURCES, 0u64..40_000, 0u8..4), 1..400),
        ) {
            let mut agenda = Agenda::new(grain);
            let mut naive = Naive(vec![NEVER; sources]);
            for (source, delay, action) in steps {
                let source = source % sources;
                match action {
                    0 => { agenda.cancel(source); naive.0[source] = NEVER; }
                    1 => prop_assert_eq!(agenda.take_next(), naive.next()),
                    _ => {
                        // Mostly near wake-ups, some beyond the horizon.
                        let at = agenda.now() + if action == 2 { delay % 300 } else { delay * 50 };
                        agenda.schedule(source, at);
                        naive.0[source] = at;
                    }
                }
            }
            loop {
                let (a, b) = (agenda.take_next(), naive.next());
                prop_assert_eq!(a, b);
                if a.is_none() { break; }
            }
        }
    }

    #[test]
    fn order_of_scheduling_does_not_matter_at_an_instant() {
        let mut forward = Agenda::new(1);
        let mut backward = Agenda::new(1);
        for s in 0..8 {
            forward.schedule(s, 5);
            backward.schedule(7 - s, 5);
        }
        for s in 0..8 {
            assert_eq!(forward.take_next(), Some((5, s)));
            assert_eq!(backward.take_next(), Some((5, s)));
        }
    }
}
