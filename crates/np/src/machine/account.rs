//! What is counted while the machine runs, and the account at the end.

use super::Machine;
use crate::report::{Counts, PartTime};
use crate::thread::{Role, State};
use crate::watch::Watch;
use linecard_program::DropReason;
use linecard_sim::{Histogram, Ticks};

impl<O: Watch> Machine<O> {
    /// What was counted since the warm-up.
    pub fn counts(&mut self) -> Counts {
        let now = self.agenda.now();
        self.integrate(now);
        let duration = now - self.measuring_since;
        let per_tick = |integral: u128| if duration == 0 { 0.0 } else { integral as f64 / duration as f64 };
        Counts {
            duration,
            packets_in: self.counts.packets_in,
            bytes_in: self.counts.bytes_in,
            packets_out: self.counts.packets_out,
            bytes_out: self.counts.bytes_out,
            drops: self.counts.drops,
            latency: self.counts.latency.clone(),
            packet_time: self.packet_time(now),
            engines: self.engines.iter().map(|e| e.clock.spent(now)).collect(),
            engine_is_input: self.engines.iter().map(|e| e.first_thread < self.first_output_thread).collect(),
            units: std::array::from_fn(|u| (self.units[u].busy, self.units[u].accesses)),
            paths: self.paths.counts(),
            bus: self.bus.busy,
            result_cache: self.result_cache.as_ref().map(|c| (c.hits, c.lookups)),
            queue_manager: self.queue_manager.as_ref().map(|m| m.usage(now)),
            dram: self.memory.controller.statistics().clone(),
            dram_cycles: duration / self.memory.clock.period(),
            transmit_use: self
                .transmit
                .iter_mut()
                .map(|t| per_tick(t.taken(now)) / t.capacity() as f64)
                .collect(),
            input_thread_use: self.threads[..self.first_output_thread as usize]
                .iter()
                .map(|t| 1.0 - per_tick(u128::from(t.clock.spent(now)[State::Receive as usize])))
                .collect(),
            inside_at_start: self.inside_at_start,
            inside_at_end: self.packets_present(),
            packets_inside: per_tick(self.counts.packets),
            cells_in_use: per_tick(self.counts.cells),
            wide_blocks: self.wide.as_ref().map(|w| (w.bypassed_blocks, w.written_blocks)),
        }
    }

    pub(super) fn packet_time(&self, now: Ticks) -> Vec<PartTime> {
        let mut input = [0u128; State::COUNT];
        let mut output = [0u128; State::COUNT];
        for t in &self.threads {
            let sum = if t.role == Role::Input { &mut input } else { &mut output };
            for (total, spent) in sum.iter_mut().zip(t.clock.spent(now)) {
                *total += u128::from(spent);
            }
        }
        let mut parts = Vec::new();
        let mut attended = 0;
        for state in 0..State::COUNT {
            if State::attends(state) {
                let part = State::name(state);
                let forwarded = input[state].saturating_sub(self.counts.on_dropped[state]);
                parts.push(PartTime { part, ticks: forwarded + output[state] });
                attended += output[state];
            }
        }
        parts.push(PartTime { part: "in receive buffer", ticks: self.counts.in_receive_buffer });
        parts.push(PartTime { part: "in output queue", ticks: self.counts.queued });
        // What is left of the time from the first block to the departure: no thread attends to the packet.
        let rest = self.counts.sending.saturating_sub(attended);
        parts.push(PartTime { part: "wait transmit slot", ticks: rest });
        parts
    }

    pub(super) fn start_measuring(&mut self) {
        let now = self.agenda.now();
        self.measuring_since = now;
        self.inside_at_start = self.packets_present();
        self.counts = Running::new(now);
        if let Some(hook) = &mut self.measuring {
            hook();
        }
        for engine in &mut self.engines {
            engine.clock.restart(now);
        }
        for thread in &mut self.threads {
            thread.clock.restart(now);
            // Of a packet held now, only the time from now on is counted, also if it is dropped.
            thread.at_receive = [0; State::COUNT];
        }
        for port in &mut self.transmit {
            port.restart(now);
        }
        for unit in &mut self.units {
            (unit.busy, unit.accesses) = (0, 0);
        }
        self.paths.restart();
        self.bus.busy = 0;
        if let Some(cache) = &mut self.result_cache {
            (cache.hits, cache.lookups) = (0, 0);
        }
        if let Some(manager) = &mut self.queue_manager {
            manager.restart(now);
        }
        if let Some(wide) = &mut self.wide {
            (wide.bypassed_blocks, wide.written_blocks) = (0, 0);
        }
        self.memory.controller.restart_statistics();
    }

    /// Packets in the machine and in its receive buffers.
    pub(super) fn packets_present(&self) -> u64 {
        let waiting: usize = self.lanes.iter().map(|l| l.waiting.len()).sum();
        (self.packets.len() + waiting) as u64
    }

    #[inline]
    pub(super) fn integrate(&mut self, now: Ticks) {
        let c = &mut self.counts;
        let dt = u128::from(now - c.levels_since);
        if dt > 0 {
            c.packets += dt * self.packets.len() as u128;
            c.cells += dt * u128::from(self.cells_in_use);
            c.levels_since = now;
        }
    }
}

/// Counters since statistics started.
pub(super) struct Running {
    pub(super) packets_in: u64,
    pub(super) bytes_in: u64,
    pub(super) packets_out: u64,
    pub(super) bytes_out: u64,
    pub(super) drops: [u64; DropReason::ALL.len()],
    pub(super) latency: Histogram,
    /// Time in the receive buffer, in output queues, and from the first block to the departure.
    pub(super) in_receive_buffer: u128,
    /// Time that input threads spent on packets that were then dropped, by state.
    pub(super) on_dropped: [u128; State::COUNT],
    pub(super) queued: u128,
    pub(super) sending: u128,
    pub(super) levels_since: Ticks,
    /// Time integrals of packets inside and cells in use.
    pub(super) packets: u128,
    pub(super) cells: u128,
}

impl Running {
    pub(super) fn new(now: Ticks) -> Self {
        Self {
            packets_in: 0,
            bytes_in: 0,
            packets_out: 0,
            bytes_out: 0,
            drops: Default::default(),
            latency: Histogram::default(),
            in_receive_buffer: 0,
            on_dropped: [0; State::COUNT],
            queued: 0,
            sending: 0,
            levels_since: now,
            packets: 0,
            cells: 0,
        }
    }
}
