//! Engines run threads: who is next, until when, and what the actions of a thread do.

use super::cached::Cached;
use super::issued::{After, Issued};
use super::send::Sent;
use super::{Chip, Owner, Timer};
use crate::account::{Account, Loss};
use crate::packet::{NONE, Packets};
use crate::place::Place;
use crate::place::packet_buffer::Transfer;
use crate::rate::WORK_ENDS;
use crate::recording::{Recording, StateSpan};
use crate::thread::{NEVER, Posted, State, Thread};
use linecard_program::script::{Access, Action, PacketInfo, RoleId, Step, Way};
use linecard_program::{CELL_BYTES, DropReason, PacketId};
use linecard_queueing::Operation;
use linecard_sim::Ticks;

/// Bytes of an access of the result cache.
const WORD_BYTES: u16 = 4;

impl Chip {
    #[inline(always)]
    pub(super) fn engine_event(&mut self, engine: usize, now: Ticks) {
        if self.waits_on(engine, now) {
            return;
        }
        self.engines[engine].wakes_up(now);
        let mut runs = self.engines[engine].running;
        match runs {
            Some(thread) => self.threads[thread as usize].spent = true,
            None => runs = self.next_thread(engine, now),
        }
        let mut extra = 0;
        while let Some(thread) = runs {
            if self.proceed(thread, engine, now, extra) {
                return;
            }
            runs = self.next_thread(engine, now);
            let switches = runs.is_some_and(|next| next != thread);
            extra = if switches { self.clusters[self.engines[engine].cluster as usize].switch } else { 0 };
        }
        let e = &mut self.engines[engine];
        e.rests(now);
        if let Some(at) = e.first_wake() {
            self.agenda.schedule(self.sources.first_engine + engine, at);
        }
    }

    /// An engine that rests wakes for one thread, which goes from an access to the next without an instruction between
    /// them: threads of the IXP1200 mostly do. The same as running the thread, without the search for others. Whether all
    /// has been done.
    #[inline(always)]
    fn waits_on(&mut self, engine: usize, now: Ticks) -> bool {
        let e = &mut self.engines[engine];
        let Some(thread) = e.wakes_for_one(now) else { return false };
        let t = &self.threads[thread as usize];
        let Some(Step {
            cycles: 0,
            action: Action::Access { role, kind, posted: false, bytes, address, .. },
        }) = t.steps.get(t.next as usize)
        else {
            return false;
        };
        if t.wake != now || !t.steps.is_without_origins() {
            return false;
        }
        let Some(wake) = self.access_at_once(thread, role, kind, bytes, address, now) else { return false };
        let e = &mut self.engines[engine];
        e.ran_through(thread, wake);
        let first = e.first_wake().unwrap_or(wake);
        if first > now {
            e.rests(now);
            self.agenda.schedule(self.sources.first_engine + engine, first);
        }
        first > now
    }

    /// Make an access of a thread where it arrives in the order of issue at a place that answers at once; the thread waits
    /// until the end, which is returned.
    #[inline(always)]
    fn access_at_once(
        &mut self,
        thread: u32,
        role: RoleId,
        kind: Access,
        bytes: u16,
        address: u32,
        now: Ticks,
    ) -> Option<Ticks> {
        let t = &mut self.threads[thread as usize];
        let target = self.targets[t.targets as usize + usize::from(role.0)].as_ref()?;
        if !target.answers_thread {
            return None;
        }
        let address = target.base + u64::from(address);
        let done = self.places[usize::from(target.place)].serve(
            now + target.issue,
            kind,
            address,
            u32::from(bytes),
        )?;
        let wake = done + target.back;
        enter(t, target.state, now, &mut self.account, &mut self.recording, &self.packets);
        (t.wake, t.posted) = (wake, Posted::No);
        t.next += 1;
        t.spent = false;
        Some(wake)
    }

