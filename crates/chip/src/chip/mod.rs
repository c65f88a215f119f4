//! The chip: what every part of it shares, and what it says of itself.

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
use linecard_sim::{Agenda, Branches, Clock, Ticks, Timebase};
use std::collections::VecDeque;

/// A packet on its way to a port.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When its first bit is at the port, in nanoseconds from the start of the run; not before the arrival before it.
    pub at_ns: u64,
    /// The same for packets of one flow; it chooses the port, and whatever is chosen by flow.
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
    /// Port it came by.
    pub input_port: u16,
    /// Port it left by.
    pub output_port: u16,
    /// Whether a port sent it; else its program ended it.
    pub by_port: bool,
    /// From its last bit in to its last bit out, in ticks.
    pub latency: Ticks,
    /// The header as the program left it.
    pub head: PacketHead,
}

/// A packet that has been lost.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// When, in ticks.
    pub at: Ticks,
    /// Why.
    pub loss: Loss,
    /// Its header.
    pub head: PacketHead,
}

/// Gives the packets of a run, in order of arrival; `None` ends the traffic.
pub type TrafficSource = Box<dyn FnMut() -> Option<Arrival>>;

/// Called with where the bytes of a lost packet are kept ([`linecard_program::PacketHead::frame`]).
pub type LostBytesSink = Box<dyn FnMut(u32)>;

/// Called for every packet that is lost.
pub type LossSink = Box<dyn FnMut(&Lost)>;

/// Called for every packet that leaves.
pub type DepartureSink = Box<dyn FnMut(&Departure)>;

/// What happens at a time that nothing else keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Timer {
    /// All of a packet is in memory.
    Stored(u32),
    /// All of a packet has been read for its port.
    Fetched(u32),
    /// A thread has moved the last part of a cell.
    Moved(u32),
    /// Shapers of a port, by number among those that send, let a packet go.
    Opens(u32),
}

pub(crate) struct Cluster {
    clock: Clock,
    switch: Ticks,
    program: usize,
    branches: Option<Branches>,
    /// Inboxes that threads take from.
    takes: Box<[u16]>,
    /// Cells of a block at most, of clusters that move blocks.
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
    /// Group in each inbox that a cluster's threads take from, by thread and place in `takes`.
    groups: Vec<u32>,
    groups_at: Vec<u32>,

    /// Number of the first place of each place's group.
    group_of_place: Vec<u16>,
    /// By cluster and role.
    targets: Vec<Target>,
    places: Vec<Place>,
    links: Vec<Link>,
    /// Lines in front of links, then of places: requests on their way, by time of arrival.
    lines: Vec<Due<u32>>,
    /// Packets whose turn it is, and ports from whose queues packets may go on; both empty between events.
    passing: VecDeque<PacketId>,
    feeding: VecDeque<u16>,
    requests: Requests,
    /// When a channel of DRAM last did something.
    channels_at: Ticks,
    /// Ends of DRAM accesses; empty between events.
    finished: Vec<(u32, Ticks)>,

    inboxes: Vec<Inbox>,
    /// Inboxes with a window.
    windowed: Vec<u16>,
    pools: Vec<Pool>,
    /// Sides of ports, in the order of the ports.
    receivers: Vec<Receiver>,
    senders: Vec<Sender>,
    /// Number among the receivers for each share of the flows: a faster port has more of them.
    shares: Vec<u16>,
    order: Order,
    memory: Option<PacketMemory>,
    transmit: Option<TransmitBuffer>,
    /// By number among the ports that send, where threads move blocks.
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
    /// Longest that a frame may wait for its wire.
    line_patience: Ticks,
    departures: Option<DepartureSink>,
    lost_bytes: Option<LostBytesSink>,
    losses: Option<LossSink>,
    /// What is recorded, and which window of it.
    recording: Option<Box<Recording>>,
    window: Option<Window>,
    numbered: u64,
    gone: u64,
    warm: bool,
    turns: Turns,
    /// What a program or a part did that it must not: the result of the run is then this.
    fault: Option<String>,
    account: Account,
    tallies: Tallies,
}

/// Where events come from, in the order in which they are served at one instant: what comes from outside and results
/// first, engines after them, so that an engine sees every thread that became ready; DRAM last, so that it sees every
/// request submitted.
pub(crate) struct Sources {
    first_receiver: usize,
    first_sender: usize,
    first_line: usize,
    first_engine: usize,
    first_channel: usize,
    /// Place and channel of each source from `first_channel` on, and the first of each place.
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
    /// Threads that wait for room in it.
    waiters: VecDeque<(u32, Part)>,
    /// Packets in memory that no thread sends yet, by class of flow.
    kept_flows: Vec<u32>,
    bytes: Level,
}

/// An output thread: the ports that it serves, by number among those that send, in order; and the one served last.
pub(crate) struct BlockThread {
    ports: Box<[u16]>,
    last: usize,
    polls: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Lock {
    owner: Option<u32>,
    waiting: VecDeque<u32>,
}

/// Cycles that tell the length of one.
const MANY_CYCLES: u64 = 1 << 20;

impl Chip {
    /// Call `sink` for every packet that leaves, in order of time.
    pub fn on_departure(&mut self, sink: DepartureSink) {
        self.departures = Some(sink);
    }

