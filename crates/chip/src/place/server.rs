//! A server, or several parallel servers with one queue: the completion time of an access is known at its
//! arrival.

use super::facts::Facts;
use super::memory::{Memory, Numbers, share};
use crate::counts::PlaceCounts;
use crate::rate::{Rate, WORK_ENDS};
use linecard_program::script::Access;
use linecard_sim::{Ticks, Timebase};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Bytes of the access for which closed forms hold.
const WORD_BYTES: u32 = 4;

/// A server: an access occupies it for the service time, and the result is there after the latency at the
/// earliest.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Least time from the start of the service to the result; picoseconds.
    pub latency_ps: u64,
    /// Service time of an access, by kind of access (the order of `Access::ALL`); picoseconds.
    pub access_ps: [u64; Access::ALL.len()],
    /// Additional service time per word; picoseconds.
    pub word_ps: u64,
    /// Bytes of a word.
    pub word_bytes: u32,
    /// Additional service time per byte; femtoseconds.
    pub byte_fs: u64,
    /// Accesses that it serves in parallel; 0 for no limit.
    pub concurrency: u32,
}

impl ServerConfig {
    /// Returns latency and peak of `parts` parallel servers; `what` names the source of the peak.
    pub fn facts_of(&self, parts: f64, what: &str) -> Facts {
        let words = f64::from(WORD_BYTES.div_ceil(self.word_bytes.max(1)));
        let service_ps = self.access_ps[Access::Read as usize] as f64
            + self.word_ps as f64 * words
            + self.byte_fs as f64 / 1e3 * f64::from(WORD_BYTES);
        Facts {
            latency_ps: service_ps.max(self.latency_ps as f64),
            service_ps,
            parts,
            bytes: WORD_BYTES,
            formula: format!("max(latency, service); {what}"),
        }
    }
}

/// A server at work.
#[derive(Clone, Debug)]
pub struct Server {
    latency: Ticks,
    access: [Ticks; Access::ALL.len()],
    word: Ticks,
    word_bytes: u32,
    bytes: Rate,
    concurrency: u32,
    /// When the server is free; the heap holds these times if there are several servers.
    free: Ticks,
    others: BinaryHeap<Reverse<Ticks>>,
    /// Wraps around only when the clock has ended.
    busy: u64,
    /// The time between the entry of an access and its arrival, the same for all.
    lead: Ticks,
    /// Accesses since the last restart.
    pub accesses: u64,
    /// Their bytes.
    pub moved_bytes: u64,
    /// Time from arrival to result, total over accesses.
    pub residence: u128,
}

impl Server {
    /// Returns an idle server.
    pub fn new(config: &ServerConfig, timebase: &Timebase) -> Self {
        let several = if config.concurrency > 1 { config.concurrency } else { 0 };
        Self {
            latency: timebase.ticks_from_ps(config.latency_ps),
            access: config.access_ps.map(|ps| timebase.ticks_from_ps(ps)),
            word: timebase.ticks_from_ps(config.word_ps),
            word_bytes: config.word_bytes.max(1),
            bytes: Rate::new(config.byte_fs, timebase),
            concurrency: config.concurrency,
            free: 0,
            others: (0..several).map(|_| Reverse(0)).collect(),
            busy: 0,
            lead: 0,
            accesses: 0,
            moved_bytes: 0,
            residence: 0,
        }
    }

    #[inline(always)]
    fn service(&mut self, kind: Access, bytes: u32) -> Ticks {
        let mut service = self.access[kind as usize];
        if self.word > 0 {
            service += self.word * Ticks::from(bytes.div_ceil(self.word_bytes));
        }
        service + self.bytes.ticks(u64::from(bytes))
    }

    /// Serves an access that arrives at `at`. Returns when its result is there.
    #[inline(always)]
    pub fn serve(&mut self, at: Ticks, kind: Access, bytes: u32) -> Ticks {
        let service = self.service(kind, bytes);
        self.occupy(at, service, bytes)
    }

