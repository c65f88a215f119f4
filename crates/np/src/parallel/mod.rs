//! The machine of parallel threads (IXP2400): every thread does all of a packet's work.
//!
//! Source: Girish 2008, sections 2.1, 3.3 and 4.3. A packet comes into the receive buffer (RBUF) cell by cell (mpackets
//! of 64 bytes); the first of the free threads takes it up, moves it to the packet buffer, looks it up, and moves it to
//! the transmit buffer (TBUF); or, with dynamic buffering, looks it up first and moves it from buffer to buffer. The
//! DRAM is [`SlotController`]: accesses of any size, side by side in banks. Beside the other machine of this crate,
//! [`crate::Machine`], threads have no ports of their own and there is no buffer allocator; engines, units and the
//! programs' ops are the same.

mod account;
mod build;
mod config;
mod engines;
mod input;
mod moves;
mod output;
mod packet;

pub use account::{BufferBytes, ParallelCounts};
pub use config::{
    BackPressure, DramConfig, Interleaving, PacedPorts, ParallelConfig, Ports, Release, Watermarks,
};

use crate::engine::Engine;
use crate::machine::{Arrival, DepartureSink, MeasureHook, Outcome, RunLimit, TrafficSource};
use crate::thread::State;
use crate::unit::Unit;
use account::{Levels, Running};
use linecard_dram::SlotController;
use linecard_program::{Mailbox, Op, PacketId, Program};
use linecard_sim::{Agenda, Clock, StateClock, Stream, Ticks, Timebase};
use output::Port;
use packet::Packets;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::rc::Rc;

// Sources of events in the order of an instant: results, arrivals and departures first, engines then, which see every
// thread that became ready, and the DRAM last, which sees every access submitted.
const SRAM_CHANNELS: usize = 4;
const SCRATCH: usize = 4;
const HASH: usize = 5;
const DIRECT: usize = 6;
const UNITS: usize = 7;
const ARRIVAL: usize = 7;
const TRANSMIT: usize = 8;
const ENGINES: usize = 9;

/// A hardware thread.
struct Thread {
    program: Program,
    mailbox: Rc<Mailbox>,
    engine: u16,
    op: Op,
    clock: StateClock<{ State::COUNT }>,
    /// The packet that it holds.
    packet: PacketId,
}

/// What comes of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The thread goes on.
    GoOn,
    /// It waits, and its engine runs another.
    Wait,
    /// It waits, and its engine stands still with it.
    Stall,
}

/// A network processor of parallel threads with its program and its traffic.
pub struct ParallelMachine {
    agenda: Agenda,
    dram_source: usize,
    timebase: Timebase,
    engine_period: Ticks,
    switch: Ticks,
    engines: Vec<Engine>,
    threads: Vec<Thread>,
    units: Vec<Unit>,
    sram_channels: usize,
    /// SRAM channel of the next access.
    next_channel: usize,
    dram: SlotController,
    dram_clock: Clock,
    back_pressure: BackPressure,
    /// Requests outstanding at the DRAM, as back pressure counts them.
    requests: u32,
    /// Threads whose engines stand still until the DRAM takes an access.
    stalled: VecDeque<u32>,
    /// Threads whose accesses have moved their data; empty between events.
    moved: Vec<u32>,
    interleaving: Interleaving,
    banks: u32,
    placement: Stream,
    paced: Option<PacedPorts>,

    /// Threads that wait for a packet, the longest first.
    free_threads: VecDeque<u32>,
    /// Packets in the receive buffer that no thread has taken up.
    arrived_packets: VecDeque<PacketId>,
    rbuf_cells: u32,
    tbuf_cells: u32,
    /// Threads that wait for room in the transmit buffer.
    tbuf_waiters: VecDeque<u32>,
    /// Threads that wait for an earlier packet of their flow.
    place_waiters: Vec<u32>,
    /// Packets that threads hold without a place, by thread.
    unplaced: Vec<Option<PacketId>>,
    output: Vec<Port>,
    /// Packets in the packet buffer that no thread sends yet, by class of flow.
    stored_flows: Vec<u32>,
    /// Ticks of 2^16 bits on an output link.
    bit_ticks_64k: u128,
    packets: Packets,
    traffic: TrafficSource,
    next_arrival: Option<Arrival>,
    traffic_ended: bool,
    departures: Option<DepartureSink>,

    numbered: u64,
    gone: u64,
    measuring_since: Ticks,
    inside_at_start: u64,
    measuring: Option<MeasureHook>,
    levels: Levels,
    counts: Running,
}

impl ParallelMachine {
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

    /// Packets inside now.
    pub fn packets_inside(&self) -> usize {
        self.packets.len()
    }

    /// Run until `limit`; `progress` is told from time to time how many packets have left or been dropped.
    pub fn run(&mut self, limit: RunLimit, progress: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Outcome {
        crate::drive::run(self, limit, progress)
    }

    #[inline(always)]
    fn handle(&mut self, source: usize, now: Ticks) {
        match source {
            0..UNITS => self.unit_event(source, now),
            ARRIVAL => self.arrival_event(now),
            TRANSMIT => self.transmit_event(now),
            s if s < self.dram_source => self.engine_event(s - ENGINES, now),
            _ => self.dram_event(now),
        }
    }

    /// Issue the thread's op.
    #[inline(always)]
    fn issue(&mut self, thread: u32, now: Ticks) -> Step {
        use linecard_program::Unit as Which;
        match self.threads[thread as usize].op {
            Op::Receive | Op::ReceiveOrSend => self.receive(thread, now),
            Op::Access { unit: Which::Sram, words } => {
                let channel = self.next_channel;
                self.next_channel = (channel + 1) % self.sram_channels;
                self.access(thread, channel, words, State::WaitSram, now)
            }
            Op::Access { unit: Which::Scratch, words } => {
                self.access(thread, SCRATCH, words, State::WaitScratch, now)
            }
            Op::Access { unit: Which::Hash, words } => self.access(thread, HASH, words, State::WaitHash, now),
            Op::Move { what, cell, bytes, .. } => self.begin_move(thread, what, cell, bytes, now),
            Op::Place { queue } => self.place(thread, queue, now),
            Op::Store => {
                self.store(thread, now);
                Step::GoOn
            }
            Op::Depart { packet } => {
                self.hand_over(packet, now);
                Step::GoOn
            }
            Op::Discard { packet, reason } => {
                self.discard(thread, packet, reason, now);
                Step::GoOn
            }
            op => unreachable!("no program of parallel threads asks for {op:?}"),
        }
    }

    #[inline(always)]
    fn access(&mut self, thread: u32, unit: usize, words: u32, state: State, now: Ticks) -> Step {
        if let Some(at) = self.units[unit].access(thread, words, now) {
            self.agenda.schedule(unit, at);
        }
        self.wait(thread, state, now)
    }
}

impl crate::drive::Driven for ParallelMachine {
    fn gone(&self) -> u64 {
        self.gone
    }

    fn start_measuring(&mut self) {
        self.start_measuring();
    }

    #[inline(always)]
    fn take_next(&mut self) -> Option<(Ticks, usize)> {
        self.agenda.take_next()
    }

    #[inline(always)]
    fn handle(&mut self, source: usize, now: Ticks) {
        self.handle(source, now);
    }

    fn inside(&self) -> (usize, bool) {
        (self.packets.len(), self.traffic_ended)
    }

    fn states(&self) -> impl Iterator<Item = &'static str> {
        self.threads.iter().map(|thread| State::name(thread.clock.state()))
    }
}
