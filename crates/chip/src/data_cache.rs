//! The data cache of an engine, shared by its threads: an access that hits takes no access of a memory and leaves the engine
//! to its thread. Least recently used, allocating on reads and writes, writing back.

use crate::config::DataCacheConfig;
use crate::counts::DataCacheCounts;
use linecard_sim::Ticks;

/// No line.
const EMPTY: u64 = u64::MAX;
/// Bits of an address within a place; the number of the place stands above them.
const PLACE_SHIFT: u32 = 48;

#[derive(Clone, Copy, Debug)]
struct Way {
    line: u64,
    dirty: bool,
    /// When it is there; [`NEVER`](crate::thread::NEVER) while that is not known.
    there: Ticks,
}

const VACANT: Way = Way { line: EMPTY, dirty: false, there: 0 };

#[derive(Debug)]
pub(crate) struct DataCache {
    ways: usize,
    sets: u64,
    /// Ways of a set stand in order of use.
    lines: Vec<Way>,
    shift: u32,
    latency_cycles: u32,
    pub used: DataCacheCounts,
}

impl DataCache {
    pub fn new(config: &DataCacheConfig) -> Self {
        Self {
            ways: config.ways as usize,
            sets: u64::from(config.sets),
            lines: vec![VACANT; config.sets as usize * config.ways as usize],
            shift: config.line_bytes.ilog2(),
            latency_cycles: config.latency_cycles,
            used: DataCacheCounts::default(),
        }
    }

    pub fn line_bytes(&self) -> u16 {
        1 << self.shift
    }

    /// Number of the line of a byte of a place.
    pub fn line(&self, place: u16, address: u64) -> u64 {
        (u64::from(place) << (PLACE_SHIFT - self.shift)) | (address >> self.shift)
    }

    /// Number of the place of a line.
    pub fn place(&self, line: u64) -> u16 {
        (line >> (PLACE_SHIFT - self.shift)) as u16
    }

    /// Address of a line within its place.
    pub fn address(&self, line: u64) -> u64 {
        (line & ((1 << (PLACE_SHIFT - self.shift)) - 1)) << self.shift
    }

    /// Cycles that a load which hits holds its thread up, if what it loads is used so many cycles later.
    pub fn held_up(&self, used_after: u8) -> u32 {
        (self.latency_cycles + 1).saturating_sub(u32::from(used_after))
    }

    fn set(&mut self, line: u64) -> &mut [Way] {
        // By the address alone: in which order places are listed changes nothing.
        let within = line & ((1 << (PLACE_SHIFT - self.shift)) - 1);
        let set = (within % self.sets) as usize * self.ways;
        &mut self.lines[set..set + self.ways]
    }

    /// Looks a line up, and makes it the one used last: when it is there, [`NEVER`](crate::thread::NEVER) if that
    /// is not known yet.
    pub fn look_up(&mut self, line: u64, write: bool) -> Option<Ticks> {
        let set = self.set(line);
        let at = set.iter().position(|way| way.line == line)?;
        set[..=at].rotate_right(1);
        set[0].dirty |= write;
        Some(set[0].there)
    }

    /// A line that is being fetched will be there at a time.
    pub fn arrives(&mut self, line: u64, there: Ticks) {
        if let Some(way) = self.set(line).iter_mut().find(|way| way.line == line) {
            way.there = there;
        }
    }

    /// Puts a line in the place of the one used least recently; that line, if it has been written to.
    pub fn fill(&mut self, line: u64, dirty: bool, there: Ticks) -> Option<u64> {
        let set = self.set(line);
        let last = set.len() - 1;
        let victim = set[last];
        set.rotate_right(1);
        set[0] = Way { line, dirty, there };
        let written = victim.line != EMPTY && victim.dirty;
        self.used.written_back += u64::from(written);
        written.then_some(victim.line)
    }

    /// Others have written to the lines from one to another: what is held of them is no longer true.
    pub fn forget(&mut self, first: u64, last: u64) {
        for line in first..=last {
            let set = self.set(line);
            if let Some(at) = set.iter().position(|way| way.line == line) {
                set[at] = VACANT;
                // It is the first to go.
                set[at..].rotate_left(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::NEVER;

    #[test]
    fn the_line_used_least_recently_goes_and_what_was_written_goes_back() {
        let config = DataCacheConfig { of: vec![], sets: 2, ways: 2, line_bytes: 16, latency_cycles: 1 };
        let mut cache = DataCache::new(&config);
        let line = |number: u64| 3 << (PLACE_SHIFT - 4) | number;
        assert_eq!(cache.line(3, 0x40), line(4));
        assert_eq!(cache.address(line(4)), 0x40);
        // Lines 0, 2, 4 share a set.
        assert_eq!(cache.fill(line(0), true, NEVER), None);
        assert_eq!(cache.fill(line(2), false, 9), None);
        assert_eq!(cache.look_up(line(0), false), Some(NEVER));
        cache.arrives(line(0), 7);
        assert_eq!(cache.look_up(line(0), false), Some(7));
        assert_eq!(cache.fill(line(4), false, 0), None, "line 2 was clean");
        assert_eq!(cache.look_up(line(2), false), None);
        assert_eq!(cache.fill(line(2), false, 0), Some(line(0)), "line 0 was written to");
        // What is forgotten goes before what is older.
        cache.forget(line(2), line(3));
        assert_eq!(cache.fill(line(6), false, 0), None);
        assert_eq!(cache.look_up(line(4), false), Some(0));
    }

    #[test]
    fn a_load_that_hits_holds_up_whoever_uses_it_soon() {
        let config = DataCacheConfig { of: vec![], sets: 1, ways: 1, line_bytes: 16, latency_cycles: 2 };
        let cache = DataCache::new(&config);
        assert_eq!([1, 2, 3, u8::MAX].map(|cycles| cache.held_up(cycles)), [2, 1, 0, 0]);
    }
}