    /// The thread that an engine runs now, after whatever it ran. Threads whose wait is over by now become ready.
    #[inline(always)]
    fn next_thread(&mut self, engine: usize, now: Ticks) -> Option<u32> {
        self.engines[engine].running = None;
        self.wake_due(engine, now);
        let thread = self.engines[engine].take_ready()?;
        let t = &mut self.threads[thread as usize];
        enter(t, State::COMPUTE, now, &mut self.account, &mut self.recording, &self.packets);
        Some(thread)
    }

    /// Threads of an engine whose wait is over by now are ready, in the order in which they became so.
    #[inline(always)]
    pub(super) fn wake_due(&mut self, engine: usize, now: Ticks) {
        let e = &mut self.engines[engine];
        while let Some((at, thread)) = e.take_due(now) {
            let t = &mut self.threads[thread as usize];
            if t.wake == at {
                if !t.steps.is_without_origins() {
                    count_stall(t, at, &mut self.account);
                }
                (t.wake, t.posted) = (NEVER, Posted::No);
                enter(t, State::READY, at, &mut self.account, &mut self.recording, &self.packets);
                e.set_ready(thread);
            }
        }
    }

    /// Run a thread until it computes (the engine is then woken at the end: `true`) or waits (`false`).
    #[inline(always)]
    fn proceed(&mut self, thread: u32, engine: usize, now: Ticks, extra: Ticks) -> bool {
        loop {
            let t = &mut self.threads[thread as usize];
            let Some(step) = t.steps.get(t.next as usize) else {
                assert!(t.packet == NONE, "the steps of a packet end in one that leaves its thread free");
                t.block = None;
                if self.take(thread, now) {
                    continue;
                }
                return false;
            };
            let mut until = now + extra;
            if !t.spent {
                let cluster = &self.clusters[t.cluster as usize];
                let mut cycles = step.cycles;
                if step.action.is_issued() {
                    let issue = match step.action.is_posted() {
                        true => cluster.post_cycles,
                        false => cluster.issue_cycles,
                    };
                    if issue > 0 && !self.goes_through_cache(thread, engine, step.action) {
                        cycles += issue;
                    }
                }
                let cluster = &mut self.clusters[self.engines[engine].cluster as usize];
                let cycles = match &mut cluster.branches {
                    Some(branches) => branches.cycles(cycles),
                    None => u64::from(cycles),
                };
                if cycles > 0 {
                    until = until.saturating_add(cluster.clock.ticks(cycles));
                }
            }
            if until > now {
                let until = until.min(WORK_ENDS);
                self.engines[engine].work(now, until);
                self.agenda.schedule(self.sources.first_engine + engine, until);
                return true;
            }
            match self.act(thread, engine, step.action, now) {
                After::GoOn => {}
                After::Wait | After::Blocked => return false,
                After::Stall => return true,
            }
        }
    }

