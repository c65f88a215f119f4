//! The controller: it serves one access after another, and prepares the next while one moves its data.

use super::policy::{BatchBreak, Policy, Precharge};
use super::statistics::Statistics;
use crate::channel::{RefreshClock, RefreshMode};
use crate::{Command, Cycle, Device, Location};
use std::collections::VecDeque;

/// Reads under [`Queues::OddEven`](super::policy::Queues::OddEven), served first.
pub(super) const FIRST: usize = 2;

/// One access: at most a cell, or a block of cells for the wide transfers of ADAPT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its bank and row.
    pub location: Location,
    /// Bytes to move.
    pub bytes: u32,
    /// Write (input side) or read (output side).
    pub write: bool,
    /// The next request of the same queue belongs to the same turn (the two halves of a 64-byte cell).
    pub more: bool,
    /// The caller's mark, which is returned in [`Done`].
    pub tag: u32,
}

/// An access whose data have been moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The request's mark.
    pub tag: u32,
    /// Whether it was a write.
    pub write: bool,
}

/// Observes every command; the default ignores them at no cost.
pub trait Observer {
    /// A command was issued to a bank at a cycle (`bytes` of a column access).
    #[inline]
    fn command(&mut self, _at: Cycle, _command: Command, _location: Location, _bytes: u32) {}

    /// Returns whether it observes every command, including the refreshes of long idle times, which are
    /// otherwise skipped.
    #[inline]
    fn sees_commands(&self) -> bool {
        true
    }

    /// Rounds of refreshes were skipped: a number of times for each of a number of ranks, or banks.
    #[inline]
    fn left_out(&mut self, _command: Command, _parts: u32, _rounds: u64) {}

    /// An access moved its data from `start` to `end`.
    #[inline]
    fn transfer(&mut self, _start: Cycle, _end: Cycle, _request: &Request) {}
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    #[inline]
    fn sees_commands(&self) -> bool {
        false
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    pub location: Location,
    bytes: u32,
    write: bool,
    more: bool,
    tag: u32,
    arrival: Cycle,
}

/// The access served last (or being served).
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub location: Location,
    pub queue: usize,
    /// The queue of odd or even banks served last, under `Queues::OddEven`.
    pub parity: usize,
    /// Consecutive turns of this queue.
    pub served: u32,
    /// Whether the next request of the queue belongs to the same turn.
    pub more: bool,
    write: bool,
}

/// A packet-buffer controller with its device.
#[derive(Clone, Debug)]
pub struct Controller<O: Observer = Silent> {
    pub(super) device: Device,
    pub(super) policy: Policy,
    pub(super) queues: [VecDeque<Queued>; 3],
    pub(super) last: Last,
    /// The access that moves its data: its mark and whether it is a write.
    current: Option<Done>,
    /// Destination of the next access, as observed when the current one was accepted.
    noticed: Option<Location>,
    /// The queue to serve next; valid until a queue gets a new head.
    next: Option<Option<usize>>,
    /// End of the data moved last.
    bus_free: Cycle,
    /// When it has something to do.
    wake: Option<Cycle>,
    refresh: RefreshClock,
    statistics: Statistics,
    observer: O,
}

const QUEUE_CAPACITY: usize = 256;

impl<O: Observer> Controller<O> {
    /// Returns an idle controller.
    pub fn new(device: Device, policy: Policy, observer: O) -> Self {
        let banks = device.organization().banks as usize;
        let nowhere = Location { bank: 0, row: 0 };
        Self {
            policy,
            queues: std::array::from_fn(|_| VecDeque::with_capacity(QUEUE_CAPACITY)),
            last: Last { location: nowhere, queue: 1, parity: 1, served: 0, more: false, write: false },
            current: None,
            noticed: None,
            next: None,
            bus_free: 0,
            wake: None,
            refresh: RefreshClock::new(RefreshMode::None, device.organization()),
            device,
            statistics: Statistics::of_banks(banks),
            observer,
        }
    }

    /// Returns the same controller, with refresh of its device.
    #[must_use]
    pub fn with_refresh(self, mode: RefreshMode) -> Self {
        Self { refresh: RefreshClock::new(mode, self.device.organization()), ..self }
    }

