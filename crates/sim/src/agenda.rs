//! Selects the source that wakes next.
//!
//! A machine has a fixed number of event sources (a memory, an engine, a port), and each has at most one
//! pending wake-up: a unit with many outstanding jobs keeps them itself and schedules the first. The agenda is
//! a timing wheel: a ring of slots, each for a short span of time and with a list of its wake-ups, and bits
//! that find the next slot in use. Most lists have one wake-up. Wake-ups beyond the end of the ring are in one
//! more list, until the ring reaches them. The agenda allocates nothing after construction.
//!
//! **Ties.** Wake-ups at the same instant come in order of source number, whatever the order in which they were
//! scheduled. The machine's numbering of its sources is thus its only arbitration at an instant.

use crate::{END, Ticks};

/// The time of a source without a wake-up.
const NEVER: Ticks = Ticks::MAX;

/// Slots of the ring, 64 for each word of bits.
const SLOTS: usize = WORDS * 64;
const WORDS: usize = 32;
/// The list of wake-ups beyond the ring.
const FAR: usize = SLOTS;
/// The end of a list.
const NONE: u32 = u32::MAX;

/// The wake-up of a source, and the next source in the same list.
#[derive(Clone, Copy)]
struct Wake {
    at: Ticks,
    next: u32,
}

/// A set of sources, each with at most one pending wake-up.
pub struct Agenda {
    wakes: Box<[Wake]>,
    /// The first source of each list.
    lists: Box<[u32; SLOTS + 1]>,
    /// The slots with wake-ups.
    used: [u64; WORDS],
    /// log2 of the ticks of a slot.
    shift: u32,
    /// Spans of time are numbered from 0, and the slot of a span is its number modulo [`SLOTS`]. The ring begins
    /// with this span.
    first: u64,
    /// No wake-up beyond the ring comes before this time, which is [`END`] at most.
    first_far: Ticks,
    /// The source taken last.
    taken: usize,
    now: Ticks,
}

impl Agenda {
    /// Returns an agenda of `sources` sources, numbered from 0. It is fastest if most sources wake again within
    /// 2,000 times `distance` (in ticks), and few in the same `distance`.
    ///
    /// # Panics
    ///
    /// If there are 2^32 - 1 sources or more: an error in the program, not in its input.
    pub fn new(sources: usize, distance: Ticks) -> Self {
        assert!(sources < NONE as usize, "{sources} sources");
        Self {
            wakes: vec![Wake { at: NEVER, next: NONE }; sources].into(),
            lists: Box::new([NONE; SLOTS + 1]),
            used: [0; WORDS],
            shift: distance.max(1).ilog2(),
            first: 0,
            first_far: END,
            taken: 0,
            now: 0,
        }
    }

    /// Returns the present: the time of the wake-up taken last.
    #[inline]
    pub fn now(&self) -> Ticks {
        self.now
    }

    /// Returns when `source` wakes, if it has a pending wake-up.
    #[inline(always)]
    pub fn pending(&self, source: usize) -> Option<Ticks> {
        let at = self.wakes[source].at;
        (at != NEVER).then_some(at)
    }

    /// Returns whether the turn of `source` at `at` has passed: wake-ups at one instant come in order of source
    /// number.
    #[inline(always)]
    pub fn has_passed(&self, at: Ticks, source: usize) -> bool {
        (at, source) < (self.now, self.taken)
    }

    /// Schedules `source` at `at` (not before the present), in place of any pending wake-up.
    #[inline(always)]
    pub fn schedule(&mut self, source: usize, at: Ticks) {
        debug_assert!(at >= self.now, "wake-up in the past: {at} before {}", self.now);
        debug_assert!(at < NEVER, "a wake-up that never comes");
        if self.wakes[source].at != NEVER {
            self.cancel(source);
        }
        let span = at >> self.shift;
        if span - self.first >= SLOTS as u64 {
            return self.schedule_far(source, at);
        }
        let slot = span as usize % SLOTS;
        self.wakes[source] = Wake { at, next: self.lists[slot] };
        self.lists[slot] = source as u32;
        self.used[slot / 64] |= 1 << (slot % 64);
    }

