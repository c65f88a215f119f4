//! The controller of a channel: the actions of a clock, and the next clock that has any.

use super::by_bank::{BANKS, ByBank};
use super::commands::{CommandQueue, Kinds, MAX_COMMAND_QUEUE};
use super::policy::{Page, Policy, RowHitCap, Scheduler, Writes};
use super::refresh::{RefreshClock, Target};
use super::row_state::RowState;
use super::statistics::{BankStatistics, ChannelStatistics};
use super::transactions::{Slot, Transactions};
use super::waits::Waits;
use super::{Observer, Outcome, Transaction};
use crate::{Command, Cycle, Device};
use std::cmp::Ordering;

/// The transaction queue of writes, if they have a separate one; reads, and otherwise all requests, are in
/// queue 0.
pub(super) const WRITES: usize = 1;
pub(super) const READS: usize = 0;

/// The next command and its clock, unless an event comes before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) at: Cycle,
    /// The command queue, or [`FOR_REFRESH`].
    pub(super) queue: u8,
}

/// Instead of a queue: a command of the refresh.
pub(super) const FOR_REFRESH: u8 = u8::MAX;

pub(super) const NEVER: Plan = Plan { at: Cycle::MAX, queue: FOR_REFRESH };

/// A read that shares the data of another read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merged {
    pub(super) index: u64,
    pub(super) accept: Cycle,
    pub(super) next: u32,
}

/// Builds with debug assertions compare the lanes with the plain device at every command up to this cycle.
pub(super) const ALWAYS_COMPARED: Cycle = 20_000;

/// A channel: device, controller, queues.
#[derive(Clone, Debug)]
pub struct Channel {
    pub(super) number: u32,
    /// Follows all commands if debug assertions are on; otherwise used for shape and latencies only.
    pub(super) device: Device,
    pub(super) policy: Policy,
    pub(super) transactions: Transactions,
    pub(super) queues: ByBank<CommandQueue>,
    pub(super) waits: Waits,
    /// Whether the commands of a lone request are recorded instead of issued in the waits of all banks.
    pub(super) noting: bool,
    /// Command queues that are not empty, and those that have room.
    pub(super) occupied: u64,
    pub(super) room: u64,
    pub(super) in_queues: u32,
    /// Position of the round robin over the command queues.
    pub(super) pointer: usize,
    /// Writes that the present drain still has to move.
    pub(super) draining: u32,
    pub(super) refresh: RefreshClock,
    pub(super) plan: Plan,
    /// Whether the next clock moves a transaction, or begins or ends a drain of writes.
    pub(super) moves: bool,
    pub(super) next_tick: Cycle,
    /// Most requests that a row serves while another row is requested.
    pub(super) row_hit_cap: RowHitCap,
    pub(super) rows: ByBank<RowState>,
    /// Bit set of the banks with an open row.
    pub(super) open_banks: u64,
    pub(super) merged: Vec<Merged>,
    /// By rank: the number of open rows, and since when.
    pub(super) open_rows: ByBank<(u32, Cycle)>,
    pub(super) last: LastColumn,
    pub(super) statistics: ChannelStatistics,
}

/// The previous column command.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastColumn {
    pub(super) issued: Cycle,
    pub(super) data_cycles: Cycle,
    pub(super) data_end: Cycle,
    pub(super) write: bool,
    /// Bus cycles since then without a request.
    pub(super) idle: Cycle,
    /// When the first request after them arrived.
    pub(super) woke: Cycle,
}

impl Channel {
    /// Returns an idle channel.
    ///
    /// # Panics
    ///
    /// If the device has more than 64 banks or the policy's queues do not fit (see [`Policy`]).
    pub fn new(number: u32, device: Device, policy: Policy) -> Self {
        let organization = *device.organization();
        let banks = organization.banks as usize;
        let count = if policy.scheduler == Scheduler::Fcfs { 1 } else { banks };
        assert!(banks <= BANKS, "a channel has at most 64 banks");
        assert!(
            (1..=MAX_COMMAND_QUEUE as u32).contains(&policy.command_queue) && policy.transaction_queue > 0
        );
        assert!(policy.scheduler != Scheduler::Fcfs || policy.command_queue == 1, "FCFS takes one at a time");
        let all = u64::MAX >> (64 - count);
        let capacity = 2 * policy.transaction_queue as usize + count * policy.command_queue as usize;
        let refresh = RefreshClock::new(policy.refresh, &organization);
        Self {
            number,
            transactions: Transactions::new(capacity),
            queues: ByBank::new(|bank| CommandQueue::new(bank as u32)),
            waits: Waits::new(&device),
            noting: false,
            occupied: 0,
            room: all,
            in_queues: 0,
            pointer: 0,
            draining: 0,
            plan: NEVER,
            moves: false,
            next_tick: refresh.due,
            refresh,
            row_hit_cap: policy.row_hit_cap.unwrap_or(RowHitCap { accesses: u32::MAX, strict: false }),
            rows: ByBank::new(|bank| RowState {
                rank: organization.rank(bank as u32),
                ..RowState::default()
            }),
            open_banks: 0,
            merged: Vec::new(),
            open_rows: ByBank::new(|_| (0, 0)),
            last: LastColumn::default(),
            statistics: ChannelStatistics {
                banks: vec![BankStatistics::default(); banks],
                ..ChannelStatistics::default()
            },
            device,
            policy,
        }
    }

