//! A controller that begins accesses ahead of time: fewer events for the same schedule.
//!
//! [`Controller`](super::Controller) wakes at the end of each access and selects the next. That choice is often
//! final long before. A batch with a next request continues, and a batch that is over yields to a queue that
//! has requests, whatever arrives meanwhile. The planner begins all accesses whose turn is final in one call
//! and returns their ends. A reader of counters states the time, and the counters leave out accesses after it.
//!
//! It serves one rule and one kind of part: queues of reads and writes with batches that end at a miss in the
//! bank in use, lazy precharge, no refresh; one rank, no windows, and a table of precharge, activate, column,
//! and column end. [`Planner::new`] returns `None` for all others. Property tests compare it with the
//! controller, cycle for cycle.

use super::Request;
use super::arbiter::{READS, WRITES};
use super::policy::{BatchBreak, Policy, Precharge, Queues};
use super::statistics::Statistics;
use crate::device::{Device, Push};
use crate::{Command, Cycle};
use linecard_sim::Ring;

const QUEUE_CAPACITY: usize = 256;

/// Most accesses that one call begins; a power of two.
const MOST_AHEAD: usize = 32;

/// Most banks.
const BANKS: usize = 64;

/// No wake-up is scheduled.
const NEVER: Cycle = Cycle::MAX;
/// No row is open.
const CLOSED: u32 = u32::MAX;

/// Consecutive accesses in a row of a bank.
#[derive(Clone, Copy, Debug, Default)]
struct Queued {
    arrival: Cycle,
    entered: u64,
    row: u32,
    /// Bytes of each but the last, and of the last.
    bytes: u32,
    last_bytes: u32,
    tag: u32,
    bank: u16,
    count: u16,
    more: bool,
}

#[derive(Clone, Copy, Debug)]
struct Bank {
    row: u32,
    /// The cycle in which its row was opened, and the earliest cycles of its next commands.
    opened: Cycle,
    activate: Cycle,
    precharge: Cycle,
}

/// Distances of the device's table, in cycles; pairs are of reads and of writes.
#[derive(Clone, Copy, Debug, Default)]
struct Distances {
    precharge_to_activate: Cycle,
    activate_to_precharge: Cycle,
    activate_to_column: [Cycle; 2],
    column_end_to_precharge: [Cycle; 2],
    /// From the end of the columns of the first index to columns of the second, whose data follow.
    column_end_to_column: [[Cycle; 2]; 2],
}

/// An access that has begun, and its share of the counters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Begun {
    /// The cycle in which its data end.
    pub end: Cycle,
    /// The value that was submitted with it.
    pub entered: u64,
    /// Its mark ([`Request::tag`]).
    pub tag: u32,
    /// Whether it is the last of those submitted together.
    pub is_last: bool,
    write: bool,
    new_batch: bool,
    turned_hit: bool,
    idle: Cycle,
    waited: u32,
    cycles: u32,
    bytes: u32,
    bank: u16,
    activates: u8,
    precharges: u8,
}

/// The access that began last.
#[derive(Clone, Copy, Debug)]
struct Last {
    bank: u16,
    row: u32,
    side: usize,
    served: u32,
    more: bool,
}

/// The next turn: its queue in the lowest bit, and flags.
type Turn = u8;
/// No queue has a request.
const NOBODY: Turn = 2;
/// Not known yet.
const UNKNOWN: Turn = 4;
/// No later request can change it.
const FINAL: Turn = 8;
/// It continues the batch of the access that began last.
const CONTINUES: Turn = 16;

/// A planning controller with its device.
#[derive(Clone, Debug)]
pub struct Planner {
    queues: [Ring<Queued>; 2],
    banks: [Bank; BANKS],
    bank_count: usize,
    /// Earliest columns of the rank, for reads and for writes.
    column: [Cycle; 2],
    distances: Distances,
    latency: [Cycle; 2],
    /// Bytes that the bus moves in a cycle, as a power of two, and that less one.
    cycle_bytes_shift: u32,
    cycle_bytes_mask: u32,
    batch: u32,
    prefetch: bool,
    last: Last,
    /// The next turn; valid until a queue gets a new head.
    next: Turn,
    /// End of the data of the access that began last.
    bus_free: Cycle,
    wake: Cycle,
    /// The last wake-up, and the accesses that began in it, in order; all but the first began ahead of time.
    woken: Cycle,
    begun: [Begun; MOST_AHEAD],
    count: usize,
    /// Of these, the first that the counters do not need: they were discarded.
    discarded: usize,
    /// Counters of accesses before the last wake-up.
    statistics: Statistics,
}

