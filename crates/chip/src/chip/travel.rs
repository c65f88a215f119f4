//! Travelling accesses: over links, through queues in front of memories, into caches and DRAM.
//!
//! If accesses arrive in the order of issue, their completion times are known at issue, and this file is not
//! used (`Target::direct`). Otherwise an access waits in the queue of the next link or memory until its arrival
//! time, so that accesses are served in the order of arrival.

use super::Chip;
use crate::place::{Found, Memory, Passage, Submitted};
use crate::request::{NO_REQUEST, NO_TARGET, Owner, Request, thread_of};
use crate::target::NOWHERE;
use linecard_program::script::{Access, RoleId};
use linecard_queueing::Operation;
use linecard_sim::{Agenda, Ticks};

impl Chip {
    /// Sends a request on its way; its next part begins at `at`. Returns its completion time if it is known
    /// now.
    pub(super) fn travel(&mut self, request: u32, at: Ticks) -> Option<Ticks> {
        let r = &self.requests[request];
        let next_link = match r.target {
            NO_TARGET => None,
            target => self.targets[target as usize].links.get(usize::from(r.hop)),
        };
        if r.place == NOWHERE {
            self.goes_nowhere(r.target as usize);
            return None;
        }
        let line = match next_link {
            Some(&link) => usize::from(link),
            None => self.links.len() + usize::from(r.place),
        };
        if at > self.agenda.now() {
            if self.lines[line].push(at, request) {
                self.agenda.schedule(self.sources.first_line + line, at);
            }
            return None;
        }
        self.serve(line, request, at)
    }

    /// A request has reached a link or a memory.
    #[inline(always)]
    fn serve(&mut self, line: usize, request: u32, now: Ticks) -> Option<Ticks> {
        if line < self.links.len() {
            let bytes = u32::from(self.requests[request].bytes);
            let across = self.links[line].cross(now, bytes);
            self.requests[request].hop += 1;
            return self.travel(request, across);
        }
        self.arrive(request, now)
    }

    /// A request has reached its memory. Returns its completion time if it is known now.
    fn arrive(&mut self, request: u32, now: Ticks) -> Option<Ticks> {
        let r = &mut self.requests[request];
        r.arrived = now;
        let Request { kind, bytes, address, place, .. } = *r;
        let memory = &mut self.places[usize::from(place)];
        if let Some(done) = memory.serve(now, kind, address, u32::from(bytes)) {
            return Some(done);
        }
        match memory.pass(now, kind, u32::from(bytes)) {
            Some(passage) => self.look_up(passage, request, now),
            None => self.arrive_later(request, now),
        }
    }

    /// A request has reached a memory with channels, which answers later.
    #[inline(always)]
    pub(super) fn arrive_later(&mut self, request: u32, now: Ticks) -> Option<Ticks> {
        let r = &mut self.requests[request];
        r.arrived = now;
        let Request { kind, bytes, address, owner, registers, place, .. } = *r;
        let number = usize::from(place);
        // Accesses of the output-queue caches are exempt: these caches wait for a channel, wherever it is
        // among the sources.
        if self.channels_at == now
            && !matches!(owner, Owner::Wide { .. })
            && let Some(next) = self.places[number].behind_wake(now)
        {
            return self.travel(request, next);
        }
        let (bytes, registers, write) = (u32::from(bytes), u32::from(registers), kind.writes());
        let access = Submitted { request, address, bytes, registers, write };
        self.requests[request].pieces = self.submit(number, &access, now);
        None
    }

    /// Submits an access to a memory that answers later. Returns the number of pieces.
    #[inline(always)]
    pub(super) fn submit(&mut self, number: usize, access: &Submitted, now: Ticks) -> u32 {
        let first = self.sources.first_channel + self.sources.channel_of_place[number];
        let agenda = &mut self.agenda;
        self.places[number].submit(access, now, |channel, at| wake_channel(agenda, first + channel, at))
    }

