//! The controller of a channel: what happens in a clock, and in which clock something happens next.

use super::by_bank::{BANKS, ByBank};
use super::commands::{CommandQueue, Kinds, MAX_COMMAND_QUEUE};
use super::policy::{Page, Policy, Scheduler, Writes};
use super::refresh::{RefreshClock, Target};
use super::statistics::{BankStatistics, ChannelStatistics};
use super::transactions::{Slot, Transactions};
use super::waits::Waits;
use super::{Issued, Observer, Outcome, Transaction};
use crate::{Command, Cycle, Device};
use std::cmp::Ordering;

/// The kind of transaction queue that writes wait in, when they are apart; reads, and all requests otherwise, are 0.
const WRITES: usize = 1;
const READS: usize = 0;

/// What issues next, and when, if nothing else happens before.
#[derive(Clone, Copy, Debug)]
struct Plan {
    at: Cycle,
    /// The command queue, or [`FOR_REFRESH`].
    queue: u8,
}

/// In the place of a queue: a command of the refresh.
const FOR_REFRESH: u8 = u8::MAX;

const NEVER: Plan = Plan { at: Cycle::MAX, queue: FOR_REFRESH };

/// A bank: its row and the row's history, as far as statistics and the cap need it.
#[derive(Clone, Copy, Debug, Default)]
struct RowState {
    /// The open row.
    open: Option<u32>,
    rank: u32,
    /// Column commands since the row was opened.
    served: u32,
    /// When the first command that prepared it went out.
    prepared_from: Option<Cycle>,
    /// It took the place of another row.
    conflict: bool,
    /// Its activate waited for others of the rank.
    windowed: bool,
    /// Refresh of the bank: from falling due to the end of the last one, and the cycles of all of them.
    refresh_from: Cycle,
    refresh_until: Cycle,
    refreshing: bool,
    refreshed: Cycle,
}

impl RowState {
    /// Cycles lost to refresh up to `now`.
    fn refreshed_until(&self, now: Cycle) -> Cycle {
        match self.refreshing {
            true => self.refreshed + (now - self.refresh_from),
            false => self.refreshed - self.refresh_until.saturating_sub(now),
        }
    }

    /// Cycles of the last refresh between two points in time.
    fn refresh_between(&self, from: Cycle, until: Cycle) -> Cycle {
        let end = if self.refreshing { until } else { self.refresh_until.min(until) };
        end.saturating_sub(self.refresh_from.max(from))
    }
}

/// A read that shares the data of another.
#[derive(Clone, Copy, Debug)]
struct Merged {
    index: u64,
    accept: Cycle,
    next: u32,
}

/// Cycles in which builds with debug assertions compare the lanes with the plain device at every command.
const ALWAYS_COMPARED: Cycle = 20_000;

/// A channel: device, controller, queues.
#[derive(Clone, Debug)]
pub struct Channel {
    number: u32,
    /// Knows what commands do where debug assertions are on; its shape and latencies otherwise.
    device: Device,
    policy: Policy,
    transactions: Transactions,
    queues: ByBank<CommandQueue>,
    waits: Waits,
    /// Whether the commands of a request alone are noted, and not issued in the waits of all banks.
    noting: bool,
    /// Command queues that hold something, and those that have room.
    occupied: u64,
    room: u64,
    in_queues: u32,
    /// Where the round over the command queues stands.
    pointer: usize,
    /// Writes that the present drain still moves.
    draining: u32,
    refresh: RefreshClock,
    plan: Plan,
    /// Whether the next clock moves a transaction, or begins or ends a drain of writes.
    moves: bool,
    next_tick: Cycle,
    /// Requests that a row serves at most while another waits.
    row_hit_cap: u32,
    rows: ByBank<RowState>,
    /// Bit set of the banks with an open row.
    open_banks: u64,
    merged: Vec<Merged>,
    /// By rank: how many rows are open, and since when.
    open_rows: ByBank<(u32, Cycle)>,
    last: LastColumn,
    statistics: ChannelStatistics,
}