impl Planner {
    /// Returns an idle planner, if it supports the rules and the device.
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
            && organization.banks as usize <= BANKS
            && device.windows.is_empty()
            && cycle_bytes.is_power_of_two();
        if !serves {
            return None;
        }
        let bank = Bank { row: CLOSED, opened: 0, activate: 0, precharge: 0 };
        let banks = organization.banks as usize;
        Some(Self {
            queues: std::array::from_fn(|_| Ring::new(QUEUE_CAPACITY)),
            banks: [bank; BANKS],
            bank_count: banks,
            column: [0; 2],
            distances: Distances::of(device)?,
            latency: [device.latency(Command::Read), device.latency(Command::Write)],
            cycle_bytes_shift: cycle_bytes.ilog2(),
            cycle_bytes_mask: cycle_bytes - 1,
            batch: policy.batch,
            prefetch: policy.prefetch,
            last: Last { bank: 0, row: 0, side: WRITES, served: 0, more: false },
            next: UNKNOWN,
            bus_free: 0,
            wake: NEVER,
            woken: 0,
            begun: [Begun::default(); MOST_AHEAD],
            count: 0,
            discarded: 0,
            statistics: Statistics::of_banks(banks),
        })
    }

    /// Returns the next cycle in which [`Planner::wake`] has something to do.
    #[inline(always)]
    pub fn next_wake(&self) -> Option<Cycle> {
        (self.wake != NEVER).then_some(self.wake)
    }

    /// Returns the counters since the last restart, up to `now`, without accesses that begin then or later.
    pub fn statistics(&self, now: Cycle) -> Statistics {
        let mut seen = self.statistics.clone();
        let before = self.begun_before(now).max(self.discarded);
        self.begun[self.discarded..before].iter().for_each(|begun| enter(&mut seen, begun));
        seen
    }

    /// Discards the counts before `now` (the end of warm-up).
    pub fn restart_statistics(&mut self, now: Cycle) {
        self.statistics = Statistics::of_banks(self.bank_count);
        self.discarded = self.begun_before(now).max(self.discarded);
    }

    /// Returns how many of the accesses of the last wake-up begin before `now`: the first of them, which began in
    /// it, and each behind one that ends earlier.
    fn begun_before(&self, now: Cycle) -> usize {
        let ended = self.begun().iter().filter(|begun| begun.end < now).count();
        (1 + ended).min(self.count)
    }

    /// Returns the accesses that began in the last wake-up, in order.
    #[inline(always)]
    pub fn begun(&self) -> &[Begun] {
        &self.begun[..self.count]
    }

    /// A request arrives in cycle `now`, as in [`Controller::submit`](super::Controller::submit); `entered` comes
    /// back with its end. Returns the cycle of the planner's wake-up, if it was idle.
    #[inline(always)]
    pub fn submit(&mut self, now: Cycle, request: Request, entered: u64) -> Option<Cycle> {
        self.submit_run(now, request, 1, request.bytes, entered)
    }

    /// As `submit`, for `count` consecutive requests in a row of a bank, all of `request.bytes` bytes except
    /// the last.
    #[inline(always)]
    pub fn submit_run(
        &mut self,
        now: Cycle,
        request: Request,
        count: u16,
        last_bytes: u32,
        entered: u64,
    ) -> Option<Cycle> {
        let Request { location, bytes, write, more, tag } = request;
        let side = if write { WRITES } else { READS };
        let (row, bank) = (location.row, location.bank as u16);
        let queue = &mut self.queues[side];
        queue.push_back(Queued { arrival: now, entered, row, bytes, last_bytes, tag, bank, count, more });
        let is_head = queue.len() == 1;
        for _ in 0..count {
            self.statistics.windows[side].reference(location);
        }
        if !is_head {
            return None;
        }
        self.next = UNKNOWN;
        if self.wake != NEVER {
            return None;
        }
        self.wake = now.max(self.bus_free);
        Some(self.wake)
    }

    /// Begins the access that is due, and those behind it whose turn is final. Returns them, in order.
    #[inline(always)]
    pub fn wake(&mut self) -> &[Begun] {
        let mut now = std::mem::replace(&mut self.wake, NEVER);
        if now == NEVER {
            return &[];
        }
        for begun in &self.begun[self.discarded..self.count] {
            enter(&mut self.statistics, begun);
        }
        (self.woken, self.count, self.discarded) = (now, 0, 0);
        let mut turn = std::mem::replace(&mut self.next, UNKNOWN);
        if turn == UNKNOWN {
            turn = self.turn();
        }
        if turn & NOBODY != 0 {
            return &[];
        }
        loop {
            let (next, count) = self.begin(turn, now);
            if count > 1 && next & CONTINUES != 0 {
                self.follow();
            }
            (now, turn) = (self.bus_free, next);
            if turn & FINAL == 0 || self.count == MOST_AHEAD || !self.is_final_behind(turn) {
                break;
            }
        }
        self.next = turn;
        self.wake = now;
        self.begun()
    }

    /// Returns the turn after the access that began last.
    #[inline(always)]
    fn turn(&self) -> Turn {
        let last = &self.last;
        let (this, other) = (last.side as Turn, 1 - last.side as Turn);
        if last.more {
            return this | FINAL | CONTINUES;
        }
        let others = !self.queues[1 - last.side].is_empty();
        let Some(head) = self.queues[last.side].front() else {
            // The other queue is next unless a later request of this queue continues the batch.
            return if others { other } else { NOBODY };
        };
        if last.served < self.batch && (head.bank != last.bank || head.row == last.row) {
            this | FINAL | CONTINUES
        } else if others {
            other | FINAL
        } else {
            this
        }
    }

    /// Returns whether the turn after the next one is also final: the bank of that access is prepared when the
    /// next one begins, so it may begin ahead of time only if its successor is known.
    #[inline(always)]
    fn is_final_behind(&self, next: Turn) -> bool {
        let side = usize::from(next & 1);
        let queue = &self.queues[side];
        let Some(head) = queue.front() else { return false };
        if head.more {
            return true;
        }
        let others = !self.queues[1 - side].is_empty();
        let goes_on = || others || self.served_with(next) < self.batch;
        if head.count > 1 {
            return goes_on();
        }
        let Some(behind) = queue.get(1) else { return false };
        goes_on() && (others || behind.bank != head.bank || behind.row == head.row)
    }

    /// Returns the number of requests in the batch up to the next access; 1 if that begins a new batch.
    #[inline(always)]
    fn served_with(&self, next: Turn) -> u32 {
        if next & CONTINUES != 0 { self.last.served + u32::from(!self.last.more) } else { 1 }
    }

    /// Serves the next access from cycle `now` on, which is not before the end of the last data. Returns the
    /// following turn, and the number of accesses in its run.
    #[inline(always)]
    fn begin(&mut self, turn: Turn, now: Cycle) -> (Turn, u16) {
        let side = usize::from(turn & 1);
        let served = self.served_with(turn);
        let queue = &mut self.queues[side];
        // A turn is that of a queue with a request.
        let Some(head) = queue.front_mut() else { return (NOBODY, 0) };
        let Queued { arrival, entered, row, mut bytes, last_bytes, tag, bank, count, more } = *head;
        let is_last = count == 1;
        if is_last {
            bytes = last_bytes;
            queue.pop_front();
        } else {
            head.count = count - 1;
        }
        let turned = self.last.side != side;
        self.last = Last { bank, row, side, served, more };

        let cycles = self.cycles(bytes);
        let b = &mut self.banks[usize::from(bank) % BANKS];
        let hit = b.row == row;
        let (mut activates, mut precharges) = (0, 0);
        if !hit {
            precharges += u8::from(b.precharge(now, &self.distances));
            b.activate(row, now, &self.distances);
            activates += 1;
        }
        let opened = b.opened + self.distances.activate_to_column[side];
        let at = arrival.max(opened).max(self.column[side]);
        self.column_ends(side, bank, at + Cycle::from(cycles));
        let start = at + self.latency[side];
        let requested = arrival.max(self.bus_free);
        let idle = requested - self.bus_free;
        let end = start + Cycle::from(cycles);
        self.bus_free = end;

        let next = self.turn();
        if let Some(head) = self.queues[usize::from(next & 1)].front()
            && head.bank != bank
        {
            let b = &mut self.banks[usize::from(head.bank) % BANKS];
            if b.row != head.row {
                precharges += u8::from(b.precharge(now, &self.distances));
                if self.prefetch {
                    b.activate(head.row, now, &self.distances);
                    activates += 1;
                }
            }
        }
        self.keep(Begun {
            end,
            entered,
            tag,
            is_last,
            write: side == WRITES,
            new_batch: turn & CONTINUES == 0,
            turned_hit: hit && turned,
            idle,
            waited: (start - requested) as u32,
            cycles,
            bytes,
            bank,
            activates,
            precharges,
        });
        (next, count)
    }

    /// Serves the requests that follow in the row of the access that began last and were submitted with it, but
    /// the last one, while the batch continues: each hits, and no bank is prepared for the next.
    #[inline(always)]
    fn follow(&mut self) {
        let side = self.last.side;
        let behind = (self.batch - self.last.served - 1).min((MOST_AHEAD - self.count) as u32);
        let Some(run) = self.queues[side].front_mut() else { return };
        let count = u32::from(run.count - 1).min(behind);
        if count == 0 {
            return;
        }
        run.count -= count as u16;
        let Queued { bytes, bank, tag, entered, .. } = *run;
        let waited = self.distances.column_end_to_column[side][side];
        let cycles = self.cycles(bytes);
        let mut begun = Begun {
            end: self.bus_free,
            entered,
            tag,
            write: side == WRITES,
            waited: waited as u32,
            cycles,
            bytes,
            bank,
            ..Begun::default()
        };
        for _ in 0..count {
            begun.end += waited + Cycle::from(cycles);
            self.keep(begun);
        }
        self.last.served += count;
        self.bus_free = begun.end;
        self.column_ends(side, bank, begun.end - self.latency[side]);
    }

    /// Returns the cycles in which the bus moves a number of bytes.
    #[inline(always)]
    fn cycles(&self, bytes: u32) -> u32 {
        (bytes + self.cycle_bytes_mask) >> self.cycle_bytes_shift
    }

    /// Keeps an access that has begun.
    #[inline(always)]
    fn keep(&mut self, begun: Begun) {
        self.begun[self.count % MOST_AHEAD] = begun;
        self.count += 1;
    }

    /// The columns of an access end: the bank may close, and columns of the rank may follow, each after its
    /// distance. No earlier access delays them longer (`Distances::last_decides`).
    #[inline(always)]
    fn column_ends(&mut self, side: usize, bank: u16, end: Cycle) {
        let b = &mut self.banks[usize::from(bank) % BANKS];
        b.precharge = b.precharge.max(end + self.distances.column_end_to_precharge[side]);
        self.column = self.distances.column_end_to_column[side].map(|distance| end + distance);
    }
}

