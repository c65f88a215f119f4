//! Accesses on their way: over links, through lines in front of places, into caches and DRAM.
//!
//! Where accesses arrive in the order in which they are issued, their ends follow at once and nothing here is used
//! (`Target::direct`). Otherwise an access waits in the line of the next link or place until its time has come, so that
//! whatever comes first is served first.

use super::{Chip, NO_TARGET, Owner, Request};
use crate::place::Place;
use crate::place::cache::{Cache, Found};
use crate::place::packet_buffer::Transfer;
use linecard_program::script::Access;
use linecard_queueing::Operation;
use linecard_sim::Ticks;

impl Chip {
    pub(super) fn new_request(
        &mut self,
        owner: Owner,
        target: u32,
        kind: Access,
        bytes: u16,
        place: u16,
        address: u64,
    ) -> u32 {
        let request = Request {
            owner,
            target,
            hop: 0,
            kind,
            bytes,
            place,
            registers: 0,
            by_port: matches!(owner, Owner::Receive(_) | Owner::Transmit(_)),
            address,
            pieces: 0,
            done: 0,
            arrived: 0,
            next: Cache::NOBODY,
        };
        match self.free_requests.pop() {
            Some(number) => {
                self.requests[number as usize] = request;
                number
            }
            None => {
                self.requests.push(request);
                self.requests.len() as u32 - 1
            }
        }
    }

    #[inline]
    pub(super) fn free_request(&mut self, request: u32) {
        self.free_requests.push(request);
    }

    /// Send a request on its way, of which the next part begins at `at`; returns its end where that is known now.
    pub(super) fn travel(&mut self, request: u32, at: Ticks) -> Option<Ticks> {
        let r = &self.requests[request as usize];
        let links = match r.target {
            NO_TARGET => 0,
            target => self.targets[target as usize].as_ref().map_or(0, |t| t.links.len()),
        };
        let line = match usize::from(r.hop) < links {
            true => {
                let target = self.targets[r.target as usize].as_ref();
                target.map_or(0, |t| usize::from(t.links[usize::from(r.hop)]))
            }
            false => self.links.len() + usize::from(r.place),
        };
        if at > self.agenda.now() {
            self.lines[line].push(at, request);
            let source = self.sources.first_line + line;
            if self.agenda.pending(source).is_none_or(|first| at < first) {
                self.agenda.schedule(source, at);
            }
            return None;
        }
        self.serve(line, request, at)
    }

    /// A request has reached a link or a place.
    fn serve(&mut self, line: usize, request: u32, now: Ticks) -> Option<Ticks> {
        if line < self.links.len() {
            let bytes = u32::from(self.requests[request as usize].bytes);
            let across = self.links[line].cross(now, bytes);
            self.requests[request as usize].hop += 1;
            return self.travel(request, across);
        }
        let number = line - self.links.len();
        let r = &mut self.requests[request as usize];
        r.arrived = now;
        let Request { kind, bytes, address, owner, registers, .. } = *r;
        if let Some(done) = self.places[number].serve(now, kind, address, u32::from(bytes)) {
            return Some(done);
        }
        match &mut self.places[number] {
            Place::Cached(_) => self.look_up(number, request, now),
            Place::Dram(dram) => {
                let write = kind.writes();
                self.requests[request as usize].pieces = dram.pieces(address, u32::from(bytes));
                let first = self.sources.first_channel + self.sources.channel_of_place[number];
                let agenda = &mut self.agenda;
                dram.submit(request, address, u32::from(bytes), write, now, |channel, at| {
                    let source = first + channel;
                    if agenda.pending(source).is_none_or(|pending| at < pending) {
                        agenda.schedule(source, at);
                    }
                });
                None
            }
            Place::Slots(slots) => {
                let wake = slots.submit(request, address, u32::from(bytes), kind.writes(), now);
                let source = self.sources.first_channel + self.sources.channel_of_place[number];
                if self.agenda.pending(source).is_none_or(|pending| wake < pending) {
                    self.agenda.schedule(source, wake);
                }
                None
            }
            Place::PacketBuffer(buffer) => {
                // In an instant in which DRAM has done something, the controller may have made its choice: what comes then
                // comes with its next clock, wherever it stands among the places. Its own caches wait for it.
                if self.channels_at == now && !matches!(owner, Owner::Wide { .. }) {
                    let next = buffer.clock.ticks(buffer.clock.cycle_at_or_after(now) + 1);
                    return self.travel(request, next);
                }
                let write = kind.writes();
                let (bytes, registers) = (u32::from(bytes), u32::from(registers));
                self.submit_transfer(number, Transfer { request, address, bytes, registers, write }, now);
                None
            }
            Place::Server(_) | Place::Banked(_) | Place::Of(_) | Place::Results(_) => {
                unreachable!("these answer at once")
            }
            Place::QueueManager(_) => unreachable!("queue managers are asked by `Link`"),
        }
    }