/// The column command before.
#[derive(Clone, Copy, Debug, Default)]
struct LastColumn {
    issued: Cycle,
    data_cycles: Cycle,
    data_end: Cycle,
    write: bool,
    /// Bus cycles since then in which there was no request.
    idle: Cycle,
    /// When the first request after them came.
    woke: Cycle,
}

impl Channel {
    /// An idle channel.
    ///
    /// # Panics
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
            row_hit_cap: policy.row_hit_cap.unwrap_or(u32::MAX),
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

    /// Counters since the start.
    pub fn statistics(&self) -> &ChannelStatistics {
        &self.statistics
    }

    /// The next clock in which something happens, if no request comes before.
    #[inline]
    pub fn next_tick(&self) -> Cycle {
        self.next_tick
    }

    /// Whether nothing will happen without another request, but for refreshes.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.in_queues == 0 && !self.moves
    }

    /// Whether the transaction queue for reads, or writes, has room.
    #[inline]
    pub fn has_room(&self, write: bool) -> bool {
        self.transactions.len(self.kind(write)) < self.policy.transaction_queue
    }

    #[inline]
    fn kind(&self, write: bool) -> usize {
        if write && self.policy.writes != Writes::Unified { WRITES } else { READS }
    }

    #[inline]
    fn queue_of(&self, bank: u32) -> usize {
        if self.policy.scheduler == Scheduler::Fcfs { 0 } else { bank as usize }
    }

    /// Take a request, which there must be room for. `at` is the clock after the one in which it is handed over.
    #[inline]
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

    /// The same, where no other request is handed over in this clock, nor before clock `until`. What is known to happen to the
    /// request is done at once.
    #[inline]
    pub fn accept_before(
        &mut self,
        until: Cycle,
        transaction: &Transaction,
        at: Cycle,
        observer: &mut impl Observer,
    ) {
        // Nothing else happens in clock `at`.
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

    /// Take a request in where nothing else happens in clock `at`: it moves to its command queue then, if that has room.
    #[inline]
    fn take_up(&mut self, transaction: &Transaction, at: Cycle, observer: &mut impl Observer) {
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

    /// Take a request into the pool, if it needs a transfer of its own.
    #[inline(always)]
    fn take_in(&mut self, transaction: &Transaction, at: Cycle, observer: &mut impl Observer) -> Option<u16> {
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

    /// Serve a request that comes to a channel without any other. What each clock would do is known: the request is taken
    /// up in `at`, and then the commands that it needs issue one after another. From clock `until` on, all is as usual.
    #[inline(never)]
    fn serve_alone(
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
        let access = if write { Command::Write } else { Command::Read };
        let mut from = at + 1;
        loop {
            let command = match self.rows[bank as usize].open {
                None => Command::Activate,
                Some(open) if open == row => access,
                Some(_) => Command::Precharge,
            };
            let earliest @ (all, of_bank) = match can_note {
                true => self.waits.earliest_by_notes(command, bank),
                false => (self.waits.earliest(command, bank), self.waits.earliest_of_bank(command, bank)),
            };
            let now = all.max(from);
            if now >= until {
                return self.leave_in_queue(transaction, at, from);
            }
            self.pointer = self.queue_of(bank);
            match command {
                Command::Activate => self.open(bank, (row, column), earliest, now, observer),
                Command::Precharge => self.close(bank, Some((row, column)), now, observer),
                _ => {
                    return self.transfer(&slot, self.policy.page == Page::Closed, of_bank, now, observer);
                }
            }
            from = now + 1;
        }
    }

    /// Let the waits of all banks know what has been noted.
    #[inline(always)]
    fn end_notes(&mut self) {
        if self.noting {
            self.noting = false;
            self.waits.catch_up();
        }
    }

    /// Put a request that was taken up at `at` into its command queue, which may go on in clock `from`.
    #[cold]
    fn leave_in_queue(&mut self, transaction: &Transaction, at: Cycle, from: Cycle) {
        self.end_notes();
        let Transaction { bank, .. } = *transaction;
        let refreshed = self.rows[bank as usize].refreshed_until(at);
        let id = self.transactions.hold(transaction, at, refreshed);
        self.put(self.queue_of(bank), id);
        self.plan = self.make_plan(from);
        self.next_tick = self.plan.at.min(self.refresh.due);
    }

    /// The first request after an idle time.
    #[inline]
    fn wake(&mut self, at: Cycle) {
        self.last.idle = (at - self.last.issued).saturating_sub(self.last.data_cycles);
        self.last.woke = at;
    }

    /// Whether the request needs no transfer of its own: a write waits to its address, or a read for a read.
    #[cold]
    fn shares(&mut self, transaction: &Transaction, at: Cycle, observer: &mut impl Observer) -> bool {
        let Transaction { index, block, bank, write, .. } = *transaction;
        if self.pending(bank, block, true).is_some() {
            let complete = if write { None } else { Some(at + 1) };
            if write {
                self.statistics.merged_writes += 1;
            } else {
                self.statistics.forwarded += 1;
                self.statistics.latency[READS].record(1);
                self.statistics.parts[READS][0] += 1;
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

    /// The pending request of this address and direction.
    fn pending(&self, bank: u32, block: u64, write: bool) -> Option<u16> {
        let queue = self.queue_of(bank);
        let same = |id: &u16| {
            let t = &self.transactions.slot(*id).transaction;
            t.block == block && t.write == write
        };
        let issuing = self.queues[queue].slots().iter().copied().find(same);
        issuing.or_else(|| self.transactions.find(self.kind(write), queue, block, write))
    }

    #[inline]
    fn outstanding(&self) -> u32 {
        self.in_queues + self.transactions.len(READS) + self.transactions.len(WRITES)
    }

    /// Everything that happens in clock `now`. Clocks before [`Channel::next_tick`] may be left out.
    #[inline(never)]
    pub fn tick(&mut self, now: Cycle, observer: &mut impl Observer) {
        self.end_notes();
        if now == self.refresh.due {
            self.fall_due(now);
        }
        let issues = self.plan.at <= now;
        // Commands to rows change nothing in what can move.
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

    // ---- refresh ----

    /// Counts the refreshes of a long idle time up to `until` without carrying them out, but for the last rounds: what happens
    /// from then on is the same. Does nothing while there is a request, a row is open, or a refresh is under way.
    #[cold]
    pub fn skip_refreshes(&mut self, until: Cycle) {
        if !self.is_idle() || self.refresh.front().is_some() || self.open_banks != 0 {
            return;
        }
        let rounds = self.refresh.skip_rounds(until);
        match self.refresh.command() {
            Command::Refresh => self.statistics.refreshes += rounds * u64::from(self.refresh.parts()),
            _ => self.statistics.banks.iter_mut().for_each(|bank| bank.refreshes += rounds),
        }
        self.next_tick = self.plan.at.min(self.refresh.due);
    }

    #[cold]
    fn fall_due(&mut self, now: Cycle) {
        self.refresh.fall_due();
        // Only the first of several is at work; the others begin to cost when it is done.
        if let Some(target) = self.refresh.front() {
            self.begin_refresh(target, now);
        }
        self.plan = self.make_plan(now);
    }

    fn begin_refresh(&mut self, target: Target, now: Cycle) {
        for bank in bits(target.mask()) {
            let row = &mut self.rows[bank as usize];
            if !row.refreshing {
                row.refreshing = true;
                row.refresh_from = now.max(row.refresh_until);
            }
        }
    }

    /// Command queues that may not issue.
    #[inline]
    fn frozen(&self) -> u64 {
        match self.refresh.front() {
            None => 0,
            Some(target) if self.policy.scheduler == Scheduler::Fcfs => {
                target.mask() >> self.queues[0].bank & 1
            }
            Some(target) => target.mask(),
        }
    }

    /// When, from clock `from` on, the refresh that is due could issue its next command.
    #[cold]
    fn refresh_ready(&self, target: Target, from: Cycle) -> Cycle {
        let mut first = Cycle::MAX;
        for bank in bits(self.open_banks & target.mask()) {
            first = first.min(self.waits.earliest(Command::Precharge, bank));
            // None is sooner.
            if first <= from {
                return from;
            }
        }
        match first {
            Cycle::MAX => self.waits.earliest(target.command, target.first_bank).max(from),
            first => first,
        }
    }

    #[cold]
    fn issue_for_refresh(&mut self, now: Cycle, observer: &mut impl Observer) {
        let Some(target) = self.refresh.front() else { return };
        let ready = |&bank: &u32| self.waits.earliest(Command::Precharge, bank) <= now;
        if let Some(bank) = bits(self.open_banks & target.mask()).find(ready) {
            self.statistics.banks[bank as usize].closed_for_refresh += 1;
            self.close(bank, None, now, observer);
            // With one queue for all banks its request may be to another.
            let queue = self.queue_of(bank);
            if self.queues[queue].bank == bank {
                self.waits.wish(queue, self.queues[queue].closed());
            }
            return;
        }
        self.send(target.command, target.first_bank, 0, 0, 0, now);
        let (command, bank) = (target.command, target.first_bank);
        observer.command(self.number, &Issued { at: now, command, bank, request: None, bytes: 0 });
        match target.command {
            Command::Refresh => self.statistics.refreshes += 1,
            _ => self.statistics.banks[target.first_bank as usize].refreshes += 1,
        }
        for bank in bits(target.mask()) {
            let end = self.waits.earliest(Command::Activate, bank).max(now);
            let row = &mut self.rows[bank as usize];
            row.refreshed += end - row.refresh_from;
            row.refresh_until = end;
            row.refreshing = false;
            row.prepared_from = None;
        }
        self.refresh.done();
        if let Some(next) = self.refresh.front() {
            self.begin_refresh(next, now);
        }
    }

    // ---- commands ----

    /// The first clock from `from` on in which a command can issue, and of which queue. Of several queues the first of
    /// the round after the one that issued last.
    #[inline(always)]
    fn make_plan(&self, from: Cycle) -> Plan {
        match self.refresh.front() {
            None => self.plan_queues(0, from),
            Some(target) => self.plan_beside_refresh(target, from),
        }
    }

    #[cold]
    fn plan_beside_refresh(&self, target: Target, from: Cycle) -> Plan {
        let plan = self.plan_queues(self.frozen(), from);
        let at = self.refresh_ready(target, from);
        if at <= plan.at { Plan { at, queue: FOR_REFRESH } } else { plan }
    }

    /// Work out the plan anew after a queue has got another request, and wants another kind of command for it.
    #[inline]
    fn revise(&mut self, queue: usize, from: Cycle) {
        if self.plan.queue == queue as u8 || self.refresh.front().is_some() {
            self.plan = self.make_plan(from);
            return;
        }
        let at = self.ready_at(queue).max(from);
        // Of two at the same time the round decides.
        match at.cmp(&self.plan.at) {
            Ordering::Less => self.plan = Plan { at, queue: queue as u8 },
            Ordering::Equal => self.plan = self.make_plan(from),
            Ordering::Greater => {}
        }
    }

    #[inline(always)]
    fn plan_queues(&self, frozen: u64, from: Cycle) -> Plan {
        let among = self.occupied & !frozen;
        if among == 0 {
            return NEVER;
        }
        // Of one there is nothing to choose.
        if among.is_power_of_two() {
            let queue = among.trailing_zeros();
            return Plan { at: self.ready_at(queue as usize).max(from), queue: queue as u8 };
        }
        let (at, queue) = self.waits.first(from, frozen, self.pointer);
        Plan { at, queue: queue as u8 }
    }

    /// When a queue could issue its next command.
    #[inline]
    fn ready_at(&self, queue: usize) -> Cycle {
        let CommandQueue { kinds, bank, .. } = self.queues[queue];
        if let Some(command) = kinds.single() {
            return self.waits.earliest(command, bank);
        }
        let wanted = Kinds::COMMANDS.into_iter().filter(|&command| kinds.has(command));
        wanted.map(|command| self.waits.earliest(command, bank)).min().unwrap_or(Cycle::MAX)
    }

    /// What a queue that is ready issues: the command, and the place of the request that it serves.
    #[inline]
    fn choose(&self, queue: usize, now: Cycle) -> (Command, usize) {
        let q = &self.queues[queue];
        let command = q.kinds.single().unwrap_or_else(|| self.first_legal(q, now));
        let place = match command {
            Command::Read => q.read(),
            Command::Write => q.write(),
            _ => 0,
        };
        (command, place)
    }

    /// Of several kinds of commands the one that goes first: that of the oldest request. One that wants the row closed is
    /// always the oldest.
    fn first_legal(&self, q: &CommandQueue, now: Cycle) -> Command {
        let legal = |&command: &Command| q.kinds.has(command) && self.waits.earliest(command, q.bank) <= now;
        let columns = match q.read() < q.write() {
            true => [Command::Read, Command::Write],
            false => [Command::Write, Command::Read],
        };
        let found = [Command::Precharge].into_iter().chain(columns).find(legal);
        found.unwrap_or_else(|| unreachable!("a queue was planned that is not ready"))
    }

    /// Issue what is planned. Returns whether a request has left its command queue.
    #[inline]
    fn issue(&mut self, now: Cycle, observer: &mut impl Observer) -> bool {
        let column = match self.plan.queue {
            FOR_REFRESH => {
                self.issue_for_refresh(now, observer);
                false
            }
            queue => {
                let queue = usize::from(queue);
                self.pointer = queue;
                let (command, place) = self.choose(queue, now);
                self.issue_from(queue, command, place, now, observer);
                command.is_column()
            }
        };
        if self.policy.dual_issue { self.issue_second(column, now, observer) } else { column }
    }

    /// Issue a row command after a column command, or the other way round. Returns whether either is a column command.
    #[cold]
    fn issue_second(&mut self, column: bool, now: Cycle, observer: &mut impl Observer) -> bool {
        let second = self.plan_queues(self.frozen(), now);
        if second.at > now {
            return column;
        }
        // The round moves on even if the command has to wait for the next clock.
        self.pointer = usize::from(second.queue);
        let (command, place) = self.choose(self.pointer, now);
        if command.is_column() == column {
            return column;
        }
        self.issue_from(self.pointer, command, place, now, observer);
        true
    }

    #[inline(always)]
    fn issue_from(
        &mut self,
        queue: usize,
        command: Command,
        place: usize,
        now: Cycle,
        observer: &mut impl Observer,
    ) {
        let q = &self.queues[queue];
        let bank = q.bank;
        match command {
            Command::Activate => {
                let request @ (row, _) = self.transactions.place(q.oldest());
                let earliest = (
                    self.waits.earliest(Command::Activate, bank),
                    self.waits.earliest_of_bank(Command::Activate, bank),
                );
                self.open(bank, request, earliest, now, observer);
                self.queues[queue].opened(row);
            }
            Command::Precharge => {
                self.close(bank, Some(self.transactions.place(q.oldest())), now, observer);
                return self.waits.wish(queue, self.queues[queue].closed());
            }
            _ => self.access(queue, place, now, observer),
        }
        self.consider(queue);
    }

    /// Open the row of a request. `earliest` says since when all, and since when the bank alone, has allowed it.
    #[inline(always)]
    fn open(
        &mut self,
        bank: u32,
        request: (u32, u32),
        (earliest, of_bank): (Cycle, Cycle),
        now: Cycle,
        observer: &mut impl Observer,
    ) {
        let state = &mut self.rows[bank as usize];
        state.open = Some(request.0);
        state.served = 0;
        state.windowed = of_bank < now && earliest == now;
        state.conflict = state.prepared_from.is_some();
        state.prepared_from.get_or_insert(now);
        let (open, since) = &mut self.open_rows[state.rank as usize];
        if *open == 0 {
            *since = now;
        }
        *open += 1;
        self.open_banks |= 1 << bank;
        self.send(Command::Activate, bank, request.0, 0, 0, now);
        self.tell(Command::Activate, bank, Some(request), 0, now, observer);
        self.statistics.banks[bank as usize].activates += 1;
    }

    /// Close the row of a bank, for a request or none.
    #[inline(always)]
    fn close(&mut self, bank: u32, request: Option<(u32, u32)>, now: Cycle, observer: &mut impl Observer) {
        self.send(Command::Precharge, bank, 0, 0, 0, now);
        self.tell(Command::Precharge, bank, request, 0, now, observer);
        self.rows[bank as usize].prepared_from = Some(now);
        self.statistics.banks[bank as usize].precharges += 1;
        self.closed(bank, now);
    }

    /// A bank has been closed.
    #[inline]
    fn closed(&mut self, bank: u32, now: Cycle) {
        let state = &mut self.rows[bank as usize];
        state.open = None;
        self.open_banks &= !(1 << bank);
        let (open, since) = &mut self.open_rows[state.rank as usize];
        *open -= 1;
        if *open == 0 {
            self.statistics.open_cycles += now - *since;
        }
    }

    /// Work out anew what a queue wants. Returns whether it wants other kinds of commands than before.
    #[inline(always)]
    fn consider(&mut self, queue: usize) -> bool {
        let q = &mut self.queues[queue];
        let row = &self.rows[q.bank as usize];
        let capped = row.served >= self.row_hit_cap;
        let changed = q.consider(row.open.is_some(), capped, &self.transactions);
        if changed {
            self.waits.wish(queue, q.kinds);
        }
        changed
    }

    /// A command goes out; a column command moves so many bytes in so many cycles.
    #[inline(always)]
    fn send(&mut self, command: Command, bank: u32, row: u32, bytes: u32, columns: Cycle, now: Cycle) {
        if self.noting {
            self.waits.note(command, bank, columns, now);
        } else {
            self.waits.issue(command, bank, columns, now);
        }
        if cfg!(debug_assertions) {
            self.device.issue(command, bank, row, bytes, now);
            // What differs once goes on to differ: in long runs a look now and then finds it.
            if now < ALWAYS_COMPARED || now.is_multiple_of(16) {
                self.waits.compare(self.noting, &self.device, now);
            }
        }
    }

    /// Tell of a command for a request.
    #[inline(always)]
    fn tell(
        &self,
        command: Command,
        bank: u32,
        request: Option<(u32, u32)>,
        bytes: u32,
        at: Cycle,
        observer: &mut impl Observer,
    ) {
        if observer.sees_commands() {
            observer.command(self.number, &Issued { at, command, bank, request, bytes });
        }
    }

    /// Serve a request of a queue.
    #[inline(always)]
    fn access(&mut self, queue: usize, place: usize, now: Cycle, observer: &mut impl Observer) {
        let q = &mut self.queues[queue];
        let id = q.remove(place);
        self.in_queues -= 1;
        self.room |= 1 << queue;
        if q.len() == 0 {
            self.occupied &= !(1 << queue);
        }
        let auto = match self.policy.page {
            Page::Open => false,
            Page::Closed => true,
            Page::Adaptive => q.len() > 0 && q.misses(),
        };
        if auto {
            self.waits.wish(queue, q.closed());
        }
        let slot = *self.transactions.slot(id);
        self.transactions.release(id);
        let Transaction { bank, write, .. } = slot.transaction;
        // Asked for only of a request that its row was opened for.
        let row_ready = match self.rows[bank as usize].served {
            0 => self.waits.earliest_of_bank(if write { Command::Write } else { Command::Read }, bank),
            _ => now,
        };
        self.transfer(&slot, auto, row_ready, now, observer);
    }

    /// A column command, with auto-precharge or not. `row_ready` says since when the bank alone has allowed it.
    #[inline(always)]
    fn transfer(
        &mut self,
        slot: &Slot,
        auto: bool,
        row_ready: Cycle,
        now: Cycle,
        observer: &mut impl Observer,
    ) {
        let Transaction { bank, row, column, bytes, write, .. } = slot.transaction;
        let command = match (write, auto) {
            (false, false) => Command::Read,
            (false, true) => Command::ReadAuto,
            (true, false) => Command::Write,
            (true, true) => Command::WriteAuto,
        };
        let data_cycles = self.device.data_cycles(bytes);
        self.send(command, bank, row, bytes, data_cycles, now);
        self.tell(command, bank, Some((row, column)), bytes, now, observer);
        self.account(slot, data_cycles, row_ready, now, observer);
        let state = &mut self.rows[bank as usize];
        state.served += 1;
        state.prepared_from = None;
        if auto {
            self.statistics.auto_precharges[usize::from(write)] += 1;
            self.closed(bank, now);
        }
    }

    // ---- accounts ----

    /// Statistics of a column command, and the outcome of its request.
    #[inline(always)]
    fn account(
        &mut self,
        slot: &Slot,
        data_cycles: Cycle,
        row_ready: Cycle,
        now: Cycle,
        observer: &mut impl Observer,
    ) {
        let Transaction { index, bank, bytes, write, .. } = slot.transaction;
        let side = usize::from(write);
        let state = &self.rows[bank as usize];
        let start = now + self.device.latency(if write { Command::Write } else { Command::Read });
        let complete = start + data_cycles;
        // The latency of the request, in parts.
        let opener = state.served == 0;
        let (prepared, ready) = match state.prepared_from.filter(|_| opener) {
            Some(from) => {
                let from = from.max(slot.accept);
                (from, row_ready.clamp(from, now))
            }
            None => (now, now),
        };
        let waited = prepared - slot.accept;
        let refresh = waited.min(state.refreshed_until(now) - slot.refreshed);
        let outcome = Outcome {
            accept: slot.accept,
            complete: Some(complete),
            queue: waited - refresh,
            bank: ready - prepared,
            bus: complete - ready,
            refresh,
        };
        // The bus cycles since the last data.
        let gap = start.saturating_sub(self.last.data_end);
        let idle = gap.min(self.last.idle);
        let refreshed = (gap - idle).min(state.refresh_between(self.last.issued.max(self.last.woke), now));
        let rest = gap - idle - refreshed;
        let s = &mut self.statistics;
        s.lost.idle += idle;
        s.lost.refresh += refreshed;
        let cause = if opener && ready == now {
            match (state.windowed, state.conflict) {
                (true, _) => &mut s.lost.activate_window,
                (false, true) => &mut s.lost.bank_conflict,
                (false, false) => &mut s.lost.row_miss,
            }
        } else if write != self.last.write {
            &mut s.lost.turnaround
        } else {
            &mut s.lost.spacing
        };
        *cause += rest;
        self.last = LastColumn { issued: now, data_cycles, data_end: complete, write, idle: 0, woke: 0 };

        s.sent[side] += 1;
        s.bytes[side] += u64::from(bytes);
        s.data_cycles[side] += data_cycles;
        s.end = s.end.max(complete);
        s.end_of[side] = complete;
        s.latency[side].record(complete - slot.accept);
        let parts = [outcome.queue, outcome.bank, outcome.bus, outcome.refresh];
        s.parts[side].iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        let bank = &mut s.banks[bank as usize];
        bank.data_cycles += data_cycles;
        *(if write { &mut bank.writes } else { &mut bank.reads }) += 1;
        if observer.sees_requests() {
            observer.outcome(index, &outcome);
        }
        let mut next = slot.merged;
        while let Some(&Merged { index, accept, next: more }) = self.merged.get(next as usize) {
            let (queue, bus) = (now - accept.min(now), complete - accept.max(now));
            let s = &mut self.statistics;
            s.latency[READS].record(complete - accept);
            s.parts[READS][0] += queue;
            s.parts[READS][2] += bus;
            let complete = Some(complete);
            observer.outcome(index, &Outcome { accept, complete, queue, bank: 0, bus, refresh: 0 });
            next = more;
        }
    }

    // ---- from transaction queues to command queues ----

    /// Whether the next clock moves a transaction, or begins or ends a drain of writes.
    #[inline(always)]
    fn would_move(&self) -> bool {
        let Writes::Split { high, idle, .. } = self.policy.writes else {
            return self.transactions.waiting(READS) & self.room != 0;
        };
        let starts = self.draining == 0 && self.starts_draining(high, idle);
        if self.draining == 0 && !starts {
            return self.transactions.waiting(READS) & self.room != 0;
        }
        match self.transactions.oldest(WRITES, self.room) {
            None => starts,
            Some((queue, id)) if starts => !self.waits_for_read(queue, id) || self.is_stuck(),
            Some(_) => true,
        }
    }

    fn starts_draining(&self, high: u32, idle: u32) -> bool {
        let writes = self.transactions.len(WRITES);
        writes >= high || (writes > idle && self.in_queues == 0)
    }

    fn waits_for_read(&self, queue: usize, write: u16) -> bool {
        let block = self.transactions.slot(write).transaction.block;
        let issuing = self.queues[queue].slots().iter().any(|&id| {
            let t = &self.transactions.slot(id).transaction;
            t.block == block && !t.write
        });
        issuing || self.transactions.find(READS, queue, block, false).is_some()
    }

    /// A write that waits for a read which waits for the writes: without this way out nothing would ever move again.
    fn is_stuck(&self) -> bool {
        self.in_queues == 0 && self.transactions.len(READS) > 0
    }

    /// Move the oldest transaction whose command queue has room. Returns that queue if it then wants another kind of
    /// command.
    #[inline(always)]
    fn move_one(&mut self) -> Option<usize> {
        if let Writes::Split { high, low, idle } = self.policy.writes {
            if self.draining == 0 && self.starts_draining(high, idle) {
                let writes = self.transactions.len(WRITES);
                self.draining = if writes >= high && writes > low { writes - low } else { writes };
            }
            if self.draining > 0 {
                let (queue, id) = self.transactions.oldest(WRITES, self.room)?;
                if !self.waits_for_read(queue, id) {
                    self.draining -= 1;
                    return self.move_from(WRITES, queue, id);
                }
                self.draining = 0;
                if !self.is_stuck() {
                    return None;
                }
            }
        }
        let (queue, id) = self.transactions.oldest(READS, self.room)?;
        self.move_from(READS, queue, id)
    }

    #[inline(always)]
    fn move_from(&mut self, kind: usize, queue: usize, id: u16) -> Option<usize> {
        self.transactions.take(kind, queue);
        self.put(queue, id).then_some(queue)
    }

    /// Put a request into a command queue. Returns whether that wants other kinds of commands than before.
    #[inline(always)]
    fn put(&mut self, queue: usize, id: u16) -> bool {
        let Transaction { row, bank, write, .. } = self.transactions.slot(id).transaction;
        let q = &mut self.queues[queue];
        let matters = q.push(id, row, write, self.rows[bank as usize].open);
        q.bank = bank;
        if q.len() == self.policy.command_queue {
            self.room &= !(1 << queue);
        }
        self.occupied |= 1 << queue;
        self.in_queues += 1;
        matters && self.consider(queue)
    }

    /// No more requests will come: tell what never went to the DRAM, and end the accounts at the last data.
    pub fn finish(&mut self, observer: &mut impl Observer) {
        for slot in self.transactions.remaining(WRITES) {
            let never =
                Outcome { accept: slot.accept, complete: None, queue: 0, bank: 0, bus: 0, refresh: 0 };
            observer.outcome(slot.transaction.index, &never);
        }
        for &(open, since) in self.open_rows.iter() {
            if open > 0 {
                self.statistics.open_cycles += self.statistics.end.saturating_sub(since);
            }
        }
    }

    /// Writes that wait and will not be sent without further requests.
    pub fn writes_left(&self) -> u32 {
        self.transactions.len(WRITES)
    }
}

/// The numbers of the bits that are set.
#[inline]
fn bits(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros());
        set &= set.wrapping_sub(1);
        bit
    })
}