    /// As `schedule`, beyond the ring.
    #[cold]
    fn schedule_far(&mut self, source: usize, at: Ticks) {
        self.wakes[source] = Wake { at, next: self.lists[FAR] };
        self.lists[FAR] = source as u32;
        self.first_far = self.first_far.min(at);
    }

    /// Cancels the pending wake-up of `source`, if there is one.
    pub fn cancel(&mut self, source: usize) {
        let at = std::mem::replace(&mut self.wakes[source].at, NEVER);
        if at == NEVER {
            return;
        }
        let slot = (at >> self.shift) as usize % SLOTS;
        if self.unlink(source, slot) {
            if self.lists[slot] == NONE {
                self.used[slot / 64] &= !(1 << (slot % 64));
            }
        } else {
            self.unlink(source, FAR);
        }
    }

    /// Removes a source from a list. Returns whether the list had it.
    fn unlink(&mut self, source: usize, list: usize) -> bool {
        let (source, after) = (source as u32, self.wakes[source].next);
        let mut at = self.lists[list];
        if at == source {
            self.lists[list] = after;
            return true;
        }
        while at != NONE {
            let wake = &mut self.wakes[at as usize];
            if wake.next == source {
                wake.next = after;
                return true;
            }
            at = wake.next;
        }
        false
    }

    /// Takes the next wake-up: its time becomes the present. Returns `None` if there is none, or none before
    /// [`END`].
    #[inline(always)]
    pub fn take_next(&mut self) -> Option<(Ticks, usize)> {
        let start = self.first as usize % SLOTS;
        let mut word = start / 64;
        let mut bits = self.used[word] & (u64::MAX << (start % 64));
        if bits == 0 {
            word = self.next_word(word);
            bits = self.used[word];
            if bits == 0 {
                return self.take_slowly();
            }
        }
        let slot = word * 64 + bits.trailing_zeros() as usize;
        let source = self.lists[slot] as usize;
        let Wake { at, next } = self.wakes[source];
        if next != NONE {
            return self.take_of_several(slot);
        }
        if at >= self.first_far {
            return self.take_slowly();
        }
        self.lists[slot] = NONE;
        self.used[word] ^= bits & bits.wrapping_neg();
        self.taken(at, source)
    }

    /// A source has been removed from its list, and wakes.
    #[inline(always)]
    fn taken(&mut self, at: Ticks, source: usize) -> Option<(Ticks, usize)> {
        self.wakes[source].at = NEVER;
        self.first = at >> self.shift;
        (self.now, self.taken) = (at, source);
        Some((at, source))
    }

    /// As `take_next`, from a list of at least two.
    fn take_of_several(&mut self, slot: usize) -> Option<(Ticks, usize)> {
        let mut source = self.lists[slot];
        let Wake { mut at, mut next } = self.wakes[source as usize];
        let (mut link, mut link_of_first) = (source, NONE);
        while next != NONE {
            let wake = self.wakes[next as usize];
            if (wake.at, next) < (at, source) {
                (at, source, link_of_first) = (wake.at, next, link);
            }
            (link, next) = (next, wake.next);
        }
        if at >= self.first_far {
            return self.take_slowly();
        }
        let after = self.wakes[source as usize].next;
        match self.wakes.get_mut(link_of_first as usize) {
            Some(before) => before.next = after,
            None => self.lists[slot] = after,
        }
        self.taken(at, source as usize)
    }

    /// Returns the next word after `word` that has slots in use. Without one it returns `word`, whose slots
    /// before the start of the ring come last.
    fn next_word(&self, word: usize) -> usize {
        let mut words = (1..WORDS).map(|after| (word + after) % WORDS);
        words.find(|&word| self.used[word] != 0).unwrap_or(word)
    }

    /// As `take_next`, also if the next wake-up is beyond the ring.
    fn take_slowly(&mut self) -> Option<(Ticks, usize)> {
        loop {
            let first = self.first_in_ring();
            let at = first.map_or(NEVER, |(at, _)| at);
            if let Some((_, source)) = first.filter(|_| at < self.first_far) {
                self.cancel(source);
                return self.taken(at, source);
            }
            if !self.bring_near(at) {
                return None;
            }
        }
    }

