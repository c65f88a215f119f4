//! DRAM behind packet-buffer controllers as a memory of a chip: transfers of up to a row, one after another in
//! each channel.

mod planned;

use super::facts::Facts;
use super::memory::{Cells, Memory, Numbers, Submitted, share};
use crate::config::PacketBufferConfig;
use crate::counts::{PacketBufferCounts, PlaceCounts};
use crate::request::{Requests, thread_of};
use linecard_dram::packet_buffer::{Controller, Request, Silent, Statistics};
use linecard_dram::{AddressMap, Cycle, RowMap};
use linecard_program::CELL_BYTES;
use linecard_sim::{Clock, Ticks, Timebase};
use planned::Planned;

pub(crate) struct PacketBuffer {
    channels: Vec<Controller<Silent>>,
    /// Replaces the controller of the single channel, if accesses begin ahead of time.
    planned: Option<Box<Planned>>,
    config: PacketBufferConfig,
    clock: Clock,
    map: AddressMap,
    /// A power of two.
    row_bytes: u64,
    interleave_shift: u32,
    halves_apart: bool,
    halves_from_bytes: u32,
    /// Latency to the controller and back, added on the way back.
    latency: Ticks,
    accesses: u64,
    bytes: u64,
    /// Time from arrival to result, total over accesses of the controllers.
    residence: u128,
    started: Ticks,
}

impl PacketBuffer {
    pub fn new(config: &PacketBufferConfig, timebase: &Timebase) -> Self {
        let controller =
            || Controller::new(config.device.clone(), config.rules, Silent).with_refresh(config.refresh);
        let organization = config.device.organization();
        Self {
            channels: (0..config.channels).map(|_| controller()).collect(),
            planned: None,
            config: config.clone(),
            clock: timebase.clock(config.clock_hz),
            map: AddressMap::new(config.rows, organization),
            row_bytes: u64::from(organization.row_bytes),
            interleave_shift: config.interleave_bytes.ilog2(),
            halves_apart: config.halves_apart,
            halves_from_bytes: config.halves_from_bytes,
            latency: timebase.ticks_from_ps(config.latency_ps),
            accesses: 0,
            bytes: 0,
            residence: 0,
            started: 0,
        }
    }

    /// Submits an access part by part: split at the end of a row or channel, with bytes from registers as a
    /// separate part.
    fn submit_parts(
        &mut self,
        cycle: Cycle,
        access: &Submitted,
        now: Ticks,
        mut first: u32,
        mut wake: impl FnMut(usize, Ticks),
    ) -> u32 {
        let &Submitted { request, address, bytes, write, .. } = access;
        let (mut at, mut left, mut requests) = (address, bytes.max(1), 0);
        while left > 0 {
            let (channel, local, room) = self.locate(at);
            let split = first > 0;
            let bytes = if split { first } else { left }.min(room as u32);
            let more = split && !self.halves_apart;
            requests += 1;
            at += u64::from(bytes);
            left -= bytes;
            first = 0;
            let part = Request { location: self.map.locate(local), bytes, write, more, tag: request };
            let woken = match &mut self.planned {
                Some(planned) => planned.submit(cycle, part, left == 0, now),
                None => {
                    let controller = &mut self.channels[channel];
                    let asleep = controller.next_wake().is_none();
                    controller.submit(cycle, part);
                    controller.next_wake().filter(|_| asleep)
                }
            };
            if let Some(cycle) = woken {
                wake(channel, self.clock.ticks(cycle));
            }
        }
        requests
    }

    /// Returns the channel, the address within it, and the bytes up to the next row or channel.
    #[inline(always)]
    fn locate(&self, address: u64) -> (usize, u64, u64) {
        let to_row = |address: u64| self.row_bytes - (address & (self.row_bytes - 1));
        if self.channels.len() == 1 {
            return (0, address, to_row(address));
        }
        let (shift, channels) = (self.interleave_shift, self.channels.len() as u64);
        let chunk = address >> shift;
        let inside = address & ((1 << shift) - 1);
        let local = ((chunk / channels) << shift) | inside;
        let room = to_row(local).min((1 << shift) - inside);
        ((chunk % channels) as usize, local, room)
    }

