//! Selects the source that wakes next.
//!
//! A machine has a fixed number of event sources (a memory, an engine, a port), and each has at most one
//! pending wake-up: a unit with many outstanding jobs keeps them itself and schedules the first. The agenda is
//! a winner tree: each source has a leaf, and every inner node holds the earliest of its four children, so that
//! the root is next. Scheduling replays the path from a leaf towards the root and stops where the winner stays
//! the same. It allocates nothing after construction.
//!
//! **Ties.** Wake-ups at the same instant come in order of source number, whatever the order in which they were
//! scheduled. The machine's numbering of its sources is thus its only arbitration at an instant.

use crate::{END, Ticks};

const NEVER: Ticks = Ticks::MAX;

/// Bits of the source in a key.
const SOURCE_BITS: u32 = 20;
/// A time that does not fit into a key counts as this one; so does [`NEVER`].
const FAR: Ticks = NO_KEY >> SOURCE_BITS;
/// The key of a source that does not wake; no source has the number in it.
const NO_KEY: u64 = u64::MAX;

/// A set of sources, each with at most one pending wake-up.
pub struct Agenda {
    /// The tree without its root, four siblings together: those of `quads[i]` are children of node `i`, and
    /// node `i > 0` is slot `i - 1` (its quad and its position in the quad). Inner nodes come first, one per
    /// quad, then the sources. A node is a key: time since `base` in the high bits, source in the low bits, so
    /// that one comparison decides time and ties.
    quads: Box<[[u64; 4]]>,
    /// The slot of source 0; the others precede it in order, so that the last sources have the shortest paths:
    /// a machine's engines and its DRAM, which wake most often.
    first_slot: usize,
    root: u64,
    /// The origin of the times in keys; not after the present.
    base: Ticks,
    /// The times that do not fit in a key, by source: empty until there is one.
    far: Vec<Ticks>,
    sources: usize,
    /// The source taken last, and whether the tree still has it. It does until the source is scheduled again or
    /// the next one is taken: most sources schedule themselves when they wake, and one replay then serves both.
    taken: usize,
    stale: bool,
    now: Ticks,
}

impl Agenda {
    /// Returns an agenda of `sources` sources, numbered from 0.
    ///
    /// # Panics
    ///
    /// If there is none or a million and more: an error in the program, not in its input.
    pub fn new(sources: usize) -> Self {
        assert!((1..1 << SOURCE_BITS).contains(&sources), "{sources} sources");
        let quads = (sources - 1).div_ceil(3).max(1);
        Self {
            quads: vec![[NO_KEY; 4]; quads].into(),
            first_slot: quads - 1 + sources - 1,
            root: NO_KEY,
            base: 0,
            far: Vec::new(),
            sources,
            taken: 0,
            stale: false,
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
        if self.stale && source == self.taken {
            return None;
        }
        let slot = self.first_slot - source;
        let key = self.quads[slot / 4][slot % 4];
        match key >> SOURCE_BITS {
            FAR => (key != NO_KEY).then(|| self.far[source]),
            near => Some(self.base + near),
        }
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
        let near = at - self.base;
        if near >= FAR {
            return self.schedule_far(source, at);
        }
        self.stale &= source != self.taken;
        self.replay::<true>(source, near << SOURCE_BITS | source as u64);
    }

    /// As `schedule`, for the source taken last. It is faster: the source was the winner all the way to the root, so
    /// every node on its path changes.
    #[inline(always)]
    pub fn schedule_taken(&mut self, at: Ticks) {
        let near = at - self.base;
        if near >= FAR {
            return self.schedule(self.taken, at);
        }
        debug_assert!(self.now <= at && at < NEVER, "a wake-up at {at}, now {}", self.now);
        self.stale = false;
        self.replay::<false>(self.taken, near << SOURCE_BITS | self.taken as u64);
    }

    /// As `schedule`, for a time that does not fit in a key.
    #[cold]
    fn schedule_far(&mut self, source: usize, at: Ticks) {
        self.far.resize(self.sources, NEVER);
        self.far[source] = at;
        self.stale &= source != self.taken;
        self.replay::<true>(source, FAR << SOURCE_BITS | source as u64);
    }

    /// Takes the next wake-up: its time becomes the present. Returns `None` if there is none, or none before
    /// [`END`].
    #[inline(always)]
    pub fn take_next(&mut self) -> Option<(Ticks, usize)> {
        if self.stale {
            self.stale = false;
            self.replay::<false>(self.taken, NO_KEY);
        }
        if self.root >> SOURCE_BITS == FAR {
            self.bring_near()?;
        }
        let source = (self.root & ((1 << SOURCE_BITS) - 1)) as usize;
        self.now = self.base + (self.root >> SOURCE_BITS);
        (self.taken, self.stale) = (source, true);
        Some((self.now, source))
    }

    /// Puts `key` at the leaf of `source` and replays towards the root; if `STOPS`, until the winner stays the same.
    #[inline(always)]
    fn replay<const STOPS: bool>(&mut self, source: usize, mut key: u64) {
        let quads = &mut *self.quads;
        let mut slot = self.first_slot - source;
        loop {
            let (node, place) = (slot / 4, slot % 4);
            let quad = &mut quads[node];
            if STOPS && quad[place] == key {
                return;
            }
            quad[place] = key;
            key = quad[0].min(quad[1]).min(quad[2].min(quad[3]));
            if node == 0 {
                self.root = key;
                return;
            }
            slot = node - 1;
        }
    }

    /// Returns whether wake-ups are left, all of them from [`END`] on, after `take_next` returned `None`.
    pub fn is_at_end(&self) -> bool {
        (0..self.sources).any(|source| self.pending(source).is_some())
    }

    /// Moves `base` to the earliest wake-up when the tree knows the time of none. Returns `None` if there is
    /// none. Near wake-ups can then be slightly beyond the end of time, and are still taken.
    #[cold]
    fn bring_near(&mut self) -> Option<()> {
        let pending: Vec<Option<Ticks>> = (0..self.sources).map(|source| self.pending(source)).collect();
        self.base = pending.iter().flatten().copied().min().filter(|&at| at < END)?;
        for (source, at) in pending.into_iter().enumerate() {
            if let Some(at) = at {
                self.schedule(source, at);
            }
        }
        Some(())
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
            steps in proptest::collection::vec((0usize..300, 0u64..40_000, 0u8..8), 1..400),
        ) {
            let mut agenda = Agenda::new(sources);
            let mut naive = Naive(vec![NEVER; sources]);
            for (source, delay, action) in steps {
                let source = source % sources;
                match action {
                    0..=2 => {
                        let taken = agenda.take_next();
                        prop_assert_eq!(taken, naive.next());
                        // Most sources schedule themselves when they wake.
                        if let Some((now, source)) = taken.filter(|_| action == 1) {
                            let at = now.saturating_add(if delay % 16 == 0 { delay << 48 } else { delay % 90 });
                            let at = if at < END { at } else { NEVER - 1 };
                            agenda.schedule_taken(at);
                            naive.0[source] = at;
                        }
                    }
                    _ => {
                        // Mostly near wake-ups with ties, some whose time does not fit in a key, some beyond
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
        let mut forward = Agenda::new(8);
        let mut backward = Agenda::new(8);
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