    /// A request at a cache. One that reaches over several lines is looked up line by line.
    fn look_up(&mut self, number: usize, request: u32, now: Ticks) -> Option<Ticks> {
        let Request { kind, bytes, address, by_port, .. } = self.requests[request as usize];
        let Place::Cached(cache) = &mut self.places[number] else { unreachable!("asked of caches only") };
        let done = cache.port.serve(now, kind, u32::from(bytes));
        let line = u64::from(cache.line_bytes());
        let end = address + u64::from(bytes.max(1));
        let end = if (address ^ (end - 1)) < line {
            self.look_up_line(number, request, done)
        } else {
            // One piece more than there are, so that the request is not done before the last is looked up.
            let r = &mut self.requests[request as usize];
            (r.pieces, r.done) = (1, done);
            let mut at = address;
            while at < end {
                let next = (at / line + 1) * line;
                let bytes = (next.min(end) - at) as u16;
                let piece =
                    self.new_request(Owner::Piece(request), NO_TARGET, kind, bytes, number as u16, at);
                self.requests[piece as usize].by_port = by_port;
                self.requests[request as usize].pieces += 1;
                if let Some(done) = self.look_up_line(number, piece, done) {
                    self.completed(piece, done);
                }
                at = next;
            }
            let r = &mut self.requests[request as usize];
            r.pieces -= 1;
            (r.pieces == 0).then_some(r.done)
        };
        if let Some(end) = end
            && let Place::Cached(cache) = &mut self.places[number]
        {
            cache.residence += u128::from(end - now);
        }
        end
    }

    /// A request, or a piece of one, that has gone through a cache's pipe at `done`: a hit is done then, a miss goes on to
    /// the place behind.
    fn look_up_line(&mut self, number: usize, request: u32, done: Ticks) -> Option<Ticks> {
        let Request { kind, bytes, address, by_port, .. } = self.requests[request as usize];
        let Place::Cached(cache) = &mut self.places[number] else { unreachable!("asked of caches only") };
        let behind = cache.behind as u16;
        let line = cache.line_bytes();
        let is_whole = kind == Access::Write && u32::from(bytes) == line;
        let owner = Owner::Fill(request);
        let further = match cache.look_up(address, kind.writes(), by_port, request, done) {
            Found::Hit { there } => return Some(done.max(there)),
            Found::Coming => {
                let next = cache.wait_for(address, request);
                let r = &mut self.requests[request as usize];
                (r.next, r.done) = (next, done);
                return None;
            }
            Found::Miss { evicted } => {
                if let Some(old) = evicted {
                    let back =
                        self.new_request(Owner::Nobody, NO_TARGET, Access::Write, line as u16, behind, old);
                    if self.travel(back, done).is_some() {
                        self.free_request(back);
                    }
                }
                if is_whole {
                    if let Place::Cached(cache) = &mut self.places[number] {
                        cache.arrived(address, request, done);
                    }
                    return Some(done);
                }
                let start = address & !u64::from(line - 1);
                self.new_request(owner, NO_TARGET, Access::Read, line as u16, behind, start)
            }
            Found::Past => self.new_request(owner, NO_TARGET, kind, bytes, behind, address),
        };
        self.requests[request as usize].done = done;
        self.requests[further as usize].by_port = by_port;
        if let Some(end) = self.travel(further, done) {
            self.completed(further, end);
        }
        None
    }

