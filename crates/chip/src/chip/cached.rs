//! Accesses through the data cache of an engine or of a thread. The value of a hit is there after some cycles; a thread
//! whose program uses it earlier waits, and keeps the engine or leaves it to others. A thread that misses waits for all
//! lines that it reads, and for its other outstanding lines.

use super::Chip;
use super::issued::{After, Issued};
use crate::loads::Load;
use crate::place::Memory;
use crate::request::{NO_TARGET, Owner, Request};
use crate::thread::{NEVER, State};
use linecard_program::script::{Access, Action, RoleId};
use linecard_sim::Ticks;

/// An access as a thread requests it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cached {
    pub role: RoleId,
    pub kind: Access,
    pub posted: bool,
    pub bytes: u16,
    pub address: u32,
    pub used_after: u8,
}

impl Chip {
    /// Looks up every line of an access and fetches the missing ones. Does nothing while the thread must wait
    /// before it may post.
    pub(super) fn access_through_cache(
        &mut self,
        thread: u32,
        engine: usize,
        asked: Cached,
        now: Ticks,
    ) -> Option<After> {
        let Cached { role, kind, posted, bytes, address, used_after } = asked;
        if posted && !self.threads[thread as usize].has_posting_room(now) {
            self.wait_for_posting_room(thread, State::POSTED, now);
            return None;
        }
        let Some(cache) = &self.engines[engine].data_cache else { return Some(After::GoOn) };
        let target = self.target(thread, role);
        let (place, base, state) = (target.place, target.base, target.state);
        let from = base + u64::from(address);
        let (first, last) = (cache.line(place, from), cache.line(place, from + u64::from(bytes.max(1)) - 1));
        let line_bytes = cache.line_bytes();
        let own = thread - self.engines[engine].first_thread;
        let mut waits = false;
        for line in first..=last {
            let Some(cache) = &mut self.engines[engine].data_cache else { continue };
            let at = cache.address(line).saturating_sub(base);
            match cache.look_up(own, line, kind.writes()) {
                Some(there) if there <= now => {
                    cache.used.hits += 1;
                    continue;
                }
                Some(NEVER) => {
                    // The line has no known arrival time: the access bypasses the cache.
                    cache.used.misses += 1;
                    self.fetch(thread, role, line_bytes, at, now);
                }
                Some(there) => {
                    cache.used.merged += 1;
                    if !posted {
                        self.threads[thread as usize].posted_until.push(there);
                    }
                }
                None => {
                    cache.used.misses += 1;
                    let start = base + at;
                    let all = from <= start && start + u64::from(line_bytes) <= from + u64::from(bytes);
                    let is_whole = kind.writes() && all;
                    let known = posted || is_whole;
                    let old = cache.fill(own, line, kind.writes(), if known { now } else { NEVER });
                    let old = old.map(|old| (cache.place(old), cache.address(old)));
                    if !is_whole {
                        self.fetch(thread, role, line_bytes, at, now);
                        if !posted {
                            self.threads[thread as usize].fetches.push(line);
                        }
                    }
                    if let Some((place, address)) = old {
                        self.write_back(thread, place, line_bytes, address, now);
                    }
                    if is_whole {
                        continue;
                    }
                }
            }
            waits |= !posted;
        }
        if !waits {
            let e = &self.engines[engine];
            if kind == Access::Read
                && let Some(cache) = &e.data_cache
                && cache.may_delay(used_after)
            {
                let there = now + e.clock.ticks(cache.latency_cycles().into());
                let t = &mut self.threads[thread as usize];
                // A value that is used behind the last step delays the end of the list.
                if t.next as usize + 1 == t.steps.list().len() {
                    t.steps.push(0, Action::Nothing);
                }
                let used_in = u32::from(used_after.saturating_sub(1));
                t.loads.add(Load { step: t.next, there, used_in, state: state.0 });
            }
            return Some(After::GoOn);
        }
        match self.join(thread, state, now) {
            true => {
                self.lines_come(thread, now);
                Some(After::GoOn)
            }
            false => {
                let until = self.engines[engine].wake_of(thread);
                if until != NEVER {
                    self.lines_come(thread, until);
                }
                Some(After::Wait)
            }
        }
    }

    /// Reads a line for a thread, which may wait for it.
    fn fetch(&mut self, thread: u32, role: RoleId, bytes: u16, address: u64, now: Ticks) {
        let issued = Issued { role, kind: Access::Read, posted: true, bytes, registers: 0, address };
        self.issue(thread, issued, now);
    }

    /// Writes an evicted line back; no thread waits for it. It takes the path of the thread's accesses to its
    /// memory.
    fn write_back(&mut self, thread: u32, place: u16, bytes: u16, address: u64, now: Ticks) {
        let first = self.threads[thread as usize].targets as usize;
        let roles = self.targets.len() / self.clusters.len();
        let ways = &self.targets[first..first + roles];
        let Some(target) = ways.iter().find(|target| target.place == place) else { return };
        let at = now + target.issue;
        if target.direct {
            self.places[usize::from(place)].serve(at, Access::Write, address, u32::from(bytes));
            return;
        }
        let write = Request::new(Owner::Nobody, NO_TARGET, Access::Write, bytes, place, address);
        let request = self.requests.insert(write);
        if self.travel(request, at).is_some() {
            self.requests.remove(request);
        }
    }

    /// The lines that a thread fetches arrive at a known time.
    pub(super) fn lines_come(&mut self, thread: u32, at: Ticks) {
        let t = &mut self.threads[thread as usize];
        let engine = &mut self.engines[t.engine as usize];
        let own = thread - engine.first_thread;
        let Some(cache) = &mut engine.data_cache else { return };
        for line in t.fetches.drain(..) {
            cache.arrives(own, line, at);
        }
    }

    /// Others have written to a memory: the engine's cache discards its copies.
    pub(super) fn forget_cached(
        &mut self,
        thread: u32,
        engine: usize,
        role: RoleId,
        bytes: u16,
        address: u32,
    ) {
        let number = self.threads[thread as usize].targets as usize + usize::from(role.0);
        let own = thread - self.engines[engine].first_thread;
        if let Some(cache) = &mut self.engines[engine].data_cache {
            let target = &self.targets[number];
            let from = target.base + u64::from(address);
            let last = from + u64::from(bytes.max(1)) - 1;
            let (first, last) = (cache.line(target.place, from), cache.line(target.place, last));
            cache.forget(own, first, last);
        }
    }
}
