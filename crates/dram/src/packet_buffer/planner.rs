//! A controller that begins accesses ahead of their time: fewer events for the same schedule.
//!
//! [`Controller`](super::Controller) is woken at the end of each access and chooses the next. That choice is often final
//! long before: a batch that has a next request of its own goes on, and a batch that is over yields to a queue that has
//! requests, whatever arrives meanwhile. The planner begins all accesses whose turn is final in one call and returns
//! their ends. It counts an access when its time has come, so that counters are exact at any instant.
//!
//! It serves one rule and one kind of part: queues of reads and writes with batches that end at a miss in the bank in
//! use, lazy precharge, no refresh; one rank, no windows, and a table of precharge, activate, column, and column end.
//! [`Planner::new`] returns `None` for all others. Property tests hold it to the controller, cycle for cycle.

use super::arbiter::{READS, WRITES};
use super::policy::{BatchBreak, Policy, Precharge, Queues};
use super::statistics::Statistics;
use super::{Done, Request};
use crate::device::{Device, Push};
use crate::{Command, Cycle, Location};
use std::collections::VecDeque;

const QUEUE_CAPACITY: usize = 256;

/// Accesses that are begun ahead in one call, at most.
const MOST_AHEAD: usize = 32;

#[derive(Clone, Copy, Debug)]
struct Queued {
    arrival: Cycle,
    location: Location,
    bytes: u32,
    tag: u32,
    more: bool,
}

#[derive(Clone, Copy, Debug)]
struct Bank {
    open: Option<u32>,
    /// Earliest cycles of its next commands; of columns, of reads and of writes.
    activate: Cycle,
    precharge: Cycle,
    column: [Cycle; 2],
}

/// Distances of the device's table, in cycles; pairs are of reads and of writes.
#[derive(Clone, Copy, Debug, Default)]
struct Distances {
    precharge_to_activate: Cycle,
    activate_to_precharge: Cycle,
    activate_to_column: [Cycle; 2],
    column_end_to_precharge: [Cycle; 2],
    /// From the end of the columns of the first index to columns of the second.
    column_end_to_column: [[Cycle; 2]; 2],
}

/// What an access adds to the counters when it begins.
#[derive(Clone, Copy, Debug)]
struct Counted {
    begun: Cycle,
    idle: Cycle,
    waited: Cycle,
    cycles: Cycle,
    bytes: u32,
    bank: u32,
    activates: u8,
    precharges: u8,
    write: bool,
    new_batch: bool,
    turned_hit: bool,
}

/// The access begun last.
#[derive(Clone, Copy, Debug)]
struct Last {
    location: Location,
    queue: usize,
    served: u32,
    more: bool,
}

/// Whose turn is next.
#[derive(Clone, Copy, Debug)]
enum Turn {
    /// A request that is yet to come may change it.
    Open(Option<usize>),
    /// Nothing can.
    Final(usize),
}

impl Turn {
    fn queue(self) -> Option<usize> {
        match self {
            Self::Open(queue) => queue,
            Self::Final(queue) => Some(queue),
        }
    }
}

/// A planning controller with its device.
#[derive(Clone, Debug)]
pub struct Planner {
    queues: [VecDeque<Queued>; 2],
    banks: Vec<Bank>,
    /// Earliest columns of the rank, of reads and of writes.
    column: [Cycle; 2],
    distances: Distances,
    latency: [Cycle; 2],
    cycle_bytes_shift: u32,
    batch: u32,
    prefetch: bool,
    last: Last,
    /// Whose turn is next, as long as no queue has got a new head since it was worked out.
    next: Option<Option<usize>>,
    /// End of the data of the access begun last.
    bus_free: Cycle,
    wake: Option<Cycle>,
    /// Accesses begun ahead, in order; those before `entered` are counted.
    ahead: Vec<Counted>,
    entered: usize,
    statistics: Statistics,
}

