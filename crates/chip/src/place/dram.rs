//! DRAM as a memory of a chip: channels of `linecard-dram` behind one address space, each with a queue of
//! requests in front of the controller's queues.

use super::channel::{BusCycles, Driver, Outcomes};
use super::facts::Facts;
use super::memory::{Memory, Numbers, Submitted, share};
use crate::config::DramConfig;
use crate::counts::{DramShares, PlaceCounts};
use crate::request::Requests;
use linecard_dram::FieldMap;
use linecard_dram::channel::Transaction;
use linecard_sim::{Clock, Ticks, Timebase};
use std::collections::VecDeque;

struct Line {
    driver: Driver,
    /// Requests for which the controller has no room, in order.
    waiting: VecDeque<Transaction>,
    at_restart: BusCycles,
}

pub(crate) struct Dram {
    lines: Vec<Line>,
    clock: Clock,
    map: FieldMap,
    per_part: u32,
    parts: u32,
    interleave_shift: u32,
    access_bytes: u32,
    /// Least mean cycles between two activates of a channel.
    activate_cycles: f64,
    /// Latency to the controller and back, added on the way back.
    latency: Ticks,
    outcomes: Outcomes,
    accesses: u64,
    bytes: u64,
    residence: u128,
    started: Ticks,
}

/// Returns the part that holds an address, and the address within it.
fn part_of(address: u64, interleave_shift: u32, parts: u32, map: &FieldMap) -> (u64, u64) {
    let chunk = address >> interleave_shift;
    let (part, chunk) = (chunk % u64::from(parts), chunk / u64::from(parts));
    let inside = address & ((1 << interleave_shift) - 1);
    (part, ((chunk << interleave_shift) | inside) % map.capacity_bytes())
}

impl DramConfig {
    fn interleave_shift(&self) -> u32 {
        self.interleave_bytes.max(self.access_bytes).ilog2()
    }

    /// Returns the channel that holds an address, among those of all parts.
    pub fn channel(&self, address: u64) -> u32 {
        let (part, local) = part_of(address, self.interleave_shift(), self.channels, &self.map);
        part as u32 * self.map.channels() + self.map.locate(local).channel
    }
}

impl Dram {
    pub fn new(config: &DramConfig, timebase: &Timebase) -> Self {
        let count = config.channels * config.map.channels();
        let lines = (0..count).map(|number| Line {
            driver: Driver::new(number, config),
            waiting: VecDeque::with_capacity(64),
            at_restart: BusCycles::default(),
        });
        Self {
            lines: lines.collect(),
            clock: timebase.clock(config.clock_hz),
            map: config.map.clone(),
            per_part: config.map.channels(),
            parts: config.channels,
            interleave_shift: config.interleave_shift(),
            access_bytes: config.access_bytes,
            activate_cycles: config.device.activate_cycles() / f64::from(config.device.organization().ranks),
            latency: timebase.ticks_from_ps(config.latency_ps),
            outcomes: Outcomes::default(),
            accesses: 0,
            bytes: 0,
            residence: 0,
            started: 0,
        }
    }

    /// Returns the device accesses of `bytes` bytes at `address`.
    fn pieces(&self, address: u64, bytes: u32) -> u32 {
        let size = u64::from(self.access_bytes);
        let last = address + u64::from(bytes.max(1)) - 1;
        (last / size - address / size + 1) as u32
    }

    /// Returns the channel and the transaction of the piece that holds `address`, and where the next piece
    /// begins.
    fn locate(&self, request: u32, address: u64, end: u64, write: bool) -> (usize, Transaction, u64) {
        let size = u64::from(self.access_bytes);
        let next = (address / size + 1) * size;
        let (part, local) = part_of(address, self.interleave_shift, self.parts, &self.map);
        let place = self.map.locate(local);
        let channel = part as u32 * self.per_part + place.channel;
        let transaction = Transaction {
            index: u64::from(request),
            block: local / size,
            bank: place.bank,
            row: place.row,
            column: place.column,
            // A burst moves all of its bytes, also those that are not requested.
            bytes: size as u32,
            write,
        };
        (channel as usize, transaction, next.min(end))
    }

