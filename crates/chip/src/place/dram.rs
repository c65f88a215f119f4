//! DRAM as a place: channels of `linecard-dram` behind one address, each with a line of requests in front of its queues.

use crate::config::DramConfig;
use linecard_dram::channel::{Channel, ChannelStatistics, Observer, Outcome, Transaction, Writes};
use linecard_dram::{Cycle, FieldMap};
use linecard_sim::{Clock, Ticks, Timebase};
use std::collections::VecDeque;

/// What became known in a clock: a request, and the clock in which it is done.
#[derive(Default)]
struct Outcomes(Vec<(u32, Cycle)>);

/// Mark of a request whose thread has been told already.
const TOLD: u64 = 1 << 32;

impl Observer for Outcomes {
    #[inline]
    fn outcome(&mut self, index: u64, outcome: &Outcome) {
        if index & TOLD != 0 {
            return;
        }
        // A write that shares another's transfer has been taken: it is done with.
        self.0.push((index as u32, outcome.complete.unwrap_or(outcome.accept)));
    }
}

struct Line {
    channel: Channel,
    /// Requests that the controller's queues have no room for, in order.
    waiting: VecDeque<Transaction>,
    at_restart: (u64, u64, u64),
}

pub(crate) struct Dram {
    lines: Vec<Line>,
    pub clock: Clock,
    map: FieldMap,
    per_part: u32,
    parts: u32,
    interleave_shift: u32,
    access_bytes: u32,
    /// To the controller and back, reckoned on the way back.
    pub latency: Ticks,
    /// Writes are done when a queue apart has taken them.
    posts_writes: bool,
    outcomes: Outcomes,
    pub accesses: u64,
    pub bytes: u64,
    pub residence: u128,
    started: Ticks,
}

impl Dram {
    pub fn new(config: &DramConfig, timebase: &Timebase) -> Self {
        let count = config.channels * config.map.channels();
        let lines = (0..count).map(|number| Line {
            channel: Channel::new(number, config.device.clone(), config.policy),
            waiting: VecDeque::with_capacity(64),
            at_restart: (0, 0, 0),
        });
        Self {
            lines: lines.collect(),
            clock: timebase.clock(config.clock_hz),
            map: config.map.clone(),
            per_part: config.map.channels(),
            parts: config.channels,
            interleave_shift: config.interleave_bytes.max(config.access_bytes).ilog2(),
            access_bytes: config.access_bytes,
            latency: timebase.ticks_from_ps(config.latency_ps),
            posts_writes: config.policy.writes != Writes::Unified,
            outcomes: Outcomes::default(),
            accesses: 0,
            bytes: 0,
            residence: 0,
            started: 0,
        }
    }

    /// Channels, each with a wake-up of its own.
    pub fn channels(&self) -> usize {
        self.lines.len()
    }

    /// Accesses of the device that `bytes` bytes at `address` take.
    pub fn pieces(&self, address: u64, bytes: u32) -> u32 {
        let size = u64::from(self.access_bytes);
        let last = address + u64::from(bytes.max(1)) - 1;
        (last / size - address / size + 1) as u32
    }

    /// The channel and the transaction of the piece that holds `address`; returns also where the next piece begins.
    fn locate(&self, request: u32, address: u64, end: u64, write: bool) -> (usize, Transaction, u64) {
        let size = u64::from(self.access_bytes);
        let next = (address / size + 1) * size;
        let chunk = address >> self.interleave_shift;
        let (part, chunk) = (chunk % u64::from(self.parts), chunk / u64::from(self.parts));
        let inside = address & ((1 << self.interleave_shift) - 1);
        let local = ((chunk << self.interleave_shift) | inside) % self.map.capacity_bytes();
        let place = self.map.locate(local);
        let channel = part as u32 * self.per_part + place.channel;
        let transaction = Transaction {
            index: u64::from(request),
            block: local / size,
            bank: place.bank,
            row: place.row,
            column: place.column,
            // A burst moves all of its bytes, wanted or not.
            bytes: size as u32,
            write,
        };
        (channel as usize, transaction, next.min(end))
    }

