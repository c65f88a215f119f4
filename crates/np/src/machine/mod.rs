//! The machine: executor of the programs, and the loop over its events.

mod account;
mod build;
mod engines;
mod input;
mod output;
mod queue_manager;
mod transfers;

use crate::bus::Bus;
use crate::config::BufferPath;
use crate::engine::Engine;
use crate::lock::Lock;
use crate::memory::Memory;
use crate::output::TransmitPort;
use crate::packet::Packets;
use crate::paths::Paths;
use crate::receive::{Lane, OutputQueue};
use crate::result_cache::ResultCache;
use crate::thread::{State, Thread};
use crate::unit::Unit;
use crate::watch::Watch;
use crate::wide::WideCaches;
use account::Running;
use linecard_dram::packet_buffer::Silent;
use linecard_program::{self as program, Op, PacketHead};
use linecard_queueing::Service;
use linecard_sim::{Agenda, Branches, Ticks, Timebase};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// A packet on its way to an input port.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When, in nanoseconds from the start of the run (paced mode; not before the arrival before it).
    pub at_ns: u64,
    /// Any number that keeps the packets of a flow on one port.
    pub flow_hash: u32,
    /// The packet.
    pub head: PacketHead,
}

/// A packet that has left.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// When, in ticks.
    pub at: Ticks,
    /// Number in the order of arrival.
    pub number: u64,
    /// Thread that took it in.
    pub input_thread: u16,
    /// Port it left by.
    pub output_port: u16,
    /// The header as the program left it.
    pub head: PacketHead,
}

/// Called once, when statistics start.
pub type MeasureHook = Box<dyn FnMut()>;

/// Called for every packet that leaves.
pub type DepartureSink = Box<dyn FnMut(&Departure)>;

/// Gives the packets of a run, in order of arrival; `None` ends the traffic.
pub type TrafficSource = Box<dyn FnMut() -> Option<Arrival>>;

/// When a run ends and how often it reports.
#[derive(Clone, Copy, Debug)]
pub struct RunLimit {
    /// Packets that leave or are dropped before statistics start.
    pub warmup_packets: u64,
    /// Packets that then leave or are dropped before the run ends.
    pub packets: u64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As many packets as asked for have left.
    Completed,
    /// The traffic ended, and every packet has left.
    TrafficEnded,
    /// Packets are inside and nothing will ever happen again; what each thread waits for, with counts.
    Deadlock {
        /// Packets inside.
        packets_inside: usize,
        /// What threads wait for.
        waiting: Vec<(String, usize)>,
    },
    /// The caller asked to stop.
    Interrupted,
}

// Sources of events, in the order in which they are served at one instant: results first, engines after them, so
// that an engine sees every thread that becomes ready at an instant; the DRAM controller last, so that it sees every
// request submitted at an instant.
const UNITS: usize = 4;
const MEMORY_RETURN: usize = 4;
const CACHE_RETURN: usize = 5;
const PATHS: usize = 6;
const QUEUE_MANAGER: usize = 7;
const ARRIVAL: usize = 8;
const TRANSMIT: usize = 9;
const ENGINES: usize = 10;

/// A network processor with its programs and its traffic.
pub struct Machine<O: Watch = Silent> {
    agenda: Agenda,
    dram_source: usize,
    timebase: Timebase,
    engine_period: Ticks,
    switch: Ticks,
    posted: u32,
    memory_latency: Ticks,
    cache_cell: Ticks,
    path: BufferPath,
    paced_cells: Option<u32>,
    block_cells: u16,
    queue_packets: u32,

    engines: Vec<Engine>,
    threads: Vec<Thread>,
    units: [Unit; UNITS],
    result_cache: Option<ResultCache>,
    queue_manager: Option<Service>,
    paths: Paths,
    bus: Bus,
    fast_input_ports: usize,
    branches: Option<Branches>,
    memory: Memory<O>,
    wide: Option<WideCaches>,
    /// Transfers whose data have moved, on their way back to the thread.
    memory_line: VecDeque<(Ticks, u32)>,
    cache_line: VecDeque<(Ticks, u32)>,
    locks: Vec<Lock>,
    /// What waits for each input thread.
    lanes: Vec<Lane>,
    /// Cells in the receive buffer of each input port.
    port_cells: Vec<u32>,
    queues: Vec<OutputQueue>,
    transmit: Vec<TransmitPort>,
    /// When the next slot of each port is free, as far as that is known.
    transmit_free: Vec<Ticks>,
    /// Output threads that wait for a block, a bit each, and those of each port; counted from the first.
    pollers: u64,
    port_pollers: Vec<u64>,
    first_output_thread: u32,
    /// Ports with a block to send and a free slot.
    sendable: u64,
    buffer_waiters: VecDeque<u32>,
    retry: Vec<u32>,
    packets: Packets,
    cells_in_use: u64,
    traffic: TrafficSource,
    next_arrival: Option<Arrival>,
    traffic_ended: bool,
    departures: Option<DepartureSink>,

    arrived: u64,
    gone: u64,
    measuring_since: Ticks,
    /// Packets inside and in receive buffers when statistics started.
    inside_at_start: u64,
    measuring: Option<MeasureHook>,
    counts: Running,
}

const EVENTS_BETWEEN_REPORTS: u32 = 1 << 18;

impl<O: Watch> Machine<O> {
    /// Call `sink` for every packet that leaves, in order of time.
    pub fn on_departure(&mut self, sink: DepartureSink) {
        self.departures = Some(sink);
    }

