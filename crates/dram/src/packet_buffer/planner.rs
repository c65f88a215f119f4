//! The controller of `OUR_BASE` and its kin, for devices of one rank whose table has nothing but precharge, activate, column and
//! the end of columns: it begins accesses ahead of their time, as far as no request that is yet to come can change whose turn it
//! is. Tick for tick the same as [`super::Controller`].

use super::policy::{BatchBreak, Policy, Precharge, Queues};
use super::statistics::Statistics;
use crate::{Command, Cycle, Device, Location};

#[derive(Clone, Copy, Debug, Default)]
struct Queued {
    arrival: Cycle,
    row: u32,
    tag: u32,
    bytes: u32,
    cycles: u16,
    bank: u8,
    /// The next one belongs to the same turn.
    more: bool,
}

/// A queue in a ring.
#[derive(Clone, Debug)]
struct Ring {
    places: Box<[Queued]>,
    first: u32,
    count: u32,
}

impl Ring {
    fn new() -> Self {
        Self { places: vec![Queued::default(); 256].into(), first: 0, count: 0 }
    }

    #[inline(always)]
    fn at(&self, number: u32) -> &Queued {
        let mask = self.places.len() - 1;
        &self.places[(self.first.wrapping_add(number)) as usize & mask]
    }

    #[inline(always)]
    fn push(&mut self, queued: Queued) {
        if self.count as usize == self.places.len() {
            self.grow();
        }
        let mask = self.places.len() - 1;
        self.places[(self.first.wrapping_add(self.count)) as usize & mask] = queued;
        self.count += 1;
    }

    #[cold]
    fn grow(&mut self) {
        let mut places: Vec<Queued> = (0..self.count).map(|number| *self.at(number)).collect();
        places.resize(2 * self.places.len(), Queued::default());
        (self.places, self.first) = (places.into(), 0);
    }
}

#[derive(Clone, Copy, Debug)]
struct Bank {
    row: u32,
    activate: Cycle,
    precharge: Cycle,
    column: [Cycle; 2],
}

const CLOSED: u32 = u32::MAX;

/// What an access that was begun ahead of its time counts for.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    at: Cycle,
    idle: u32,
    waited: u32,
    bytes: u32,
    cycles: u16,
    bank: u8,
    /// Write, a new batch, a turned hit, an activate; then precharges and activates of the preparation.
    bits: u8,
    ends: u32,
}

const WRITE: u8 = 1;
const NEW_BATCH: u8 = 2;
const TURNED_HIT: u8 = 4;
const ACTIVATE: u8 = 8;
const PRECHARGE: u8 = 16;
const ACTIVATE_NEXT: u8 = 32;
const PRECHARGE_NEXT: u8 = 64;

const AHEAD: usize = 32;
const NOTHING: u8 = 2;
const UNKNOWN: u8 = 3;

/// Such a controller with its device.
#[derive(Clone, Debug)]
pub struct Planner {
    queues: [Ring; 2],
    banks: Box<[Bank]>,
    /// For which columns the rank is free, reads and writes.
    rank: [Cycle; 2],
    last_bank: u8,
    last_row: u32,
    last_queue: u8,
    last_write: u8,
    last_more: bool,
    served: u32,
    batch: u32,
    prefetch: bool,
    /// The next queue, [`NOTHING`] or [`UNKNOWN`].
    next: u8,
    bus_free: Cycle,
    wake: Cycle,
    latency: [Cycle; 2],
    to_activate: Cycle,
    to_precharge: Cycle,
    to_column: [Cycle; 2],
    /// From the end of columns, by the earlier and the later one.
    between: [[Cycle; 2]; 2],
    column_to_precharge: [Cycle; 2],
    cycle_shift: u32,
    ahead: [Tally; AHEAD],
    ahead_first: u32,
    ahead_count: u32,
    statistics: Statistics,
}