    /// Simulates a channel whose controller chooses one access at a time.
    fn wake_controller(
        &mut self,
        channel: usize,
        now: Ticks,
        requests: &mut Requests,
        ended: &mut Vec<(u32, Ticks)>,
    ) -> Option<Ticks> {
        let controller = &mut self.channels[channel];
        let cycle = controller.next_wake()?;
        if let Some(done) = controller.wake(cycle)
            && let Some(end) = requests.piece_done(done.tag, now + self.latency)
        {
            self.residence += u128::from(end - requests[done.tag].arrived);
            ended.push((done.tag, end));
        }
        controller.next_wake().map(|at| self.clock.ticks(at))
    }

    /// Returns the clock cycles of one channel from the last restart to `now`.
    fn cycles(&self, now: Ticks) -> Cycle {
        (now - self.started) / self.clock.period().max(1)
    }

    /// Returns the counts of each channel up to `now`.
    fn statistics(&self, now: Ticks) -> Vec<Statistics> {
        match &self.planned {
            Some(planned) => vec![planned.statistics(now)],
            None => self.channels.iter().map(|channel| channel.statistics().clone()).collect(),
        }
    }
}

impl Numbers for PacketBufferConfig {
    fn facts(&self) -> Facts {
        let (device, cycle_ps) = (&self.device, 1e12 / self.clock_hz as f64);
        let data = device.data_cycles(CELL_BYTES) as f64 * cycle_ps;
        let closed = device.open_cycles() + device.timing().read_latency;
        Facts {
            latency_ps: closed as f64 * cycle_ps + data + self.latency_ps as f64,
            service_ps: data,
            parts: f64::from(self.channels),
            bytes: CELL_BYTES,
            formula:
                "closed row: tRCD + read latency + data + path to the controller; peak: channels x bus rate"
                    .to_owned(),
        }
    }

    /// Doubles the channels.
    fn faster(&mut self) {
        self.channels *= 2;
    }

    fn wrong(&self) -> Option<String> {
        let organization = self.device.organization();
        let (banks, row_bytes) = (organization.banks, organization.row_bytes);
        if self.channels == 0 || !banks.is_power_of_two() || !row_bytes.is_power_of_two() {
            return Some("needs at least one channel, 2^n banks, and rows of 2^n bytes".to_owned());
        }
        let undivided = self.rows == RowMap::Halves && banks < 2;
        undivided.then(|| "has one bank; expected at least one odd bank and one even bank".to_owned())
    }

    fn clocks_hz(&self) -> Vec<u64> {
        vec![self.clock_hz]
    }
}

impl Memory for PacketBuffer {
    #[inline(always)]
    fn submit(&mut self, access: &Submitted, now: Ticks, mut wake: impl FnMut(usize, Ticks)) -> u32 {
        let cycle = self.clock.cycle_at_or_after(now);
        let &Submitted { request, address, bytes, registers, write } = access;
        self.accesses += 1;
        self.bytes += u64::from(bytes);
        let bytes = bytes.max(1);
        let first = if registers < bytes && bytes >= self.halves_from_bytes { registers } else { 0 };
        if first == 0
            && let Some(planned) = &mut self.planned
            && u64::from(bytes) <= self.row_bytes - (address & (self.row_bytes - 1))
        {
            // Most accesses are one cell, which is within one row of the single channel.
            let location = self.map.locate(address);
            let part = Request { location, bytes, write, more: false, tag: request };
            if let Some(at) = planned.submit(cycle, part, true, now) {
                wake(0, self.clock.ticks(at));
            }
            return 1;
        }
        self.submit_parts(cycle, access, now, first, wake)
    }