    /// Looks up a request in a cache, line by line if the request spans several lines.
    fn look_up(&mut self, passage: Passage, request: u32, now: Ticks) -> Option<Ticks> {
        let Request { kind, bytes, address, place, by_port, .. } = self.requests[request];
        let (done, line) = (passage.at, u64::from(passage.line_bytes));
        let end = address + u64::from(bytes.max(1));
        let end = if (address ^ (end - 1)) < line {
            self.look_up_line(passage, request)
        } else {
            // One extra piece is counted, so that the request does not complete before the last lookup.
            let r = &mut self.requests[request];
            (r.pieces, r.done) = (1, done);
            let mut at = address;
            while at < end {
                let next = (at / line + 1) * line;
                let bytes = (next.min(end) - at) as u16;
                let piece = self.requests.insert(Request::new(
                    Owner::Piece(request),
                    NO_TARGET,
                    kind,
                    bytes,
                    place,
                    at,
                ));
                self.requests[piece].by_port = by_port;
                self.requests[request].pieces += 1;
                if let Some(done) = self.look_up_line(passage, piece) {
                    self.completed(piece, done);
                }
                at = next;
            }
            let r = &mut self.requests[request];
            r.pieces -= 1;
            (r.pieces == 0).then_some(r.done)
        };
        if let Some(end) = end {
            self.places[usize::from(place)].resided(end - now);
        }
        end
    }

    /// A request, or a piece of one, has passed the lookup of a cache: a hit completes then, a miss continues to
    /// the memory behind.
    fn look_up_line(&mut self, passage: Passage, request: u32) -> Option<Ticks> {
        let Request { kind, bytes, address, place, by_port, .. } = self.requests[request];
        let Passage { at: done, line_bytes: line, behind } = passage;
        let cache = &mut self.places[usize::from(place)];
        let is_whole = kind == Access::Write && u32::from(bytes) == line;
        let owner = Owner::Fill(request);
        let further = match cache.look_up(address, kind.writes(), by_port, request, done) {
            Found::Hit { there } => return Some(done.max(there)),
            Found::Coming => {
                let next = cache.wait_for(address, request);
                let r = &mut self.requests[request];
                (r.next, r.done) = (next, done);
                return None;
            }
            Found::Miss { evicted } => {
                if let Some(old) = evicted {
                    let back = self.requests.insert(Request::new(
                        Owner::Nobody,
                        NO_TARGET,
                        Access::Write,
                        line as u16,
                        behind,
                        old,
                    ));
                    if self.travel(back, done).is_some() {
                        self.requests.remove(back);
                    }
                }
                if is_whole {
                    self.places[usize::from(place)].arrived(address, request, done);
                    return Some(done);
                }
                let start = address & !u64::from(line - 1);
                self.requests.insert(Request::new(owner, NO_TARGET, Access::Read, line as u16, behind, start))
            }
            Found::Past => self.requests.insert(Request::new(owner, NO_TARGET, kind, bytes, behind, address)),
        };
        self.requests[request].done = done;
        self.requests[further].by_port = by_port;
        if let Some(end) = self.travel(further, done) {
            self.completed(further, end);
        }
        None
    }

    pub(super) fn line_event(&mut self, line: usize, now: Ticks) {
        if let Some(number) = line.checked_sub(self.links.len())
            && self.places[number].next_operation().is_some()
        {
            return self.operations_event(number, now);
        }
        let next = loop {
            match self.lines[line].take(now) {
                Ok(request) => {
                    if let Some(done) = self.serve(line, request, now) {
                        self.completed(request, done);
                    }
                }
                Err(next) => break next,
            }
        };
        if let Some(at) = next {
            self.agenda.schedule_taken(at);
        }
    }