impl Planner {
    /// A controller with these rules, if the rules and the device are such.
    pub fn new(device: &Device, policy: &Policy, refreshes: bool) -> Option<Self> {
        let fits = policy.queues == Queues::ReadWrite
            && policy.batch > 0
            && policy.batch_break == BatchBreak::SameBankMiss
            && policy.precharge == Precharge::Lazy
            && !policy.ideal
            && !refreshes;
        let o = device.organization();
        let cycle_bytes = o.beat_bytes * o.beats_per_cycle;
        if !fits || o.ranks > 1 || o.groups > o.ranks || !device.windows.is_empty() || o.banks > 255 || !cycle_bytes.is_power_of_two() {
            return None;
        }
        let mut new = Self {
            queues: [Ring::new(), Ring::new()],
            banks: vec![Bank { row: CLOSED, activate: 0, precharge: 0, column: [0; 2] }; o.banks as usize].into(),
            rank: [0; 2],
            last_bank: 0,
            last_row: 0,
            last_queue: 1,
            last_write: 0,
            last_more: false,
            served: 0,
            batch: policy.batch,
            prefetch: policy.prefetch,
            next: UNKNOWN,
            bus_free: 0,
            wake: Cycle::MAX,
            latency: [device.latency(Command::Read), device.latency(Command::Write)],
            to_activate: 0,
            to_precharge: 0,
            to_column: [0; 2],
            between: [[0; 2]; 2],
            column_to_precharge: [0; 2],
            cycle_shift: cycle_bytes.ilog2(),
            ahead: [Tally::default(); AHEAD],
            ahead_first: 0,
            ahead_count: 0,
            statistics: Statistics { bank_data_cycles: vec![0; o.banks as usize], ..Statistics::default() },
        };
        for before in [Command::Activate, Command::Precharge, Command::Read, Command::Write] {
            let pushes = &device.pushes[before as usize];
            if !pushes.in_group.is_empty() {
                return None;
            }
            for (in_bank, push) in
                pushes.in_bank.iter().map(|p| (true, p)).chain(pushes.in_rank.iter().map(|p| (false, p)))
            {
                let distance = Cycle::from(push.distance);
                let after = Command::ALL[push.after as usize];
                let column = |c: Command| usize::from(c == Command::Write);
                let place = match (before, after, in_bank, push.from_column_end) {
                    (_, Command::Refresh | Command::RefreshBank, ..) => continue,
                    (Command::Activate, Command::Precharge, true, false) => &mut new.to_precharge,
                    (Command::Activate, Command::Read | Command::Write, true, false) => &mut new.to_column[column(after)],
                    (Command::Precharge, Command::Activate, true, false) => &mut new.to_activate,
                    (Command::Read | Command::Write, Command::Precharge, true, true) => {
                        &mut new.column_to_precharge[column(before)]
                    }
                    (Command::Read | Command::Write, Command::Read | Command::Write, false, true) => {
                        &mut new.between[column(before)][column(after)]
                    }
                    _ => return None,
                };
                *place = distance;
            }
        }
        Some(new)
    }

    /// When there is something to do.
    #[inline(always)]
    pub fn next_wake(&self) -> Option<Cycle> {
        (self.wake != Cycle::MAX).then_some(self.wake)
    }

    /// Counters since the last restart, as far as they have been entered.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Forget the counters.
    pub fn restart_statistics(&mut self) {
        let banks = self.statistics.bank_data_cycles.len();
        self.statistics = Statistics { bank_data_cycles: vec![0; banks], ..Statistics::default() };
    }

    /// A request arrives.
    #[inline(always)]
    pub fn submit(&mut self, now: Cycle, location: Location, bytes: u32, write: bool, more: bool, tag: u32) {
        let queue = usize::from(write);
        let cycles = ((bytes + (1 << self.cycle_shift) - 1) >> self.cycle_shift) as u16;
        let Location { bank, row } = location;
        self.statistics.windows[queue].reference(location);
        let ring = &mut self.queues[queue];
        ring.push(Queued { arrival: now, row, tag, bytes, cycles, bank: bank as u8, more });
        if ring.count == 1 {
            self.next = UNKNOWN;
            if self.wake == Cycle::MAX {
                self.wake = now.max(self.bus_free);
            }
        }
    }