    /// As `serve`, for a stated service time.
    #[inline(always)]
    pub fn occupy(&mut self, at: Ticks, service: Ticks, bytes: u32) -> Ticks {
        let start = match self.concurrency {
            1 => {
                let start = self.free.max(at);
                self.free = (start + service).min(WORK_ENDS);
                start
            }
            0 => at,
            _ => return self.occupy_first(at, service, bytes),
        };
        self.count(at, start, service, bytes)
    }

    /// As `occupy`, for several servers: the one that is free first. A separate function, so that a single server
    /// takes few registers.
    #[inline(never)]
    fn occupy_first(&mut self, at: Ticks, service: Ticks, bytes: u32) -> Ticks {
        let Reverse(first) = self.others.pop().unwrap_or(Reverse(at));
        let start = first.max(at);
        self.others.push(Reverse((start + service).min(WORK_ENDS)));
        self.count(at, start, service, bytes)
    }

    /// Counts an access that arrives at `at` and starts at `start`. Returns when its result is there.
    #[inline(always)]
    fn count(&mut self, at: Ticks, start: Ticks, service: Ticks, bytes: u32) -> Ticks {
        self.busy = self.busy.wrapping_add(service);
        self.accesses += 1;
        self.moved_bytes += u64::from(bytes);
        let done = start + service.max(self.latency);
        self.residence += u128::from(done - at);
        done
    }

    /// Sets that accesses are entered at issue, `lead` before they arrive.
    pub fn entered_ahead(&mut self, lead: Ticks) {
        self.lead = lead;
    }

    /// Returns the entered work that lies after `now`. If accesses are entered ahead, all of it counts at
    /// their arrival: the work of accesses issued up to now, as of the arrival of the last of them. No gap is
    /// after that.
    fn ahead(&self, now: Ticks) -> Ticks {
        let now = now + self.lead;
        match self.concurrency {
            0 => 0,
            1 => self.free.saturating_sub(now),
            // Servers that are busy to the end of the clock have more work in sum than 64 bits hold.
            _ => self
                .others
                .iter()
                .fold(0u64, |sum, &Reverse(free)| sum.saturating_add(free.saturating_sub(now))),
        }
    }

    /// Returns the busy time since the last restart, total over servers.
    pub fn busy(&self, now: Ticks) -> u64 {
        self.busy.wrapping_sub(self.ahead(now))
    }

    /// Returns the number of parallel servers; 0 for no limit.
    pub fn concurrency(&self) -> u32 {
        self.concurrency
    }

    /// Discards the counts before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.busy = self.ahead(now);
        (self.accesses, self.moved_bytes, self.residence) = (0, 0, 0);
    }
}

impl Numbers for ServerConfig {
    fn facts(&self) -> Facts {
        match self.concurrency {
            0 => self.facts_of(f64::INFINITY, "unlimited concurrency"),
            count => self.facts_of(f64::from(count), "concurrency / service"),
        }
    }

    /// Halves the service time of each access.
    fn faster(&mut self) {
        self.access_ps = self.access_ps.map(|ps| ps / 2);
        self.word_ps /= 2;
        self.byte_fs /= 2;
    }

    fn answers_at_once(&self) -> bool {
        true
    }

    fn serves_all(&self) -> bool {
        self.concurrency == 0
    }
}

impl Memory for Server {
    #[inline(always)]
    fn serve(&mut self, at: Ticks, kind: Access, _address: u64, bytes: u32) -> Option<Ticks> {
        Some(self.serve(at, kind, bytes))
    }

    fn entered_ahead(&mut self, lead: Ticks) {
        self.entered_ahead(lead);
    }

    fn restart(&mut self, now: Ticks) {
        self.restart(now);
    }

    fn counts(&self, now: Ticks, since: Ticks) -> PlaceCounts {
        let utilization = match self.concurrency {
            0 => None,
            count => Some(share(self.busy(now) as f64, (now - since) as f64 * f64::from(count))),
        };
        PlaceCounts {
            utilization,
            utilization_most: utilization,
            accesses: self.accesses,
            bytes: self.moved_bytes,
            time_mean: share(self.residence as f64, self.accesses as f64),
            ..PlaceCounts::default()
        }
    }
}
