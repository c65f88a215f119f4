//! The tags of a cache in front of another memory: write-back, allocating on reads and writes. A write of a
//! whole line fetches nothing.
//!
//! The tags already contain a line that is being fetched; accesses to it wait for it (`pending`), so that a
//! burst of misses of one line reads it once.

use super::facts::Facts;
use super::memory::{Found, Memory, Numbers, Passage, share};
use super::server::Server;
use crate::config::{CacheConfig, Replacement};
use crate::counts::PlaceCounts;
use crate::request::NO_REQUEST;
use linecard_program::script::Access;
use linecard_sim::{Stream, Ticks, Timebase};

const EMPTY: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
struct Line {
    block: u64,
    used: u64,
    dirty: bool,
    /// The request whose miss fetches the line, while it is being fetched, and the first other request that
    /// waits for it; see [`NO_REQUEST`].
    miss: u32,
    waiting: u32,
    /// When it arrives, if that is known.
    there: Ticks,
}

pub(crate) struct Cache {
    port: Server,
    lines: Vec<Line>,
    ways: usize,
    /// Ways, from the first on, that accesses of ports may fill.
    port_ways: usize,
    sets: u64,
    /// Draws the line to evict; `None` if the least recently used line is evicted.
    draws: Option<Stream>,
    line_shift: u32,
    behind: u16,
    clock: u64,
    hits: u64,
    misses: u64,
    /// The same for reads that no port issued.
    read_hits: u64,
    read_misses: u64,
    /// Time from arrival to result, total over accesses.
    residence: u128,
}

impl Line {
    fn is_coming(&self) -> bool {
        self.miss != NO_REQUEST
    }
}

impl Cache {
    pub fn new(config: &CacheConfig, timebase: &Timebase, draws: Stream) -> Self {
        let empty =
            Line { block: EMPTY, used: 0, dirty: false, miss: NO_REQUEST, waiting: NO_REQUEST, there: 0 };
        Self {
            port: Server::new(&config.port, timebase),
            lines: vec![empty; (config.sets * config.ways) as usize],
            ways: config.ways as usize,
            port_ways: config.port_ways as usize,
            sets: u64::from(config.sets),
            draws: (config.replacement == Replacement::Random).then_some(draws),
            line_shift: config.line_bytes.ilog2(),
            behind: config.behind as u16,
            clock: 0,
            hits: 0,
            misses: 0,
            read_hits: 0,
            read_misses: 0,
            residence: 0,
        }
    }

    fn set_of(&self, block: u64) -> std::ops::Range<usize> {
        // Consecutive blocks are in consecutive sets. Each pass over the sets begins one set later, like the hashed
        // index of a shared cache: rings and tables that are a power of two apart do not meet in the same sets.
        let set = match self.sets.is_power_of_two() {
            true => (block + (block >> self.sets.ilog2())) & (self.sets - 1),
            false => (block + block / self.sets) % self.sets,
        };
        let set = set as usize * self.ways;
        set..set + self.ways
    }

    fn line_of(&mut self, address: u64) -> Option<&mut Line> {
        let block = address >> self.line_shift;
        let range = self.set_of(block);
        self.lines[range].iter_mut().find(|line| line.block == block)
    }
}

impl Numbers for CacheConfig {
    fn facts(&self) -> Facts {
        self.port.facts_of(f64::from(self.port.concurrency), "a hit; concurrency / service")
    }

    fn faster(&mut self) {
        self.port.faster();
    }

    fn wrong(&self) -> Option<String> {
        let fits = (1..=1 << 15).contains(&self.line_bytes)
            && self.line_bytes.is_power_of_two()
            && self.sets > 0
            && (1..=self.ways).contains(&self.port_ways);
        let wants = "needs lines of 2^n bytes (at most 32,768 bytes), at least one set, and at least one way \
                     that ports may use";
        (!fits).then(|| wants.to_owned())
    }

    fn behind(&self) -> Option<usize> {
        Some(self.behind)
    }
}

impl Memory for Cache {
    fn pass(&mut self, at: Ticks, kind: Access, bytes: u32) -> Option<Passage> {
        let at = self.port.serve(at, kind, bytes);
        Some(Passage { at, line_bytes: 1 << self.line_shift, behind: self.behind })
    }

    /// On a miss it evicts a line that is not being fetched.
    fn look_up(&mut self, address: u64, write: bool, by_port: bool, request: u32, now: Ticks) -> Found {
        let is_read = u64::from(!write && !by_port);
        self.clock += 1;
        let clock = self.clock;
        if let Some(line) = self.line_of(address) {
            line.used = clock;
            line.dirty |= write;
            let found = if line.is_coming() { Found::Coming } else { Found::Hit { there: line.there } };
            self.hits += 1;
            self.read_hits += is_read;
            return found;
        }
        self.misses += 1;
        self.read_misses += is_read;
        let block = address >> self.line_shift;
        let mut range = self.set_of(block);
        if by_port {
            range.end = range.start + self.port_ways;
        }
        let shift = self.line_shift;
        let settled = |line: &&mut Line| !line.is_coming() && line.there <= now;
        let set = &mut self.lines[range];
        let victim = match &mut self.draws {
            Some(draws) if set.iter().all(|line| line.block != EMPTY) => {
                let count = set.iter_mut().filter(settled).count() as u32;
                let drawn = if count > 0 { draws.below(count) } else { 0 };
                set.iter_mut().filter(settled).nth(drawn as usize)
            }
            _ => set.iter_mut().filter(settled).min_by_key(|line| line.used),
        };
        let Some(victim) = victim else { return Found::Past };
        let evicted = (victim.block != EMPTY && victim.dirty).then_some(victim.block << shift);
        *victim = Line { block, used: clock, dirty: write, miss: request, waiting: NO_REQUEST, there: 0 };
        Found::Miss { evicted }
    }

    fn wait_for(&mut self, address: u64, request: u32) -> u32 {
        match self.line_of(address) {
            Some(line) => std::mem::replace(&mut line.waiting, request),
            None => NO_REQUEST,
        }
    }

    fn arrived(&mut self, address: u64, miss: u32, there: Ticks) -> u32 {
        match self.line_of(address) {
            Some(line) if line.miss == miss => {
                (line.miss, line.there) = (NO_REQUEST, there);
                std::mem::replace(&mut line.waiting, NO_REQUEST)
            }
            _ => NO_REQUEST,
        }
    }

    fn resided(&mut self, time: Ticks) {
        self.residence += u128::from(time);
    }

    fn restart(&mut self, now: Ticks) {
        self.port.restart(now);
        (self.hits, self.misses, self.residence) = (0, 0, 0);
        (self.read_hits, self.read_misses) = (0, 0);
    }

    fn counts(&self, now: Ticks, since: Ticks) -> PlaceCounts {
        let port = self.port.counts(now, since);
        PlaceCounts {
            time_mean: share(self.residence as f64, port.accesses as f64),
            hit_rate: Some(share(self.hits as f64, (self.hits + self.misses) as f64)),
            reads: Some((self.read_hits, self.read_misses)),
            ..port
        }
    }
}