    /// Do a thread's action.
    #[inline(always)]
    fn act(&mut self, thread: u32, engine: usize, action: Action, now: Ticks) -> After {
        let after = match action {
            Action::Nothing => After::GoOn,
            Action::Access { role, kind, posted, bytes, address, used_after } => {
                if !posted && let Some(wake) = self.access_at_once(thread, role, kind, bytes, address, now) {
                    self.engines[engine].wake_at(thread, wake);
                    return After::Wait;
                }
                if self.goes_through_cache(thread, engine, action) {
                    let asked = Cached { role, kind, posted, bytes, address, used_after };
                    let after = self.access_through_cache(thread, engine, asked, now);
                    // Without room for what is posted it is done again.
                    return after.map_or(After::Wait, |after| self.then(thread, after));
                }
                if posted && !self.has_posting_room(thread, now) {
                    // The action is done again when there is room.
                    self.wait_for_posting_room(thread, State::POSTED, now);
                    return After::Wait;
                }
                let address = u64::from(address);
                self.issue(thread, Issued { role, kind, posted, bytes, registers: 0, address }, now)
            }
            Action::Cell { role, write, posted, cell, registers } => {
                if posted && !self.has_posting_room(thread, now) {
                    self.wait_for_posting_room(thread, self.place_state(thread, role), now);
                    return After::Wait;
                }
                if write && self.memory.as_ref().is_some_and(|memory| memory.wide.is_some()) {
                    return match self.write_wide(thread, role, cell, now) {
                        true => self.then(thread, After::GoOn),
                        false => After::Blocked,
                    };
                }
                let id = self.threads[thread as usize].packet;
                let packet = &self.packets[id];
                // Memory has room for the packet as received: cells that a program has added are read with the last one.
                let (bytes, there) = match write {
                    true => (packet.cell_bytes(cell), cell),
                    false => (packet.leaving_cell_bytes(cell), cell.min(packet.cells - 1)),
                };
                let address = self.cell_address(id, there, write);
                if write {
                    self.moved_cell(id, cell, now);
                }
                let kind = if write { Access::Write } else { Access::Read };
                self.issue(thread, Issued { role, kind, posted, bytes, registers, address }, now)
            }
            Action::Forget { role, bytes, address } => {
                self.forget_cached(thread, engine, role, bytes, address);
                After::GoOn
            }
            Action::Room => {
                if self.has_posting_room(thread, now) {
                    After::GoOn
                } else {
                    let cluster = self.threads[thread as usize].cluster as usize;
                    self.wait_for_posting_room(thread, self.packet_state(cluster), now);
                    After::Wait
                }
            }
            Action::Admit { port } => match self.admitted(thread, port, now) {
                true => After::GoOn,
                false => return After::Blocked,
            },
            Action::Allocate => match self.has_room(thread, now) {
                true => After::GoOn,
                false => return After::Blocked,
            },
            Action::Enqueue => {
                self.enqueue(thread, now);
                After::GoOn
            }
            Action::ReadBlock { role } => match self.read_block(thread, role, now) {
                true => After::Wait,
                false => return After::Blocked,
            },
            Action::Transmit => {
                self.transmit_block(thread, now);
                After::GoOn
            }
            Action::Recall { role } => {
                let head = self.packets[self.threads[thread as usize].packet].head;
                let place = self.place_of(thread, role);
                if let Place::Results(results) = &mut self.places[place] {
                    self.threads[thread as usize].answer = u32::from(results.recall(&head));
                }
                let (kind, bytes) = (Access::Ask, WORD_BYTES);
                let issued = Issued { role, kind, posted: false, bytes, registers: 0, address: 0 };
                self.issue(thread, issued, now)
            }
            Action::Link { role, queue, enqueue } => {
                let queue = u32::from(queue) % self.senders.len() as u32;
                let operation = if enqueue { Operation::enqueue(queue) } else { Operation::dequeue(queue) };
                let state = self.place_state(thread, role);
                self.enter(thread, state, now);
                self.ask_queue_manager(thread, self.place_of(thread, role), operation, now);
                After::Wait
            }
            Action::More { part } => {
                let t = &mut self.threads[thread as usize];
                let program = self.clusters[t.cluster as usize].program;
                let answer = t.answer;
                t.steps.clear();
                (t.next, t.spent) = (0, false);
                self.programs[program].more(part, answer, &mut self.packets[t.packet].head, &mut t.steps);
                return After::GoOn;
            }
            Action::Finish => {
                self.finish_in_hand(thread, now);
                After::GoOn
            }
            Action::Leave { port } => {
                self.leave_at_once(thread, port, now);
                After::GoOn
            }
            Action::Move { role, way, cell, bytes, last } => {
                let id = self.threads[thread as usize].packet;
                if way.to_transmit() && !self.takes_transmit_cell(id, cell, now) {
                    self.wait_for_transmit_cell(thread, now);
                    return After::Blocked;
                }
                if self.stands_still(thread, role, now) {
                    return After::Stall;
                }
                let after = self.move_part(thread, role, way, cell, bytes, last, now);
                if way.to_transmit() {
                    self.passed_room_on(cell, now);
                }
                after
            }
            Action::Place { port, .. } => {
                return match self.place(thread, port, now) {
                    true => After::GoOn,
                    false => self.blocked(thread, State::ORDER, now),
                };
            }
            Action::Store => {
                self.keep(thread, now);
                After::GoOn
            }
            Action::Depart => {
                self.hand_to_port(thread, now);
                self.refill(now);
                After::GoOn
            }
            Action::Join => match self.join(thread, State::POSTED, now) {
                true => After::GoOn,
                false => After::Wait,
            },
            Action::Lock(lock) => {
                let lock = &mut self.locks[lock as usize];
                match lock.owner {
                    None => {
                        lock.owner = Some(thread);
                        After::GoOn
                    }
                    Some(_) => {
                        lock.waiting.push_back(thread);
                        self.enter(thread, State::LOCK, now);
                        After::Wait
                    }
                }
            }
            Action::Unlock(number) => {
                let lock = &mut self.locks[number as usize];
                assert_eq!(lock.owner, Some(thread), "a thread gave back a lock that it does not hold");
                lock.owner = lock.waiting.pop_front();
                if let Some(next) = lock.owner {
                    self.make_ready(next, now);
                }
                After::GoOn
            }
            Action::Put { inbox } => {
                let number = usize::from(inbox);
                if !self.inboxes[number].has_room() {
                    self.inboxes[number].putters.push_back(thread);
                    return self.blocked(thread, State::INBOX, now);
                }
                self.put(thread, number, now);
                After::GoOn
            }
            Action::Send { port, class } => match self.send(thread, port, class, now) {
                Sent::Done => After::GoOn,
                Sent::QueueFull => return self.blocked(thread, State::QUEUE, now),
                Sent::WindowFull => return self.blocked(thread, State::ORDER, now),
            },
            Action::Drop(reason) => {
                self.drop_in_hand(thread, reason, now);
                After::GoOn
            }
        };
        self.then(thread, after)
    }

