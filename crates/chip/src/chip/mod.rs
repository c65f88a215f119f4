//! The chip: the state that its parts share, and its public functions.

mod account;
mod actions;
mod blocks;
mod build;
mod cached;
mod check;
mod issued;
mod lending;
mod receive;
mod run;
mod send;
mod taking;
mod threads;
mod transmit;
mod travel;
mod turns;

pub use run::{Outcome, RunLimit};

use self::issued::Part;
use crate::account::{Account, Level};
use crate::block_queue::BlockQueue;
use crate::config::{ChipConfig, TransmitBufferConfig};
use crate::counts::Counts;
use crate::due::Due;
use crate::engine::Engine;
use crate::inbox::Inbox;
use crate::link::Link;
use crate::lock::Lock;
use crate::loss::Loss;
use crate::order::Order;
use crate::packet::{NONE, Packets};
use crate::packet_memory::PacketMemory;
use crate::place::Place;
use crate::port::{Receiver, Sender};
use crate::recording::{Happened, LevelOf, Recording, Window};
use crate::request::Requests;
use crate::series::Series;
use crate::tally::Tallies;
use crate::target::Target;
use crate::thread::{State, Thread};
use crate::turns::Turns;
use linecard_program::script::PacketProgram;
use linecard_program::{PacketHead, PacketId};
use linecard_sim::{Agenda, Branches, Clock, Ring, Ticks, Timebase};
use std::collections::VecDeque;

/// A packet on its way to a port.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When its first bit arrives at the port, in nanoseconds from the start of the run; not before the
    /// previous arrival.
    pub at_ns: u64,
    /// Equal for packets of one flow; it selects the port, and everything else that is selected by flow.
    pub flow_hash: u32,
    /// The packet.
    pub head: PacketHead,
}

/// A packet that has left.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// When its last bit was on the wire, in ticks.
    pub at: Ticks,
    /// Number in the order of arrival.
    pub number: u64,
    /// Its flow's hash.
    pub flow_hash: u32,
    /// Port that received it.
    pub input_port: u16,
    /// Port that it left by.
    pub output_port: u16,
    /// Whether a port sent it; otherwise its program ended it.
    pub by_port: bool,
    /// Time from its last bit in to its last bit out, in ticks.
    pub latency: Ticks,
    /// The header as the program left it.
    pub head: PacketHead,
}

/// A packet that was lost.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// When, in ticks.
    pub at: Ticks,
    /// Why.
    pub loss: Loss,
    /// Its header.
    pub head: PacketHead,
}

/// Returns the packets of a run in order of arrival; `None` ends the traffic.
pub type TrafficSource = Box<dyn FnMut() -> Option<Arrival>>;

/// Called with the location of a lost packet's bytes ([`linecard_program::PacketHead::frame`]).
pub type LostBytesSink = Box<dyn FnMut(u32)>;

/// Called for every packet that is lost.
pub type LossSink = Box<dyn FnMut(&Lost)>;

/// Called for every packet that leaves.
pub type DepartureSink = Box<dyn FnMut(&Departure)>;

/// Events that no other part schedules.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Timer {
    /// The whole packet is in memory.
    Stored(u32),
    /// A thread has moved the last part of a cell.
    Moved(u32),
    /// Shapers of a port, by number among the sending ports, permit a packet.
    Opens(u32),
}

impl Default for Timer {
    fn default() -> Self {
        Timer::Stored(0)
    }
}

pub(crate) struct Cluster {
    clock: Clock,
    program: usize,
    branches: Option<Branches>,
    /// Inboxes from which threads take packets.
    takes: Box<[u16]>,
    /// Most cells of a block, of clusters that move blocks.
    block_cells: Option<u16>,
}

/// A packet processor with its programs and its traffic.
pub struct Chip {
    agenda: Agenda,
    timebase: Timebase,
    config: ChipConfig,
    sources: Sources,

    clusters: Vec<Cluster>,
    engines: Vec<Engine>,
    threads: Vec<Thread>,
    programs: Vec<Box<dyn PacketProgram>>,
    /// Group in each inbox from which a cluster's threads take packets, by thread and position in `takes`.
    groups: Vec<u32>,
    groups_at: Vec<u32>,

    /// First member of each memory's or unit's group.
    group_of_place: Vec<u16>,
    /// By cluster and role.
    targets: Vec<Target>,
    places: Vec<Place>,
    links: Vec<Link>,
    /// Queues in front of links, then of memories and units: travelling requests, by time of arrival.
    lines: Vec<Due<u32>>,
    /// Packets whose turn has come, and ports whose queues may send; both are empty between events.
    passing: Ring<PacketId>,
    feeding: Ring<u16>,
    requests: Requests,
    /// When a DRAM channel last acted.
    channels_at: Ticks,
    /// Completion times of DRAM accesses; empty between events.
    finished: Vec<(u32, Ticks)>,

