//! The actions of a thread: accesses, moves of cells, locks, rings, and the end of a packet.

use super::Chip;
use super::cached::Cached;
use super::issued::{After, Issued, Part};
use super::send::Sent;
use super::threads::goes_through_cache;
use crate::loss::Loss;
use crate::packet::{NOBODY, Packet, Placing};
use crate::place::{Memory, Submitted};
use crate::request::{Owner, Request, of_thread};
use crate::target::Target;
use crate::thread::{Posted, State};
use linecard_program::script::{Access, Action, RoleId, Step};
use linecard_program::{DropReason, PacketId};
use linecard_queueing::Operation;
use linecard_sim::Ticks;

/// Bytes of an access to the result cache.
const WORD_BYTES: u16 = 4;

impl Chip {
    /// Performs a thread's action.
    #[inline(always)]
    pub(super) fn act(&mut self, thread: u32, engine: usize, action: Action, now: Ticks) -> After {
        let after = match action {
            Action::Nothing => After::GoOn,
            Action::Access { role, kind, posted, bytes, address, used_after } => {
                let (t, e) = (&self.threads[thread as usize], &self.engines[engine]);
                if goes_through_cache(t, e, action, &self.targets) {
                    let asked = Cached { role, kind, posted, bytes, address, used_after };
                    let after = self.access_through_cache(thread, engine, asked, now);
                    // If no posted access can be issued, the thread repeats the action.
                    return after.map_or(After::Wait, |after| self.then(thread, after));
                }
                if posted && !self.threads[thread as usize].has_posting_room(now) {
                    // The thread repeats the action when it may post again.
                    self.wait_for_posting_room(thread, State::POSTED, now);
                    return After::Wait;
                }
                let address = u64::from(address);
                self.issue(thread, Issued { role, kind, posted, bytes, registers: 0, address }, now)
            }
            Action::Cell { role, write, posted, cell, registers } => {
                if posted && !self.threads[thread as usize].has_posting_room(now) {
                    self.wait_for_posting_room(thread, self.target(thread, role).state, now);
                    return After::Wait;
                }
                if write
                    && self.has_queue_caches()
                    && let Some(written) = self.write_wide(thread, role, cell, now)
                {
                    return if written { self.then(thread, After::GoOn) } else { After::Blocked };
                }
                let id = self.threads[thread as usize].packet;
                let packet = &self.packets[id];
                // Memory has room for the received cells only: cells that a program added are read at the
                // address of the last one.
                let (bytes, there) = match write {
                    true => (packet.cell_bytes(cell), cell),
                    false => (packet.leaving_cell_bytes(cell), cell.min(packet.cells - 1)),
                };
                let address = self.cell_address(id, there, write);
                if write {
                    self.moved_cell(id, cell, now);
                }
                let kind = if write { Access::Write } else { Access::Read };
                let after = self.issue(thread, Issued { role, kind, posted, bytes, registers, address }, now);
                if posted {
                    self.pass_room(thread, engine, now);
                }
                after
            }
            Action::Room => {
                if self.threads[thread as usize].has_posting_room(now) {
                    After::GoOn
                } else {
                    let cluster = self.threads[thread as usize].cluster as usize;
                    self.wait_for_posting_room(thread, self.packet_state(cluster), now);
                    After::Wait
                }
            }
            Action::Move { role, way, cell, bytes, last } => {
                let part = Part { role, way, cell, bytes, last };
                let id = self.threads[thread as usize].packet;
                if way.to_transmit() && !self.takes_transmit_cell(id, cell, now) {
                    self.wait_for_transmit_cell(thread, part, now);
                    return After::Blocked;
                }
                if self.stands_still(thread, role, now) {
                    return After::Stall;
                }
                let after = self.move_part(thread, part, now);
                if way.to_transmit() {
                    self.passed_room_on(cell, now);
                }
                after
            }
            _ => return self.act_once(thread, engine, action, now),
        };
        self.then(thread, after)
    }