    /// Which queue is next, and whether no request that is yet to come changes that.
    #[inline(always)]
    fn decide(&self) -> (u8, bool) {
        let last = self.last_queue;
        let this = &self.queues[usize::from(last & 1)];
        if self.last_more {
            return (last, true);
        }
        let other = 1 - last;
        if this.count > 0 {
            let head = this.at(0);
            if self.served < self.batch && (head.bank != self.last_bank || head.row == self.last_row) {
                return (last, true);
            }
            return match self.queues[usize::from(other & 1)].count > 0 {
                true => (other, true),
                false => (last, false),
            };
        }
        (if self.queues[usize::from(other & 1)].count > 0 { other } else { NOTHING }, false)
    }

    /// Begin the access that is due, and those behind it as far as they are settled.
    #[inline(always)]
    pub fn wake(&mut self, mut ended: impl FnMut(u32, Cycle)) {
        let mut at = self.wake;
        if self.ahead_count > 0 {
            self.settle(Cycle::MAX);
        }
        self.wake = Cycle::MAX;
        if self.next == UNKNOWN {
            self.next = self.decide().0;
        }
        if self.next == NOTHING {
            self.next = UNKNOWN;
            return;
        }
        let mut first = true;
        loop {
            let queue = self.next;
            let (tag, tally, settled) = self.begin(queue, at);
            ended(tag, self.bus_free);
            if first {
                self.enter(&tally);
                first = false;
            } else {
                self.ahead[self.ahead_count as usize % AHEAD] = tally;
                self.ahead_count += 1;
            }
            at = self.bus_free;
            if !settled || self.ahead_count as usize == AHEAD || !self.is_settled_behind() {
                self.wake = at;
                return;
            }
        }
    }

    /// Whether what is prepared behind the next access is settled, too.
    #[inline(always)]
    fn is_settled_behind(&self) -> bool {
        let next = self.next;
        let (this, other) = (&self.queues[usize::from(next & 1)], &self.queues[usize::from((1 - next) & 1)]);
        let head = this.at(0);
        if head.more {
            return true;
        }
        if this.count < 2 {
            return false;
        }
        if other.count > 0 {
            return true;
        }
        let behind = this.at(1);
        let goes_on = next == self.last_queue
            && (self.last_more || self.served < self.batch && (head.bank != self.last_bank || head.row == self.last_row));
        let served = if goes_on { self.served + u32::from(!self.last_more) } else { 1 };
        served < self.batch && (behind.bank != head.bank || behind.row == head.row)
    }