impl Planner {
    /// An idle planner, if the rules and the device are those that it serves.
    pub fn new(device: &Device, policy: &Policy, refreshes: bool) -> Option<Self> {
        let organization = device.organization();
        let cycle_bytes = organization.beat_bytes * organization.beats_per_cycle;
        let serves = policy.queues == Queues::ReadWrite
            && policy.batch > 0
            && policy.batch_break == BatchBreak::SameBankMiss
            && policy.precharge == Precharge::Lazy
            && !policy.ideal
            && !refreshes
            && organization.ranks == 1
            && device.windows.is_empty()
            && cycle_bytes.is_power_of_two();
        if !serves {
            return None;
        }
        let bank = Bank { open: None, activate: 0, precharge: 0, column: [0; 2] };
        let banks = organization.banks as usize;
        Some(Self {
            queues: std::array::from_fn(|_| VecDeque::with_capacity(QUEUE_CAPACITY)),
            banks: vec![bank; banks],
            column: [0; 2],
            distances: Distances::of(device)?,
            latency: [device.latency(Command::Read), device.latency(Command::Write)],
            cycle_bytes_shift: cycle_bytes.ilog2(),
            batch: policy.batch,
            prefetch: policy.prefetch,
            last: Last { location: Location { bank: 0, row: 0 }, queue: WRITES, served: 0, more: false },
            next: None,
            bus_free: 0,
            wake: None,
            ahead: Vec::with_capacity(MOST_AHEAD),
            entered: 0,
            statistics: Statistics { bank_data_cycles: vec![0; banks], ..Statistics::default() },
        })
    }

    /// The next cycle in which [`Planner::wake`] has something to do.
    #[inline(always)]
    pub fn next_wake(&self) -> Option<Cycle> {
        self.wake
    }

    /// Counters since the last restart, up to the last [`Planner::settle`].
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Forget what was counted before `now` (the end of warm-up).
    pub fn restart_statistics(&mut self, now: Cycle) {
        self.settle(now);
        let banks = self.statistics.bank_data_cycles.len();
        self.statistics = Statistics { bank_data_cycles: vec![0; banks], ..Statistics::default() };
    }

    /// A request arrives in cycle `now`, as in [`Controller::submit`](super::Controller::submit).
    #[inline(always)]
    pub fn submit(&mut self, now: Cycle, request: Request) {
        let Request { location, bytes, write, more, tag } = request;
        let queue = if write { WRITES } else { READS };
        self.queues[queue].push_back(Queued { arrival: now, location, bytes, tag, more });
        self.statistics.windows[queue].reference(location);
        if self.queues[queue].len() == 1 {
            self.next = None;
            if self.wake.is_none() {
                self.wake = Some(now.max(self.bus_free));
            }
        }
    }

    /// Begin the access that is due, and those behind it whose turn is final. Calls `done` with each and the cycle of its
    /// end.
    #[inline(always)]
    pub fn wake(&mut self, mut done: impl FnMut(Done, Cycle)) {
        let Some(now) = self.wake.take() else { return };
        self.settle(Cycle::MAX);
        let Some(mut queue) = self.next.take().unwrap_or_else(|| self.turn().queue()) else { return };
        let mut begun = now;
        loop {
            let (tag, counted, turn) = self.begin(queue, begun);
            self.ahead.push(counted);
            done(Done { tag, write: queue == WRITES }, self.bus_free);
            begun = self.bus_free;
            self.next = Some(turn.queue());
            match turn {
                Turn::Final(next) if self.ahead.len() < MOST_AHEAD && self.is_final_behind(next) => {
                    queue = next
                }
                _ => break,
            }
        }
        self.wake = Some(begun);
        // The first has begun now.
        self.settle(now + 1);
    }

    /// Count the accesses that have begun before `now`.
    #[inline(always)]
    pub fn settle(&mut self, now: Cycle) {
        while let Some(&counted) = self.ahead.get(self.entered) {
            if counted.begun >= now {
                return;
            }
            self.count(&counted);
            self.entered += 1;
        }
        self.ahead.clear();
        self.entered = 0;
    }