    /// Cells of a row are one run, which is one piece.
    fn submit_cells(&mut self, cells: &Cells, now: Ticks, mut wake: impl FnMut(usize, Ticks)) -> u32 {
        let Some(planned) = &mut self.planned else { return 0 };
        let &Cells { request, address, count, last_bytes } = cells;
        let cycle = self.clock.cycle_at_or_after(now);
        let (mut at, mut left, mut runs) = (address, count, 0);
        while left > 0 {
            let room = (self.row_bytes - (at & (self.row_bytes - 1))) / u64::from(CELL_BYTES);
            let cells = room.clamp(1, u64::from(left)) as u16;
            left -= cells;
            let location = self.map.locate(at);
            let part = Request { location, bytes: CELL_BYTES, write: false, more: false, tag: request };
            let last_bytes = if left == 0 { last_bytes } else { CELL_BYTES };
            if let Some(at) = planned.submit_run(cycle, part, cells, last_bytes, now) {
                wake(0, self.clock.ticks(at));
            }
            at += u64::from(cells) * u64::from(CELL_BYTES);
            runs += 1;
        }
        self.accesses += u64::from(count);
        self.bytes += u64::from(count - 1) * u64::from(CELL_BYTES) + u64::from(last_bytes);
        runs
    }

    /// Reads cells together if accesses begin ahead of time and every cell is within a row.
    #[inline(always)]
    fn reads_cells_together(&self) -> bool {
        self.planned.is_some() && self.row_bytes >= u64::from(CELL_BYTES)
    }

    /// The controller may already have chosen in this instant: a later access waits for its next clock.
    fn behind_wake(&self, now: Ticks) -> Option<Ticks> {
        Some(self.clock.ticks(self.clock.cycle_at_or_after(now) + 1))
    }

    fn channels(&self) -> usize {
        self.channels.len()
    }

    #[inline(always)]
    fn wake(
        &mut self,
        channel: usize,
        now: Ticks,
        requests: &mut Requests,
        ended: &mut Vec<(u32, Ticks)>,
    ) -> Option<Ticks> {
        let Some(planned) = &mut self.planned else {
            return self.wake_controller(channel, now, requests, ended);
        };
        let next = planned.wake(|owner, end, completes| {
            let done = match thread_of(owner) {
                Some(_) => completes,
                None => {
                    requests[owner].pieces -= 1;
                    requests[owner].pieces == 0
                }
            };
            if done {
                ended.push((owner, end));
            }
        });
        next.map(|at| self.clock.ticks(at))
    }

    /// Fewer events produce the same results if nothing else happens in an instant in which a channel acts: the
    /// chip has no other channel, and results take time.
    fn begin_ahead(&mut self) -> bool {
        if let [_] = self.channels[..]
            && self.latency > 0
        {
            self.planned = Planned::new(&self.config, self.clock, self.latency).map(Box::new);
        }
        self.planned.is_some()
    }

    fn restart(&mut self, now: Ticks) {
        if let Some(planned) = &mut self.planned {
            planned.restart(now);
        }
        self.channels.iter_mut().for_each(Controller::restart_statistics);
        (self.accesses, self.bytes, self.residence, self.started) = (0, 0, 0, now);
    }

    fn counts(&self, now: Ticks, _since: Ticks) -> PlaceCounts {
        let (channels, cycles) = (self.statistics(now), self.cycles(now));
        let data = |s: &Statistics| (s.data_cycles[0] + s.data_cycles[1]) as f64;
        let shares: Vec<f64> = channels.iter().map(|s| share(data(s), s.period(cycles) as f64)).collect();
        let hits = channels.iter().map(Statistics::row_hit_rate).sum::<f64>();
        let residence = self.planned.as_ref().map_or(self.residence, |planned| planned.residence(now));
        PlaceCounts {
            utilization: Some(share(shares.iter().sum(), shares.len() as f64)),
            utilization_most: Some(shares.iter().copied().fold(0.0, f64::max)),
            accesses: self.accesses,
            bytes: self.bytes,
            time_mean: share(residence as f64, self.accesses as f64),
            hit_rate: Some(share(hits, shares.len() as f64)),
            packet_buffer: Some(PacketBufferCounts { channels, cycles }),
            ..PlaceCounts::default()
        }
    }
}
