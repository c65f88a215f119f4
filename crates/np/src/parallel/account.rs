//! What is counted while the machine runs, and the account at the end.

use super::packet::Packet;
use super::{DIRECT, HASH, ParallelMachine, SCRATCH};
use crate::report::PartTime;
use crate::thread::State;
use linecard_dram::SlotStatistics;
use linecard_program::DropReason;
use linecard_sim::{Histogram, Ticks};

/// Everything counted while statistics were on. Times are ticks of the machine's timebase.
#[derive(Clone, Debug)]
pub struct ParallelCounts {
    /// Length of the measurement.
    pub duration: Ticks,
    /// Packets that arrived, dropped ones included.
    pub packets_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Packets that left.
    pub packets_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Packets dropped, by `DropReason` number.
    pub drops: [u64; DropReason::ALL.len()],
    /// Bytes of the packets dropped.
    pub dropped_bytes: u64,
    /// From arrival until the last cell is sent.
    pub latency: Histogram,
    /// Where that time went.
    pub packet_time: Vec<PartTime>,
    /// Busy time of each engine.
    pub engines: Vec<Ticks>,
    /// Share of the time for which each thread held a packet.
    pub threads: Vec<f64>,
    /// Busy time and accesses of each SRAM channel.
    pub sram: Vec<(Ticks, u64)>,
    /// The same of the scratchpad, the hash unit, and the path from buffer to buffer.
    pub scratch: (Ticks, u64),
    /// See `scratch`.
    pub hash: (Ticks, u64),
    /// See `scratch`.
    pub direct: (Ticks, u64),
    /// The DRAM's counters.
    pub dram: SlotStatistics,
    /// DRAM cycles of the measurement.
    pub dram_cycles: u64,
    /// Mean bytes in the receive buffer, the transmit buffer and the whole machine.
    pub rbuf_bytes: f64,
    /// See `rbuf_bytes`.
    pub tbuf_bytes: f64,
    /// How many bytes of packets the machine held.
    pub buffer: BufferBytes,
    /// Packets that were kept in the packet buffer because their port was congested.
    pub stored_packets: u64,
    /// Their bytes.
    pub stored_bytes: u64,
    /// Packets inside when statistics started, and at the end: what came in less what left and was dropped is the
    /// difference.
    pub inside_at_start: u64,
    /// See `inside_at_start`.
    pub inside_at_end: u64,
}

/// Bytes of the packets inside the machine, from arrival to departure.
#[derive(Clone, Debug)]
pub struct BufferBytes {
    /// Time-weighted mean.
    pub mean: f64,
    /// Largest.
    pub max: u64,
    /// Share of the time with less than so many KiB, from 1 on.
    pub time_below_kib: Vec<f64>,
    /// Share of the arrivals and departures after which there were less.
    pub events_below_kib: Vec<f64>,
}

/// KiB up to which the distribution of bytes inside is kept apart.
const KIB: usize = 64;

/// What stands in the machine now, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Levels {
    pub rbuf_bytes: u64,
    pub tbuf_bytes: u64,
    pub inside_bytes: u64,
}

/// Counters since statistics started.
pub(super) struct Running {
    pub packets_in: u64,
    pub bytes_in: u64,
    pub packets_out: u64,
    pub bytes_out: u64,
    pub drops: [u64; DropReason::ALL.len()],
    pub dropped_bytes: u64,
    pub stored_bytes: u64,
    pub stored_packets: u64,
    pub latency: Histogram,
    in_receive_buffer: u128,
    in_packet_buffer: u128,
    total_time: u128,
    since: Ticks,
    rbuf: u128,
    tbuf: u128,
    inside: u128,
    most_inside: u64,
    time_by_kib: [u128; KIB + 1],
    events_by_kib: [u64; KIB + 1],
}

impl Running {
    pub fn new(now: Ticks) -> Self {
        Self {
            packets_in: 0,
            bytes_in: 0,
            packets_out: 0,
            bytes_out: 0,
            drops: Default::default(),
            dropped_bytes: 0,
            stored_bytes: 0,
            stored_packets: 0,
            latency: Histogram::default(),
            in_receive_buffer: 0,
            in_packet_buffer: 0,
            total_time: 0,
            since: now,
            rbuf: 0,
            tbuf: 0,
            inside: 0,
            most_inside: 0,
            time_by_kib: [0; KIB + 1],
            events_by_kib: [0; KIB + 1],
        }
    }

    /// A packet arrived or left, and now there are so many bytes inside.
    #[inline]
    pub fn buffer_event(&mut self, inside_bytes: u64) {
        self.events_by_kib[kib(inside_bytes)] += 1;
        self.most_inside = self.most_inside.max(inside_bytes);
    }