    /// The thread's step is done; what comes of it.
    fn then(&mut self, thread: u32, after: After) -> After {
        let t = &mut self.threads[thread as usize];
        t.next += 1;
        t.spent = false;
        after
    }

    /// Number of the place that a role is for a thread.
    fn place_of(&self, thread: u32, role: RoleId) -> usize {
        let first = self.threads[thread as usize].targets as usize;
        let target = self.targets[first + usize::from(role.0)].as_ref();
        target.map_or(0, |target| usize::from(target.place))
    }

    /// State of a thread that waits for the place of a role.
    pub(super) fn place_state(&self, thread: u32, role: RoleId) -> State {
        let first = self.threads[thread as usize].targets as usize;
        let target = self.targets[first + usize::from(role.0)].as_ref();
        target.map_or(State::POSTED, |target| target.state)
    }

    /// State of a thread of a cluster that waits for the packet memory.
    fn packet_state(&self, cluster: usize) -> State {
        match &self.memory {
            Some(memory) => {
                let place = usize::from(memory.of_cluster[cluster].0);
                State(State::PLACES + self.group_of_place[place])
            }
            None => State::POSTED,
        }
    }

    /// A thread gives its packet up: what was spent on it is no forwarded packet's time.
    pub(super) fn drop_in_hand(&mut self, thread: u32, reason: DropReason, now: Ticks) {
        self.lose_in_hand(thread, Loss::Program(reason), now);
    }