    pub(super) fn line_event(&mut self, line: usize, now: Ticks) {
        if let Some(number) = line.checked_sub(self.links.len())
            && let Place::QueueManager(_) = &self.places[number]
        {
            return self.queue_manager_event(number, now);
        }
        while let Some(request) = self.lines[line].take(now) {
            if let Some(done) = self.serve(line, request, now) {
                self.completed(request, done);
            }
        }
        if let Some(at) = self.lines[line].first() {
            self.agenda.schedule(self.sources.first_line + line, at);
        }
    }

    pub(super) fn channel_event(&mut self, source: usize, now: Ticks) {
        self.channels_at = now;
        let (place, channel) = self.sources.channels[source];
        match &mut self.places[usize::from(place)] {
            Place::PacketBuffer(buffer) if buffer.plans() => {
                let (requests, finished) = (&mut self.requests, &mut self.finished);
                let next = buffer.wake_ahead(|request, end, is_last| {
                    let r = &mut requests[request as usize];
                    r.pieces -= u32::from(is_last);
                    if r.pieces == 0 {
                        finished.push((request, end));
                    }
                    r.arrived
                });
                if let Some(at) = next {
                    self.agenda.schedule(self.sources.first_channel + source, at);
                }
                for number in 0..self.finished.len() {
                    let (request, end) = self.finished[number];
                    self.completed(request, end);
                }
                self.finished.clear();
            }
            Place::PacketBuffer(buffer) => {
                let (done, next) = buffer.wake(usize::from(channel));
                if let Some(at) = next {
                    self.agenda.schedule(self.sources.first_channel + source, at);
                }
                if let Some(request) = done {
                    let end = now + buffer.latency;
                    self.transferred(request, end);
                }
            }
            Place::Dram(_) => self.dram_event(place, channel, source, now),
            Place::Slots(_) => self.dram_slots_event(usize::from(place), source, now),
            _ => unreachable!("only DRAM has channels"),
        }
    }

    /// A transfer of a request at a packet buffer has been made; with its last one the request is done.
    #[inline(always)]
    fn transferred(&mut self, request: u32, end: Ticks) {
        let r = &mut self.requests[request as usize];
        r.pieces -= 1;
        if r.pieces > 0 {
            return;
        }
        if let Place::PacketBuffer(buffer) = &mut self.places[usize::from(r.place)] {
            buffer.ended(end - r.arrived);
        }
        self.completed(request, end);
    }

    /// What happens in a channel of DRAM with command queues.
    fn dram_event(&mut self, place: u16, channel: u16, source: usize, now: Ticks) {
        let mut finished = std::mem::take(&mut self.finished);
        let Place::Dram(dram) = &mut self.places[usize::from(place)] else {
            unreachable!("asked of DRAM only")
        };
        let next = dram.wake(usize::from(channel), now, |request, at| finished.push((request, at)));
        if let Some(next) = next {
            self.agenda.schedule(self.sources.first_channel + source, next);
        }
        let latency = dram.latency;
        for (request, at) in finished.drain(..) {
            let r = &mut self.requests[request as usize];
            r.done = r.done.max(at + latency);
            r.pieces -= 1;
            if r.pieces == 0 {
                let done = r.done;
                if let Place::Dram(dram) = &mut self.places[usize::from(place)] {
                    dram.residence += u128::from(done - r.arrived);
                }
                self.completed(request, done);
            }
        }
        self.finished = finished;
    }

    /// A thread hands an operation over to a queue manager.
    pub(super) fn ask_queue_manager(&mut self, thread: u32, place: usize, operation: Operation, now: Ticks) {
        if let Place::QueueManager(manager) = &mut self.places[place] {
            manager.start(now, thread, operation);
        }
        self.schedule_queue_manager(place);
    }