    pub(super) fn channel_event(&mut self, source: usize, now: Ticks) {
        self.channels_at = now;
        let (place, channel) = self.sources.channels[source];
        let number = usize::from(place);
        let memory = &mut self.places[number];
        let next = memory.wake(usize::from(channel), now, &mut self.requests, &mut self.finished);
        if let Some(at) = next {
            self.agenda.schedule_taken(at);
        }
        for at in 0..self.finished.len() {
            let (request, end) = self.finished[at];
            match thread_of(request) {
                Some((thread, posted)) => self.thread_hears(thread, posted, end),
                None => self.completed(request, end),
            }
        }
        self.finished.clear();
        // Stalled engines continue.
        while self.places[number].takes_more()
            && let Some(thread) = self.places[number].take_stalled()
        {
            self.stand_still_no_more(thread, now);
        }
    }

    /// A thread submits an operation to a queue manager.
    pub(super) fn ask_queue_manager(&mut self, thread: u32, role: RoleId, operation: Operation, now: Ticks) {
        let place = usize::from(self.target(thread, role).place);
        match self.places.get_mut(place).is_some_and(|memory| memory.operate(now, thread, operation)) {
            true => self.schedule_operations(place),
            false => self.goes_nowhere(self.threads[thread as usize].targets as usize + usize::from(role.0)),
        }
    }

    fn operations_event(&mut self, place: usize, now: Ticks) {
        loop {
            match self.places[place].take_complete(now) {
                Ok(Some(thread)) => self.make_ready(thread, now),
                Ok(None) => break,
                Err(error) => {
                    self.fault.get_or_insert(format!("{}: {error}", self.config.places[place].name));
                    return;
                }
            }
        }
        self.schedule_operations(place);
    }

    fn schedule_operations(&mut self, place: usize) {
        if let Some(at) = self.places[place].next_operation() {
            self.agenda.schedule(self.sources.first_line + self.links.len() + place, at);
        }
    }

    /// The completion time of a request is known: notifies its owner.
    #[inline(always)]
    pub(super) fn completed(&mut self, request: u32, done: Ticks) {
        let Request { owner, target, .. } = self.requests[request];
        self.requests.remove(request);
        match owner {
            Owner::Thread { thread, posted } => {
                let back = self.targets[target as usize].back;
                self.thread_hears(thread, posted, done + back);
            }
            _ => self.others_hear(owner, done),
        }
    }

    /// As above, for requests of other owners than threads.
    fn others_hear(&mut self, owner: Owner, done: Ticks) {
        match owner {
            Owner::Thread { .. } | Owner::Nobody => {}
            Owner::Receive(id) => self.part_done(id, true, done),
            Owner::Transmit(id) => {
                self.part_done(id, false, done);
                self.begin_fetched(usize::from(self.packets[id].sender), self.agenda.now());
            }
            Owner::Wide { queue, write } => {
                let now = self.agenda.now();
                self.wide_done(queue, write, now);
            }
            Owner::Fill(first) => self.line_arrived(first, done),
            Owner::Piece(whole) => {
                if let Some(done) = self.requests.piece_done(whole, done) {
                    self.done_at_cache(whole, done);
                }
            }
        }
    }

    /// The line that a miss fetched arrives at `done`: the miss completes, and so does every access that waited
    /// for the line.
    fn line_arrived(&mut self, miss: u32, done: Ticks) {
        let Request { place, address, .. } = self.requests[miss];
        let mut next = self.places[usize::from(place)].arrived(address, miss, done);
        self.done_at_cache(miss, self.requests[miss].done.max(done));
        while next != NO_REQUEST {
            let request = next;
            next = self.requests[request].next;
            self.done_at_cache(request, self.requests[request].done.max(done));
        }
    }

    /// The completion time of a request that a cache did not serve at once is known.
    fn done_at_cache(&mut self, request: u32, done: Ticks) {
        let Request { owner, place, arrived, .. } = self.requests[request];
        if !matches!(owner, Owner::Piece(_)) {
            self.places[usize::from(place)].resided(done - arrived);
        }
        self.completed(request, done);
    }
}

/// Schedules a wake-up of a channel at a time, or earlier.
#[inline(always)]
pub(super) fn wake_channel(agenda: &mut Agenda, source: usize, at: Ticks) {
    if agenda.pending(source).is_none_or(|pending| at < pending) {
        agenda.schedule(source, at);
    }
}