    /// Whose turn follows that of the access begun last.
    #[inline(always)]
    fn turn(&self) -> Turn {
        let last = self.last.queue;
        let other = 1 - last;
        if self.last.more {
            return Turn::Final(last);
        }
        match self.queues[last].front() {
            Some(head) if self.batch_goes_on_with(head.location) => Turn::Final(last),
            Some(_) if self.queues[other].is_empty() => Turn::Open(Some(last)),
            Some(_) => Turn::Final(other),
            // The other queue is next unless a request of this one comes that the batch goes on with.
            None => Turn::Open((!self.queues[other].is_empty()).then_some(other)),
        }
    }

    #[inline(always)]
    fn batch_goes_on_with(&self, head: Location) -> bool {
        let last = self.last.location;
        self.last.served < self.batch && (head.bank != last.bank || head.row == last.row)
    }

    /// Whether the turn behind the head of `next` is final, too: the bank of that access is prepared when `next` begins,
    /// so that `next` may begin ahead only where its successor is known.
    #[inline(always)]
    fn is_final_behind(&self, next: usize) -> bool {
        let Some(head) = self.queues[next].front() else { return false };
        if head.more {
            return true;
        }
        let Some(behind) = self.queues[next].get(1) else { return false };
        if !self.queues[1 - next].is_empty() {
            return true;
        }
        self.served_with(next, head.location) < self.batch
            && (behind.location.bank != head.location.bank || behind.location.row == head.location.row)
    }

    /// Requests of the batch, the head of `queue` included; 1 where it begins a new one.
    #[inline(always)]
    fn served_with(&self, queue: usize, head: Location) -> u32 {
        let same = queue == self.last.queue;
        match same && (self.last.more || self.batch_goes_on_with(head)) {
            true => self.last.served + u32::from(!self.last.more),
            false => 1,
        }
    }

    /// Serve the head of `queue` from cycle `now` on, which is not before the end of the data moved last. Returns its mark,
    /// what it counts, and whose turn follows.
    #[inline(always)]
    fn begin(&mut self, queue: usize, now: Cycle) -> (u32, Counted, Turn) {
        let Some(access) = self.queues[queue].pop_front() else {
            unreachable!("the turn is that of a queue with a request")
        };
        let Location { bank, row } = access.location;
        let same = queue == self.last.queue;
        let new_batch = !(same && (self.last.more || self.batch_goes_on_with(access.location)));
        let served = self.served_with(queue, access.location);
        let turned = self.last.queue != queue;
        self.last = Last { location: access.location, queue, served, more: access.more };

        let hit = self.banks[bank as usize].open == Some(row);
        let (mut activates, mut precharges) = (0, 0);
        if !hit {
            precharges += u8::from(self.precharge(bank, now));
            self.activate(access.location, now);
            activates += 1;
        }
        let latency = self.latency[queue];
        let cycles =
            Cycle::from((access.bytes + (1 << self.cycle_bytes_shift) - 1) >> self.cycle_bytes_shift);
        let prepared = &mut self.banks[bank as usize];
        let not_before = access.arrival.max(self.bus_free.saturating_sub(latency));
        let at = not_before.max(prepared.column[queue]).max(self.column[queue]);
        let columns_end = at + cycles;
        prepared.precharge =
            prepared.precharge.max(columns_end + self.distances.column_end_to_precharge[queue]);
        for (column, distance) in self.column.iter_mut().zip(self.distances.column_end_to_column[queue]) {
            *column = (*column).max(columns_end + distance);
        }
        let start = at + latency;
        let requested = access.arrival.max(self.bus_free);
        let idle = requested - self.bus_free;
        self.bus_free = start + cycles;

        let turn = self.turn();
        if let Some(next) = turn.queue().and_then(|queue| self.queues[queue].front()) {
            let Location { bank: next_bank, row: next_row } = next.location;
            if next_bank != bank && self.banks[next_bank as usize].open != Some(next_row) {
                precharges += u8::from(self.precharge(next_bank, now));
                if self.prefetch {
                    self.activate(Location { bank: next_bank, row: next_row }, now);
                    activates += 1;
                }
            }
        }
        let counted = Counted {
            begun: now,
            idle,
            waited: start - requested,
            cycles,
            bytes: access.bytes,
            bank,
            activates,
            precharges,
            write: queue == WRITES,
            new_batch,
            turned_hit: hit && turned,
        };
        (access.tag, counted, turn)
    }