    /// Returns the next cycle in which [`Controller::wake`] has something to do.
    #[inline]
    pub fn next_wake(&self) -> Option<Cycle> {
        self.wake
    }

    /// Returns the counters since the last restart.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Discards the counters (the end of warm-up).
    pub fn restart_statistics(&mut self) {
        let banks = self.statistics.bank_data_cycles.len();
        self.statistics = Statistics::of_banks(banks);
    }

    /// Returns the observer.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// A request arrives in cycle `now`. A [`Controller::wake`] at `now` or later considers it first, so the
    /// order of calls within a cycle decides only the order within a queue.
    #[inline(always)]
    pub fn submit(&mut self, now: Cycle, request: Request) {
        let Request { location, bytes, write, more, tag } = request;
        let queue = self.queue_of(location.bank, write);
        self.queues[queue].push_back(Queued { location, bytes, write, more, tag, arrival: now });
        self.statistics.windows[usize::from(write)].reference(location);
        if self.queues[queue].len() == 1 {
            self.next = None;
        }
        if self.current.is_none() && self.wake.is_none() {
            self.wake = Some(now.max(self.bus_free));
        }
    }

    /// Completes the access that ends at `now`, if there is one, and begins the next.
    #[inline(always)]
    pub fn wake(&mut self, now: Cycle) -> Option<Done> {
        let done = self.current.take();
        if done.is_some() && self.policy.precharge == Precharge::Eager && !self.policy.ideal {
            self.precharge_eagerly(now);
        }
        self.wake = None;
        if now >= self.refresh.due {
            self.refresh(now);
        }
        let next = self.next.take().unwrap_or_else(|| self.next_queue());
        if let Some(queue) = next {
            self.begin(queue, now);
        }
        done
    }

    /// Serves the head of `queue`; `now` is not before the end of the last data.
    #[inline(always)]
    fn begin(&mut self, queue: usize, now: Cycle) {
        let Some(access) = self.queues[queue].pop_front() else {
            unreachable!("the arbiter chose an empty queue")
        };
        // A queue that continues because the other is empty begins a new batch.
        let same = queue == self.last.queue;
        let same_turn = same && self.last.more;
        let same_batch = same && (same_turn || self.batch_goes_on_with(access.location));
        let served = if same_batch { self.last.served + u32::from(!same_turn) } else { 1 };
        let turned = self.last.write != access.write;
        let parity = if queue == FIRST { self.last.parity } else { queue };
        self.last =
            Last { location: access.location, queue, parity, served, more: access.more, write: access.write };

        let (start, cycles, hit) = if self.policy.ideal {
            let latency = self.device.latency(column_command(access.write));
            let cycles = self.device.data_cycles(access.bytes);
            (self.bus_free.max(access.arrival + latency), cycles, true)
        } else {
            self.open_and_access(&access, now)
        };
        let end = start + cycles;
        self.count(&access, start, end, hit, turned, !same_batch);
        let request = Request {
            location: access.location,
            bytes: access.bytes,
            write: access.write,
            more: access.more,
            tag: access.tag,
        };
        self.observer.transfer(start, end, &request);
        self.bus_free = end;
        self.wake = Some(end);
        self.current = Some(Done { tag: access.tag, write: access.write });
        self.look_ahead(now);
    }

    /// Issues the commands that `access` needs. Returns the first cycle of its data, their cycles, and whether
    /// its row was open.
    #[inline(always)]
    fn open_and_access(&mut self, access: &Queued, now: Cycle) -> (Cycle, Cycle, bool) {
        let Location { bank, row } = access.location;
        let hit = self.device.is_open(bank, row);
        if !hit {
            if self.device.open_row(bank).is_some() {
                self.issue(Command::Precharge, access.location, 0, now);
            }
            self.issue(Command::Activate, access.location, 0, now);
        }
        let command = column_command(access.write);
        let latency = self.device.latency(command);
        let not_before = access.arrival.max(self.bus_free.saturating_sub(latency));
        let (at, cycles) = self.issue(command, access.location, access.bytes, not_before);
        (at + latency, cycles, hit)
    }

