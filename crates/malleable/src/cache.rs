//! The data cache that all threads of a core share: set-associative, LRU, write-back.

/// An empty line.
const EMPTY: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Way {
    line: u32,
    dirty: bool,
    pinned: bool,
    /// When its fill arrives.
    ready: u64,
}

const VACANT: Way = Way { line: EMPTY, dirty: false, pinned: false, ready: 0 };

/// A data cache. Ways of a set are in order of use.
#[derive(Clone, Debug)]
pub struct Cache {
    ways: usize,
    sets: u32,
    /// 2^64 / sets, rounded up: remainders without division (Lemire, Kaser, Kurz 2019).
    inverse: u64,
    lines: Vec<Way>,
}

/// The result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A hit.
    Hit,
    /// A line that is being fetched, and its arrival time.
    Coming(u64),
    /// A miss.
    Miss,
}

impl Cache {
    /// Returns an empty cache of `lines` lines in sets of `ways`; lines that fill no whole set are unused.
    #[must_use]
    pub fn new(lines: u32, ways: u32) -> Self {
        let sets = lines / ways;
        Self {
            ways: ways as usize,
            sets,
            inverse: (u64::MAX / u64::from(sets.max(1))).wrapping_add(1),
            lines: vec![VACANT; (sets * ways) as usize],
        }
    }

    /// Returns whether it holds any line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets == 0
    }

    #[inline(always)]
    fn set(&mut self, line: u32) -> &mut [Way] {
        // With one set the inverse is 0 and so is the remainder.
        let low = self.inverse.wrapping_mul(u64::from(line));
        let set = ((u128::from(low) * u128::from(self.sets)) >> 64) as usize;
        &mut self.lines[set * self.ways..(set + 1) * self.ways]
    }

    /// Looks a line up at `now`, and makes it the most recently used.
    #[inline(always)]
    pub fn access(&mut self, line: u32, store: bool, now: u64) -> Found {
        let set = self.set(line);
        if set[0].line == line {
            set[0].dirty |= store;
            return if set[0].ready <= now { Found::Hit } else { Found::Coming(set[0].ready) };
        }
        let Some(at) = set.iter().position(|way| way.line == line) else { return Found::Miss };
        set[..=at].rotate_right(1);
        set[0].dirty |= store;
        if set[0].ready <= now { Found::Hit } else { Found::Coming(set[0].ready) }
    }

    /// Inserts a line that arrives at `ready`, and evicts the least recently used one that is not pinned.
    /// Returns whether the evicted line was dirty; `None` if all ways are pinned: the line bypasses the cache.
    pub fn fill(&mut self, line: u32, dirty: bool, ready: u64) -> Option<bool> {
        self.put(Way { line, dirty, pinned: false, ready })
    }

    /// Inserts a line and pins it, or pins an existing one. Returns whether it was there; `None` if it cannot
    /// be held.
    pub fn pin(&mut self, line: u32) -> Option<bool> {
        let set = self.set(line);
        if let Some(at) = set.iter().position(|way| way.line == line) {
            set[at].pinned = true;
            return Some(true);
        }
        self.put(Way { line, dirty: false, pinned: true, ready: 0 })?;
        Some(false)
    }

    fn put(&mut self, way: Way) -> Option<bool> {
        let set = self.set(way.line);
        let victim = set.iter().rposition(|way| !way.pinned)?;
        let written = set[victim].line != EMPTY && set[victim].dirty;
        set[..=victim].rotate_right(1);
        set[0] = way;
        Some(written)
    }

    /// Unpins every line.
    pub fn unpin_all(&mut self) {
        self.lines.iter_mut().for_each(|way| way.pinned = false);
    }
}