    fn queue_manager_event(&mut self, place: usize, now: Ticks) {
        while let Place::QueueManager(manager) = &mut self.places[place] {
            match manager.take_complete(now) {
                Ok(Some(thread)) => self.make_ready(thread, now),
                Ok(None) => break,
                // What the checker of the lists finds is an error of a manager, never of its input.
                Err(error) => unreachable!("{error}"),
            }
        }
        self.schedule_queue_manager(place);
    }

    fn schedule_queue_manager(&mut self, place: usize) {
        if let Place::QueueManager(manager) = &self.places[place]
            && let Some(at) = manager.next_at()
        {
            self.agenda.schedule(self.sources.first_line + self.links.len() + place, at);
        }
    }

    /// What happens in a DRAM with slots: data have moved, engines that stood still go on.
    fn dram_slots_event(&mut self, place: usize, source: usize, now: Ticks) {
        let Place::Slots(slots) = &mut self.places[place] else { unreachable!("asked of DRAM with slots") };
        slots.wake(now);
        let mut done = std::mem::take(&mut slots.done);
        for &request in &done {
            let Request { bytes, arrived, .. } = self.requests[request as usize];
            if let Place::Slots(slots) = &mut self.places[place] {
                slots.ended(u32::from(bytes), now - arrived);
            }
            self.completed(request, now);
        }
        done.clear();
        while let Place::Slots(slots) = &mut self.places[place]
            && slots.takes_more()
            && let Some(thread) = slots.stalled.pop_front()
        {
            self.stand_still_no_more(thread, now);
        }
        let Place::Slots(slots) = &mut self.places[place] else { return };
        slots.done = done;
        if let Some(at) = slots.next_wake(now) {
            let source = self.sources.first_channel + source;
            if self.agenda.pending(source).is_none_or(|first| at < first) {
                self.agenda.schedule(source, at);
            }
        }
    }

    /// The end of a request is known: whoever waits for it hears of it.
    #[inline(always)]
    pub(super) fn completed(&mut self, request: u32, done: Ticks) {
        let Request { owner, target, .. } = self.requests[request as usize];
        self.free_request(request);
        match owner {
            Owner::Thread { thread, posted } => {
                let back = self.targets[target as usize].as_ref().map_or(0, |t| t.back);
                self.thread_hears(thread, posted, done + back);
            }
            _ => self.others_hear(owner, done),
        }
    }

    /// The same of requests that are not of a thread.
    fn others_hear(&mut self, owner: Owner, done: Ticks) {
        match owner {
            Owner::Thread { .. } | Owner::Nobody => {}
            Owner::Receive(id) => self.part_done(id, true, done),
            Owner::Transmit(id) => self.part_done(id, false, done),
            Owner::Wide { queue, write } => {
                let now = self.agenda.now();
                self.wide_done(queue, write, now);
            }
            Owner::Fill(first) => self.line_arrived(first, done),
            Owner::Piece(whole) => {
                let r = &mut self.requests[whole as usize];
                r.done = r.done.max(done);
                r.pieces -= 1;
                if r.pieces == 0 {
                    let done = r.done;
                    self.done_at_cache(whole, done);
                }
            }
        }
    }

    /// The line that a miss fetched is there at `done`: the miss ends, and whatever waited for the line.
    fn line_arrived(&mut self, miss: u32, done: Ticks) {
        let Request { place, address, .. } = self.requests[miss as usize];
        let Place::Cached(cache) = &mut self.places[usize::from(place)] else {
            unreachable!("only caches fetch lines")
        };
        let mut next = cache.arrived(address, miss, done);
        self.done_at_cache(miss, self.requests[miss as usize].done.max(done));
        while next != Cache::NOBODY {
            let request = next;
            next = self.requests[request as usize].next;
            self.done_at_cache(request, self.requests[request as usize].done.max(done));
        }
    }

    /// The end of a request that a cache did not answer at once is known.
    fn done_at_cache(&mut self, request: u32, done: Ticks) {
        let Request { owner, place, arrived, .. } = self.requests[request as usize];
        if !matches!(owner, Owner::Piece(_))
            && let Place::Cached(cache) = &mut self.places[usize::from(place)]
        {
            cache.residence += u128::from(done - arrived);
        }
        self.completed(request, done);
    }
}