    /// Performs an action that occurs about once a packet. It is a separate function, so that the loop of an
    /// engine stays small.
    #[inline(never)]
    fn act_once(&mut self, thread: u32, engine: usize, action: Action, now: Ticks) -> After {
        let after = match action {
            Action::Forget { role, bytes, address } => {
                self.forget_cached(thread, engine, role, bytes, address);
                After::GoOn
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
                After::Blocked => return After::Blocked,
                after => after,
            },
            Action::Transmit => {
                self.transmit_block(thread, now);
                After::GoOn
            }
            Action::Recall { role } => {
                let head = self.packets[self.threads[thread as usize].packet].head;
                let place = usize::from(self.target(thread, role).place);
                let known = self.places.get_mut(place).is_some_and(|memory| memory.recall(&head));
                self.threads[thread as usize].answer = u32::from(known);
                let (kind, bytes) = (Access::Ask, WORD_BYTES);
                let issued = Issued { role, kind, posted: false, bytes, registers: 0, address: 0 };
                self.issue(thread, issued, now)
            }
            Action::Link { role, queue, enqueue } => {
                let queue = u32::from(queue) % self.senders.len() as u32;
                let operation = if enqueue { Operation::enqueue(queue) } else { Operation::dequeue(queue) };
                let state = self.target(thread, role).state;
                self.enter(thread, state, now);
                self.ask_queue_manager(thread, role, operation, now);
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
            Action::Place { port, kept, stays } => {
                return match self.place(thread, port, Placing { kept, stays }, now) {
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
                let number = lock as usize;
                if number >= self.locks.len() {
                    self.locks.resize_with(number + 1, Default::default);
                }
                if self.locks[number].take(thread, now) {
                    After::GoOn
                } else {
                    self.enter(thread, State::LOCK, now);
                    After::Wait
                }
            }
            Action::Unlock(number) => {
                if let Some(next) = self.locks[number as usize].release(thread, now) {
                    self.make_ready(next, now);
                }
                After::GoOn
            }
            Action::Reserve { inbox, else_skips } => return self.reserve(thread, inbox, else_skips, now),
            Action::Put { inbox } | Action::Lend { inbox } => {
                let number = usize::from(inbox);
                let kept = self.uses_room(thread, number);
                if !self.inboxes[number].has_room() {
                    self.inboxes[number].putters.push_back(thread);
                    return self.blocked(thread, State::INBOX, now);
                }
                self.put_or_lend(thread, number, now);
                if kept {
                    // A free thread may have taken the packet, and the room is left.
                    self.let_putters_in(number, now);
                }
                After::GoOn
            }
            Action::Offer { inbox } => {
                let number = usize::from(inbox);
                let has_room = self.inboxes[number].has_room();
                self.inboxes[number].offered += 1;
                match has_room {
                    true => self.put(thread, number, now),
                    false => self.inboxes[number].refused += 1,
                }
                After::GoOn
            }
            Action::Alone => match self.is_alone(thread, now) {
                true => After::GoOn,
                false => After::Wait,
            },
            Action::Send { port, class } => match self.send(thread, port, class, now) {
                Sent::Done => After::GoOn,
                Sent::QueueFull => return self.blocked(thread, State::QUEUE, now),
                Sent::WindowFull => return self.blocked(thread, State::ORDER, now),
            },
            Action::Drop(reason) => {
                self.drop_in_hand(thread, reason, now);
                After::GoOn
            }
            Action::Nothing
            | Action::Access { .. }
            | Action::Cell { .. }
            | Action::Room
            | Action::Move { .. } => After::GoOn,
        };
        self.then(thread, after)
    }

    /// Completes the thread's step according to the result of its action.
    pub(super) fn then(&mut self, thread: u32, after: After) -> After {
        let t = &mut self.threads[thread as usize];
        t.next += 1;
        t.spent = false;
        after
    }

    /// Returns how a thread reaches the memory of a role.
    #[inline(always)]
    pub(super) fn target(&self, thread: u32, role: RoleId) -> &Target {
        &self.targets[self.threads[thread as usize].targets as usize + usize::from(role.0)]
    }

    /// Returns the state of a thread of a cluster that waits for the packet memory.
    pub(super) fn packet_state(&self, cluster: usize) -> State {
        match &self.memory {
            Some(memory) => {
                let place = memory.store_of(cluster as u16).place;
                State(State::PLACES + self.group_of_place[usize::from(place)])
            }
            None => State::POSTED,
        }
    }

    /// A thread drops its packet. The time spent on it does not count for forwarded packets.
    pub(super) fn drop_in_hand(&mut self, thread: u32, reason: DropReason, now: Ticks) {
        self.lose_in_hand(thread, Loss::Program(reason), now);
    }

    /// As `drop_in_hand`, for any cause.
    pub(super) fn lose_in_hand(&mut self, thread: u32, loss: Loss, now: Ticks) {
        let id = self.leave_thread(thread, now);
        self.not_forwarded(id, now);
        self.give_up(id, loss, now);
    }

    /// A packet that threads held until `now` will not be forwarded. Its waits and the time that threads spent
    /// on it are subtracted from those of forwarded packets. Of a packet from before the measurement, only the
    /// time of its last thread is known.
    pub(super) fn not_forwarded(&mut self, id: PacketId, now: Ticks) {
        let Packet { taken, offered, received, waited, held, .. } = self.packets[id];
        let since = self.account.since;
        let (held, waited) = match received >= since {
            true => (held, waited),
            false if taken >= since => (0, taken - offered),
            false => (0, 0),
        };
        self.account.on_dropped += u128::from(now.saturating_sub(taken.max(since)) + held);
        // A packet taken in the instant in which statistics began may be missing from the sum.
        self.account.waited = self.account.waited.saturating_sub(u128::from(waited));
    }

    pub(super) fn blocked(&mut self, thread: u32, state: State, now: Ticks) -> After {
        self.enter(thread, state, now);
        After::Blocked
    }

    /// Returns whether the engine of a thread stalls because a memory accepts no more accesses. The thread then
    /// waits in the memory's queue.
    fn stands_still(&mut self, thread: u32, role: RoleId, now: Ticks) -> bool {
        let (state, place) = (self.target(thread, role).state, usize::from(self.target(thread, role).place));
        let Some(memory) = self.places.get_mut(place).filter(|memory| !memory.takes_more()) else {
            return false;
        };
        memory.stall(thread);
        self.enter(thread, state, now);
        true
    }

    /// The memory accepts the access of a stalled thread, and its engine continues with other threads.
    pub(super) fn stand_still_no_more(&mut self, thread: u32, now: Ticks) {
        let t = &self.threads[thread as usize];
        let engine = t.engine as usize;
        if let Some(Action::Move { role, way, cell, bytes, last }) =
            t.steps.get(t.next as usize).map(|step| step.action)
        {
            self.move_part(thread, Part { role, way, cell, bytes, last }, now);
        }
        let t = &mut self.threads[thread as usize];
        t.next += 1;
        t.spent = false;
        self.engines[engine].running = NOBODY;
        self.wake_engine(engine, now);
    }

    /// Moves part of a cell that has all the room it needs.
    #[inline(always)]
    pub(super) fn move_part(&mut self, thread: u32, part: Part, now: Ticks) -> After {
        let Part { role, way, cell, bytes, last } = part;
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

    /// Threads that wait to put a packet into an inbox do so while it has room.
    pub(super) fn let_putters_in(&mut self, inbox: usize, now: Ticks) {
        while self.inboxes[inbox].has_room()
            && let Some(thread) = self.inboxes[inbox].putters.pop_front()
        {
            self.gets_room(thread, inbox, now);
            let t = &mut self.threads[thread as usize];
            t.next += 1;
            t.spent = false;
            self.make_ready(thread, now);
        }
    }

    /// Issues an access of a thread.
    #[inline(always)]
    pub(super) fn issue(&mut self, thread: u32, issued: Issued, now: Ticks) -> After {
        let Issued { role, kind, posted, bytes, registers, address } = issued;
        let t = &mut self.threads[thread as usize];
        let number = t.targets as usize + usize::from(role.0);
        let target = &self.targets[number];
        let (state, back) = (target.state, target.back);
        let done = if target.direct {
            let (place, at) = (usize::from(target.place), now + target.issue);
            let address = target.base + address;
            self.places[place].serve(at, kind, address, u32::from(bytes))
        } else if target.planned {
            let (place, address) = (usize::from(target.place), target.base + address);
            let (bytes, registers, write) = (u32::from(bytes), u32::from(registers), kind.writes());
            let access = Submitted { request: of_thread(thread, posted), address, bytes, registers, write };
            self.submit(place, &access, now);
            None
        } else {
            let (place, address) = (target.place, target.base + address);
            let mut at = now + target.issue;
            let crossed = target.first_link_direct;
            if crossed {
                at = self.links[usize::from(target.links[0])].cross(at, u32::from(bytes));
            }
            let submits = target.submits;
            let owner = Owner::Thread { thread, posted };
            let new = Request::new(owner, number as u32, kind, bytes, place, address);
            let request = self.requests.insert(Request { hop: u8::from(crossed), registers, ..new });
            let done = if submits { self.arrive_later(request, now) } else { self.travel(request, at) };
            if done.is_some() {
                self.requests.remove(request);
            }
            done
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

    /// A program uses a role (numbered over clusters) for which the cluster has no memory: the access never
    /// completes, and the run has no result.
    #[cold]
    pub(super) fn goes_nowhere(&mut self, target: usize) {
        let roles = self.config.roles.len();
        let (cluster, role) =
            (&self.config.clusters[target / roles].name, &self.config.roles[target % roles]);
        self.fault.get_or_insert_with(|| {
            format!(
                "the program of {cluster} uses the role {role}, but {cluster} has no memory for this role"
            )
        });
    }

    /// Skips the next step if it takes no time, only waits until the thread may post, and the thread may post
    /// now.
    #[inline(always)]
    fn pass_room(&mut self, thread: u32, engine: usize, now: Ticks) {
        let t = &mut self.threads[thread as usize];
        if let Some(Step { cycles: 0, action: Action::Room }) = t.steps.get(t.next as usize + 1)
            && !self.engines[engine].has_branches
            && t.has_posting_room(now)
        {
            t.next += 1;
        }
    }

    /// The thread waits for the first of its posted operations to complete.
    pub(super) fn wait_for_posting_room(&mut self, thread: u32, state: State, now: Ticks) {
        let t = &mut self.threads[thread as usize];
        t.posted = Posted::Room;
        let first = t.posted_until.iter().copied().min();
        self.enter(thread, state, now);
        if let Some(first) = first {
            self.wake_at(thread, first);
        }
    }

    /// Returns whether the thread has no posted operation outstanding; otherwise it waits for all of them.
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

    /// The completion time of a thread's access is known now.
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
                if until < self.engines[t.engine as usize].wake_of(thread) {
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
}