    /// Call `hook` when the warm-up is over and statistics start.
    pub fn on_measuring(&mut self, hook: MeasureHook) {
        self.measuring = Some(hook);
    }

    /// The machine's ticks.
    pub fn timebase(&self) -> Timebase {
        self.timebase
    }

    /// The observer, at the end.
    pub fn into_observer(self) -> O {
        self.memory.controller.into_observer()
    }

    /// Packets inside now.
    pub fn packets_inside(&self) -> usize {
        self.packets.len()
    }

    /// Run until `limit`; `progress` is told from time to time how many packets have left or been dropped.
    pub fn run(&mut self, limit: RunLimit, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Outcome {
        let total = limit.warmup_packets + limit.packets;
        let mut warming = limit.warmup_packets > 0;
        let mut mark = if warming { limit.warmup_packets } else { total };
        let mut countdown = EVENTS_BETWEEN_REPORTS;
        loop {
            if self.gone >= mark {
                if !warming {
                    return Outcome::Completed;
                }
                (warming, mark) = (false, total);
                self.start_measuring();
            }
            let Some((now, source)) = self.agenda.take_next() else {
                return self.nothing_left();
            };
            self.handle(source, now);
            countdown -= 1;
            if countdown == 0 {
                countdown = EVENTS_BETWEEN_REPORTS;
                if progress(self.gone).is_break() {
                    return Outcome::Interrupted;
                }
            }
        }
    }

    fn nothing_left(&self) -> Outcome {
        if self.traffic_ended && self.packets.len() == 0 {
            return Outcome::TrafficEnded;
        }
        let mut waiting: Vec<(String, usize)> = Vec::new();
        for state in self.threads.iter().map(|thread| State::name(thread.clock.state())) {
            match waiting.iter_mut().find(|(name, _)| name == state) {
                Some((_, count)) => *count += 1,
                None => waiting.push((state.to_owned(), 1)),
            }
        }
        Outcome::Deadlock { packets_inside: self.packets.len(), waiting }
    }

    /// Serve one event.
    #[inline(always)]
    fn handle(&mut self, source: usize, now: Ticks) {
        match source {
            0..UNITS => self.unit_event(source, now),
            MEMORY_RETURN => self.memory_return(now),
            CACHE_RETURN => self.cache_return(now),
            PATHS => self.paths_event(now),
            QUEUE_MANAGER => self.queue_manager_event(now),
            ARRIVAL => self.arrival_event(now),
            TRANSMIT => self.transmit_event(now),
            s if s < self.dram_source => self.engine_event(s - ENGINES, now),
            _ => self.dram_event(now),
        }
    }

    /// Issue the thread's op; answers whether the thread must wait.
    #[inline(always)]
    fn issue(&mut self, thread: u32, now: Ticks) -> bool {
        match self.threads[thread as usize].op {
            Op::Receive => self.receive(thread, now),
            Op::Access { unit, words } => self.access(thread, unit, words, now),
            Op::Recall => {
                let Some(cache) = &mut self.result_cache else {
                    unreachable!("only programs of a machine with a result cache ask it")
                };
                let mailbox = &self.threads[thread as usize].mailbox;
                mailbox.answer(u32::from(cache.recall(&mailbox.head())));
                self.access(thread, program::Unit::ResultCache, 1, now)
            }
            Op::Post { unit, words } => {
                self.units[unit as usize].post(words, now);
                false
            }
            Op::Transfer { path, bytes, again } => self.transfer(thread, path, bytes, again, now),
            Op::Queue { queue, enqueue } => self.ask_queue_manager(thread, queue, enqueue, now),
            Op::Lock(lock) => {
                !self.locks[lock as usize].take(thread) && self.wait(thread, State::WaitLock, now)
            }
            Op::Unlock(lock) => {
                if let Some(next) = self.locks[lock as usize].give(thread) {
                    self.make_ready(next, now);
                }
                false
            }
            Op::Admit { queue } => self.admit(thread, queue, now),
            Op::Allocate { packet, queue } => {
                // Those who wait come first, or large packets would wait for ever.
                if self.buffer_waiters.is_empty() && self.allocate(thread, packet, queue, now) {
                    return false;
                }
                self.buffer_waiters.push_back(thread);
                self.wait(thread, State::WaitBuffer, now)
            }
            Op::WriteCell { packet, cell, source } => self.write_cell(thread, packet, cell, source, now),
            Op::Join => self.join(thread, now),
            Op::Enqueue { packet, queue } => {
                self.enqueue(thread, packet, queue, now);
                false
            }
            Op::Depart { packet } => {
                self.depart_at_once(packet, now);
                false
            }
            Op::Discard { packet, reason } => {
                self.discard(thread, packet, reason, now);
                false
            }
            Op::NextBlock => self.next_block(thread, now),
            Op::ReadBlock(block) => self.read_block(thread, block, now),
            Op::Transmit(block) => {
                self.transmit(block, now);
                false
            }
        }
    }

    #[inline(always)]
    fn access(&mut self, thread: u32, unit: program::Unit, words: u32, now: Ticks) -> bool {
        let u = unit as usize;
        if let Some(at) = self.units[u].access(thread, words, now) {
            self.agenda.schedule(u, at);
        }
        let state = [State::WaitSram, State::WaitScratch, State::WaitHash, State::WaitResultCache][u];
        self.wait(thread, state, now)
    }

    /// A waiting thread issues its op again; it goes on unless it must wait once more.
    fn issue_again(&mut self, thread: u32, now: Ticks) {
        if !self.issue(thread, now) {
            self.make_ready(thread, now);
        }
    }
}