    /// Serve the head of `queue`.
    #[inline(always)]
    fn begin(&mut self, queue: u8, now: Cycle) -> (u32, Tally, bool) {
        let ring = &mut self.queues[usize::from(queue & 1)];
        let access = *ring.at(0);
        ring.first = ring.first.wrapping_add(1);
        ring.count -= 1;
        let write = usize::from(queue & 1);
        let mut bits = queue;
        let goes_on = queue == self.last_queue
            && (self.last_more
                || self.served < self.batch && (access.bank != self.last_bank || access.row == self.last_row));
        self.served = if goes_on {
            self.served + u32::from(!self.last_more)
        } else {
            bits |= NEW_BATCH;
            1
        };
        let turned = self.last_write != queue;
        self.last_bank = access.bank;
        self.last_row = access.row;
        self.last_queue = queue;
        self.last_write = queue;
        self.last_more = access.more;
        let b = &mut self.banks[usize::from(access.bank)];
        if b.row != access.row {
            if b.row != CLOSED {
                let at = now.max(b.precharge);
                b.activate = b.activate.max(at + self.to_activate);
                bits |= PRECHARGE;
            }
            let at = now.max(b.activate);
            b.row = access.row;
            b.precharge = b.precharge.max(at + self.to_precharge);
            b.column = [b.column[0].max(at + self.to_column[0]), b.column[1].max(at + self.to_column[1])];
            bits |= ACTIVATE;
        } else if turned {
            bits |= TURNED_HIT;
        }
        let latency = self.latency[write];
        let cycles = Cycle::from(access.cycles);
        let at = access.arrival.max(self.bus_free.saturating_sub(latency)).max(b.column[write]).max(self.rank[write]);
        let columns_end = at + cycles;
        b.precharge = b.precharge.max(columns_end + self.column_to_precharge[write]);
        let between = &self.between[write];
        self.rank = [self.rank[0].max(columns_end + between[0]), self.rank[1].max(columns_end + between[1])];
        let start = at + latency;
        let requested = access.arrival.max(self.bus_free);
        let idle = (requested - self.bus_free) as u32;
        let waited = (start - requested) as u32;
        self.bus_free = start + cycles;
        // What is next, and its preparation.
        let (next, settled) = self.decide();
        self.next = next;
        if next != NOTHING {
            let head = self.queues[usize::from(next & 1)].at(0);
            let (bank, row) = (head.bank, head.row);
            if bank != access.bank {
                let b = &mut self.banks[usize::from(bank)];
                if b.row != row {
                    if b.row != CLOSED {
                        let at = now.max(b.precharge);
                        b.activate = b.activate.max(at + self.to_activate);
                        b.row = CLOSED;
                        bits |= PRECHARGE_NEXT;
                    }
                    if self.prefetch {
                        let at = now.max(b.activate);
                        b.row = row;
                        b.precharge = b.precharge.max(at + self.to_precharge);
                        b.column = [b.column[0].max(at + self.to_column[0]), b.column[1].max(at + self.to_column[1])];
                        bits |= ACTIVATE_NEXT;
                    }
                }
            }
        }
        let tally =
            Tally { at: now, idle, waited, bytes: access.bytes, cycles: access.cycles, bank: access.bank, bits, ends: 0 };
        (access.tag, tally, settled)
    }

    /// Enter what was begun before `now`.
    pub fn settle(&mut self, now: Cycle) {
        while self.ahead_count > 0 {
            let tally = self.ahead[self.ahead_first as usize % AHEAD];
            if tally.at >= now {
                return;
            }
            self.enter(&tally);
            self.ahead_first += 1;
            self.ahead_count -= 1;
            if self.ahead_count == 0 {
                self.ahead_first = 0;
            }
        }
    }

    #[inline(always)]
    fn enter(&mut self, t: &Tally) {
        let s = &mut self.statistics;
        let side = usize::from(t.bits & WRITE);
        let cycles = Cycle::from(t.cycles);
        s.data_cycles[side] += cycles;
        s.bytes[side] += u64::from(t.bytes);
        s.accesses[side] += 1;
        s.batches[side] += u64::from(t.bits & NEW_BATCH != 0);
        s.bank_data_cycles[usize::from(t.bank)] += cycles;
        s.idle_cycles += Cycle::from(t.idle);
        if t.bits & (ACTIVATE | PRECHARGE | ACTIVATE_NEXT | PRECHARGE_NEXT) != 0 {
            s.activates += u64::from((t.bits & (ACTIVATE | ACTIVATE_NEXT)).count_ones());
            s.precharges += u64::from((t.bits & (PRECHARGE | PRECHARGE_NEXT)).count_ones());
        }
        match t.bits & TURNED_HIT != 0 {
            true => s.turnaround_cycles += Cycle::from(t.waited),
            false => s.row_wait_cycles += Cycle::from(t.waited),
        }
    }
}