    /// Close a bank as soon as possible from `now` on; returns whether a row was open.
    #[inline(always)]
    fn precharge(&mut self, bank: u32, now: Cycle) -> bool {
        let b = &mut self.banks[bank as usize];
        let was_open = b.open.take().is_some();
        if was_open {
            let at = now.max(b.precharge);
            b.activate = b.activate.max(at + self.distances.precharge_to_activate);
        }
        was_open
    }

    /// Open a row of a closed bank as soon as possible from `now` on.
    #[inline(always)]
    fn activate(&mut self, location: Location, now: Cycle) {
        let b = &mut self.banks[location.bank as usize];
        let at = now.max(b.activate);
        b.open = Some(location.row);
        b.precharge = b.precharge.max(at + self.distances.activate_to_precharge);
        for (column, distance) in b.column.iter_mut().zip(self.distances.activate_to_column) {
            *column = (*column).max(at + distance);
        }
    }

    #[inline(always)]
    fn count(&mut self, c: &Counted) {
        let s = &mut self.statistics;
        let side = usize::from(c.write);
        s.data_cycles[side] += c.cycles;
        s.bytes[side] += u64::from(c.bytes);
        s.accesses[side] += 1;
        s.batches[side] += u64::from(c.new_batch);
        s.bank_data_cycles[c.bank as usize] += c.cycles;
        s.idle_cycles += c.idle;
        s.activates += u64::from(c.activates);
        s.precharges += u64::from(c.precharges);
        match c.turned_hit {
            true => s.turnaround_cycles += c.waited,
            false => s.row_wait_cycles += c.waited,
        }
    }
}

impl Distances {
    /// Those of a device's table, if it has no others.
    fn of(device: &Device) -> Option<Self> {
        let mut found = Self::default();
        for before in [Command::Activate, Command::Precharge, Command::Read, Command::Write] {
            let pushes = &device.pushes[before as usize];
            if !pushes.in_group.is_empty() {
                return None;
            }
            let in_bank = pushes.in_bank.iter().map(|push| (true, push));
            let in_rank = pushes.in_rank.iter().map(|push| (false, push));
            for (in_bank, push) in in_bank.chain(in_rank) {
                found.enter(before, in_bank, push)?;
            }
        }
        Some(found)
    }

    fn enter(&mut self, before: Command, in_bank: bool, push: &Push) -> Option<()> {
        use Command::{Activate, Precharge, Read, Refresh, RefreshBank, Write};
        let after = Command::ALL[usize::from(push.after)];
        let side = |command: Command| usize::from(command == Write);
        let distance = match (before, after, in_bank, push.from_column_end) {
            // Refreshes do not come.
            (_, Refresh | RefreshBank, ..) => return Some(()),
            (Precharge, Activate, true, false) => &mut self.precharge_to_activate,
            (Activate, Precharge, true, false) => &mut self.activate_to_precharge,
            (Activate, Read | Write, true, false) => &mut self.activate_to_column[side(after)],
            (Read | Write, Precharge, true, true) => &mut self.column_end_to_precharge[side(before)],
            (Read | Write, Read | Write, false, true) => {
                &mut self.column_end_to_column[side(before)][side(after)]
            }
            _ => return None,
        };
        *distance = (*distance).max(Cycle::from(push.distance));
        Some(())
    }
}