impl Bank {
    /// Closes it as soon as possible from `now` on. Returns whether a row was open.
    #[inline(always)]
    fn precharge(&mut self, now: Cycle, distances: &Distances) -> bool {
        let was_open = std::mem::replace(&mut self.row, CLOSED) != CLOSED;
        if was_open {
            self.activate = now.max(self.precharge) + distances.precharge_to_activate;
        }
        was_open
    }

    /// Opens a row of the closed bank as soon as possible from `now` on.
    #[inline(always)]
    fn activate(&mut self, row: u32, now: Cycle, distances: &Distances) {
        self.row = row;
        self.opened = now.max(self.activate);
        self.precharge = self.precharge.max(self.opened + distances.activate_to_precharge);
    }
}

#[inline(always)]
fn enter(s: &mut Statistics, begun: &Begun) {
    let side = usize::from(begun.write);
    let cycles = Cycle::from(begun.cycles);
    s.data_cycles[side] += cycles;
    s.bytes[side] += u64::from(begun.bytes);
    s.accesses[side] += 1;
    s.batches[side] += u64::from(begun.new_batch);
    s.bank_data_cycles[usize::from(begun.bank)] += cycles;
    s.idle_cycles += begun.idle;
    s.activates += u64::from(begun.activates);
    s.precharges += u64::from(begun.precharges);
    let lost = if begun.turned_hit { &mut s.turnaround_cycles } else { &mut s.row_wait_cycles };
    *lost += Cycle::from(begun.waited);
}

impl Distances {
    /// Returns the distances of a device's table, if it has no others.
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
        let latency = [device.latency(Command::Read), device.latency(Command::Write)];
        for (first, second) in [(READS, WRITES), (WRITES, READS)] {
            let distance = &mut found.column_end_to_column[first][second];
            *distance = (*distance).max(latency[first].saturating_sub(latency[second]));
        }
        found.last_decides().then_some(found)
    }

    /// Returns whether the last access alone decides when columns may follow: two accesses in turn, the second
    /// of at least one cycle, keep the third as far from the first as it must be.
    fn last_decides(&self) -> bool {
        let distance = &self.column_end_to_column;
        let there_and_back = distance[READS][WRITES] + 1 + distance[WRITES][READS];
        [READS, WRITES].iter().all(|&side| distance[side][side] <= there_and_back)
    }

    fn enter(&mut self, before: Command, in_bank: bool, push: &Push) -> Option<()> {
        use Command::{Activate, Precharge, Read, Refresh, RefreshBank, Write};
        let after = Command::ALL[usize::from(push.after)];
        let side = |command: Command| usize::from(command == Write);
        let distance = match (before, after, in_bank, push.from_column_end) {
            // The planner serves only runs without refreshes.
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