    /// Returns the use of the buses, mean over channels, and the fraction of the time in which the busiest
    /// channel moved data.
    fn shares(&self, now: Ticks) -> (DramShares, f64) {
        let cycles =
            self.clock.cycle_at_or_after(now).saturating_sub(self.clock.cycle_at_or_after(self.started));
        let (mut sum, mut most) = (DramShares::default(), 0.0f64);
        if cycles == 0 {
            return (sum, most);
        }
        let all = self.lines.len() as f64;
        let of_time = |part: u64| (part as f64 / cycles as f64).min(1.0);
        let (mut accesses, mut opened) = (0, 0);
        for line in &self.lines {
            let spent = line.driver.cycles().since(line.at_restart);
            // An access that is outstanding at the start or the end of the period counts in the period in
            // which it began. The parts are scaled down if their sum exceeds the period.
            let busy = spent.data + spent.row_miss + spent.turnaround + spent.refresh + spent.spacing;
            let fits = cycles as f64 / busy.max(cycles) as f64;
            sum.data += of_time(spent.data) * fits / all;
            sum.row_miss += of_time(spent.row_miss) * fits / all;
            sum.turnaround += of_time(spent.turnaround) * fits / all;
            sum.refresh += of_time(spent.refresh) * fits / all;
            sum.spacing += of_time(spent.spacing) * fits / all;
            sum.opening += spent.activates as f64 * self.activate_cycles / cycles as f64 / all;
            most = most.max(of_time(spent.data));
            (accesses, opened) = (accesses + spent.accesses, opened + spent.activates);
        }
        sum.row_hit_rate = if accesses == 0 { 0.0 } else { (1.0 - opened as f64 / accesses as f64).max(0.0) };
        (sum, most)
    }
}

impl Numbers for DramConfig {
    fn facts(&self) -> Facts {
        let organization = self.device.organization();
        let per_cycle = organization.beat_bytes * organization.beats_per_cycle;
        let cycle_ps = 1e12 / self.clock_hz as f64;
        // One clock to hand the request over and one to the command queue, then activate, column access and
        // data.
        let cycles = 2
            + self.device.open_cycles()
            + self.device.timing().read_latency
            + self.device.data_cycles(self.access_bytes);
        Facts {
            latency_ps: cycles as f64 * cycle_ps + self.latency_ps as f64,
            service_ps: f64::from(self.access_bytes) / f64::from(per_cycle) * cycle_ps,
            parts: f64::from(self.channels * self.map.channels()),
            bytes: self.access_bytes,
            formula: "closed row: 2 clocks + tRCD + read latency + data + path to the controller; peak: channels x bus rate, minus refresh"
                .to_owned(),
        }
    }

    /// Doubles the channels.
    fn faster(&mut self) {
        self.channels *= 2;
    }

    fn wrong(&self) -> Option<String> {
        let nothing = self.channels == 0 || self.access_bytes == 0;
        nothing.then(|| "needs at least one channel, and accesses of at least 1 byte".to_owned())
    }

    fn clocks_hz(&self) -> Vec<u64> {
        vec![self.clock_hz]
    }
}

impl Memory for Dram {
    fn submit(&mut self, access: &Submitted, now: Ticks, mut wake: impl FnMut(usize, Ticks)) -> u32 {
        let &Submitted { request, address, bytes, write, .. } = access;
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
            // Refreshes that the channel has not simulated yet come before the request.
            if cycle > 0 {
                line.driver.catch_up(cycle - 1, &mut self.outcomes);
            }
            wake(number, self.clock.ticks(cycle).max(now));
        }
        self.pieces(address, bytes)
    }

    fn channels(&self) -> usize {
        self.lines.len()
    }

    fn wake(
        &mut self,
        channel: usize,
        now: Ticks,
        requests: &mut Requests,
        ended: &mut Vec<(u32, Ticks)>,
    ) -> Option<Ticks> {
        let cycle = self.clock.cycle_at_or_after(now);
        let line = &mut self.lines[channel];
        line.driver.catch_up(cycle, &mut self.outcomes);
        let mut taken = false;
        if let Some(&transaction) = line.waiting.front()
            && line.driver.has_room(transaction.write)
        {
            line.waiting.pop_front();
            line.driver.accept(transaction, cycle, &mut self.outcomes);
            taken = true;
        }
        for (request, at) in self.outcomes.0.drain(..) {
            let at = self.clock.ticks(at).max(now) + self.latency;
            if let Some(done) = requests.piece_done(request, at) {
                self.residence += u128::from(done - requests[request].arrived);
                ended.push((request, done));
            }
        }
        let next = match taken && !line.waiting.is_empty() {
            true => cycle + 1,
            false => line.driver.next()?.max(cycle + 1),
        };
        Some(self.clock.ticks(next))
    }

    fn restart(&mut self, now: Ticks) {
        for line in &mut self.lines {
            line.at_restart = line.driver.cycles();
        }
        (self.accesses, self.bytes, self.residence, self.started) = (0, 0, 0, now);
    }

    fn counts(&self, now: Ticks, _since: Ticks) -> PlaceCounts {
        let (shares, most) = self.shares(now);
        PlaceCounts {
            utilization: Some(shares.data),
            utilization_most: Some(most),
            accesses: self.accesses,
            bytes: self.bytes,
            time_mean: share(self.residence as f64, self.accesses as f64),
            hit_rate: Some(shares.row_hit_rate),
            dram: Some(shares),
            ..PlaceCounts::default()
        }
    }
}
