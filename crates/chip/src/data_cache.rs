//! The data caches of an engine or of its threads. An access that hits does not reach a memory. They allocate
//! on reads and writes, and write back.

use crate::config::{DataCacheConfig, Replacement};
use crate::counts::DataCacheCounts;
use linecard_program::script::NOT_USED;
use linecard_sim::{Stream, Ticks, stream};

/// No line.
const EMPTY: u64 = u64::MAX;
/// Bits of an address within a memory; the number of the memory is above them.
const PLACE_SHIFT: u32 = 48;

#[derive(Clone, Copy, Debug)]
struct Way {
    line: u64,
    dirty: bool,
    /// When it arrives; [`NEVER`](crate::thread::NEVER) while that is not known.
    there: Ticks,
}

const VACANT: Way = Way { line: EMPTY, dirty: false, there: 0 };

#[derive(Debug)]
pub(crate) struct DataCache {
    ways: usize,
    /// Sets of one cache.
    sets: u64,
    /// Threads have separate caches, one after another in `lines`.
    per_thread: bool,
    /// Draws the line to evict; `None` if the least recently used line is evicted.
    draws: Option<Stream>,
    /// Ways of a set in order of use.
    lines: Vec<Way>,
    shift: u32,
    latency_cycles: u32,
    leaves_engine: bool,
    pub used: DataCacheCounts,
}

impl DataCache {
    /// Returns the caches of engine number `engine`, which has `threads` threads.
    pub fn new(config: &DataCacheConfig, engine: u32, threads: u32, seed: u64) -> Self {
        let caches = if config.per_thread { threads as usize } else { 1 };
        Self {
            ways: config.ways as usize,
            sets: u64::from(config.sets),
            per_thread: config.per_thread,
            draws: (config.replacement == Replacement::Random)
                .then(|| stream(seed, &format!("data cache of engine {engine}"))),
            lines: vec![VACANT; caches * config.sets as usize * config.ways as usize],
            shift: config.line_bytes.ilog2(),
            latency_cycles: config.latency_cycles,
            leaves_engine: config.leaves_engine,
            used: DataCacheCounts::default(),
        }
    }

    pub fn line_bytes(&self) -> u16 {
        1 << self.shift
    }

    /// Returns the line number of a byte of a memory.
    pub fn line(&self, place: u16, address: u64) -> u64 {
        (u64::from(place) << (PLACE_SHIFT - self.shift)) | (address >> self.shift)
    }

    /// Returns the number of the memory of a line.
    pub fn place(&self, line: u64) -> u16 {
        (line >> (PLACE_SHIFT - self.shift)) as u16
    }

    /// Returns the address of a line within its memory.
    pub fn address(&self, line: u64) -> u64 {
        (line & ((1 << (PLACE_SHIFT - self.shift)) - 1)) << self.shift
    }

    /// Returns the cycles from a load that hits to its value.
    pub fn latency_cycles(&self) -> u32 {
        self.latency_cycles
    }

    /// Returns whether a load that hits may delay its thread, if its value is used `used_after` cycles later.
    pub fn may_delay(&self, used_after: u8) -> bool {
        used_after != NOT_USED && u32::from(used_after) <= self.latency_cycles
    }

    /// Returns whether a thread that waits for a hit leaves its engine to others.
    pub fn leaves_engine(&self) -> bool {
        self.leaves_engine
    }

    /// Returns the set of a line, for a thread counted from the engine's first.
    fn set(&mut self, thread: u32, line: u64) -> &mut [Way] {
        // The set depends on the address alone, so the order in which memories are listed changes nothing.
        let within = line & ((1 << (PLACE_SHIFT - self.shift)) - 1);
        let first = if self.per_thread { u64::from(thread) * self.sets } else { 0 };
        let set = (first + within % self.sets) as usize * self.ways;
        &mut self.lines[set..set + self.ways]
    }

    /// Looks a line up and makes it the most recently used. Returns when it arrives,
    /// [`NEVER`](crate::thread::NEVER) if that is not known yet, `None` for a miss.
    pub fn look_up(&mut self, thread: u32, line: u64, write: bool) -> Option<Ticks> {
        let set = self.set(thread, line);
        let at = set.iter().position(|way| way.line == line)?;
        set[..=at].rotate_right(1);
        set[0].dirty |= write;
        Some(set[0].there)
    }

    /// Sets the arrival time of a line that is being fetched.
    pub fn arrives(&mut self, thread: u32, line: u64, there: Ticks) {
        if let Some(way) = self.set(thread, line).iter_mut().find(|way| way.line == line) {
            way.there = there;
        }
    }

