//! DRAM behind packet-buffer controllers as a memory: transfers of up to a row, one after another in each channel.

mod planned;

use crate::config::PacketBufferConfig;
use linecard_dram::packet_buffer::{Controller, Request, Silent, Statistics};
use linecard_dram::{AddressMap, Cycle};
use linecard_program::CELL_BYTES;
use linecard_sim::{Clock, Ticks, Timebase};
use planned::Planned;

pub(crate) struct PacketBuffer {
    channels: Vec<Controller<Silent>>,
    /// In place of the one channel's controller, where accesses are begun ahead.
    planned: Option<Planned>,
    pub clock: Clock,
    map: AddressMap,
    /// A power of two.
    row_bytes: u64,
    interleave_shift: u32,
    halves_apart: bool,
    halves_from_bytes: u32,
    /// To the controller and back, reckoned on the way back.
    pub latency: Ticks,
    pub accesses: u64,
    pub bytes: u64,
    /// Time from arrival to result, summed over accesses of the controllers.
    residence: u128,
    started: Ticks,
}

/// One access as the controllers see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub request: u32,
    pub address: u64,
    pub bytes: u32,
    /// Bytes that come from registers, as a transfer of their own.
    pub registers: u32,
    pub write: bool,
}

impl PacketBuffer {
    pub fn new(config: &PacketBufferConfig, timebase: &Timebase) -> Self {
        let controller =
            || Controller::new(config.device.clone(), config.rules, Silent).with_refresh(config.refresh);
        let organization = config.device.organization();
        Self {
            channels: (0..config.channels).map(|_| controller()).collect(),
            planned: None,
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

    /// Begin accesses ahead from now on, where rules and device allow it. Fewer events give the same results as long as
    /// nothing else happens in an instant in which a channel has done something: the chip has no other channel, and
    /// results take time.
    pub fn plan(&mut self, config: &PacketBufferConfig) {
        if let [_] = self.channels[..]
            && self.latency > 0
        {
            self.planned = Planned::new(config);
        }
    }

    /// Whether accesses are begun ahead.
    #[inline(always)]
    pub fn plans(&self) -> bool {
        self.planned.is_some()
    }

    /// Channels, each with a wake-up of its own.
    pub fn channels(&self) -> usize {
        self.channels.len()
    }

    /// A transfer arrives; calls `wake` with each channel that had nothing to do, and when it has. Returns how many
    /// requests it became.
    #[inline(always)]
    pub fn submit(&mut self, transfer: Transfer, now: Ticks, wake: impl FnMut(usize, Ticks)) -> u32 {
        let cycle = self.clock.cycle_at_or_after(now);
        self.submit_in(cycle, transfer, wake)
    }

    /// The same, in a cycle of its clock.
    #[inline(always)]
    pub fn submit_in(&mut self, cycle: Cycle, transfer: Transfer, mut wake: impl FnMut(usize, Ticks)) -> u32 {
        self.accesses += 1;
        self.bytes += u64::from(transfer.bytes);
        let Transfer { request, address, bytes, registers, write } = transfer;
        let bytes = bytes.max(1);
        let first = if registers < bytes && bytes >= self.halves_from_bytes { registers } else { 0 };
        if first == 0
            && let Some(planned) = &mut self.planned
            && u64::from(bytes) <= self.row_bytes - (address & (self.row_bytes - 1))
        {
            // Most transfers are a cell, which lies in a row of the one channel.
            let location = self.map.locate(address);
            let part = Request { location, bytes, write, more: false, tag: request };
            if let Some(at) = planned.submit(cycle, part, true) {
                wake(0, self.clock.ticks(at));
            }
            return 1;
        }
        self.submit_parts(cycle, transfer, first, wake)
    }

    /// Submit the reads of cells that follow each other, the last of `last_bytes` bytes, where accesses are begun ahead.
    /// Returns how many runs they became, of the cells of a row each.
    pub fn submit_cells(
        &mut self,
        request: u32,
        address: u64,
        cells: u16,
        last_bytes: u32,
        now: Ticks,
        mut wake: impl FnMut(Ticks),
    ) -> u32 {
        let Some(planned) = &mut self.planned else { return 0 };
        let cycle = self.clock.cycle_at_or_after(now);
        let (mut at, mut left, mut runs) = (address, cells, 0);
        while left > 0 {
            let room = (self.row_bytes - (at & (self.row_bytes - 1))) / u64::from(CELL_BYTES);
            let count = room.clamp(1, u64::from(left)) as u16;
            left -= count;
            let location = self.map.locate(at);
            let part = Request { location, bytes: CELL_BYTES, write: false, more: false, tag: request };
            let last_bytes = if left == 0 { last_bytes } else { CELL_BYTES };
            if let Some(at) = planned.submit_run(cycle, part, count, last_bytes) {
                wake(self.clock.ticks(at));
            }
            at += u64::from(count) * u64::from(CELL_BYTES);
            runs += 1;
        }
        self.accesses += u64::from(cells);
        self.bytes += u64::from(cells - 1) * u64::from(CELL_BYTES) + u64::from(last_bytes);
        runs
    }

    /// Whether cells lie in rows as a whole.
    pub fn rows_hold_cells(&self) -> bool {
        self.row_bytes >= u64::from(CELL_BYTES)
    }

    /// Submit a transfer part by part: up to the end of a row or channel, and what comes from registers apart.
    fn submit_parts(
        &mut self,
        cycle: Cycle,
        transfer: Transfer,
        mut first: u32,
        mut wake: impl FnMut(usize, Ticks),
    ) -> u32 {
        let Transfer { request, address, bytes, write, .. } = transfer;
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
                Some(planned) => planned.submit(cycle, part, left == 0),
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

    /// Channel and address within it, and the bytes up to the next row or channel.
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

    /// What happens in a channel when it has something to do: the request that is done, and when there is something next.
    #[inline(always)]
    pub fn wake(&mut self, channel: usize) -> (Option<u32>, Option<Ticks>) {
        let controller = &mut self.channels[channel];
        let Some(cycle) = controller.next_wake() else { return (None, None) };
        let done = controller.wake(cycle);
        (done.map(|done| done.tag), controller.next_wake().map(|at| self.clock.ticks(at)))
    }

    /// The same where accesses are begun ahead: `ended` gets the request of each transfer with the time of its result, and
    /// whether it is the last of those submitted together, and returns when the request arrived. Returns when there is something next.
    #[inline(always)]
    pub fn wake_ahead(&mut self, ended: impl FnMut(u32, Ticks, bool) -> Ticks) -> Option<Ticks> {
        let next = self.planned.as_mut()?.wake(self.clock, self.latency, ended);
        next.map(|at| self.clock.ticks(at))
    }

    /// Clock cycles of one channel since the last restart, up to `now`.
    pub fn cycles(&self, now: Ticks) -> Cycle {
        (now - self.started) / self.clock.period().max(1)
    }

    /// What each channel counted up to `now`.
    pub fn statistics(&self, now: Ticks) -> Vec<Statistics> {
        match &self.planned {
            Some(planned) => vec![planned.statistics(self.clock, now)],
            None => self.channels.iter().map(|channel| channel.statistics().clone()).collect(),
        }
    }

    /// Time from arrival to result, summed over accesses up to `now`.
    pub fn residence(&self, now: Ticks) -> u128 {
        self.planned.as_ref().map_or(self.residence, |planned| planned.residence(self.clock, now))
    }

    /// An access has taken so long from its arrival to its result.
    pub fn ended(&mut self, residence: Ticks) {
        self.residence += u128::from(residence);
    }

    /// Forget what was before `now`.
    pub fn restart(&mut self, now: Ticks) {
        if let Some(planned) = &mut self.planned {
            planned.restart(self.clock, now);
        }
        self.channels.iter_mut().for_each(Controller::restart_statistics);
        (self.accesses, self.bytes, self.residence, self.started) = (0, 0, 0, now);
    }
}