    /// The same, whatever the cause.
    pub(super) fn lose_in_hand(&mut self, thread: u32, loss: Loss, now: Ticks) {
        let id = self.leave_thread(thread);
        let (taken, offered) = (self.packets[id].taken, self.packets[id].offered);
        self.account.on_dropped += u128::from(now - taken.max(self.account.since));
        if taken >= self.account.since {
            // One that was taken up in the very moment in which statistics began may not be in the sum.
            self.account.waited = self.account.waited.saturating_sub(u128::from(taken - offered));
        }
        self.give_up(id, loss, now);
    }

    fn blocked(&mut self, thread: u32, state: State, now: Ticks) -> After {
        self.enter(thread, state, now);
        After::Blocked
    }

    /// Whether the engine of a thread stands still because a place takes no more accesses; the thread then waits in its
    /// line.
    fn stands_still(&mut self, thread: u32, role: RoleId, now: Ticks) -> bool {
        let first = self.threads[thread as usize].targets as usize;
        let Some(target) = &self.targets[first + usize::from(role.0)] else { return false };
        let (state, place) = (target.state, usize::from(target.place));
        let Place::Slots(slots) = &mut self.places[place] else { return false };
        if slots.takes_more() {
            return false;
        }
        slots.stalled.push_back(thread);
        self.enter(thread, state, now);
        true
    }

    /// The access of a thread whose engine stands still is taken, and the engine goes on with others.
    pub(super) fn stand_still_no_more(&mut self, thread: u32, now: Ticks) {
        let t = &self.threads[thread as usize];
        let engine = t.engine as usize;
        if let Some(Action::Move { role, way, cell, bytes, last }) =
            t.steps.get(t.next as usize).map(|step| step.action)
        {
            self.move_part(thread, role, way, cell, bytes, last, now);
        }
        let t = &mut self.threads[thread as usize];
        t.next += 1;
        t.spent = false;
        self.engines[engine].running = None;
        self.wake_engine(engine, now);
    }

    /// Move part of a cell that has all the room it needs.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "the fields of one action, taken apart")]
    pub(super) fn move_part(
        &mut self,
        thread: u32,
        role: RoleId,
        way: Way,
        cell: u16,
        bytes: u8,
        last: bool,
        now: Ticks,
    ) -> After {
        let t = &mut self.threads[thread as usize];
        let id = t.packet;
        if last && (way.from_receive() || way.to_transmit()) {
            t.moving = Some((way, cell));
        }
        let kind = way.access();
        let address = self.cell_address(id, cell, kind == Access::Write);
        let bytes = u16::from(bytes);
        self.issue(thread, Issued { role, kind, posted: false, bytes, registers: 0, address }, now)
    }

    /// A thread has moved the last part of a cell.
    pub(super) fn moved_now(&mut self, thread: u32, now: Ticks) {
        if let Some((way, cell)) = self.threads[thread as usize].moving.take() {
            self.moved_part(thread, way, cell, now);
        }
    }

    /// Threads that wait to put a packet into an inbox do so as long as it has room.
    fn let_putters_in(&mut self, inbox: usize, now: Ticks) {
        while self.inboxes[inbox].has_room()
            && let Some(thread) = self.inboxes[inbox].putters.pop_front()
        {
            self.put(thread, inbox, now);
            let t = &mut self.threads[thread as usize];
            t.next += 1;
            t.spent = false;
            self.make_ready(thread, now);
        }
    }