    /// Replaces a line by another. Returns the replaced line if it must be written back.
    pub fn fill(&mut self, thread: u32, line: u64, dirty: bool, there: Ticks) -> Option<u64> {
        let ways = self.ways as u32;
        let drawn = self.draws.as_mut().map(|draws| draws.below(ways) as usize);
        let set = self.set(thread, line);
        let last = set.len() - 1;
        // Vacant ways are at the end of the set.
        let at = drawn.filter(|_| set[last].line != EMPTY).unwrap_or(last);
        let victim = set[at];
        set[..=at].rotate_right(1);
        set[0] = Way { line, dirty, there };
        let written = victim.line != EMPTY && victim.dirty;
        self.used.written_back += u64::from(written);
        written.then_some(victim.line)
    }

    /// Discards the lines from `first` to `last`, because others have written to them.
    pub fn forget(&mut self, thread: u32, first: u64, last: u64) {
        for line in first..=last {
            let set = self.set(thread, line);
            if let Some(at) = set.iter().position(|way| way.line == line) {
                set[at] = VACANT;
                // The vacant way moves to the end of the set, where the next line goes.
                set[at..].rotate_left(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::NEVER;

    fn config(sets: u32, ways: u32, latency_cycles: u32) -> DataCacheConfig {
        DataCacheConfig {
            per_thread: false,
            of: vec![],
            sets,
            ways,
            line_bytes: 16,
            replacement: Replacement::LeastRecent,
            latency_cycles,
            leaves_engine: false,
        }
    }

    #[test]
    fn the_line_used_least_recently_goes_and_what_was_written_goes_back() {
        let config = config(2, 2, 1);
        let mut cache = DataCache::new(&config, 0, 1, 1);
        let line = |number: u64| 3 << (PLACE_SHIFT - 4) | number;
        assert_eq!(cache.line(3, 0x40), line(4));
        assert_eq!(cache.address(line(4)), 0x40);
        // Lines 0, 2, 4 share a set.
        assert_eq!(cache.fill(0, line(0), true, NEVER), None);
        assert_eq!(cache.fill(0, line(2), false, 9), None);
        assert_eq!(cache.look_up(0, line(0), false), Some(NEVER));
        cache.arrives(0, line(0), 7);
        assert_eq!(cache.look_up(0, line(0), false), Some(7));
        assert_eq!(cache.fill(0, line(4), false, 0), None, "line 2 was clean");
        assert_eq!(cache.look_up(0, line(2), false), None);
        assert_eq!(cache.fill(0, line(2), false, 0), Some(line(0)), "line 0 was written to");
        // Discarded lines are evicted before older ones.
        cache.forget(0, line(2), line(3));
        assert_eq!(cache.fill(0, line(6), false, 0), None);
        assert_eq!(cache.look_up(0, line(4), false), Some(0));
    }

    #[test]
    fn a_load_that_hits_may_delay_whoever_uses_it_soon() {
        let cache = |latency_cycles| DataCache::new(&config(1, 1, latency_cycles), 0, 1, 1);
        assert_eq!([1, 2, 3, NOT_USED].map(|cycles| cache(2).may_delay(cycles)), [true, true, false, false]);
        assert!(!cache(1000).may_delay(NOT_USED));
    }

    #[test]
    fn threads_with_caches_of_their_own_do_not_see_each_others_lines() {
        let config = DataCacheConfig { per_thread: true, ..config(1, 1, 1) };
        let mut cache = DataCache::new(&config, 0, 2, 1);
        assert_eq!(cache.fill(0, 5, true, 0), None);
        assert_eq!(cache.look_up(1, 5, false), None);
        assert_eq!(cache.fill(1, 6, false, 0), None, "thread 0 keeps its line");
        assert_eq!(cache.look_up(0, 5, false), Some(0));
        assert_eq!(cache.fill(0, 7, false, 0), Some(5));
    }

    /// Accesses go round n > `ways` lines of one set. If the oldest line is evicted, no access hits. If a
    /// drawn line is evicted, a line survives the (1 - h) n draws of a round with probability (1 - 1/ways)
    /// each, so the hit rate h is their product.
    #[test]
    fn a_circle_of_too_many_lines_hits_as_often_as_a_drawn_victim_lets_it() {
        let hits = |replacement| {
            let mut cache = DataCache::new(&DataCacheConfig { replacement, ..config(1, 16, 1) }, 0, 1, 1);
            let hit = |at: u64| {
                let there = cache.look_up(0, at % 32, false).is_some();
                if !there {
                    cache.fill(0, at % 32, false, 0);
                }
                there
            };
            (0..64_000).map(hit).skip(3_200).filter(|&hit| hit).count() as f64 / 60_800.0
        };
        assert_eq!(hits(Replacement::LeastRecent), 0.0);
        let expected = (0..99).fold(0.5, |h: f64, _| (1.0 - 1.0 / 16.0f64).powf(32.0 * (1.0 - h)));
        let found = hits(Replacement::Random);
        assert!((found - expected).abs() < 0.03, "{found} instead of {expected}");
    }
}