    #[inline]
    pub fn departed(&mut self, packet: &Packet, now: Ticks) {
        self.packets_out += 1;
        self.bytes_out += u64::from(packet.head.bytes);
        self.latency.record(now - packet.arrived);
        self.total_time += u128::from(now - packet.arrived);
        self.in_receive_buffer += u128::from(packet.received - packet.arrived);
        self.in_packet_buffer += u128::from(packet.resumed.saturating_sub(packet.stored));
    }
}

#[inline]
fn kib(bytes: u64) -> usize {
    ((bytes >> 10) as usize).min(KIB)
}

impl ParallelMachine {
    /// Account for the levels up to now; before any of them changes.
    #[inline]
    pub(super) fn integrate(&mut self, now: Ticks) {
        let c = &mut self.counts;
        let dt = u128::from(now - c.since);
        if dt > 0 {
            c.rbuf += dt * u128::from(self.levels.rbuf_bytes);
            c.tbuf += dt * u128::from(self.levels.tbuf_bytes);
            c.inside += dt * u128::from(self.levels.inside_bytes);
            c.time_by_kib[kib(self.levels.inside_bytes)] += dt;
            c.since = now;
        }
    }

    pub(super) fn start_measuring(&mut self) {
        let now = self.agenda.now();
        self.measuring_since = now;
        self.inside_at_start = self.packets.len() as u64;
        self.counts = Running::new(now);
        if let Some(hook) = &mut self.measuring {
            hook();
        }
        for engine in &mut self.engines {
            engine.clock.restart(now);
        }
        for thread in &mut self.threads {
            thread.clock.restart(now);
        }
        for unit in &mut self.units {
            (unit.busy, unit.accesses) = (0, 0);
        }
        self.dram.restart_statistics();
    }

    /// What was counted since the warm-up.
    pub fn counts(&mut self) -> ParallelCounts {
        let now = self.agenda.now();
        self.integrate(now);
        let duration = now - self.measuring_since;
        let per_tick = |integral: u128| if duration == 0 { 0.0 } else { integral as f64 / duration as f64 };
        let unit = |u: usize| (self.units[u].busy, self.units[u].accesses);
        let c = &self.counts;
        let events: u64 = c.events_by_kib.iter().sum();
        let below = |counts: Vec<f64>, all: f64| {
            let mut sum = 0.0;
            let mut shares = Vec::with_capacity(KIB);
            for n in &counts[..KIB] {
                sum += n;
                shares.push(if all > 0.0 { sum / all } else { 0.0 });
            }
            shares
        };
        ParallelCounts {
            duration,
            packets_in: c.packets_in,
            bytes_in: c.bytes_in,
            packets_out: c.packets_out,
            bytes_out: c.bytes_out,
            drops: c.drops,
            dropped_bytes: c.dropped_bytes,
            latency: c.latency.clone(),
            packet_time: self.packet_time(now),
            engines: self.engines.iter().map(|e| e.clock.spent(now)[0]).collect(),
            threads: self
                .threads
                .iter()
                .map(|t| 1.0 - per_tick(u128::from(t.clock.spent(now)[State::Receive as usize])))
                .collect(),
            sram: (0..self.sram_channels).map(unit).collect(),
            scratch: unit(SCRATCH),
            hash: unit(HASH),
            direct: unit(DIRECT),
            dram: self.dram.statistics(),
            dram_cycles: duration / self.dram_clock.period(),
            rbuf_bytes: per_tick(c.rbuf),
            tbuf_bytes: per_tick(c.tbuf),
            buffer: BufferBytes {
                mean: per_tick(c.inside),
                max: c.most_inside,
                time_below_kib: below(c.time_by_kib.iter().map(|&t| t as f64).collect(), duration as f64),
                events_below_kib: below(c.events_by_kib.iter().map(|&n| n as f64).collect(), events as f64),
            },
            stored_bytes: c.stored_bytes,
            stored_packets: c.stored_packets,
            inside_at_start: self.inside_at_start,
            inside_at_end: self.packets.len() as u64,
        }
    }

    fn packet_time(&self, now: Ticks) -> Vec<PartTime> {
        let mut parts = Vec::new();
        let mut known = self.counts.in_receive_buffer + self.counts.in_packet_buffer;
        for state in (0..State::COUNT).filter(|&state| State::attends(state)) {
            let ticks = self.threads.iter().map(|t| u128::from(t.clock.spent(now)[state])).sum();
            known += ticks;
            parts.push(PartTime { part: State::name(state), ticks });
        }
        parts.push(PartTime { part: "in receive buffer", ticks: self.counts.in_receive_buffer });
        parts.push(PartTime { part: "in packet buffer", ticks: self.counts.in_packet_buffer });
        // What is left: all threads are done with the packet, and its port is not.
        let rest = self.counts.total_time.saturating_sub(known);
        parts.push(PartTime { part: "in transmit buffer", ticks: rest });
        parts
    }
}