    /// Tell where the bytes of packets are kept that are lost before a program has looked at them.
    pub fn on_lost_bytes(&mut self, sink: LostBytesSink) {
        self.lost_bytes = Some(sink);
    }

    /// Call `sink` for every packet that is lost, in order of time.
    pub fn on_loss(&mut self, sink: LossSink) {
        self.losses = Some(sink);
    }

    /// Record what happens in a window of the measured time.
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

    /// What was recorded.
    pub fn recording(&self) -> Option<&Recording> {
        self.recording.as_deref()
    }

    /// The chip's ticks.
    pub fn timebase(&self) -> Timebase {
        self.timebase
    }

    /// What it was built from.
    pub fn config(&self) -> &ChipConfig {
        &self.config
    }

    /// What the chip still holds, in words: nothing, once traffic has ended and every packet has left.
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
            ("packets in the table", self.packets.count() as u64),
            ("packets of inboxes", loads.sum()),
            ("packets of windows", self.inboxes.iter().map(|inbox| inbox.inside.len() as u64).sum()),
            ("packets in inboxes", self.inboxes.iter().map(|inbox| u64::from(inbox.waiting)).sum()),
            ("sequences with packets that wait", self.order.sequences_waiting()),
            ("packets of output ports", self.senders.iter().map(|s| s.count() as u64).sum()),
            (
                "packets of block queues",
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
            ("requests on their way", self.lines.iter().map(|line| line.len() as u64).sum()),
            ("timers", self.timers.len() as u64),
            ("locks", self.locks.iter().filter(|lock| lock.owner.is_some()).count() as u64),
        ];
        let left = held.into_iter().filter(|&(_, count)| count > 0);
        left.map(|(what, count)| format!("{count} {what}")).collect()
    }

    /// Its programs, for their counters.
    pub fn programs(&self) -> &[Box<dyn PacketProgram>] {
        &self.programs
    }

    /// Cycles of its engines that threads with a program have waited for each of its operations, those that say which they are
    /// of ([`linecard_program::script::Steps::comes_from`]). Waits that are not over are left out.
    pub fn stalls(&self, program: usize) -> Vec<f64> {
        let mut sums = Vec::new();
        let clusters = self.clusters.iter().zip(&self.account.stalls);
        for (cluster, stalls) in clusters.filter(|(cluster, _)| cluster.program == program) {
            sums.resize(sums.len().max(stalls.len()), 0.0);
            let cycle = cluster.clock.ticks(MANY_CYCLES) as f64 / MANY_CYCLES as f64;
            for (sum, &ticks) in sums.iter_mut().zip(stalls) {
                *sum += ticks as f64 / cycle;
            }
        }
        sums
    }

    /// Whether the warm-up ended by itself or by the count that was given, and not because it had lasted too long.
    pub fn was_warm(&self) -> bool {
        self.warm
    }

    /// What was counted since the warm-up.
    pub fn counts(&self) -> Counts {
        self.count(self.agenda.now())
    }

    /// Record what happened to a packet.
    #[inline]
    fn note(&mut self, packet: u64, what: Happened, now: Ticks) {
        if let Some(recording) = &mut self.recording {
            recording.mark(now, packet, what);
        }
    }

    /// Record how many packets are inside.
    #[inline]
    fn note_inside(&mut self, now: Ticks) {
        if let Some(recording) = &mut self.recording {
            recording.level(now, LevelOf::Inside, self.account.inside.now as u32);
        }
    }

    /// Record how many packets stand in the output queues of a port that sends.
    #[inline]
    fn note_queue(&mut self, number: usize, now: Ticks) {
        if let Some(recording) = &mut self.recording {
            let sender = &self.senders[number];
            recording.level(now, LevelOf::Queue(sender.port), sender.queued() as u32);
        }
    }

    fn timer_event(&mut self, now: Ticks) {
        while let Some(timer) = self.timers.take(now) {
            match timer {
                Timer::Stored(packet) => self.stored(PacketId(packet), now),
                Timer::Fetched(packet) => self.fetched(PacketId(packet), now),
                Timer::Moved(thread) => self.moved_now(thread, now),
                Timer::Opens(port) => self.shaper_opens(port as usize, now),
            }
        }
        if let Some(at) = self.timers.first() {
            self.agenda.schedule(TIMERS, at);
        }
    }

    fn set_timer(&mut self, at: Ticks, timer: Timer) {
        self.timers.push(at, timer);
        if self.agenda.pending(TIMERS).is_none_or(|first| at < first) {
            self.agenda.schedule(TIMERS, at);
        }
    }

    fn state_name(&self, state: State) -> String {
        match state.0.checked_sub(State::PLACES) {
            None => State::NAMES[state.0 as usize].to_owned(),
            Some(group) => format!("wait {}", self.group_name(usize::from(group))),
        }
    }

    /// Name of a group of places, by the number of its first place.
    fn group_name(&self, number: usize) -> &str {
        &self.config.places[number].group
    }

    /// The slices of the time since the warm-up.
    pub fn series(&self) -> &Series {
        &self.account.series
    }
}