    inboxes: Vec<Inbox>,
    /// Inboxes with a window.
    windowed: Vec<u16>,
    pools: Vec<Pool>,
    /// Sides of ports, in the order of the ports.
    receivers: Vec<Receiver>,
    senders: Vec<Sender>,
    /// The receiver of each share of the flows: a faster port has more shares.
    shares: Vec<u16>,
    order: Order,
    memory: Option<PacketMemory>,
    transmit: Option<TransmitBuffer>,
    /// By number among the sending ports, if threads move blocks.
    block_queues: Vec<BlockQueue>,
    /// Threads that move blocks, and the number of each thread among them.
    block_threads: Vec<BlockThread>,
    block_number: Vec<u32>,
    locks: Vec<Lock>,
    packets: Packets,
    timers: Due<Timer>,

    traffic: TrafficSource,
    next_arrival: Option<Arrival>,
    traffic_ended: bool,
    /// Longest time that a frame may wait for its wire.
    line_patience: Ticks,
    departures: Option<DepartureSink>,
    lost_bytes: Option<LostBytesSink>,
    losses: Option<LossSink>,
    /// The recording, and its window.
    recording: Option<Box<Recording>>,
    window: Option<Window>,
    numbered: u64,
    gone: u64,
    warm: bool,
    turns: Turns,
    /// An error of a program or a part; it becomes the result of the run.
    fault: Option<String>,
    account: Account,
    tallies: Tallies,
}

/// Event sources, in the order in which they are served at one instant. Arrivals and results come first.
/// Engines come after them, so that an engine sees every thread that became ready. DRAM is last, so that it
/// sees every request submitted.
pub(crate) struct Sources {
    first_receiver: usize,
    first_sender: usize,
    first_line: usize,
    first_engine: usize,
    first_channel: usize,
    /// Memory and channel of each source from `first_channel` on, and the first source of each memory.
    channels: Vec<(u16, u16)>,
    channel_of_place: Vec<usize>,
}

const ARRIVAL: usize = 0;
const TIMERS: usize = 1;
const FIXED: usize = 2;

pub(crate) struct Pool {
    cells: u32,
    level: crate::account::Level,
}

/// The transmit buffer.
pub(crate) struct TransmitBuffer {
    config: TransmitBufferConfig,
    used: u32,
    /// Threads that wait for room in the transmit buffer.
    waiters: VecDeque<(u32, Part)>,
    /// Packets in memory that no thread sends yet, by class of flow.
    kept_flows: Vec<u32>,
    bytes: Level,
}

/// An output thread: the ports that it serves in order, by number among the sending ports, and the port served
/// last.
pub(crate) struct BlockThread {
    ports: Box<[u16]>,
    last: usize,
    polls: bool,
}

/// Cycles from which the length of one cycle is computed.
const MANY_CYCLES: u64 = 1 << 20;

impl Chip {
    /// Calls `sink` for every packet that leaves, in order of time.
    pub fn on_departure(&mut self, sink: DepartureSink) {
        self.departures = Some(sink);
    }

    /// Calls `sink` for every packet that is lost before a program has looked at it, with the location of its
    /// bytes.
    pub fn on_lost_bytes(&mut self, sink: LostBytesSink) {
        self.lost_bytes = Some(sink);
    }

    /// Calls `sink` for every packet that is lost, in order of time.
    pub fn on_loss(&mut self, sink: LossSink) {
        self.losses = Some(sink);
    }

    /// Records the events in a window of the measured time.
    pub fn record(&mut self, window: Window) {
        let states = (0..self.account.states as u16).map(|state| self.state_name(State(state))).collect();
        let mut threads = Vec::with_capacity(self.threads.len());
        for thread in &self.threads {
            let first = self.engines.iter().position(|engine| engine.cluster == thread.cluster).unwrap_or(0);
            let engine = &self.engines[thread.engine as usize];
            let cluster = self.config.clusters[usize::from(thread.cluster)].name.clone();
            threads.push((cluster, thread.engine - first as u32, threads.len() as u32 - engine.first_thread));
        }
        let ports = self.config.ports.iter().map(|port| port.name.clone()).collect();
        self.recording = Some(Box::new(Recording::new(states, threads, ports)));
        self.window = Some(window);
    }

    /// Returns the recording.
    pub fn recording(&self) -> Option<&Recording> {
        self.recording.as_deref()
    }

    /// Returns the timebase of the chip's ticks.
    pub fn timebase(&self) -> Timebase {
        self.timebase
    }

    /// Returns the configuration that the chip was built from.
    pub fn config(&self) -> &ChipConfig {
        &self.config
    }