    /// A request arrives. Calls `wake` with each channel it goes to and the time at which that has something to do.
    pub fn submit(
        &mut self,
        request: u32,
        address: u64,
        bytes: u32,
        write: bool,
        now: Ticks,
        mut wake: impl FnMut(usize, Ticks),
    ) {
        self.accesses += 1;
        self.bytes += u64::from(bytes);
        let end = address + u64::from(bytes.max(1));
        let mut at = address;
        let cycle = self.clock.cycle_at_or_after(now);
        while at < end {
            let (number, transaction, next) = self.locate(request, at, end, write);
            at = next;
            let line = &mut self.lines[number];
            line.waiting.push_back(transaction);
            // What the channel has not been asked to do yet (refreshes) comes before the request.
            while line.channel.next_tick() < cycle {
                let due = line.channel.next_tick();
                line.channel.tick(due, &mut self.outcomes);
            }
            wake(number, self.clock.ticks(cycle).max(now));
        }
    }

    /// What happens in channel `number` now. Calls `done` for each request of which a piece's end is known, and returns
    /// when the channel has something to do next.
    pub fn wake(&mut self, number: usize, now: Ticks, mut done: impl FnMut(u32, Ticks)) -> Option<Ticks> {
        let cycle = self.clock.cycle_at_or_after(now);
        let line = &mut self.lines[number];
        while line.channel.next_tick() <= cycle {
            let due = line.channel.next_tick();
            line.channel.tick(due, &mut self.outcomes);
        }
        let mut taken = false;
        if let Some(&(mut transaction)) = line.waiting.front()
            && line.channel.has_room(transaction.write)
        {
            line.waiting.pop_front();
            if self.posts_writes && transaction.write {
                self.outcomes.0.push((transaction.index as u32, cycle + 1));
                transaction.index |= TOLD;
            }
            line.channel.accept(transaction, cycle + 1, &mut self.outcomes);
            taken = true;
        }
        for (request, at) in self.outcomes.0.drain(..) {
            done(request, self.clock.ticks(at).max(now));
        }
        let next = match (taken && !line.waiting.is_empty(), line.channel.is_idle()) {
            (true, _) => cycle + 1,
            // Refreshes of a channel without requests are caught up with when one comes.
            (false, true) => return None,
            (false, false) => line.channel.next_tick().max(cycle + 1),
        };
        Some(self.clock.ticks(next))
    }

    fn totals(statistics: &ChannelStatistics) -> (u64, u64, u64) {
        let data = statistics.data_cycles[0] + statistics.data_cycles[1];
        (data, statistics.activates(), statistics.sent[0] + statistics.sent[1])
    }

    /// Share of the time for which data moved, mean over channels, and the busiest channel's.
    pub fn utilization(&self, now: Ticks) -> (f64, f64) {
        let cycles =
            self.clock.cycle_at_or_after(now).saturating_sub(self.clock.cycle_at_or_after(self.started));
        if cycles == 0 {
            return (0.0, 0.0);
        }
        let shares = self.lines.iter().map(|line| {
            let (data, ..) = Self::totals(line.channel.statistics());
            ((data - line.at_restart.0) as f64 / cycles as f64).min(1.0)
        });
        let all: Vec<f64> = shares.collect();
        let most = all.iter().copied().fold(0.0, f64::max);
        (all.iter().sum::<f64>() / all.len() as f64, most)
    }

    /// Share of the accesses that found their row open.
    pub fn row_hit_rate(&self) -> f64 {
        let (mut sent, mut opened) = (0, 0);
        for line in &self.lines {
            let (_, activates, all) = Self::totals(line.channel.statistics());
            sent += all - line.at_restart.2;
            opened += activates - line.at_restart.1;
        }
        if sent == 0 { 0.0 } else { (1.0 - opened as f64 / sent as f64).max(0.0) }
    }

    /// Forget what was before `now`.
    pub fn restart(&mut self, now: Ticks) {
        for line in &mut self.lines {
            line.at_restart = Self::totals(line.channel.statistics());
        }
        (self.accesses, self.bytes, self.residence, self.started) = (0, 0, 0, now);
    }
}