    /// Issue an access of a thread.
    #[inline(always)]
    pub(super) fn issue(&mut self, thread: u32, issued: Issued, now: Ticks) -> After {
        let Issued { role, kind, posted, bytes, registers, address } = issued;
        let t = &mut self.threads[thread as usize];
        let number = t.targets as usize + usize::from(role.0);
        let Some(target) = &self.targets[number] else {
            unreachable!("roles were bound for every cluster that runs the program")
        };
        let (state, back) = (target.state, target.back);
        let done = if target.direct {
            let (place, at) = (usize::from(target.place), now + target.issue);
            let address = target.base + address;
            self.places[place].serve(at, kind, address, u32::from(bytes))
        } else {
            let (place, address) = (target.place, target.base + address);
            let mut at = now + target.issue;
            let crossed = target.first_link_direct;
            if crossed {
                at = self.links[usize::from(target.links[0])].cross(at, u32::from(bytes));
            }
            let at_buffer = target.to_buffer && self.channels_at != now;
            let owner = Owner::Thread { thread, posted };
            let request = self.new_request(owner, number as u32, kind, bytes, place, address);
            let r = &mut self.requests[request as usize];
            (r.hop, r.registers) = (u8::from(crossed), registers);
            if at_buffer {
                r.arrived = now;
                let (bytes, registers, write) = (u32::from(bytes), u32::from(registers), kind.writes());
                let transfer = Transfer { request, address, bytes, registers, write };
                self.submit_transfer(usize::from(place), transfer, now);
                None
            } else {
                let done = self.travel(request, at);
                if done.is_some() {
                    self.free_request(request);
                }
                done
            }
        };
        if posted {
            let t = &mut self.threads[thread as usize];
            match done {
                Some(done) => t.posted_until.push(done + back),
                None => t.posted_unknown += 1,
            }
            return After::GoOn;
        }
        self.enter(thread, state, now);
        if let Some(done) = done {
            self.wake_at(thread, done + back);
        }
        After::Wait
    }

    /// Whether the thread may post one more operation.
    #[inline(always)]
    pub(super) fn has_posting_room(&mut self, thread: u32, now: Ticks) -> bool {
        let t = &mut self.threads[thread as usize];
        let limit = self.clusters[t.cluster as usize].posted;
        // Those that are done are put away when their number matters.
        let few = |t: &Thread| t.posted_until.len() as u32 + t.posted_unknown < limit;
        few(t) || {
            t.posted_until.retain(|&until| until > now);
            few(t)
        }
    }

    /// The thread waits for the first of its posted operations that is done.
    pub(super) fn wait_for_posting_room(&mut self, thread: u32, state: State, now: Ticks) {
        let t = &mut self.threads[thread as usize];
        t.posted = Posted::Room;
        let first = t.posted_until.iter().copied().min();
        self.enter(thread, state, now);
        if let Some(first) = first {
            self.wake_at(thread, first);
        }
    }

    /// Whether nothing that the thread posted is under way; otherwise it waits for all of it.
    pub(super) fn join(&mut self, thread: u32, state: State, now: Ticks) -> bool {
        let t = &mut self.threads[thread as usize];
        t.posted_until.retain(|&until| until > now);
        if t.posted_unknown == 0 {
            let last = t.posted_until.drain(..).max();
            let Some(last) = last else { return true };
            self.enter(thread, state, now);
            self.wake_at(thread, last);
        } else {
            t.posted = Posted::All;
            self.enter(thread, state, now);
        }
        false
    }

    /// The end of a thread's access is known now.
    #[inline(always)]
    pub(super) fn thread_hears(&mut self, thread: u32, posted: bool, until: Ticks) {
        if !posted {
            self.wake_at(thread, until);
            return;
        }
        let t = &mut self.threads[thread as usize];
        t.posted_unknown -= 1;
        t.posted_until.push(until);
        match t.posted {
            Posted::No => {}
            Posted::Room => {
                if until < t.wake {
                    self.wake_at(thread, until);
                }
            }
            Posted::All => {
                if t.posted_unknown == 0 {
                    let last = t.posted_until.drain(..).max().unwrap_or(until);
                    self.lines_come(thread, last);
                    self.wake_at(thread, last);
                }
            }
        }
    }

    /// The thread's wait is over at `at`.
    #[inline(always)]
    pub(super) fn wake_at(&mut self, thread: u32, at: Ticks) {
        let t = &mut self.threads[thread as usize];
        t.wake = at;
        let engine = t.engine as usize;
        if t.moving.is_some() {
            // Buffers change when the cell has been moved, and not when its engine finds the time to look.
            let now = self.agenda.now();
            if at > now {
                self.set_timer(at, Timer::Moved(thread));
            } else {
                self.moved_now(thread, now);
            }
        }
        self.engines[engine].wake_at(thread, at);
        self.wake_engine(engine, at);
    }