    /// Describes what the chip still holds: nothing, once traffic has ended and every packet has left.
    pub fn leftovers(&self) -> Vec<String> {
        let at_work =
            |t: &&Thread| t.packet != NONE || t.lent.is_some() || t.block.is_some() || t.posted_unknown > 0;
        let threads = self.threads.iter().filter(at_work).count();
        let cells: u64 = self.pools.iter().map(|pool| pool.level.now).sum();
        let stores = self.memory.iter().flat_map(|memory| &memory.stores);
        let kept: u64 = stores.map(|store| u64::from(store.room.cells_in_use())).sum();
        let loads = self.inboxes.iter().flat_map(|inbox| &inbox.groups).map(|group| u64::from(group.load));
        let held = [
            ("packets", self.account.inside.now),
            ("packets in the packet table", self.packets.count() as u64),
            ("packets of inboxes", loads.sum()),
            ("packets of windows", self.inboxes.iter().map(|inbox| inbox.inside.len() as u64).sum()),
            ("packets in inboxes", self.inboxes.iter().map(|inbox| u64::from(inbox.waiting)).sum()),
            ("entries reserved in inboxes", self.inboxes.iter().map(|inbox| u64::from(inbox.reserved)).sum()),
            ("sequences with waiting packets", self.order.sequences_waiting()),
            ("packets at output ports", self.senders.iter().map(|s| s.count() as u64).sum()),
            (
                "packets in block queues",
                self.block_queues.iter().map(|b| (b.packets.len() + b.slots.count()) as u64).sum(),
            ),
            ("threads at work", threads as u64),
            ("cells of receive buffers", cells),
            ("cells of packet memories", kept),
            (
                "cells of the transmit buffer",
                self.transmit.as_ref().map_or(0, |buffer| u64::from(buffer.used)),
            ),
            ("bytes of receive buffers", self.account.receive_bytes.now),
            ("bytes", self.account.bytes_inside.bytes()),
            ("accesses", self.requests.count() as u64),
            ("requests in transit", self.lines.iter().map(|line| line.len() as u64).sum()),
            ("timers", self.timers.len() as u64),
            ("locks", self.locks.iter().filter(|lock| lock.is_held()).count() as u64),
        ];
        let left = held.into_iter().filter(|&(_, count)| count > 0);
        left.map(|(what, count)| format!("{count} {what}")).collect()
    }

    /// Returns the programs, for their counters.
    pub fn programs(&self) -> &[Box<dyn PacketProgram>] {
        &self.programs
    }

    /// Returns the cycles for which threads of a program waited for each of its operations. It counts waits
    /// whose operation is known ([`linecard_program::script::Steps::comes_from`]) and that have ended.
    pub fn stalls(&self, program: usize) -> Vec<f64> {
        let mut sums = Vec::new();
        let mut stalls = self.account.stalls.clone();
        for thread in &self.threads {
            let wakes = self.engines[thread.engine as usize].wake_of(thread.number);
            if let Some((operation, ticks)) = Account::not_ended(thread, wakes) {
                stalls[usize::from(thread.cluster)][operation as usize] -= ticks;
            }
        }
        let clusters = self.clusters.iter().zip(&stalls);
        for (cluster, stalls) in clusters.filter(|(cluster, _)| cluster.program == program) {
            sums.resize(sums.len().max(stalls.len()), 0.0);
            let cycle = cluster.clock.ticks(MANY_CYCLES) as f64 / MANY_CYCLES as f64;
            for (sum, &ticks) in sums.iter_mut().zip(stalls) {
                *sum += ticks as f64 / cycle;
            }
        }
        sums
    }

    /// Returns whether the warm-up ended in steady state or after the requested number of packets, and not
    /// because it had lasted too long.
    pub fn was_warm(&self) -> bool {
        self.warm
    }

    /// Returns the counts since the warm-up.
    pub fn counts(&self) -> Counts {
        self.count(self.agenda.now())
    }

    /// Records an event of a packet.
    #[inline]
    fn note(&mut self, packet: u64, what: Happened, now: Ticks) {
        if let Some(recording) = &mut self.recording {
            recording.mark(now, packet, what);
        }
    }

    /// Records the number of packets inside.
    #[inline]
    fn note_inside(&mut self, now: Ticks) {
        if let Some(recording) = &mut self.recording {
            recording.level(now, LevelOf::Inside, self.account.inside.now as u32);
        }
    }

    /// Records the number of packets in the output queues of a sending port.
    #[inline]
    fn note_queue(&mut self, number: usize, now: Ticks) {
        if let Some(recording) = &mut self.recording {
            let sender = &self.senders[number];
            recording.level(now, LevelOf::Queue(sender.port), sender.queued);
        }
    }

    fn timer_event(&mut self, now: Ticks) {
        let next = loop {
            match self.timers.take(now) {
                Ok(Timer::Stored(packet)) => self.stored(PacketId(packet), now),
                Ok(Timer::Moved(thread)) => self.moved_now(thread, now),
                Ok(Timer::Opens(port)) => self.shaper_opens(port as usize, now),
                Err(next) => break next,
            }
        };
        if let Some(at) = next {
            self.agenda.schedule_taken(at);
        }
    }

    fn set_timer(&mut self, at: Ticks, timer: Timer) {
        if self.timers.push(at, timer) {
            self.agenda.schedule(TIMERS, at);
        }
    }

    fn state_name(&self, state: State) -> String {
        match state.0.checked_sub(State::PLACES) {
            None => State::NAMES[state.0 as usize].to_owned(),
            Some(group) => format!("wait {}", self.group_name(usize::from(group))),
        }
    }

    /// Returns the name of a group, from the number of its first member.
    fn group_name(&self, number: usize) -> &str {
        &self.config.places[number].group
    }

    /// Returns the time slices since the warm-up.
    pub fn series(&self) -> &Series {
        &self.account.series
    }
}