    /// Observes the destination of the next access and prepares its bank, as far as the policy permits.
    #[inline(always)]
    fn look_ahead(&mut self, now: Cycle) {
        if self.policy.ideal {
            return;
        }
        let next = self.next_queue();
        // A batch that ends at any miss depends on the rows that are opened meanwhile.
        self.next = (self.policy.batch_break == BatchBreak::SameBankMiss).then_some(next);
        self.noticed = next.and_then(|q| self.queues[q].front()).map(|next| next.location);
        let Some(location) = self.noticed else { return };
        let elsewhere = location.bank != self.last.location.bank;
        if self.policy.precharge == Precharge::Eager
            || !elsewhere
            || self.device.is_open(location.bank, location.row)
        {
            return;
        }
        if self.device.open_row(location.bank).is_some() {
            self.issue(Command::Precharge, location, 0, now);
        }
        if self.policy.prefetch {
            self.issue(Command::Activate, location, 0, now);
        }
    }

    /// Performs the refreshes that are due, each at its time or as soon after it as the table permits; one that
    /// was due in an idle time was issued then.
    #[cold]
    fn refresh(&mut self, now: Cycle) {
        let mut carried_out = 0;
        while self.refresh.due <= now {
            // After a round every row is closed, and all rounds are alike.
            if carried_out == self.refresh.parts() && !self.observer.sees_commands() {
                let rounds = self.refresh.skip_rounds(now);
                self.observer.left_out(self.refresh.command(), self.refresh.parts(), rounds);
            }
            carried_out += 1;
            let due = self.refresh.due;
            self.refresh.fall_due();
            while let Some(target) = self.refresh.front() {
                let banks = target.first_bank..target.first_bank + target.banks;
                for bank in banks.filter(|&bank| self.device.open_row(bank).is_some()).collect::<Vec<_>>() {
                    self.issue(Command::Precharge, Location { bank, row: 0 }, 0, due);
                }
                self.issue(target.command, Location { bank: target.first_bank, row: 0 }, 0, due);
                self.refresh.done();
            }
        }
        // The rows that the look-ahead found may have been closed.
        self.next = None;
        self.noticed = None;
    }

    /// Closes the bank whose data have just been moved, and any bank that stayed open for an access that did
    /// not come, unless the next access was observed to hit.
    #[inline]
    fn precharge_eagerly(&mut self, now: Cycle) {
        for bank in 0..self.device.organization().banks {
            let Some(row) = self.device.open_row(bank) else { continue };
            let location = Location { bank, row };
            if self.noticed != Some(location) {
                self.issue(Command::Precharge, location, 0, now);
            }
        }
    }

    /// Issues a command at the first legal cycle from `not_before` on. Returns that cycle and those of its
    /// data.
    #[inline(always)]
    fn issue(
        &mut self,
        command: Command,
        location: Location,
        bytes: u32,
        not_before: Cycle,
    ) -> (Cycle, Cycle) {
        let at = not_before.max(self.device.earliest(command, location.bank));
        let cycles = self.device.issue(command, location.bank, location.row, bytes, at);
        self.statistics.activates += u64::from(command == Command::Activate);
        self.statistics.precharges += u64::from(command == Command::Precharge);
        self.observer.command(at, command, location, bytes);
        (at, cycles)
    }

    #[inline(always)]
    fn count(&mut self, access: &Queued, start: Cycle, end: Cycle, hit: bool, turned: bool, new_batch: bool) {
        let s = &mut self.statistics;
        let side = usize::from(access.write);
        s.data_cycles[side] += end - start;
        s.bytes[side] += u64::from(access.bytes);
        s.accesses[side] += 1;
        s.batches[side] += u64::from(new_batch);
        s.bank_data_cycles[access.location.bank as usize] += end - start;
        let requested = access.arrival.max(self.bus_free);
        s.idle_cycles += requested - self.bus_free;
        let waited = start - requested;
        match hit && turned {
            true => s.turnaround_cycles += waited,
            false => s.row_wait_cycles += waited,
        }
    }
}

#[inline]
fn column_command(write: bool) -> Command {
    if write { Command::Write } else { Command::Read }
}
