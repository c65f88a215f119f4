//! DRAM behind packet-buffer controllers as a place: transfers of up to a row, one after another in each channel.

use crate::config::PacketBufferConfig;
use linecard_dram::packet_buffer::{Controller, Request, Silent, Statistics};
use linecard_dram::{AddressMap, Cycle};
use linecard_sim::{Clock, Ticks, Timebase};

pub(crate) struct PacketBuffer {
    channels: Vec<Controller<Silent>>,
    pub clock: Clock,
    map: AddressMap,
    row_bytes: u64,
    interleave_shift: u32,
    halves_apart: bool,
    /// To the controller and back, reckoned on the way back.
    pub latency: Ticks,
    pub accesses: u64,
    pub bytes: u64,
    pub residence: u128,
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
            clock: timebase.clock(config.clock_hz),
            map: AddressMap::new(config.rows, organization),
            row_bytes: u64::from(organization.row_bytes),
            interleave_shift: config.interleave_bytes.ilog2(),
            halves_apart: config.halves_apart,
            latency: timebase.ticks_from_ps(config.latency_ps),
            accesses: 0,
            bytes: 0,
            residence: 0,
            started: 0,
        }
    }

    /// Channels, each with a wake-up of its own.
    pub fn channels(&self) -> usize {
        self.channels.len()
    }

    /// A transfer arrives; calls `wake` with each channel that had nothing to do, and when it has. Returns how many
    /// requests it became.
    #[inline(always)]
    pub fn submit(&mut self, transfer: Transfer, now: Ticks, mut wake: impl FnMut(usize, Ticks)) -> u32 {
        self.accesses += 1;
        self.bytes += u64::from(transfer.bytes);
        let cycle = self.clock.cycle_at_or_after(now);
        let Transfer { request, address, bytes, registers, write } = transfer;
        let end = address + u64::from(bytes.max(1));
        let (mut at, mut requests) = (address, 0);
        let first = u64::from(registers.min(bytes));
        while at < end {
            let (channel, local, room) = self.locate(at);
            let mut next = end.min(at + room);
            let split = at == address && first > 0 && address + first < end;
            if split {
                next = next.min(address + first);
            }
            let controller = &mut self.channels[channel];
            let asleep = controller.next_wake().is_none();
            let more = split && !self.halves_apart;
            let bytes = (next - at) as u32;
            controller.submit(
                cycle,
                Request { location: self.map.locate(local), bytes, write, more, tag: request },
            );
            if asleep && let Some(at) = controller.next_wake() {
                wake(channel, self.clock.ticks(at));
            }
            requests += 1;
            at = next;
        }
        requests
    }

    /// Channel and address within it, and the bytes up to the next row or channel.
    #[inline(always)]
    fn locate(&self, address: u64) -> (usize, u64, u64) {
        let to_row = self.row_bytes - address % self.row_bytes;
        if self.channels.len() == 1 {
            return (0, address, to_row);
        }
        let (shift, channels) = (self.interleave_shift, self.channels.len() as u64);
        let chunk = address >> shift;
        let inside = address & ((1 << shift) - 1);
        let local = ((chunk / channels) << shift) | inside;
        let room = (self.row_bytes - local % self.row_bytes).min((1 << shift) - inside);
        ((chunk % channels) as usize, local, room)
    }

    /// What happens in a channel now: the request that is done.
    #[inline(always)]
    pub fn wake(&mut self, channel: usize, now: Ticks) -> Option<u32> {
        let cycle = self.clock.cycle_at_or_after(now);
        self.channels[channel].wake(cycle).map(|done| done.tag)
    }

    /// When a channel has something to do next.
    #[inline(always)]
    pub fn next_wake(&self, channel: usize) -> Option<Ticks> {
        self.channels[channel].next_wake().map(|at| self.clock.ticks(at))
    }

    /// Clock cycles of one channel since the last restart, up to `now`.
    pub fn cycles(&self, now: Ticks) -> Cycle {
        (now - self.started) / self.clock.period().max(1)
    }

    /// What each channel counted.
    pub fn statistics(&self) -> impl Iterator<Item = &Statistics> {
        self.channels.iter().map(Controller::statistics)
    }

    /// Forget what was before `now`.
    pub fn restart(&mut self, now: Ticks) {
        self.channels.iter_mut().for_each(Controller::restart_statistics);
        (self.accesses, self.bytes, self.residence, self.started) = (0, 0, 0, now);
    }
}