    #[inline(always)]
    fn wake_engine(&mut self, engine: usize, at: Ticks) {
        if self.engines[engine].running.is_none() {
            let source = self.sources.first_engine + engine;
            if self.agenda.pending(source).is_none_or(|first| at < first) {
                self.agenda.schedule(source, at);
            }
        }
    }

    /// A thread's wait is over.
    #[inline(always)]
    pub(super) fn make_ready(&mut self, thread: u32, now: Ticks) {
        let t = &self.threads[thread as usize];
        if !t.steps.is_without_origins() {
            count_stall(t, now, &mut self.account);
        }
        self.enter(thread, State::READY, now);
        let engine = self.threads[thread as usize].engine as usize;
        self.engines[engine].set_ready(thread);
        self.wake_engine(engine, now);
    }

    #[inline(always)]
    pub(super) fn enter(&mut self, thread: u32, state: State, now: Ticks) {
        let t = &mut self.threads[thread as usize];
        enter(t, state, now, &mut self.account, &mut self.recording, &self.packets);
    }

    /// Enter what has passed up to `now`, so that the books can be closed.
    pub(super) fn settle(&mut self, thread: u32, now: Ticks) {
        let t = &self.threads[thread as usize];
        if t.since < now {
            self.enter(thread, t.state, now);
        }
    }

    /// A free thread takes a packet; without one it waits.
    fn take(&mut self, thread: u32, now: Ticks) -> bool {
        let cluster = self.threads[thread as usize].cluster as usize;
        if self.clusters[cluster].block_cells.is_some() {
            return self.take_block(thread, now);
        }
        if let Some(id) = self.next_kept() {
            self.resume(thread, id, now);
            return true;
        }
        for at in 0..self.clusters[cluster].takes.len() {
            let inbox = usize::from(self.clusters[cluster].takes[at]);
            let group = self.groups[self.groups_at[thread as usize] as usize + at] as usize;
            if let Some(id) = self.inboxes[inbox].groups[group].packets.pop_front() {
                self.inboxes[inbox].waiting -= 1;
                self.hold(thread, id, now);
                self.let_putters_in(inbox, now);
                return !self.waits_for_bus(thread, id, now);
            }
            if self.config.saturated
                && !self.inboxes[inbox].ports.is_empty()
                && let Some(id) = self.draw(inbox, group, now)
            {
                self.hold(thread, id, now);
                return true;
            }
        }
        let epoch = self.threads[thread as usize].epoch;
        for at in 0..self.clusters[cluster].takes.len() {
            let inbox = usize::from(self.clusters[cluster].takes[at]);
            let group = self.groups[self.groups_at[thread as usize] as usize + at] as usize;
            let (group, threads) = (&mut self.inboxes[inbox].groups[group], &self.threads);
            group.drop_stale(|thread| threads[thread as usize].epoch);
            group.free.push_back((thread, epoch));
        }
        self.enter(thread, State::FREE, now);
        false
    }

    /// From now on a packet is one of a group's load.
    pub(super) fn join_group(&mut self, id: PacketId, inbox: usize, group: usize) {
        let packet = &mut self.packets[id];
        (packet.inbox, packet.group) = (inbox as u16, group as u32);
        self.inboxes[inbox].groups[group].load += 1;
    }