    /// Returns the first wake-up of the ring and its source.
    fn first_in_ring(&self) -> Option<(Ticks, usize)> {
        let start = self.first as usize % SLOTS;
        let bits = self.used[start / 64] & (u64::MAX << (start % 64));
        let word = if bits != 0 { start / 64 } else { self.next_word(start / 64) };
        let bits = if bits != 0 { bits } else { self.used[word] };
        let slot = if bits != 0 { word * 64 + bits.trailing_zeros() as usize } else { return None };
        self.list(slot).min()
    }

    /// Returns the wake-ups of a list.
    fn list(&self, list: usize) -> impl Iterator<Item = (Ticks, usize)> {
        let mut next = self.lists[list];
        std::iter::from_fn(move || {
            let source = next as usize;
            let wake = self.wakes.get(source)?;
            next = wake.next;
            Some((wake.at, source))
        })
    }

    /// Moves wake-ups into the ring if one of them comes before `next`, the first in the ring; an empty ring
    /// then begins with it. Returns whether a wake-up before [`END`] is in the ring.
    #[cold]
    fn bring_near(&mut self, next: Ticks) -> bool {
        // The first may have been cancelled since.
        self.first_far = self.list(FAR).map(|(at, _)| at).min().unwrap_or(END).min(END);
        if next < self.first_far || self.first_far == END {
            return next < END;
        }
        if next == NEVER {
            self.first = self.first_far >> self.shift;
        }
        self.first_far = END;
        let mut source = std::mem::replace(&mut self.lists[FAR], NONE);
        while source != NONE {
            let Wake { at, next } =
                std::mem::replace(&mut self.wakes[source as usize], Wake { at: NEVER, next: NONE });
            self.schedule(source as usize, at);
            source = next;
        }
        true
    }

    /// Returns whether wake-ups are left, all of them from [`END`] on, after `take_next` returned `None`.
    pub fn is_at_end(&self) -> bool {
        self.wakes.iter().any(|wake| wake.at != NEVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The naive agenda: look at every source.
    struct Naive(Vec<Ticks>);

    impl Naive {
        fn next(&mut self) -> Option<(Ticks, usize)> {
            let (source, &at) = self.0.iter().enumerate().min_by_key(|&(s, &t)| (t, s))?;
            (at < END).then(|| {
                self.0[source] = NEVER;
                (at, source)
            })
        }
    }

    proptest! {
        #[test]
        fn agrees_with_looking_at_every_source(
            sources in 1usize..=300,
            distance in 1u64..100,
            steps in proptest::collection::vec((0usize..300, 0u64..40_000, 0u8..8), 1..400),
        ) {
            let mut agenda = Agenda::new(sources, distance);
            let mut naive = Naive(vec![NEVER; sources]);
            for (source, delay, action) in steps {
                let source = source % sources;
                match action {
                    0 => { agenda.cancel(source); naive.0[source] = NEVER; }
                    1 | 2 => prop_assert_eq!(agenda.take_next(), naive.next()),
                    _ => {
                        // Mostly near wake-ups with ties, some beyond the ring, some beyond
                        // the end of time.
                        let delay = match action { 3..6 => delay % 30, 6 => delay * 50, _ => delay << 48 };
                        let at = agenda.now().saturating_add(delay);
                        let at = if at < END { at } else { NEVER - 1 };
                        agenda.schedule(source, at);
                        naive.0[source] = at;
                    }
                }
                prop_assert_eq!(agenda.pending(source), Some(naive.0[source]).filter(|&at| at != NEVER));
            }
            loop {
                let (a, b) = (agenda.take_next(), naive.next());
                prop_assert_eq!(a, b);
                if a.is_none() { break; }
            }
            prop_assert_eq!(agenda.is_at_end(), naive.0.iter().any(|&at| at != NEVER));
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
            assert_eq!(forward.take_next(), Some((5, s)));
            assert_eq!(backward.take_next(), Some((5, s)));
        }
    }
}