    /// Returns the counters since the start.
    pub fn statistics(&self) -> &ChannelStatistics {
        &self.statistics
    }

    /// Returns the next clock with an action, if no request arrives before.
    #[inline]
    pub fn next_tick(&self) -> Cycle {
        self.next_tick
    }

    /// Returns whether only refreshes happen without another request.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.in_queues == 0 && !self.moves
    }

    /// Returns whether the transaction queue for reads, or writes, has room.
    #[inline]
    pub fn has_room(&self, write: bool) -> bool {
        self.transactions.len(self.kind(write)) < self.policy.transaction_queue
    }

    #[inline]
    pub(super) fn kind(&self, write: bool) -> usize {
        if write && self.policy.writes != Writes::Unified { WRITES } else { READS }
    }

    #[inline]
    pub(super) fn queue_of(&self, bank: u32) -> usize {
        if self.policy.scheduler == Scheduler::Fcfs { 0 } else { bank as usize }
    }

    /// Accepts a request; there must be room for it. `at` is the clock after the one in which it is handed
    /// over.
    #[inline(never)]
    pub fn accept(&mut self, transaction: &Transaction, at: Cycle, observer: &mut impl Observer) {
        if let Some(id) = self.take_in(transaction, at, observer) {
            let Transaction { bank, write, .. } = *transaction;
            self.transactions.push(self.kind(write), self.queue_of(bank), id);
            self.moves = self.would_move();
            if self.moves {
                self.next_tick = self.next_tick.min(at);
            }
        }
    }

    /// As `accept`, if no other request is handed over in this clock or before clock `until`. Actions that are
    /// certain happen at once.
    #[inline(always)]
    pub fn accept_before(
        &mut self,
        until: Cycle,
        transaction: &Transaction,
        at: Cycle,
        observer: &mut impl Observer,
    ) {
        // In a calm channel, nothing else happens in clock `at`.
        let calm = self.next_tick > at && self.policy.writes == Writes::Unified;
        let others = self.outstanding() > 0 || self.refresh.front().is_some();
        if !calm {
            self.accept(transaction, at, observer);
        } else if others || until <= at || self.policy.dual_issue {
            self.take_up(transaction, at, observer);
        } else {
            self.serve_alone(until.min(self.refresh.due), transaction, at, observer);
        }
    }

    /// Accepts a request if nothing else happens in clock `at`: it moves to its command queue in that clock, if
    /// the queue has room.
    #[inline(never)]
    pub(super) fn take_up(&mut self, transaction: &Transaction, at: Cycle, observer: &mut impl Observer) {
        let Some(id) = self.take_in(transaction, at, observer) else { return };
        let queue = self.queue_of(transaction.bank);
        if self.room >> queue & 1 == 0 {
            self.transactions.push(READS, queue, id);
        } else if self.put(queue, id) {
            self.end_notes();
            self.revise(queue, at + 1);
            self.next_tick = self.plan.at.min(self.refresh.due);
        }
    }

    /// Puts a request in the pool, if it needs a transfer of its own.
    #[inline(always)]
    pub(super) fn take_in(
        &mut self,
        transaction: &Transaction,
        at: Cycle,
        observer: &mut impl Observer,
    ) -> Option<u16> {
        let Transaction { index, block, bank, write, .. } = *transaction;
        self.statistics.accepted[usize::from(write)] += 1;
        if self.transactions.may_hold(block) && self.shares(transaction, at, observer) {
            return None;
        }
        debug_assert!(self.has_room(write), "request {index} accepted without room");
        if self.outstanding() == 0 {
            self.wake(at);
        }
        let refreshed = self.rows[bank as usize].refreshed_until(at);
        Some(self.transactions.hold(transaction, at, refreshed))
    }

    /// Serves a request that arrives at a channel without others. All its clocks are known: it is accepted in
    /// `at`, and then the commands that it needs issue one after another. From clock `until` on, the channel
    /// works as usual.
    #[inline(never)]
    pub(super) fn serve_alone(
        &mut self,
        until: Cycle,
        transaction: &Transaction,
        at: Cycle,
        observer: &mut impl Observer,
    ) {
        let Transaction { bank, row, column, write, .. } = *transaction;
        self.statistics.accepted[usize::from(write)] += 1;
        self.wake(at);
        let can_note = self.policy.page != Page::Closed && self.waits.can_note(at);
        if !can_note {
            self.end_notes();
        }
        self.noting = can_note;
        let slot = Slot::alone(transaction, at, self.rows[bank as usize].refreshed_until(at));
        let queue = self.queue_of(bank);
        let mut from = at + 1;
        if self.rows[bank as usize].open.is_some_and(|open| open != row) {
            let now = self.earliest_alone(Command::Precharge, bank).0.max(from);
            if now >= until {
                return self.leave_in_queue(transaction, at, from);
            }
            self.pointer = queue;
            self.close(bank, Some((row, column)), now, observer);
            from = now + 1;
        }
        if self.rows[bank as usize].open.is_none() {
            let earliest = self.earliest_alone(Command::Activate, bank);
            let now = earliest.0.max(from);
            if now >= until {
                return self.leave_in_queue(transaction, at, from);
            }
            self.pointer = queue;
            self.open(bank, (row, column), earliest, now, observer);
            from = now + 1;
        }
        let (all, of_bank) = self.earliest_alone(if write { Command::Write } else { Command::Read }, bank);
        let now = all.max(from);
        if now >= until {
            return self.leave_in_queue(transaction, at, from);
        }
        self.pointer = queue;
        self.transfer(&slot, self.policy.page == Page::Closed, of_bank, now, observer);
    }

    /// Returns since when the whole table, and since when the bank alone, permits a command of a lone request.
    #[inline(always)]
    fn earliest_alone(&self, command: Command, bank: u32) -> (Cycle, Cycle) {
        match self.noting {
            true => self.waits.earliest_by_notes(command, bank),
            false => (self.waits.earliest(command, bank), self.waits.earliest_of_bank(command, bank)),
        }
    }

    /// Issues the recorded commands in the waits of all banks.
    #[inline(always)]
    pub(super) fn end_notes(&mut self) {
        if self.noting {
            self.noting = false;
            self.waits.catch_up();
        }
    }

    /// Puts a request that was accepted at `at` in its command queue, which may continue in clock `from`.
    #[cold]
    pub(super) fn leave_in_queue(&mut self, transaction: &Transaction, at: Cycle, from: Cycle) {
        self.end_notes();
        let Transaction { bank, .. } = *transaction;
        let refreshed = self.rows[bank as usize].refreshed_until(at);
        let id = self.transactions.hold(transaction, at, refreshed);
        self.put(self.queue_of(bank), id);
        self.plan = self.make_plan(from);
        self.next_tick = self.plan.at.min(self.refresh.due);
    }

    /// Ends an idle time with its first request.
    #[inline]
    pub(super) fn wake(&mut self, at: Cycle) {
        self.last.idle = (at - self.last.issued).saturating_sub(self.last.data_cycles);
        self.last.woke = at;
    }

    /// Returns whether the request needs no transfer of its own: a write to its address is pending, or a read
    /// for a read.
    #[cold]
    pub(super) fn shares(
        &mut self,
        transaction: &Transaction,
        at: Cycle,
        observer: &mut impl Observer,
    ) -> bool {
        let Transaction { index, block, bank, write, .. } = *transaction;
        if self.pending(bank, block, true).is_some() {
            let complete = if write { None } else { Some(at + 1) };
            if write {
                self.statistics.merged_writes += 1;
            } else {
                self.statistics.forwarded += 1;
                self.statistics.latency[READS].record(1);
            }
            let queue = Cycle::from(!write);
            observer.outcome(index, &Outcome { accept: at, complete, queue, bank: 0, bus: 0, refresh: 0 });
            return true;
        }
        let earlier = if write { None } else { self.pending(bank, block, false) };
        let Some(earlier) = earlier else { return false };
        self.statistics.merged_reads += 1;
        let slot = self.transactions.slot_mut(earlier);
        self.merged.push(Merged { index, accept: at, next: slot.merged });
        slot.merged = (self.merged.len() - 1) as u32;
        true
    }

    /// Returns the pending request of this address and direction.
    pub(super) fn pending(&self, bank: u32, block: u64, write: bool) -> Option<u16> {
        let queue = self.queue_of(bank);
        let same = |id: &u16| {
            let t = &self.transactions.slot(*id).transaction;
            t.block == block && t.write == write
        };
        let issuing = self.queues[queue].slots().iter().copied().find(same);
        issuing.or_else(|| self.transactions.find(self.kind(write), queue, block, write))
    }

    #[inline]
    pub(super) fn outstanding(&self) -> u32 {
        self.in_queues + self.transactions.len(READS) + self.transactions.len(WRITES)
    }

    /// Performs all actions of clock `now`. Clocks before [`Channel::next_tick`] may be skipped.
    #[inline(never)]
    pub fn tick(&mut self, now: Cycle, observer: &mut impl Observer) {
        self.end_notes();
        if now == self.refresh.due {
            self.fall_due(now);
        }
        let issues = self.plan.at <= now;
        // Row commands do not change which transactions can move.
        let may_move = (issues && self.issue(now, observer)) || self.moves;
        let moved = if may_move { self.move_one() } else { None };
        if issues {
            self.plan = self.make_plan(now + 1);
        } else if let Some(queue) = moved {
            self.revise(queue, now + 1);
        }
        if may_move {
            self.moves = self.would_move();
        }
        self.next_tick = if self.moves { now + 1 } else { self.plan.at.min(self.refresh.due) };
    }

    // ---- commands ----

    /// Returns the first clock from `from` on in which a command can issue, and its queue. Of several queues it
    /// is the first in the round after the one that issued last.
    #[inline(always)]
    pub(super) fn make_plan(&self, from: Cycle) -> Plan {
        match self.refresh.front() {
            None => self.plan_queues(0, from),
            Some(target) => self.plan_beside_refresh(target, from),
        }
    }

    #[cold]
    pub(super) fn plan_beside_refresh(&self, target: Target, from: Cycle) -> Plan {
        let plan = self.plan_queues(self.frozen(), from);
        let at = self.refresh_ready(target, from);
        if at <= plan.at { Plan { at, queue: FOR_REFRESH } } else { plan }
    }

    /// Updates the plan after a queue has accepted another request and requests another kind of command for it.
    #[inline]
    pub(super) fn revise(&mut self, queue: usize, from: Cycle) {
        if self.plan.queue == queue as u8 || self.refresh.front().is_some() {
            self.plan = self.make_plan(from);
            return;
        }
        let at = self.ready_at(queue).max(from);
        // On a tie, the round robin decides.
        match at.cmp(&self.plan.at) {
            Ordering::Less => self.plan = Plan { at, queue: queue as u8 },
            Ordering::Equal => self.plan = self.make_plan(from),
            Ordering::Greater => {}
        }
    }

    #[inline(always)]
    pub(super) fn plan_queues(&self, frozen: u64, from: Cycle) -> Plan {
        let among = self.occupied & !frozen;
        if among == 0 {
            return NEVER;
        }
        // A single command needs no choice.
        if among.is_power_of_two() {
            let queue = among.trailing_zeros();
            return Plan { at: self.ready_at(queue as usize).max(from), queue: queue as u8 };
        }
        let (at, queue) = self.waits.first(from, frozen, self.pointer);
        Plan { at, queue: queue as u8 }
    }

    /// Returns when a queue can issue its next command.
    #[inline]
    pub(super) fn ready_at(&self, queue: usize) -> Cycle {
        let CommandQueue { kinds, bank, .. } = self.queues[queue];
        if let Some(command) = kinds.single() {
            return self.waits.earliest(command, bank);
        }
        let wanted = Kinds::COMMANDS.into_iter().filter(|&command| kinds.has(command));
        wanted.map(|command| self.waits.earliest(command, bank)).min().unwrap_or(Cycle::MAX)
    }

    /// Returns the command that a ready queue issues, and the position of the request that it serves.
    #[inline]
    pub(super) fn choose(&self, queue: usize, now: Cycle) -> (Command, usize) {
        let q = &self.queues[queue];
        let command = q.kinds.single().unwrap_or_else(|| self.first_legal(q, now));
        let place = match command {
            Command::Read => q.read(),
            Command::Write => q.write(),
            _ => 0,
        };
        (command, place)
    }

    /// Returns the first of several kinds of commands to issue: that of the oldest request. A request for a
    /// precharge is always the oldest.
    pub(super) fn first_legal(&self, q: &CommandQueue, now: Cycle) -> Command {
        let legal = |&command: &Command| q.kinds.has(command) && self.waits.earliest(command, q.bank) <= now;
        let columns = match q.read() < q.write() {
            true => [Command::Read, Command::Write],
            false => [Command::Write, Command::Read],
        };
        let found = [Command::Precharge].into_iter().chain(columns).find(legal);
        found.unwrap_or_else(|| unreachable!("a queue was planned that is not ready"))
    }

    /// Ends the run: reports writes that were never sent to the DRAM, and closes the counters at the end of the last
    /// data of all channels.
    pub fn finish(&mut self, end: Cycle, observer: &mut impl Observer) {
        for slot in self.transactions.remaining(WRITES) {
            let never =
                Outcome { accept: slot.accept, complete: None, queue: 0, bank: 0, bus: 0, refresh: 0 };
            observer.outcome(slot.transaction.index, &never);
        }
        for &(open, since) in self.open_rows.iter() {
            if open > 0 {
                self.statistics.open_cycles += end.saturating_sub(since);
            }
        }
    }
}