    /// A packet of a group waits for a thread; a free one takes it up.
    pub(super) fn offer(&mut self, id: PacketId, now: Ticks) {
        let packet = &mut self.packets[id];
        packet.offered = now;
        let (inbox, group) = (usize::from(packet.inbox), packet.group as usize);
        while let Some((thread, epoch)) = self.inboxes[inbox].groups[group].free.pop_front() {
            if self.threads[thread as usize].epoch == epoch {
                self.hold(thread, id, now);
                if !self.waits_for_bus(thread, id, now) {
                    self.make_ready(thread, now);
                }
                return;
            }
        }
        let inbox = &mut self.inboxes[inbox];
        inbox.groups[group].packets.push_back(id);
        inbox.waiting += 1;
        inbox.most_waiting = inbox.most_waiting.max(inbox.waiting);
    }

    /// Cells of a packet cross the bus of its port to the thread that has taken it up; whether that waits for them.
    fn waits_for_bus(&mut self, thread: u32, id: PacketId, now: Ticks) -> bool {
        let packet = &self.packets[id];
        let receiver = self.ports[usize::from(packet.input_port)].receiver.as_ref();
        let Some(bus) = receiver.and_then(|receiver| receiver.bus) else { return false };
        let bytes = u32::from(packet.cells) * CELL_BYTES;
        let across = self.links[usize::from(bus)].cross(now, bytes);
        if across > now {
            self.enter(thread, State::BUS, now);
            self.wake_at(thread, across);
        }
        across > now
    }

    /// A thread takes a packet up: its program does the work and says what it costs.
    fn hold(&mut self, thread: u32, id: PacketId, now: Ticks) {
        let packet = &mut self.packets[id];
        packet.attended = true;
        packet.taken = now;
        self.account.waited += u128::from(now - packet.offered);
        let info =
            PacketInfo { number: packet.number, flow_hash: packet.flow_hash, input_port: packet.input_port };
        let t = &mut self.threads[thread as usize];
        t.take_up(id);
        let program = self.clusters[t.cluster as usize].program;
        self.programs[program].packet(&mut packet.head, &info, &mut t.steps);
    }

    /// A free thread takes up a packet that was drawn for it.
    pub(super) fn hold_drawn(&mut self, thread: u32, id: PacketId, now: Ticks) {
        self.hold(thread, id, now);
        self.make_ready(thread, now);
    }

    /// The thread has done with its packet.
    pub(super) fn leave_thread(&mut self, thread: u32) -> PacketId {
        let t = &mut self.threads[thread as usize];
        let id = std::mem::replace(&mut t.packet, NONE);
        // What stands behind its last step is for packets that go another way.
        t.steps.clear();
        let packet = &mut self.packets[id];
        packet.attended = false;
        self.inboxes[usize::from(packet.inbox)].groups[packet.group as usize].load -= 1;
        id
    }

    /// Hand a thread's packet over to another inbox, which has room.
    fn put(&mut self, thread: u32, inbox: usize, now: Ticks) {
        let id = self.leave_thread(thread);
        let group = self.inboxes[inbox].group_of(self.packets[id].flow_hash);
        self.join_group(id, inbox, group);
        self.offer(id, now);
    }
}

/// A thread is in a state from `now` on; the time since it entered the one before goes into the books.
#[inline(always)]
fn enter(
    t: &mut Thread,
    state: State,
    now: Ticks,
    account: &mut Account,
    recording: &mut Option<Box<Recording>>,
    packets: &Packets,
) {
    if now > t.since {
        account.spent[t.spent_at as usize + usize::from(t.state.0)] += u128::from(now - t.since);
        if let Some(recording) = recording {
            let packet = (t.packet != NONE).then(|| packets[t.packet].number);
            let span = StateSpan { thread: t.number, state: t.state.0, packet, from: t.since, to: now };
            recording.span(span);
        }
        t.since = now;
    }
    t.state = state;
}

/// What a thread has waited for counts for the operation of its program that it is of.
#[cold]
fn count_stall(t: &Thread, now: Ticks, account: &mut Account) {
    if let Some(operation) = t.waits_for() {
        account.stalled(usize::from(t.cluster), operation as usize, now - t.since);
    }
}
